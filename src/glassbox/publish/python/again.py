"""In a draft, takes the browser's Python from the site before, where all that it is made of is as it was.

What a site holds below ``runtime/`` follows from glassbox's wheel, the pinned files and the code that lays
them. The cache remembers which manifest came of which of these, and a manifest names every file by its hash.
Files are taken as links, which cost nothing: the site before is about to be removed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from glassbox.publish import brotli, names
from glassbox.publish.errors import disk
from glassbox.publish.python import interpreter
from glassbox.publish.site import Site

_HERE = Path(__file__).parent
_PLAIN = "manifest.json"


def taken(site: Site, wheel: Path) -> bool:
    """Takes the folder ``runtime`` from the site before; tells whether that was possible."""
    if site.before is None:
        return False
    before, folder = site.before / "runtime", site.out / "runtime"
    found = sorted(before.glob("manifest.*.json"))
    if len(found) != 1 or not _mark(site, wheel, found[0].read_bytes()).exists():
        return False
    with disk("runtime", folder):
        for path in before.rglob("*"):
            if path.is_file() and path != found[0] and path.suffix != ".br":
                _link(path, folder / path.relative_to(before))
        shutil.copyfile(found[0], folder / _PLAIN)  # other steps may write into it
        brotli.write_probe(site.out)
    return True


def remember(site: Site, wheel: Path) -> None:
    """Remembers what the site's runtime, just laid, was made of."""
    mark = _mark(site, wheel, (site.out / "runtime" / _PLAIN).read_bytes())
    with disk("runtime", site.cache):
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def _mark(site: Site, wheel: Path, manifest: bytes) -> Path:
    pinned = [site.root / "site" / name for name in ("runtime.json", interpreter.RECORD)]
    code = sorted(p for p in _HERE.iterdir() if p.suffix in (".py", ".mjs"))
    digest = hashlib.sha256(wheel.parent.name.encode())
    for path in (*pinned, *code, Path(brotli.__file__)):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return site.cache / "laid" / f"{digest.hexdigest()[:16]}-{names.short(manifest)}"


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:  # a disk without links
        shutil.copyfile(source, target)
