"""Packs the whole site into one zip for a course server: the same bytes for the same site."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

_DATE = (2020, 1, 1, 0, 0, 0)
_PACKED = frozenset({".png", ".whl", ".woff", ".woff2", ".zip"})  # compressed already
_MODE = 0o644 << 16


def write(folder: Path, target: Path, report: Callable[[str], None] = lambda line: None) -> None:
    """Writes every file below ``folder`` but the zip itself, in the order of their paths.

    Args:
        folder: The built site.
        target: The zip, inside the folder or not.
        report: Shows progress.
    """
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p != target)
    with zipfile.ZipFile(target, "w") as archive:
        for number, path in enumerate(files, 1):
            if number % 50 == 0:
                report(f"zip: {number} of {len(files)} files")
            entry = zipfile.ZipInfo(f"glassbox/{path.relative_to(folder).as_posix()}", _DATE)
            entry.external_attr = _MODE
            entry.create_system = 3
            kind = zipfile.ZIP_STORED if path.suffix in _PACKED else zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes(), kind, 6 if kind else None)
