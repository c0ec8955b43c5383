"""Makes of the pinned interpreter the one that pages start with.

It has many more functions and exports than the book runs. ``site/interpreter.json`` lists the functions that
the book does run (recorded by ``tests/bench/functions.py``), and ranges of memory that only others read. All
else is the interpreter's rest, in a file of its own. Of the exports those stay that its script names and that
any package of the reading pages imports; the script loses the lines that fetch the others.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassbox.publish.errors import BuildError, disk
from glassbox.publish.files import write_whole
from glassbox.publish.python import contents, instructions, splitting, wasm
from glassbox.publish.site import Site

RECORD = "interpreter.json"
WASM, SCRIPT, LOADER = "pyodide.asm.wasm", "pyodide.asm.mjs", "pyodide.mjs"
REST = "pyodide.rest.wasm"
_FETCHED = re.compile(r'((?:[\w$]+=|Module\["[^"]+"\]=)+)wasmExports\["([^"]+)"\](?:\.value>>>0)?;')
_DECLARED = re.compile(r"var ([\w$,]+);function assignWasmExports")
_WORD = re.compile(r"[\w$]+")
_LINKED = frozenset({"env", "GOT.func", "GOT.mem"})  # where Emscripten's side modules import from
_ALWAYS = (wasm.A_MEMORY, wasm.A_TABLE, wasm.A_TAG)
_SOURCES = [Path(str(m.__file__)) for m in (contents, instructions, splitting, wasm)]


@dataclass(frozen=True)
class Interpreter:
    """The files of the interpreter that pages start with.

    Attributes:
        core: The module, its script and Pyodide's loader.
        rest: What comes when a function is missed.
    """

    core: list[Path]
    rest: Path


def cut(site: Site, core: list[Path], archives: Iterable[Path]) -> Interpreter:
    """Makes the interpreter of the reading pages, or takes it from the cache.

    Args:
        site: The build.
        core: The pinned interpreter's files.
        archives: Every wheel that a reading page can load, whole.

    Raises:
        BuildError: The list of functions is missing, or of another interpreter.
    """
    files = {p.name: p for p in core}
    record, linked = _record(site, files[WASM]), sorted(_linked(archives))
    digest = hashlib.sha256(json.dumps([record, linked]).encode())
    for path in (files[SCRIPT], files[LOADER], Path(__file__), *_SOURCES):
        digest.update(path.read_bytes())
    folder = site.cache / "interpreter" / digest.hexdigest()[:16]
    names = (WASM, SCRIPT, REST)
    if not all((folder / name).exists() for name in names):
        site.report("runtime: splitting the interpreter")
        made = _made(site, record, set(linked), {n: files[n].read_bytes() for n in (WASM, SCRIPT, LOADER)})
        with disk("runtime", site.cache):
            folder.mkdir(parents=True, exist_ok=True)
            for name, data in zip(names, made, strict=True):
                write_whole(folder / name, data)
    return Interpreter([folder / WASM, folder / SCRIPT, files[LOADER]], folder / REST)


def _made(
    site: Site, record: dict[str, Any], linked: set[str], files: dict[str, bytes]
) -> tuple[bytes, bytes, bytes]:
    script, loader = files[SCRIPT].decode(), files[LOADER].decode()
    wanted = linked | named(script, loader, wasm.exports(wasm.Module.read(files[WASM])))
    run = numbers(record["run"])
    try:
        first, rest = splitting.split(files[WASM], run, wanted, map(tuple, record["apart"]))
    except ValueError as error:
        at = site.root / "site" / RECORD
        raise BuildError("runtime", at, f"does not fit ({error}); {_AGAIN}.") from error
    return first, without(script, wanted).encode(), rest


_AGAIN = "record it again: python -m tests.bench.functions"


def _record(site: Site, module: Path) -> dict[str, Any]:
    path = site.root / "site" / RECORD
    try:
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BuildError("runtime", path, f"cannot be read ({error}); restore it from git.") from error
    digest = hashlib.sha256(module.read_bytes()).hexdigest()
    if record["sha256"] != digest:
        what = f"lists functions of the interpreter {record['sha256'][:16]}…, and this one is {digest[:16]}…"
        raise BuildError("runtime", path, f"{what}; {_AGAIN}.")
    return record


def numbers(bits: str) -> list[int]:
    """The numbers of the bits that are set, of bytes in base64.

    >>> numbers("BQE=")
    [0, 2, 8]
    """
    data = base64.b64decode(bits)
    return [n for n in range(8 * len(data)) if data[n // 8] >> n % 8 & 1]


def _linked(archives: Iterable[Path]) -> set[str]:
    """What the shared objects of archives import by name."""
    found: set[str] = set()
    for path in archives:
        with zipfile.ZipFile(path) as archive:
            for name in (n for n in archive.namelist() if n.endswith(".so")):
                taken = wasm.imports(wasm.Module.read(archive.read(name)))
                found |= {i.name for i in taken if i.module in _LINKED}
    return found


def named(script: str, loader: str, given: Iterable[wasm.Export]) -> set[str]:
    """The exports that the interpreter's script or Pyodide's loader name, except to fetch them; and tags."""
    words = {*_WORD.findall(_DECLARED.sub("", _FETCHED.sub("", script))), *_WORD.findall(loader)}
    return {e.name for e in given if {e.name, f"_{e.name}"} & words or e.kind in _ALWAYS}


def without(script: str, wanted: set[str]) -> str:
    """The interpreter's script without the lines that fetch exports which are not wanted.

    Raises:
        ValueError: It is not written as Emscripten writes it.
    """
    if not _DECLARED.search(script):
        raise ValueError("the interpreter's script declares its exports in another way than Emscripten 5")
    unwanted = [m[1] for m in _FETCHED.finditer(script) if m[2] not in wanted]
    gone = {name for names in unwanted for name in names.split("=")}
    short = _FETCHED.sub(lambda m: m[0] if m[2] in wanted else "", script)

    def declared(match: re.Match[str]) -> str:
        left = ",".join(n for n in match[1].split(",") if n not in gone)
        return f"var {left};function assignWasmExports"

    return _DECLARED.sub(declared, short)
