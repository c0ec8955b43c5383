"""Packs the whole site into one zip for a course server: the same bytes for the same site."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

from glassbox.publish.python import zips

_PACKED = frozenset({".png", ".whl", ".woff", ".woff2", ".zip"})  # compressed already


def write(
    folder: Path, target: Path, report: Callable[[str], None] = lambda line: None, cache: Path | None = None
) -> None:
    """Writes every file below ``folder`` but the zip itself, in the order of their paths.

    Left out is what only hosts that send Brotli are asked for.

    Args:
        folder: The built site.
        target: The zip, inside the folder or not.
        report: Shows progress.
        cache: Where the last zip is kept; the same files are not packed again.
    """
    files = {
        f"glassbox/{p.relative_to(folder).as_posix()}": p
        for p in folder.rglob("*")
        if p.is_file() and p != target and not _for_brotli(p)
    }
    kept = cache / f"{_fingerprint(files)}.zip" if cache else None
    if kept and kept.exists():
        shutil.copyfile(kept, target)
        return
    _pack(files, target, report)
    if cache and kept:
        cache.mkdir(parents=True, exist_ok=True)
        for former in cache.iterdir():
            former.unlink()
        shutil.copyfile(target, part := kept.with_suffix(".part"))
        part.rename(kept)


def _for_brotli(path: Path) -> bool:
    archive = path.suffix in (".whl", ".zip") and path.with_name(f"{path.name}.gz.bin").exists()
    return path.suffix == ".br" or archive


def _fingerprint(files: dict[str, Path]) -> str:
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name} {hashlib.sha256(files[name].read_bytes()).hexdigest()};".encode())
    return digest.hexdigest()[:16]


def _pack(files: dict[str, Path], target: Path, report: Callable[[str], None]) -> None:
    done = 0

    def read(name: str) -> bytes:
        nonlocal done
        done += 1
        if done % 50 == 0:
            report(f"zip: {done} of {len(files)} files")
        return files[name].read_bytes()

    def level(name: str) -> int:
        return 0 if files[name].suffix in _PACKED else 6

    zips.write(target, files, read, level=level, mode=0o100644)
