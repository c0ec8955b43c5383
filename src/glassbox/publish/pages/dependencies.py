"""Finds the modules that a piece of code depends on, so that only what changed is computed again.

    from glassbox.figures import attention as figures
        -> glassbox/__init__, glassbox/figures/__init__, glassbox/figures/attention, and all that they import

Imports inside functions count as well. A folder of data counts when one of those modules names it.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
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
        digest.update(path.relative_to(source).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def modules(source: Path, code: str) -> list[Path]:
    """The files of all glassbox modules that ``code`` depends on, sorted."""
    found: set[Path] = set()
    waiting = [path for name in names(code) for path in _files(source, name)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            code = path.read_text(encoding="utf-8")
            waiting += [p for name in names(code) for p in _files(source, name)]
    return sorted(found)


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
    text = "".join(path.read_text(encoding="utf-8") for path in found)
    folders = [f for f in sorted((source / "glassbox" / "data").iterdir()) if f.is_dir()]
    named = [f for f in folders if f'"{f.name}"' in text or f'"data/{f.name}"' in text]
    return [p for f in named for p in sorted(f.rglob("*")) if p.is_file() and p.suffix != ".pyc"]
