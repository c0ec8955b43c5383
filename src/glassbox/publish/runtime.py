"""The browser's Python: fetches the files pinned in ``site/runtime.json`` and lays them into the site.

runtime/pyodide-<hash>/            the interpreter
runtime/numpy-2.4.3-<hash>/…whl    one folder a wheel; a folder's name changes when its content does,
                                   so a server may let browsers keep everything below it for ever
runtime/read-<hash>.json           Pyodide's lock file for pages that are read
runtime/edit-<hash>.json           the same for marimo's editor
runtime/manifest.json              what the page's worker asks for first
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassbox.publish import sources
from glassbox.publish.errors import BuildError, disk
from glassbox.publish.site import Site

Json = dict[str, Any]


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


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file so that its name appears only once all bytes are on disk."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as part:
            part.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write(site: Site, runtime: Runtime, wheel: Path) -> None:
    """Lays the runtime into the site, with the lock files and the manifest that pages start from."""
    folder = site.out / "runtime"
    files = runtime.pins["files"]
    core = [f for f in files if "package" not in f]
    with disk("runtime", folder):
        home = f"pyodide-{_short(''.join(f['sha256'] for f in core).encode())}"
        for file in core:
            _place(runtime.path(file), folder / home / file["name"])
        packages = {
            f["package"]: _package(f, runtime.path(f)) for f in runtime.pins["files"] if "package" in f
        }
        packages["glassbox"] = _glassbox(wheel)
        for package in packages.values():
            _place(package["source"], folder / package["folder"] / package["file"])
        locks = {}
        for use in ("read", "edit"):
            lock = _lock(runtime.pins, {n: p for n, p in packages.items() if use in p["for"]})
            locks[use] = f"{use}-{_short(lock)}.json"
            write_whole(folder / locks[use], lock)
        manifest = _manifest(runtime, core, home, packages, locks)
        write_whole(folder / "manifest.json", _dump(manifest, indent=1))


def _package(file: Json, path: Path) -> Json:
    return {
        "file": file["name"],
        "source": path,
        "folder": f"{file['package']}-{file['version']}-{file['sha256'][:8]}",
        "sha256": file["sha256"],
        "bytes": file["size"],
        "for": file["for"],
        "lock": {"name": file["package"], "version": file["version"], "depends": file["depends"]},
    }


def _glassbox(wheel: Path) -> Json:
    data = wheel.read_bytes()
    version = wheel.name.split("-")[1]
    return {
        "file": wheel.name,
        "source": wheel,
        "folder": f"glassbox-{version}-{_short(data)}",
        "sha256": _sha256(data),
        "bytes": len(data),
        "for": ["read", "edit"],
        "lock": {"name": "glassbox", "version": version, "depends": ["numpy"]},
    }


def _lock(pins: Json, packages: dict[str, Json]) -> bytes:
    """A Pyodide lock file; file names are relative to the interpreter's folder."""
    info = {k: pins[k] for k in ("python", "platform")} | {"arch": "wasm32", "abi_version": pins["abi"]}
    entries = {}
    for name, package in sorted(packages.items()):
        entries[name] = package["lock"] | {
            "file_name": f"../{package['folder']}/{package['file']}",
            "imports": _imports(package["source"]),
            "install_dir": "site",
            "package_type": "package",
            "sha256": package["sha256"],
            "unvendored_tests": False,
        }
    return _dump({"info": info, "packages": entries})


def _imports(wheel: Path) -> list[str]:
    """The top-level names that a wheel makes importable."""
    with zipfile.ZipFile(wheel) as archive:
        tops = {n.split("/")[0] for n in archive.namelist() if n.endswith((".py", ".so"))}
    return sorted({t.split(".")[0] for t in tops if not t.endswith((".dist-info", ".data"))})


def _manifest(runtime: Runtime, core: list[Json], home: str, packages: dict[str, Json], locks: Json) -> Json:
    """What the worker needs to know: addresses from the site's root, sizes for progress, hashes."""
    files = [
        {"url": f"runtime/{home}/{f['name']}", "bytes": f["size"], "integrity": _sri(f["sha256"])}
        for f in core
    ]
    reading = {n: p for n, p in packages.items() if "read" in p["for"]}
    wheels = {
        name: {
            "url": f"runtime/{p['folder']}/{p['file']}",
            "bytes": p["bytes"],
            "integrity": _sri(p["sha256"]),
            "depends": p["lock"]["depends"],
        }
        for name, p in sorted(reading.items())
    }
    return {
        "pyodide": runtime.pins["pyodide"],
        "index": f"runtime/{home}/",
        "lock": f"runtime/{locks['read']}",
        "edit_lock": f"runtime/{locks['edit']}",
        "core": files,
        "packages": wheels,
    }


def _place(source: Path, target: Path) -> None:
    if target.exists() and target.stat().st_size == source.stat().st_size:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _dump(value: Json, indent: int | None = None) -> bytes:
    return (json.dumps(value, indent=indent, sort_keys=True) + "\n").encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _short(data: bytes) -> str:
    return _sha256(data)[:8]


def _sri(sha256: str) -> str:
    return "sha256-" + base64.b64encode(bytes.fromhex(sha256)).decode()
