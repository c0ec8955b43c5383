"""The browser's Python: fetches the files pinned in ``site/runtime.json``, for ``laying`` into the site.

A file has its name only when all its bytes are there and are the pinned ones.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassbox.publish.errors import BuildError, disk
from glassbox.publish.files import write_whole
from glassbox.publish.python import again, laying, sources
from glassbox.publish.site import Site
from glassbox.publish.state import Build

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


def step(build: Build) -> None:
    """Fetches the browser's Python, checks every file's hash, and lays it beside the pages."""
    if build.wheel is None:
        raise BuildError("runtime", build.site.root, "the wheel of glassbox comes before the runtime.")
    if again.taken(build.site, build.wheel):
        return
    runtime = fetch(build.site)
    laying.write(build.site, runtime.pins, runtime.path, build.wheel)
    again.remember(build.site, build.wheel)


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


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
