"""The packages of the browser's Python, compiled ahead: whole for the editor, in part for reading."""

from __future__ import annotations

import base64
import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from glassbox.publish import names
from glassbox.publish.python import apart, compiled, imported
from glassbox.publish.site import Site

Json = dict[str, Any]
Place = Callable[[Json], Path]

STDLIB = "python_stdlib.zip"
_TAKES = {"glassbox": apart.glassbox, "numpy": apart.numpy}


@dataclass(frozen=True)
class Package:
    """One wheel as the site serves it.

    Attributes:
        name: What ``loadPackage`` calls it.
        version: Its version.
        depends: Names of the packages it needs.
        used_for: ``read``, ``edit`` or both.
        path: The wheel, compiled.
        room: The folder in which it stands, where that is not its own.
    """

    name: str
    version: str
    depends: list[str]
    used_for: list[str]
    path: Path
    room: str = ""

    @property
    def folder(self) -> str:
        """Its folder in the site; it changes when the content does."""
        return self.room or f"{self.name}-{self.version}-{names.short(self.path.read_bytes())}"

    @property
    def described(self) -> Json:
        """Its address, size and hash."""
        return described(self.path, self.folder)


@dataclass(frozen=True)
class Compiled:
    """What the interpreter's own compiler made.

    Attributes:
        core: The interpreter's files.
        packages: All wheels, as the editor loads them.
        lean: The parts that pages which are read use, by package; and of the standard library.
    """

    core: list[Path]
    packages: list[Package]
    lean: dict[str, Path]


def compile_all(site: Site, pins: Json, place: Place, wheel: Path) -> Compiled:
    """The interpreter's files and all packages, compiled ahead."""
    files = pins["files"]
    core = [place(f) for f in files if "package" not in f]
    pinned = {place(f): f for f in files if "package" in f}
    stdlib = next(p for p in core if p.name == STDLIB)
    read = {STDLIB: stdlib} | {f["package"]: p for p, f in pinned.items() if "read" in f["for"]}
    # A page that is read imports little of these; the editor's packages are compiled as they are.
    part: dict[Path, compiled.Part] = {
        p: "touched" if "read" in f["for"] else "whole" for p, f in pinned.items()
    }
    part[stdlib] = "touched"
    wanted: list[compiled.Wanted] = [*part.items(), *((p, "lean") for p in read.values())]
    if site.before is None:
        wanted += [(wheel, "whole"), (wheel, "bare")]
    needed = " ".join([*imported.modules(wheel, site.cache / "imported.json"), pins["lean"]])
    done = compiled.compile_all(site, pins, core, wanted, needed)
    packages = [
        Package(f["package"], f["version"], f["depends"], f["for"], done[p, part[p]])
        for p, f in pinned.items()
    ]
    # In a draft glassbox is as it is: the browser compiles it.
    version, whole = wheel.name.split("-")[1], done.get((wheel, "whole"), wheel)
    own = Package("glassbox", version, ["numpy"], ["read", "edit"], whole)
    lean = {n: done[p, "lean"] for n, p in read.items()} | {"glassbox": done.get((wheel, "bare"), wheel)}
    core = [done.get((p, "touched"), p) for p in core]
    return Compiled(core, sorted([*packages, own], key=lambda p: p.name), lean)


def take_apart(site: Site, made: Compiled) -> tuple[list[Package], Path]:
    """The lean packages, taken apart where figures need different parts of them; and the standard library."""
    scratch = site.cache / "apart"
    shutil.rmtree(scratch, ignore_errors=True)
    found: list[Package] = []
    for package in (p for p in made.packages if p.name in made.lean):
        take = _TAKES.get(package.name)
        lean = made.lean[package.name]
        base, taken = take(lean, scratch) if take else (lean, [])
        found.append(replace(package, path=base))
        found += [Package(p.name, package.version, p.depends, ["read"], p.path) for p in taken]
    return found, made.lean[STDLIB]


def described(path: Path, folder: str) -> Json:
    """Address from the site's root, size and hash (as ``fetch`` takes it) of one file."""
    data = path.read_bytes()
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    return {"url": f"runtime/{folder}/{served(path)}", "bytes": len(data), "integrity": f"sha256-{digest}"}


def served(path: Path) -> str:
    """A file's name in the site: a script ends in ``.js``, since many hosts know no type for ``.mjs``."""
    return path.name.removesuffix(".mjs") + ".js" if path.suffix == ".mjs" else path.name


def sha256(data: bytes) -> str:
    """The hash of a file's bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
