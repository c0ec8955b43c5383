"""Names that carry a hash of their content, so that a browser may keep what is behind them for ever."""

from __future__ import annotations

import hashlib
from pathlib import Path

DIGITS = 10  # of the SHA-256, in hexadecimal


def short(content: bytes) -> str:
    """The part of a name that changes with the content.

    >>> short(b"attention")
    'e0787d272a'
    """
    return hashlib.sha256(content).hexdigest()[:DIGITS]


def write(folder: Path, stem: str, suffix: str, content: bytes) -> str:
    """Writes ``<stem>.<hash><suffix>`` into a folder; returns that name."""
    name = f"{stem}.{short(content)}{suffix}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return name
