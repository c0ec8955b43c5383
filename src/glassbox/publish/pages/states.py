"""Computes figures' states ahead, so that they answer before Python is up, or without it.

A figure is a pure function of its control values; the build has the same cells and the same NumPy. So each
figure whose controls have a finite set of positions is run over them, by the page's own ``Runner``, and what
differs between states is stored in one small file that the page script reads.

What is covered: one control, every position up to 201; several, the whole grid up to 400 states, else each
control moved alone from the defaults, and in any case every state that the prose links to (``presets``).
Text counts with its default and those; a button is unpressed.
"""

from __future__ import annotations

import difflib
import gzip
import hashlib
import itertools
import json
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from glassbox.page.bridge import parts
from glassbox.page.runner import Runner
from glassbox.publish.errors import BuildError
from glassbox.publish.pages import controls, dependencies, pressing
from glassbox.publish.pages.chapter import excerpt, figures
from glassbox.publish.state import Build

Json = dict[str, Any]

MAX_POSITIONS = 201
MAX_GRID = 400
MAX_FILE_BYTES = 100_000  # compressed, one figure
MAX_MEDIAN_BYTES = 30_000

_PARTS = "\x1f"  # separates the parts of one state's string


def choose(specs: list[Json], linked: Sequence[Json] = ()) -> list[tuple[Any, ...]]:
    """Lists the control values to compute, the defaults first.

    Args:
        specs: The controls.
        linked: The presets: control name to value, the others at their defaults.

    >>> choose([{"name": "a", "kind": "switch", "value": True}, {"name": "b", "kind": "text", "value": ""}],
    ...        [{"b": "word"}])
    [(True, ''), (False, ''), (True, 'word')]
    """
    defaults = tuple(c["value"] for c in specs)
    finite = [controls.positions(c) for c in specs]
    options = [p if p is not None else [c["value"]] for p, c in zip(finite, specs, strict=True)]
    size = 1
    for values in options:
        size *= len(values)
    if size <= (MAX_POSITIONS if sum(len(o) > 1 for o in options) == 1 else MAX_GRID):
        rest = [s for s in itertools.product(*options) if s != defaults]
    else:
        rest = [s for s in _one_at_a_time(defaults, options) if s != defaults]
    rest += [tuple(p.get(c["name"], c["value"]) for c in specs) for p in linked]
    return list(dict.fromkeys([defaults, *rest]))


