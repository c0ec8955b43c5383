"""Compresses files for hosts that send a file's ``.br`` in its place to browsers that take it.

Node, which the build needs anyway, does the work once; the cache keeps the result by the file's content.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from glassbox.publish.errors import BuildError, disk
from glassbox.publish.site import Site
from glassbox.publish.state import Build

_SCRIPT = Path(__file__).with_suffix(".mjs")
BEST, QUICK = 11, 9
# What is small already, and what nobody waits for is not worth a minute of compressing.
_WORTH = frozenset(
    {".css", ".csv", ".html", ".js", ".json", ".mjs", ".svg", ".txt", ".wasm", ".webmanifest", ".xml"}
)
_ARCHIVES = frozenset({".whl", ".zip"})
_LEAST = 1_000  # bytes
PROBE = "brotli.bin"  # the page's worker asks for its head, which tells what a host sends
_TOLD = "Where a host sends brotli.bin.br in place of this file, pages ask it for uncompressed files.\n"


def packed(site: Site, paths: Iterable[Path]) -> dict[Path, Path]:
    """Each file's compressed form, in the cache; a file that does not get smaller has none.

    Raises:
        BuildError: Node is missing or failed, or the disk is full.
    """
    kept = {p: _kept(site, p) for p in paths}
    missing = [p for p, target in kept.items() if not target.exists()]
    with disk("brotli", site.cache):
        if missing:
            (site.cache / "brotli").mkdir(parents=True, exist_ok=True)
            missing.sort(key=lambda p: p.stat().st_size, reverse=True)
            jobs = {kept[p]: p for p in missing}  # what lies twice in the site is compressed once
            _run(site, [(p, target, _quality(site, p)) for target, p in jobs.items()])
    return {p: target for p, target in kept.items() if target.stat().st_size < p.stat().st_size}


def write_probe(out: Path) -> Path:
    """Writes the file that tells a page what a host sends; every host has it, whatever it sends."""
    path = out / PROBE
    path.write_text(_TOLD * 4, encoding="utf-8")
    return path


def step(build: Build) -> None:
    """Writes a ``.br`` beside every file of the site that travels uncompressed; a draft does without any."""
    out = build.site.out
    if build.site.before is not None:
        for small in out.rglob("*.br"):  # of files taken over from the site before, which may have changed
            small.unlink()
        return
    wanted = [p for p in sorted(out.rglob("*")) if p.is_file() and _is_worth(p)]
    for path, small in packed(build.site, [*wanted, write_probe(out)]).items():
        shutil.copyfile(small, path.with_name(f"{path.name}.br"))


def _is_worth(path: Path) -> bool:
    if path.suffix in _ARCHIVES:  # of the browser's Python, those that are served as they are
        return path.with_name(f"{path.name}.gz.bin").exists()
    return path.suffix in _WORTH and path.stat().st_size >= _LEAST


def _quality(site: Site, path: Path) -> int:
    """The editor is 28 MB of marimo's own and the whole interpreter: the last bytes of it take minutes."""
    inside = path.relative_to(site.out).parts if path.is_relative_to(site.out) else ("",)
    editing = inside[0] == "edit" or (inside[0] == "runtime" and inside[1].startswith("pyodide-"))
    return QUICK if editing else BEST


def _kept(site: Site, path: Path) -> Path:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return site.cache / "brotli" / f"{digest}-{_quality(site, path)}.br"


def _run(site: Site, jobs: list[tuple[Path, Path, int]]) -> None:
    node = shutil.which("node")
    if node is None:
        remedy = "Node.js is not installed; install version 18 or newer (Debian: apt-get install nodejs npm)."
        raise BuildError("brotli", "node", remedy)
    with tempfile.TemporaryDirectory(dir=site.cache) as folder:
        plan = Path(folder) / "plan.json"
        plan.write_text(json.dumps([(str(p), str(target), q) for p, target, q in jobs]), encoding="utf-8")
        with subprocess.Popen(
            [node, str(_SCRIPT), str(plan)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            for line in process.stdout or ():
                site.report(f"brotli: compressed {line.strip()} of {len(jobs)} files")
            said = process.stderr.read().strip() if process.stderr else ""
        if process.returncode:
            remedy = f"compressing failed ({(said.splitlines() or ['no message'])[-1][:200]}); build again."
            raise BuildError("brotli", "node", remedy)
