"""Takes out of the wheel what only some figures need: each vocabulary becomes a package of its own.

A page loads it when a figure first asks (``glassbox.tokens.vocabularies.want``); the file then lies where it
would lie in the whole wheel. The licences of the vocabularies go with each.
"""

from __future__ import annotations

import re
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from glassbox.publish.errors import disk
from glassbox.publish.python import archive, zips
from glassbox.publish.site import Site
from glassbox.tokens import patterns, vocabularies

_HELD = re.compile(r"glassbox/data/vocabularies/(\w+)\.(?:bpe|json\.gz)")
_FOLDER = "glassbox/data/vocabularies/"


@dataclass(frozen=True)
class Part:
    """A package with one vocabulary.

    Attributes:
        name: What ``loadPackage`` calls it.
        depends: Packages that its vocabulary is run by.
        path: The wheel.
    """

    name: str
    depends: list[str]
    path: Path


def held(names: list[str]) -> dict[str, str]:
    """The vocabularies among a wheel's entries: name to entry."""
    return {match[1]: name for name in names if (match := _HELD.fullmatch(name))}


def split(site: Site, wheel: Path) -> tuple[Path, list[Part]]:
    """Splits the wheel of glassbox.

    Returns:
        The wheel without vocabularies, and a part for each of them.
    """
    folder = wheel.parent / "parts"
    with zipfile.ZipFile(wheel) as whole, disk("runtime", site.cache):
        names = whole.namelist()
        vocabulary = held(names)
        if not vocabulary:
            return wheel, []
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        lean = folder / wheel.name
        zips.write(lean, [n for n in names if n not in vocabulary.values()], whole.read)
        licences = {n: whole.read(n) for n in names if n.startswith(_FOLDER) and n not in vocabulary.values()}
        version = wheel.name.split("-")[1]
        found = [
            _part(folder, n, version, {path: whole.read(path)}, licences) for n, path in vocabulary.items()
        ]
    return lean, sorted(found, key=lambda p: p.name)


def _part(folder: Path, name: str, version: str, data: dict[str, bytes], licences: dict[str, bytes]) -> Part:
    module = vocabularies.module_of(name)
    depends = ["tiktoken"] if name in patterns.PATTERNS else []
    return made(folder, module.replace("_", "-"), version, data, licences, depends)


def made(
    folder: Path,
    name: str,
    version: str,
    data: dict[str, bytes],
    licences: dict[str, bytes] | None = None,
    depends: list[str] | None = None,
    level: int = 9,
) -> Part:
    """Writes a package.

    Args:
        folder: Where to.
        name: What ``loadPackage`` calls it.
        version: Its version.
        data: Its files.
        licences: Texts of licences that go with it, by any path.
        depends: Packages that it needs.
        level: How hard to compress its files, 0 to 9.
    """
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    head = f"Metadata-Version: 2.4\nName: {module}\nVersion: {version}\n"
    entries = {f"{info}/licenses/{p.rpartition('/')[2]}": text for p, text in (licences or {}).items()}
    entries |= {
        **data,
        f"{info}/METADATA": head.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    entries[f"{info}/RECORD"] = archive.record(entries, f"{info}/RECORD")
    path = folder / f"{module}-{version}-py3-none-any.whl"
    zips.write(path, entries, entries.__getitem__, level=lambda name: level)
    return Part(name, depends or [], path)
