"""Reads a marimo notebook: its cells, what each defines and needs, and the line it stands on.

This is the one look into marimo's graph. What marimo would answer with a traceback gets a sentence here.
"""

from __future__ import annotations

import ast
import importlib.util
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from marimo._ast.app import InternalApp

from glassbox.publish.errors import BuildError
from glassbox.publish.pages import failure


@dataclass(frozen=True)
class Cell:
    """A notebook's cell with what it defines, refers to, and depends on."""

    name: str
    code: str
    defs: frozenset[str]
    refs: frozenset[str]
    ancestors: frozenset[str]
    line: int  # of the file, where its code starts

    def __str__(self) -> str:
        if self.name not in ("_", "__"):
            return f"cell “{self.name}” (line {self.line})"
        lines = [line.strip() for line in self.code.split("\n") if line.strip()] or [""]
        prose = (
            lines[0].endswith(('"""', "'''")) and len(lines) > 1
        )  # its first words say more than mo.md(r"""
        said = lines[1] if prose else lines[0]
        return f"the cell at line {self.line} ({said[:60]}{'…' if len(said) > 60 else ''})"


def module(path: Path) -> ModuleType:
    """Imports a notebook's file, which runs its setup cell.

    Raises:
        BuildError: It is no Python, or the setup cell stops; the sentence names the line.
    """
    spec = importlib.util.spec_from_file_location(f"notebook_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BuildError("check notebooks", path, "this is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        what = f"line {error.lineno} is no Python ({error.msg}): {(error.text or '').strip()}"
        raise BuildError("check notebooks", path, f"{what}; mend the line.") from error
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
        where = f"line {frames[-1].lineno} ({frames[-1].line}) " if frames else ""
        missing = isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("glassbox")
        remedy = f"install it with pip install {error.name}" if missing else "mend the line"  # type: ignore[attr-defined]
        raise BuildError(
            "check notebooks", path, f"{where}stops with {failure.named(error)}; {remedy}."
        ) from error
    if not hasattr(module, "app"):
        raise BuildError("check notebooks", path, "it holds no app = marimo.App(); begin with one.")
    return module


def read(path: Path, notebook: ModuleType) -> tuple[dict[str, Cell], list[str]]:
    """All cells by id in file order, and the ids in running order.

    Raises:
        BuildError: Two cells share a name, or define the same, or wait for each other.
    """
    _decorated(path)
    app = InternalApp(notebook.app)
    data = list(app.cell_manager.cell_data())
    lines = _lines(path.read_text(encoding="utf-8"), [d.code for d in data])
    names = [d.name for d in data]
    twice = [n for n in range(len(names)) if names[n] in names[:n] and names[n] not in ("_", "__")]
    if twice:
        before = lines[names.index(names[twice[0]])]
        what = f"the cells at lines {before} and {lines[twice[0]]} are both named {names[twice[0]]}"
        raise BuildError("check notebooks", path, f"{what}; give one of them another name.")
    try:
        graph, order = app.graph, [str(i) for i in app.execution_order]
    except Exception as error:
        raise BuildError("check notebooks", path, _tangled(error, data, lines)) from error
    cells = {}
    for data_of, line in zip(data, lines, strict=True):
        cell = graph.cells[data_of.cell_id]
        refs, defs = frozenset(cell.refs), frozenset(cell.defs)
        ancestors = frozenset(str(a) for a in graph.ancestors(data_of.cell_id))
        cells[str(data_of.cell_id)] = Cell(data_of.name, cell.code, defs, refs, ancestors, line)
    return cells, order


def _decorated(path: Path) -> None:
    """A function at the edge of the file is a cell only under ``@app.cell``."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            what = f"the function {node.name} (line {node.lineno}) is in no cell"
            raise BuildError("check notebooks", path, f"{what}; write @app.cell above it.")


def _lines(text: str, codes: list[str]) -> list[int]:
    """The line of the file on which each cell's code starts; the cells stand in the file's order."""
    stripped = [line.strip() for line in text.split("\n")]
    found, at = [], 0
    for code in codes:
        first = next((line.strip() for line in code.split("\n") if line.strip()), "")
        at = stripped.index(first, at) if first in stripped[at:] else at
        found.append(at + 1)
        at += 1 if first else 0
    return found


def _tangled(error: Exception, data: list[Any], lines: list[int]) -> str:
    """Why cells have no order: a name that two of them define, or cells that wait for each other."""
    users: dict[str, list[int]] = {}
    for cell, line in zip(data, lines, strict=True):
        for name in cell.cell.defs if cell.cell is not None else ():
            users.setdefault(name, []).append(line)
    for name, at in users.items():
        if len(at) > 1:
            where = " and ".join(str(n) for n in at)
            what = f"the name {name} is defined by the cells at lines {where}"
            return f"{what}; a name belongs to one cell: rename it, or begin it with _."
    return f"its cells have no order: {failure.named(error)}; see that no two cells need each other."
