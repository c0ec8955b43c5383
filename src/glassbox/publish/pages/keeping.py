"""Keeps what the cells of a notebook showed, so that after a change only the cells that it reaches are run.

A cell is as it was when its code is, that of the cells it depends on, and every module of ours that these
use. Figures' cells are not run here at all, and controls always are.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from glassbox.publish.files import write_whole
from glassbox.publish.pages.cells import Cell
from glassbox.publish.pages.chapter import Block
from glassbox.publish.pages.dependencies import Tree

Kept = tuple[Block | None, bool]  # what a cell shows, and whether it must run again all the same


class Keeping:
    """What the cells of one notebook showed when it was last cut."""

    def __init__(self, path: Path, sources: Tree, engine: str) -> None:
        """Takes the file that keeps it, what depends on which module, and the code that cuts notebooks."""
        self._path = path
        self._sources = sources
        self._engine = f"{sources.fingerprint(engine)}\0{sys.version}"
        self._before: dict[str, Kept] = {}
        self._now: dict[str, Kept] = {}
        if path.exists():
            told = json.loads(path.read_text(encoding="utf-8"))
            self._before = {key: (Block(**b) if b else None, runs) for key, (b, runs) in told.items()}

    def found(self, cells: Mapping[str, Cell], ids: Iterable[str]) -> dict[str, Kept]:
        """Those of some cells that are as they were, with what they showed, which is kept further."""
        keys = {i: self._key(cells, i) for i in ids}
        found = {i: self._before[key] for i, key in keys.items() if key in self._before}
        self._now |= {keys[i]: kept for i, kept in found.items()}
        return found

    def keep(self, cells: Mapping[str, Cell], cell_id: str, block: Block | None, runs: bool) -> None:
        """Keeps what a cell shows, except images, which change without the cell."""
        if block is None or "<img" not in block.html:
            self._now[self._key(cells, cell_id)] = block, runs

    def write(self) -> None:
        """Keeps it for the next time, in place of the last."""
        told = {key: (asdict(block) if block else None, runs) for key, (block, runs) in self._now.items()}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._path, json.dumps(told, ensure_ascii=False).encode())

    def _key(self, cells: Mapping[str, Cell], cell_id: str) -> str:
        needed = {cell_id, *cells[cell_id].ancestors} - {"setup"}
        given = [cell for i, cell in cells.items() if i in needed]
        setup = cells["setup"].code if "setup" in cells else ""
        codes = [*_imports(setup, {r for cell in given for r in cell.refs}), *(cell.code for cell in given)]
        used = self._sources.fingerprint("\n".join(codes))
        return hashlib.sha256("\0".join([self._engine, used, *codes]).encode()).hexdigest()[:24]


def _imports(setup: str, refs: set[str]) -> list[str]:
    """What the setup cell imports of what cells refer to; a module that nothing names counts as unused."""
    kept = []
    for node in ast.parse(setup).body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            kept.append(ast.unparse(node))
        elif names := [a for a in node.names if (a.asname or a.name).split(".")[0] in refs]:
            kept.append(ast.unparse(type(node)(**{**vars(node), "names": names})))
    return kept
