"""Lays the browser's Python into the site, compiled ahead and in the parts that pages load.

runtime/pyodide-<hash>/            the interpreter, as marimo's editor loads it
runtime/glassbox-gpt2-<hash>/…     a vocabulary; a page loads it when a figure first asks
runtime/numpy-2.4.3-<hash>/…whl    one folder a wheel; a folder's name changes when its content does,
so a server may let browsers keep everything below it for ever
runtime/lean-<hash>/               what pages that are read load of these, the interpreter in two files; each
file but scripts twice: as .gz.bin for any host, and uncompressed for those that send the .br beside it
runtime/read-<hash>.json           Pyodide's lock file for pages that are read
runtime/edit-<hash>.json           the same for marimo's editor
runtime/manifest.json              what the page's worker asks for first; the shell gives it a hash too
"""

from __future__ import annotations

import gzip
import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from glassbox.publish import brotli, names
from glassbox.publish.errors import disk
from glassbox.publish.files import write_whole
from glassbox.publish.python import compiled, interpreter, packages, parts
from glassbox.publish.python.packages import STDLIB, Compiled, Package, described, served, sha256
from glassbox.publish.site import Site

Json = dict[str, Any]

_CHARTS = "altair"
FIRST = ["numpy", "glassbox"]  # what a page loads at once; other packages when a figure's code asks for them


def write(site: Site, pins: Json, place: packages.Place, wheel: Path) -> None:
    """Lays the runtime into the site, with the lock files and the manifest that pages start from.

    Args:
        site: The build.
        pins: ``site/runtime.json`` as read.
        place: Gives a pinned file's place in the cache.
        wheel: Of glassbox.

    Raises:
        BuildError: The files could not be compiled, or the disk is full.
    """
    folder = site.out / "runtime"
    small, held = parts.split(site, wheel)
    made = packages.compile_all(site, pins, place, small)
    version = small.name.split("-")[1]
    vocabularies = [Package(p.name, version, p.depends, ["read", "edit"], p.path) for p in held]
    with disk("runtime", folder):
        home = f"pyodide-{_short(made.core)}"
        for path in made.core:
            _place(path, folder / home, served(path))
            if path.name == "pyodide.asm.mjs":  # marimo's editor asks for this name
                _place(path, folder / home, path.name)
        editing = [*made.packages, *vocabularies]
        for package in editing:
            _place(package.path, folder / package.folder, package.path.name)
        taken, stdlib = packages.take_apart(site, made)
        linking = [place(f) for f in pins["files"] if "read" in f.get("for", [])]
        reading = interpreter.cut(site, made.core, linking)
        room = f"lean-{_short([*reading.core, reading.rest, stdlib, *(p.path for p in taken)])}"
        lean = [replace(p, room=room) for p in taken]
        wasm = reading.core[0]
        packed = _packed(site, folder, [wasm, reading.rest, stdlib, *(p.path for p in lean)], room)
        listed = {p.name: packed[p.path] for p in lean} | {p.name: p.described for p in vocabularies}
        depends = {p.name: p.depends for p in [*lean, *vocabularies]}
        start = [packed[wasm], packed[stdlib], *(listed[n] for n in FIRST)]
        manifest = {
            "pyodide": pins["pyodide"],
            "index": f"runtime/{room}/",
            "edit_index": f"runtime/{home}/",
            "lock": _lock(site, "read", pins, [*lean, *vocabularies]),
            "edit_lock": _lock(site, "edit", pins, [_with(p, held) for p in editing]),
            "core": [described(p, home) for p in made.core],
            "start": [*start, *(_script(p, folder, room) for p in reading.core[1:])],
            "rest": packed[reading.rest] | {"size": reading.rest.stat().st_size},
            "stdlib": f"runtime/{room}/{STDLIB}",
            "first": FIRST,
            "packages": {n: f | {"depends": depends[n]} for n, f in listed.items() if n not in FIRST},
            "whole": _whole(made, home),
        }
        write_whole(folder / "manifest.json", _dump(manifest, indent=1))
        brotli.write_probe(site.out)


def _whole(made: Compiled, home: str) -> dict[str, Json]:
    """The archives of which pages have a part, by the name of their package; "" is the standard library."""
    stdlib = next(p for p in made.core if p.name == STDLIB)
    known = [p for p in made.packages if p.name in made.lean and p.name != "glassbox"]
    return {"": described(stdlib, home)} | {p.name: p.described for p in known}


def _with(package: Package, held: list[parts.Part]) -> Package:
    """Of glassbox, the package that brings all vocabularies and its charts' grammar along.

    The editor loads what a notebook's own code imports, and asks the package index for what else is missed.
    """
    if package.name != "glassbox":
        return package
    return replace(package, depends=[*package.depends, _CHARTS, *(p.name for p in held)])


def _script(path: Path, folder: Path, room: str) -> Json:
    """Lays a script of the interpreter into the site, and describes it."""
    _place(path, folder / room, served(path))
    return described(path, room)


def _packed(site: Site, folder: Path, paths: list[Path], room: str) -> dict[Path, Json]:
    """Lays files into the site, compressed and as they are, and describes them.

    ``holds`` is the address that Pyodide asks for, and under which the file lies as it is, for hosts that
    send its .br; ``raw`` says what comes from there, and how many bytes of it are ``sent``. Under ``url`` it
    is small on the line whatever a host compresses, since the page unpacks it. Its name ends in ``.bin``:
    some hosts send what ends in ``.gz`` with a header on which the browser unpacks it before the page can
    compare its hash.
    """
    small = {} if site.before else brotli.packed(site, paths)
    found = {}
    for path in paths:
        data = path.read_bytes()
        kept = site.cache / "packed" / f"{sha256(data)[:16]}.gz"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_whole(kept, gzip.compress(data, 9, mtime=0))
        name = f"{path.name}.gz.bin"
        _place(kept, folder / room, name)
        _place(path, folder / room, path.name)
        raw = described(path, room)
        found[path] = described(folder / room / name, room) | {"holds": raw.pop("url")}
        if path in small:
            found[path]["raw"] = raw | {"sent": small[path].stat().st_size}
    return found


def _lock(site: Site, use: str, pins: Json, members: list[Package]) -> str:
    """Writes a Pyodide lock file; file names in it are relative to the interpreter's folder."""
    entries = {}
    for package in sorted(members, key=lambda p: p.name):
        entries[package.name] = {
            "name": package.name,
            "version": package.version,
            "depends": package.depends,
            "file_name": f"../{package.folder}/{package.path.name}",
            "imports": _imports(package.path),
            "install_dir": "site",
            "package_type": "package",
            "sha256": sha256(package.path.read_bytes()),
            "unvendored_tests": False,
        }
    lock = _dump({"info": compiled.lock_info(pins), "packages": entries})
    name = f"runtime/{use}-{names.short(lock)}.json"
    write_whole(site.out / name, lock)
    return name


def _imports(wheel: Path) -> list[str]:
    """The top-level names that a wheel makes importable."""
    with zipfile.ZipFile(wheel) as archive:
        tops = {n.split("/")[0] for n in archive.namelist() if n.endswith((".py", ".pyc", ".so"))}
    return sorted({t.split(".")[0] for t in tops if not t.endswith((".dist-info", ".data"))})


def _short(paths: list[Path]) -> str:
    """The part of a folder's name that changes with the files in it."""
    return names.short("".join(sha256(p.read_bytes()) for p in paths).encode())


def _place(source: Path, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, folder / name)


def _dump(value: Json, indent: int | None = None) -> bytes:
    return (json.dumps(value, indent=indent, sort_keys=True) + "\n").encode()
