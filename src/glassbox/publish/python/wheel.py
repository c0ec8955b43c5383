"""Builds the one wheel that the reader's browser downloads: glassbox itself, the same bytes every time."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from glassbox.publish.errors import BuildError, disk
from glassbox.publish.python import parts
from glassbox.publish.site import Site
from glassbox.publish.state import Build

MAX_BYTES = 3_000_000  # what every page downloads of it; a reader on a phone waits for it, and NumPy's 2.9 MB
_EPOCH = "1577836800"  # 2020-01-01: every entry of the zip carries this date
_OTHER_INPUTS = ("pyproject.toml", "README.md", "LICENSE", "NOTICE")


def step(build: Build) -> None:
    """Packs glassbox into the wheel that the browser loads."""
    build.wheel = make(build.site)


def make(site: Site) -> Path:
    """Builds the glassbox wheel, or finds it in the cache when nothing it is made of has changed.

    Raises:
        BuildError: The build backend failed, or the wheel is above ``MAX_BYTES``.
    """
    folder = site.cache / "wheel" / _fingerprint(site.root)
    ready = list(folder.glob("*.whl"))
    if ready:
        return ready[0]
    site.report("wheel: packing glassbox")
    with disk("wheel", site.cache):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            made = _run_backend(site.root, Path(scratch) / "wheel")
            _check_size(made)
            shutil.rmtree(folder, ignore_errors=True)
            made.parent.rename(folder)
    return folder / made.name


def _run_backend(root: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    env = os.environ | {"SOURCE_DATE_EPOCH": _EPOCH}
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    made = list(folder.glob("*.whl"))
    if done.returncode or len(made) != 1:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise BuildError("wheel", root, f"hatchling made no wheel ({last}); run: pip install -e .")
    return made[0]


def _check_size(made: Path) -> None:
    size = made.stat().st_size
    with zipfile.ZipFile(made) as whole:  # a vocabulary is downloaded when a figure asks for it
        held = parts.held(whole.namelist()).values()
        size -= sum(whole.getinfo(name).compress_size for name in held)
    if size > MAX_BYTES:
        remedy = (
            f"the wheel has {size:,} bytes beside its vocabularies and a reader should download at most "
            f"{MAX_BYTES:,}; shrink src/glassbox/data or exclude what pages do not need in pyproject.toml."
        )
        raise BuildError("wheel", made.name, remedy)


def _fingerprint(root: Path) -> str:
    """Hashes every file the wheel is made of, by path and content."""
    files = [root / name for name in _OTHER_INPUTS]
    files += [p for p in sorted((root / "src" / "glassbox").rglob("*")) if p.is_file()]
    digest = hashlib.sha256()
    for path in files:
        if "__pycache__" in path.parts or path.is_relative_to(root / "src" / "glassbox" / "publish"):
            continue
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
