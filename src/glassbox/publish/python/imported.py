"""What a wheel's own code imports from the standard library and from NumPy: read from its source."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from glassbox.publish.files import write_whole

_FROM = sys.stdlib_module_names | {"numpy"}


def modules(wheel: Path, kept: Path) -> list[str]:
    """The modules that any file of a wheel imports, sorted; a package's modules count beside it.

    Args:
        wheel: The wheel.
        kept: A file that keeps what was found, by the hash of each source: most are as they were a save ago.
    """
    known: dict[str, list[str]] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    found: dict[str, list[str]] = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                source = archive.read(name)
                digest = hashlib.sha256(source).hexdigest()
                found[digest] = known.get(digest) or sorted({*_imports(ast.parse(source, name))})
    if found.keys() - known.keys():
        write_whole(kept, json.dumps(found).encode())
    return sorted({m for some in found.values() for m in some if m.split(".")[0] in _FROM})


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
