"""Sorts one notebook's cells into blocks to show and the program that answers its figures.

The *program* (see ``glassbox.page.runner``) holds the cells that figures depend on, found in marimo's own
dependency graph, and nothing of marimo itself.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import re
from pathlib import Path
from typing import Any

from marimo._output.md import _md as Markdown  # noqa: N812
from marimo._plugins.ui._core.ui_element import UIElement

from glassbox.figures import Figure, Work
from glassbox.figures.specs import bare
from glassbox.page.guess import Guess
from glassbox.publish.errors import BuildError
from glassbox.publish.pages import cells, controls, failure, images, prose
from glassbox.publish.pages.chapter import Block
from glassbox.publish.pages.keeping import Keeping

Json = dict[str, Any]

_BARE = "glassbox_bare"  # under this name a program knows ``glassbox.figures.bare``


class Cut:
    """Runs one notebook's cells once and sorts them."""

    def __init__(
        self,
        path: Path,
        by_id: dict[str, cells.Cell],
        order: list[str],
        scope: dict[str, Any],
        keeping: Keeping | None = None,
    ) -> None:
        self.path = path
        self._keeping = keeping
        self.blocks: list[Block] = []
        self._cells = by_id
        self._order = [i for i in order if i != "setup"]
        self._scope = dict(scope)
        self._controls: dict[str, Json] = {}  # by the control's global name
        self._control_cells: set[str] = set()
        self._figure_cells: list[str] = []
        self._bare: dict[str, bare.Bare] = {}  # by the cell that shows the chart

    def run(self) -> None:
        """Runs every cell that is not a figure, in dependency order, then lists the blocks in file order.

        A cell that is kept as it was is not run, unless one that runs or a figure's chart depends on it.
        """
        shown = [i for i in self._order if not self._is_figure(i)]
        kept = self._keeping.found(self._cells, shown) if self._keeping else {}
        first = {i for i in self._order if i not in kept or kept[i][1]}
        needed = first.union(*(self._cells[i].ancestors for i in first))
        outputs = {i: self._output(i) for i in shown if i in needed}
        question = ""
        for cell_id in self._cells:
            if cell_id in outputs or cell_id in kept:
                block = kept[cell_id][0] if cell_id in kept else self._block(outputs[cell_id], cell_id)
                if self._keeping and cell_id not in kept:
                    self._keeping.keep(self._cells, cell_id, block, cell_id in self._control_cells)
                if block:
                    self._named(block, cell_id)
                    self.blocks.append(dataclasses.replace(block, cell=str(self._cells[cell_id])))
                    question = prose.last(block.html, "h2") or question
            elif self._is_figure(cell_id):
                self._figure_cells.append(cell_id)
                self._one_picture(cell_id)
                self._chart_alone(cell_id)
                aim = self._aim(cell_id)
                self.blocks.append(
                    Block("figure", name=self._cells[cell_id].name, question=question, aim=aim)
                )

    def program(self) -> Json:
        """Builds the program of all figures."""
        needed: list[str] = []
        self._known()
        wanted = {i for f in self._figure_cells for i in self._needs(f)}
        needed = [i for i in self._order if i in wanted]
        index = {i: n for n, i in enumerate(needed)}
        cells = [self._coded(i) for i in needed]
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
            at = next(i for i in self._control_cells if idle[0] in self._cells[i].defs)
            raise self._error(
                at, f"no figure uses this control, {idle[0]}; use its value in a figure cell or remove it."
            )
        self._apart(figures)
        refs = {r for c in cells for r in c["refs"]}
        return {
            "imports": self._imports(refs),
            "cells": cells,
            "controls": [self._controls[c] for c in self._controls],
            "figures": figures,
        }

    @property
    def charts(self) -> dict[str, Json]:
        """The charts that cells show by themselves, by the name that their figures use."""
        return {self._chart_name(i): found.spec for i, found in self._bare.items()}

    def _chart_name(self, cell_id: str) -> str:
        return f"{self.path.stem}.cell_{self._cells[cell_id].name}"

    def _coded(self, cell_id: str) -> Json:
        """A cell of the program; one that shows a chart by itself is left with the chart's rows."""
        cell = self._cells[cell_id]
        if cell_id in self._bare:
            given = ", ".join(map(repr, (self._chart_name(cell_id), *self._bare[cell_id].arguments)))
            return {"name": cell.name, "code": f"{_BARE}.figure({given})", "defs": [], "refs": [_BARE]}
        return {"name": cell.name, "code": cell.code, "defs": sorted(cell.defs), "refs": sorted(cell.refs)}

    def _apart(self, figures: list[Json]) -> None:
        """A page shows a control once, beside its figure."""
        owner: dict[str, str] = {}
        for at, figure in zip(self._figure_cells, figures, strict=True):
            for control in figure["controls"]:
                if owner.setdefault(control, figure["name"]) != figure["name"]:
                    remedy = f"it uses {control}, a control of the figure {owner[control]}; give it its own."
                    raise self._error(at, remedy)

    def _is_figure(self, cell_id: str) -> bool:
        return self._cells[cell_id].name not in ("_", "setup", "__")

    def _output(self, cell_id: str) -> Any:
        """Runs one cell in the notebook's scope; remembers the control it makes."""
        cell = self._cells[cell_id]
        tree = ast.parse(cell.code)
        last: Any = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = compile(ast.Expression(tree.body[-1].value), str(self.path), "eval")
            del tree.body[-1]
        try:
            exec(compile(tree, str(self.path), "exec"), self._scope)
            result = eval(last, self._scope) if last else None
        except Exception as error:
            raise self._error(cell_id, f"it stops with {failure.named(error)}; mend the cell.") from error
        for name in cell.defs:
            if isinstance(self._scope[name], UIElement):
                if len(cell.defs) != 1:
                    raise self._error(
                        cell_id,
                        f"{name}: one control to a cell; move the other names to a cell of their own.",
                    )
                try:
                    self._controls[name] = controls.describe(name, self._scope[name])
                except ValueError as error:
                    raise self._error(cell_id, f"{error}.") from error
                self._control_cells.add(cell_id)
        return result

    def _block(self, output: Any, cell_id: str) -> Block | None:
        if output is None or isinstance(output, UIElement):
            return None
        if isinstance(output, Markdown):
            if hit := self._used(cell_id):
                remedy = f"it uses {hit[0]}, and prose does not depend on a control; make the cell a figure."
                raise self._error(cell_id, remedy)
            return Block("prose", self._prose(output._markdown_text, cell_id))
        if hasattr(output, "markup"):
            return self._question(output)
        if isinstance(output, (Figure, Work)) or bare.is_chart(output):
            raise self._error(cell_id, "it shows a figure and has no name; name it, as def paint(share).")
        kind = f"a value of type {type(output).__name__}"
        if type(output).__module__.startswith("marimo"):
            kind = "what marimo alone can draw (such as mo.hstack or a table)"
        remedy = f"it shows {kind}, and a page has prose, controls, checks and figures; name a figure's cell."
        raise self._error(cell_id, remedy)

    def _prose(self, text: str, cell_id: str) -> str:
        try:
            return images.sized(prose.render(text), self.path.parent)
        except ValueError as error:
            raise self._error(cell_id, f"{error}.") from error

    def _question(self, check: Any) -> Block:
        """A check or a guess."""
        markup = prose.together(str(check.markup()))
        asked = prose.plain(markup.split("</p>", 1)[0])
        kind = "guess" if isinstance(check, Guess) else "check"
        return Block(kind, markup, name=check.name, question=asked, answer=prose.together(str(check.answer)))

    def _named(self, block: Block, cell_id: str) -> None:
        """The name of a check or a guess is an address, and nothing else in the chapter has it."""
        names = {b.name for b in self.blocks} | {c.name for c in self._cells.values()}
        if block.name and block.name in names:
            remedy = f"another check or figure is called {block.name}; give this one a name of its own."
            raise self._error(cell_id, remedy)

    def _known(self) -> None:
        """What a figure's cell uses is defined somewhere: a name that is left over from before is said."""
        known = {d for c in self._cells.values() for d in c.defs} | set(self._scope) | set(dir(builtins))
        for figure in self._figure_cells:
            if lost := sorted(self._cells[figure].refs - known):
                remedy = "write the name that it has now, or add a cell that defines it."
                raise self._error(figure, f"it uses {lost[0]}, which no cell defines; {remedy}")

    def _needs(self, figure: str) -> list[str]:
        """The cells to run for a figure, in order: its ancestors without setup and controls, then itself."""
        if figure in self._bare:
            return [figure]
        wanted = {*self._cells[figure].ancestors, figure} - self._control_cells
        for i in wanted - {"setup"}:
            if "mo" in self._cells[i].refs:
                needs = f"and {self._cells[figure]} needs this one."
                alone = (
                    "it ends in one call of a figure; prose, controls and layouts have cells of their own."
                )
                raise self._error(
                    i, f"a figure's cells do not use mo{': ' + alone if i == figure else ', ' + needs}"
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
        kept = [f"from glassbox.figures import bare as {_BARE}"] if self._bare else []
        for node in ast.parse(setup.code if setup else "").body:
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                raise self._error("setup", "the setup cell holds imports only; move the rest to a cell.")
            names = [a for a in node.names if (a.asname or a.name).split(".")[0] in refs]
            if names:
                kept.append(ast.unparse(type(node)(**{**vars(node), "names": names})))
        return "\n".join(kept)

    def _chart_alone(self, cell_id: str) -> None:
        """Takes apart the chart that a cell without controls shows; one that a control moves sends rows."""
        cell = self._cells[cell_id]
        altair = [r for r in cell.refs if getattr(self._scope.get(r), "__name__", "") == "altair"]
        if (used := self._used(cell_id)) and altair:
            remedy = f"its chart follows {used[0]}; let a figure send its rows, as docs/authoring.md says."
            raise self._error(cell_id, remedy)
        if used or not (altair or any(bare.is_chart(self._scope.get(r)) for r in cell.refs)):
            return
        shown = self._output(cell_id)
        if not bare.is_chart(shown):
            return
        try:
            self._bare[cell_id] = bare.taken(shown)
        except Exception as error:
            said = str(error) if isinstance(error, ValueError) else failure.named(error)
            raise self._error(cell_id, f"its chart cannot be taken: {said}.") from error

    def _one_picture(self, cell_id: str) -> None:
        """A cell shows its last line; a call above it whose result goes nowhere was meant to be seen."""
        for node in ast.parse(self._cells[cell_id].code).body[:-1]:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                lost = ast.unparse(node)[:60]
                raise self._error(
                    cell_id, f"{lost} is never seen: a cell shows its last line. One figure to a cell."
                )

    def _aim(self, cell_id: str) -> str:
        """The first line of the docstring of the function whose figure the cell shows."""
        for node in ast.walk(ast.parse(self._cells[cell_id].code)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = self._scope.get(ast.unparse(node.func.value))
                doc = getattr(getattr(owner, node.func.attr, None), "__doc__", None)
                if doc:
                    return re.sub(r"``|`", "", doc.strip().split("\n")[0])
        return ""

    def _error(self, cell_id: str, remedy: str) -> BuildError:
        return BuildError("check notebooks", self.path, f"{self._cells[cell_id]}: {remedy}")
