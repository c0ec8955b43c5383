"""Finds the modules that a piece of code depends on, so that only what changed is computed again.

    from glassbox.figures import attention as figures
        -> glassbox/__init__, glassbox/figures/__init__, glassbox/figures/attention, and all that they import

Imports inside functions count as well. A folder of data counts when one of those modules names it.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


def fingerprint(source: Path, code: str) -> str:
    """Hashes every glassbox module that ``code`` imports, directly or not, and the data these name.

    Args:
        source: The folder that holds the package ``glassbox``.
        code: Python statements, of which only the imports matter.
    """
    digest = hashlib.sha256()
    found = modules(source, code)
    for path in [*found, *_data(source, found)]:
        name = path.relative_to(source).as_posix()
        digest.update(f"{name} {_read(path).digest};".encode())
    return digest.hexdigest()


def modules(source: Path, code: str) -> list[Path]:
    """The files of all glassbox modules that ``code`` depends on, sorted."""
    found: set[Path] = set()
    waiting = [path for name in names(code) for path in _files(source, name)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += [p for name in _read(path).imports for p in _files(source, name)]
    return sorted(found)


@dataclass(frozen=True)
class _File:
    """What is known of a file: the hash of its bytes; of a module also its imports and quoted words."""

    digest: str
    imports: tuple[str, ...]
    words: frozenset[str]


def _read(path: Path) -> _File:
    """Reads and parses a file once for all figures, and again only when it has changed."""
    status = path.stat()
    return _parsed(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=4096)
def _parsed(path: Path, changed: int, size: int) -> _File:
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if path.suffix != ".py":
        return _File(digest, (), frozenset())
    text = content.decode("utf-8")
    return _File(
        digest,
        tuple(n for n in names(text) if n.startswith("glassbox")),
        frozenset(re.findall(r'"([\w/]+)"', text)),
    )


def names(code: str) -> Iterator[str]:
    """All that a piece of code imports, as full names."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _files(source: Path, name: str) -> Iterator[Path]:
    """The module of that name and the packages it lies in; a name within a module leads to the module."""
    if name.split(".")[0] != "glassbox":
        return
    folder = source
    for part in name.split("."):
        for path in (folder / part / "__init__.py", folder / f"{part}.py"):
            if path.is_file():
                yield path
        folder = folder / part


def _data(source: Path, found: list[Path]) -> list[Path]:
    """The files of each data folder that one of the modules names: ``"model"`` or ``"data/model"``."""
    words = frozenset().union(*(_read(path).words for path in found))
    folders = [f for f in sorted((source / "glassbox" / "data").iterdir()) if f.is_dir()]
    named = [f for f in folders if f.name in words or f"data/{f.name}" in words]
    return [p for f in named for p in sorted(f.rglob("*")) if p.is_file() and p.suffix != ".pyc"]