def _one_at_a_time(defaults: tuple[Any, ...], options: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    for i, values in enumerate(options):
        thin = values if len(values) <= MAX_POSITIONS else values[:: -(-len(values) // MAX_POSITIONS)]
        for value in thin:
            yield (*defaults[:i], value, *defaults[i + 1 :])


def covered(specs: list[Json], linked: Sequence[Json] = ()) -> str:
    """Says in a few words which states are computed ahead."""
    more = len(choose(specs, linked)) - len(choose(specs))
    return _moved(specs) + (f" and {more} linked state{'s' if more > 1 else ''}" if more else "")


def _moved(specs: list[Json]) -> str:
    moving = [c for c in specs if (controls.positions(c) or [None])[1:]]
    if not moving:
        return "the first state"
    whole = 1
    for c in moving:
        whole *= len(controls.positions(c) or [])
    if len(moving) == 1:
        return "every position" if whole <= MAX_POSITIONS else f"{MAX_POSITIONS} positions"
    return f"all {whole} combinations" if whole <= MAX_GRID else "each control moved alone from the start"


def compute(program: Json, name: str, linked: Sequence[Json] = ()) -> Json:
    """Computes one figure's states and packs them as differences from the first.

    Raises:
        PressError: An element of a picture sets a control that the figure does not have.
    """
    runner = Runner(program)
    figure = next(f for f in program["figures"] if f["name"] == name)
    specs = [c for wanted in figure["controls"] for c in program["controls"] if c["name"] == wanted]
    names = [c["name"] for c in specs]
    texts: dict[str, str] = {}
    for values in choose(specs, linked):
        shown = runner.figure(name, dict(zip(names, values, strict=True)))
        pressing.check(name, specs, str(shown.picture))
        texts[key(values)] = _PARTS.join(parts(shown))
    return {"controls": names, "covers": covered(specs, linked), **pack(texts)}


def key(values: tuple[Any, ...]) -> str:
    """The state's key: the wire values as compact JSON, as the page script writes it."""
    return json.dumps([_plain(v) for v in values], ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


# A state is compared word by word, and a large one tag by tag: the time grows with the square of the parts.
_TOKEN = re.compile(r"<[^<>]{0,40}|[A-Za-z]+|[0-9.]+|\s+|.", re.S)
_LARGE_TOKEN = re.compile(r"<[^<>]*>|[^<>]+|.", re.S)
_LARGE = 4_000  # characters


def pack(texts: dict[str, str]) -> Json:
    """Stores each state as what differs from the first one.

    A state is a list of copies ``[start, end]`` from ``base`` and of new strings, joined in order:

        >>> pack({"[0]": "<b>10 apples</b>", "[1]": "<b>11 apples</b>"})
        {'base': '<b>10 apples</b>', 'states': {'[0]': [[0, 16]], '[1]': ['<b>11', [5, 16]]}}

    Positions count UTF-16 code units, as the reader of this file (JavaScript) does.
    """
    base = next(iter(texts.values()))
    token = _LARGE_TOKEN if max(map(len, texts.values())) > _LARGE else _TOKEN
    tokens = token.findall(base)
    offsets = [0, *itertools.accumulate(_utf16(t) for t in tokens)]
    matcher = difflib.SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(tokens)
    return {
        "base": base,
        "states": {k: _differences(token.findall(t), matcher, offsets) for k, t in texts.items()},
    }


def _differences(tokens: list[str], matcher: difflib.SequenceMatcher[str], offsets: list[int]) -> list[Any]:
    matcher.set_seq1(tokens)
    out: list[Any] = []
    at = 0
    for block in matcher.get_matching_blocks():
        size = offsets[block.b + block.size] - offsets[block.b]
        if size < 6 and block.size:
            continue  # shorter to write than to point at
        if block.a > at:
            out.append("".join(tokens[at : block.a]))
        if block.size:
            out.append([offsets[block.b], offsets[block.b] + size])
        at = block.a + block.size
    return out


def unpack(packed: Json, state: str) -> str:
    """Restores one state's string; the same few lines stand in the page script."""
    units = packed["base"].encode("utf-16-le")
    pieces = packed["states"][state]
    return "".join(
        p if isinstance(p, str) else units[2 * p[0] : 2 * p[1]].decode("utf-16-le") for p in pieces
    )


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def step(build: Build) -> None:
    """Computes the states of all figures in parallel; results are kept by the hash of what they depend on."""
    site, chapters = build.site, build.chapters
    engine = "import glassbox.page.bridge, glassbox.publish.pages.states"  # what runs and packs every figure
    jobs = [
        (c.name, f["name"], excerpt(c.program, f["name"]), c.presets.get(f["name"], []))
        for c in chapters.values()
        for f in figures(c)
    ]
    files: dict[str, dict[str, Path]] = {name: {} for name in chapters}
    folder = site.cache / "states"
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        running = []
        for chapter, name, program, linked in jobs:
            core = dependencies.fingerprint(site.root / "src", f"{engine}\n{program['imports']}")
            asked = json.dumps([program, linked], sort_keys=True)
            digest = hashlib.sha256((core + asked).encode()).hexdigest()[:16]
            path = folder / f"{chapter}.{name}.{digest}.json"
            files[chapter][name] = path
            if not path.exists():
                running.append((chapter, name, path, pool.submit(compute, program, name, linked)))
        for done, (chapter, name, path, job) in enumerate(running, 1):
            site.report(f"states {done}/{len(running)}: {chapter} {name}")
            try:
                text = json.dumps(job.result(), ensure_ascii=False, separators=(",", ":"))
            except pressing.PressError as error:
                where = site.root / "notebooks" / f"{chapter}.py"
                raise BuildError("states", where, str(error)) from error
            except Exception as error:
                remedy = f"figure “{name}” stops with {error!r}; run the notebook and mend that state."
                raise BuildError("states", site.root / "notebooks" / f"{chapter}.py", remedy) from error
            partial = path.with_suffix(".part")
            partial.write_text(text, encoding="utf-8")
            partial.replace(path)
    _check_sizes(files)
    build.states = files


def _check_sizes(files: dict[str, dict[str, Path]]) -> None:
    sizes = sorted((compressed(p), c, n, p) for c, figures in files.items() for n, p in figures.items())
    if not sizes:
        return
    size, chapter, name, path = sizes[-1]
    if size > MAX_FILE_BYTES:
        what = f"{chapter} {name} takes {size:,} bytes compressed, more than {MAX_FILE_BYTES:,}"
        remedy = f"{what}: fewer positions or less markup."
        raise BuildError("states", path, remedy)
    median = sizes[len(sizes) // 2][0]
    if median > MAX_MEDIAN_BYTES:
        raise BuildError(
            "states",
            path,
            f"the median figure takes {median:,} bytes compressed, more than {MAX_MEDIAN_BYTES:,}.",
        )


def compressed(path: Path) -> int:
    """The file's size in bytes as a server sends it (gzip, level 6)."""
    return len(gzip.compress(path.read_bytes(), 6, mtime=0))
