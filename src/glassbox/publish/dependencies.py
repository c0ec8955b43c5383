"""Finds the modules that a piece of code depends on, so that only what changed is computed again.

    from glassbox.figures import attention as figures
        -> glassbox/__init__, glassbox/figures/__init__, glassbox/figures/attention, and all that they import

Imports inside functions count as well. Data files count as a whole: they change rarely.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path


def fingerprint(source: Path, code: str) -> str:
    """Hashes every glassbox module that ``code`` imports, directly or not, and all data files.

    Args:
        source: The folder that holds the package ``glassbox``.
        code: Python statements, of which only the imports matter.
    """
    digest = hashlib.sha256()
    for path in [*modules(source, code), *_data(source)]:
        digest.update(path.relative_to(source).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def modules(source: Path, code: str) -> list[Path]:
    """The files of all glassbox modules that ``code`` depends on, sorted."""
    found: set[Path] = set()
    waiting = [path for name in _names(code) for path in _files(source, name)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            code = path.read_text(encoding="utf-8")
            waiting += [p for name in _names(code) for p in _files(source, name)]
    return sorted(found)


def _names(code: str) -> Iterator[str]:
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


def _data(source: Path) -> list[Path]:
    folder = source / "glassbox" / "data"
    return [p for p in sorted(folder.rglob("*")) if p.is_file() and p.suffix not in (".py", ".pyc", ".md")]
