"""Writes zip archives whose bytes depend on their content alone: one date, one order, one origin.

The compiler inside the browser's interpreter loads this file too, so it imports the standard library alone.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

_DATE = (2020, 1, 1, 0, 0, 0)
_UNIX = 3


def write(
    target: Path | str | IO[bytes],
    names: Iterable[str],
    read: Callable[[str], bytes],
    *,
    level: Callable[[str], int] = lambda name: 9,
    mode: int = 0,
) -> None:
    """Writes an archive, entry by entry, sorted by name.

    Args:
        target: The archive to write, or an open file.
        names: The entries' names.
        read: Gives an entry's content.
        level: How hard to compress an entry, 1 to 9; 0 stores it as it is.
        mode: The entries' Unix permissions.
    """
    with zipfile.ZipFile(target, "w") as archive:
        for name in sorted(names):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system = _UNIX
            entry.external_attr = (mode or 0o600) << 16
            kind = zipfile.ZIP_DEFLATED if level(name) else zipfile.ZIP_STORED
            archive.writestr(entry, read(name), kind, level(name) or None)
