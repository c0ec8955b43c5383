"""Cuts a marimo notebook into what a page needs: blocks to show, and a program that answers its figures.

A cell becomes one of four things, told by its output and its name:

    mo.md(...)                      prose
    share = mo.ui.slider(...)       a control
    def paint(share): figures...    a figure, because the cell has a name
    check.number(...)               a self-check

Cells without output only compute. The *program* (see ``glassbox.page.runner``) holds the cells that figures
depend on, found in marimo's own dependency graph, and nothing of marimo itself.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from marimo._ast.app import InternalApp
from marimo._output.md import _md as Markdown  # noqa: N812
from marimo._plugins.ui._core.ui_element import UIElement

from glassbox.publish.errors import BuildError
from glassbox.publish.pages import controls, presets, prose
from glassbox.publish.pages.chapter import Block, Chapter, described
from glassbox.publish.state import Build

Json = dict[str, Any]


@dataclass(frozen=True)
class _Cell:
    """A notebook's cell with what it defines, refers to, and depends on."""

    name: str
    code: str
    defs: frozenset[str]
    refs: frozenset[str]
    ancestors: frozenset[str]


def step(build: Build) -> None:
    """Runs the notebooks and cuts them into prose, controls, checks and figures."""
    for name in build.site.chapters:
        build.site.report(f"notebook {name}")
        build.chapters[name] = load(build.site.root / "notebooks" / f"{name}.py")


def load(path: Path) -> Chapter:
    """Reads a notebook, runs its prose, checks and controls, and cuts out its program.

    Raises:
        BuildError: A cell breaks a rule; the sentence names the cell and the rule.
    """
    module = _module(path)
    cells, order = _cells(InternalApp(module.app))
    cut = _Cut(path, cells, order, vars(module))
    cut.run()
    program = cut.program()
    headings = [b.html for b in cut.blocks if b.kind == "prose"]
    if not headings or not (title := prose.first(headings[0], "h1")):
        raise BuildError(
            "check notebooks", path, "start the notebook with a cell mo.md('# Title') and its promise."
        )
    words = sum(len(prose.plain(b.html).split()) for b in cut.blocks if b.kind != "figure")
    try:
        linked = presets.collect("".join(headings), list(described(program)))
    except ValueError as error:
        raise BuildError("check notebooks", path, f"{error}.") from error
    description = prose.first(headings[0], "p")
    return Chapter(path.stem, title, description, tuple(cut.blocks), program, linked, words)


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"notebook_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BuildError("check notebooks", path, "this is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _cells(app: InternalApp) -> tuple[dict[str, _Cell], list[str]]:
    """All cells by id in file order, and the ids in running order. This is the one look into marimo."""
    graph = app.graph
    cells = {}
    for data in app.cell_manager.cell_data():
        cell = graph.cells[data.cell_id]
        refs, defs = frozenset(cell.refs), frozenset(cell.defs)
        ancestors = frozenset(str(a) for a in graph.ancestors(data.cell_id))
        cells[str(data.cell_id)] = _Cell(data.name, cell.code, defs, refs, ancestors)
    return cells, [str(i) for i in app.execution_order]


