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
import hashlib
import itertools
import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassbox.page.bridge import parts
from glassbox.page.runner import Runner
from glassbox.publish.errors import BuildError
from glassbox.publish.pages import controls, dependencies, failure, pressing
from glassbox.publish.pages.ahead import Ahead
from glassbox.publish.pages.chapter import excerpt, figures
from glassbox.publish.site import Site
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
        asked = dict(zip(names, values, strict=True))
        try:
            shown = runner.figure(name, asked)
        except Exception as error:
            raise ValueError(failure.sentence(error, name, asked)) from error
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
    site = build.site
    folder = site.cache / "states"
    folder.mkdir(parents=True, exist_ok=True)
    places: dict[tuple[str, str], Path] = {}
    jobs: list[_Job] = []
    for chapter in build.chapters.values():
        for figure in figures(chapter):
            name, linked = figure["name"], chapter.presets.get(figure["name"], [])
            program = excerpt(chapter.program, name)
            core = dependencies.fingerprint(site.root / "src", f"{_ENGINE}\n{program['imports']}")
            asked = json.dumps([program, linked], sort_keys=True)
            digest = hashlib.sha256((core + asked).encode()).hexdigest()[:16]
            path = folder / f"{chapter.name}.{name}.{digest}.json"
            places[chapter.name, name] = path
            if not path.exists():
                jobs.append(_Job(chapter.name, name, path, program, linked))
    _run(site, jobs)
    for (chapter_name, name), path in places.items():
        build.states.setdefault(chapter_name, {})[name] = Ahead.read(path)
    _check_sizes(site, build.states)


_ENGINE = "import glassbox.page.bridge, glassbox.publish.pages.states"  # what runs and packs every figure


@dataclass(frozen=True)
class _Job:
    chapter: str
    name: str
    path: Path
    program: Json
    linked: list[Json]


def _run(site: Site, jobs: list[_Job]) -> None:
    """Computes figures side by side and says which ones it is waiting for."""
    if not jobs:
        return
    with ProcessPoolExecutor(max_workers=min(len(jobs), os.cpu_count() or 1)) as pool:
        running = {pool.submit(ahead, job.program, job.name, job.linked): job for job in jobs}
        waiting, started = set(running), time.monotonic()
        while waiting:
            done, waiting = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
            for future in done:
                try:
                    future.result().write(running[future].path)
                except Exception as error:
                    pool.shutdown(wait=False, cancel_futures=True)
                    remedy = f"figure “{running[future].name}” {error}; run the notebook and mend that state."
                    if isinstance(error, pressing.PressError):
                        remedy = str(error)
                    at = site.root / "notebooks" / f"{running[future].chapter}.py"
                    raise BuildError("states", at, remedy) from error
            names = ", ".join(sorted(running[f].name for f in waiting)[:2])
            seconds = time.monotonic() - started
            ready = len(jobs) - len(waiting)
            site.report(f"states: {ready} of {len(jobs)} figures, {seconds:.0f} s, at work on {names}")


def ahead(program: Json, name: str, linked: Sequence[Json]) -> Ahead:
    """Computes one figure: its title, its first state, and all states packed."""
    packed = compute(program, name, linked)
    return Ahead.of(Runner(program).figure(name, {}).title, packed["base"].split(_PARTS), packed)


def _check_sizes(site: Site, found: dict[str, dict[str, Ahead]]) -> None:
    sizes = sorted((a.sent, c, n) for c, figures in found.items() for n, a in figures.items())
    if not sizes:
        return
    size, chapter, name = sizes[-1]
    at = site.root / "notebooks" / f"{chapter}.py"
    if size > MAX_FILE_BYTES:
        what = f"figure “{name}” takes {size:,} bytes compressed, more than {MAX_FILE_BYTES:,}"
        raise BuildError("states", at, f"{what}: fewer positions or less markup.")
    median = sizes[len(sizes) // 2][0]
    if median > MAX_MEDIAN_BYTES:
        what = f"the median figure takes {median:,} bytes compressed, more than {MAX_MEDIAN_BYTES:,}"
        raise BuildError("states", at, f"{what}: fewer positions or less markup in most figures.")
