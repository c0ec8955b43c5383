"""What a wheel's own code imports from the standard library and from NumPy: read from its source."""

from __future__ import annotations

import ast
import importlib.util
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

_FROM = sys.stdlib_module_names | {"numpy"}


def modules(wheel: Path) -> list[str]:
    """The modules that any file of a wheel imports, sorted; a package's modules count beside it."""
    found: set[str] = set()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                found.update(_imports(ast.parse(archive.read(name), name)))
    return sorted(m for m in found if m.split(".")[0] in _FROM)


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            if node.module.split(".")[0] in _FROM:
                yield from (m for a in node.names if _is_module(m := f"{node.module}.{a.name}"))


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:  # its parent is a module, not a package
        return False