class _Cut:
    """Runs one notebook's cells once and sorts them."""

    def __init__(self, path: Path, cells: dict[str, _Cell], order: list[str], module: dict[str, Any]) -> None:
        self.path = path
        self.blocks: list[Block] = []
        self._cells = cells
        self._order = [i for i in order if i != "setup"]
        self._scope = dict(module)
        self._controls: dict[str, Json] = {}  # by the control's global name
        self._control_cells: set[str] = set()
        self._figure_cells: list[str] = []

    def run(self) -> None:
        """Runs every cell that is not a figure, in dependency order, then lists the blocks in file order."""
        outputs = {i: self._output(i) for i in self._order if not self._is_figure(i)}
        question = ""
        for cell_id in self._cells:
            if cell_id in outputs:
                block = self._block(outputs[cell_id], cell_id)
                if block:
                    self.blocks.append(block)
                    question = prose.last(block.html, "h2") or question
            elif self._is_figure(cell_id):
                self._figure_cells.append(cell_id)
                aim = self._aim(cell_id)
                self.blocks.append(
                    Block("figure", name=self._cells[cell_id].name, question=question, aim=aim)
                )

    def program(self) -> Json:
        """Builds the program of all figures."""
        needed: list[str] = []
        wanted = {i for f in self._figure_cells for i in self._needs(f)}
        needed = [i for i in self._order if i in wanted]
        index = {i: n for n, i in enumerate(needed)}
        cells = [
            {
                "name": self._cells[i].name,
                "code": self._cells[i].code,
                "defs": sorted(self._cells[i].defs),
                "refs": sorted(self._cells[i].refs),
            }
            for i in needed
        ]
        figures = [
            {
                "name": self._cells[f].name,
                "cells": [index[i] for i in self._needs(f)],
                "controls": self._used(f),
            }
            for f in self._figure_cells
        ]
        used = {c for f in figures for c in f["controls"]}
        if idle := sorted(set(self._controls) - used):
            raise self._error(
                idle[0], "no figure uses this control; use its value in a figure cell or remove it."
            )
        refs = {r for c in cells for r in c["refs"]}
        return {
            "imports": self._imports(refs),
            "cells": cells,
            "controls": [self._controls[c] for c in self._controls],
            "figures": figures,
        }

    def _is_figure(self, cell_id: str) -> bool:
        return self._cells[cell_id].name not in ("_", "setup", "__")

    def _output(self, cell_id: str) -> Any:
        """Runs one cell in the notebook's scope; remembers the control it makes."""
        cell = self._cells[cell_id]
        tree = ast.parse(cell.code)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = compile(ast.Expression(tree.body[-1].value), str(self.path), "eval")
            del tree.body[-1]
        try:
            exec(compile(tree, str(self.path), "exec"), self._scope)
            result = eval(last, self._scope) if last else None
        except Exception as error:
            raise self._error(
                cell.code.strip().split("\n")[0], f"it stops with {error!r}; mend the cell."
            ) from error
        for name in cell.defs:
            if isinstance(self._scope[name], UIElement):
                if len(cell.defs) != 1:
                    raise self._error(
                        name, "one control to a cell: move the other names to a cell of their own."
                    )
                self._controls[name] = controls.describe(name, self._scope[name])
                self._control_cells.add(cell_id)
        return result

    def _block(self, output: Any, cell_id: str) -> Block | None:
        if output is None or isinstance(output, UIElement):
            return None
        if isinstance(output, Markdown):
            if hit := self._used(cell_id):
                raise self._error(hit[0], "prose does not depend on a control; make the cell a figure.")
            return Block("prose", prose.render(output._markdown_text))
        if hasattr(output, "markup"):
            return Block("check", str(output.markup()))
        name = type(output).__name__
        raise self._error(
            name, "a cell without a name shows prose, a control or a check; name a figure's cell."
        )

    def _needs(self, figure: str) -> list[str]:
        """The cells to run for a figure, in order: its ancestors without setup and controls, then itself."""
        wanted = {*self._cells[figure].ancestors, figure} - self._control_cells
        for i in wanted - {"setup"}:
            if "mo" in self._cells[i].refs:
                raise self._error(
                    self._cells[figure].name, "a figure's cells do not use mo: return a Figure instead."
                )
        return [i for i in self._order if i in wanted]

    def _used(self, cell_id: str) -> list[str]:
        """The controls that a cell depends on, in file order."""
        cells = {*self._cells[cell_id].ancestors, cell_id}
        refs = {r for i in cells for r in self._cells[i].refs}
        order = {
            d: n for n, i in enumerate(self._cells) if i in self._control_cells for d in self._cells[i].defs
        }
        return sorted((c for c in self._controls if c in refs), key=order.__getitem__)

    def _imports(self, refs: set[str]) -> str:
        """Those import statements of the setup cell that the program's cells refer to."""
        setup = self._cells.get("setup")
        kept = []
        for node in ast.parse(setup.code if setup else "").body:
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                raise self._error("setup", "the setup cell holds imports only; move the rest to a cell.")
            names = [a for a in node.names if (a.asname or a.name).split(".")[0] in refs]
            if names:
                kept.append(ast.unparse(type(node)(**{**vars(node), "names": names})))
        return "\n".join(kept)

    def _aim(self, cell_id: str) -> str:
        """The first line of the docstring of the function whose figure the cell shows."""
        for node in ast.walk(ast.parse(self._cells[cell_id].code)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = self._scope.get(ast.unparse(node.func.value))
                doc = getattr(getattr(owner, node.func.attr, None), "__doc__", None)
                if doc:
                    return re.sub(r"``|`", "", doc.strip().split("\n")[0])
        return ""

    def _error(self, what: str, remedy: str) -> BuildError:
        return BuildError("check notebooks", self.path, f"cell “{what}”: {remedy}")
