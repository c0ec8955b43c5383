"""Answers a figure from its control values, from the notebook's own cells.

The build cuts a chapter into a *program*: the imports, the cells that figures need, and the controls. The
same ``Runner`` then answers in three places, so that no formula exists twice: in the build for the first
state and for the frames computed ahead, in the tests, and in the reader's browser.

    {"imports": "from glassbox import figures",
     "cells":    [{"name": "paint", "code": "figures.paint(share.value)", "defs": [], "refs": ["share"]}],
     "controls": [{"name": "share", "kind": "slider", ...}],
     "figures":  [{"name": "paint", "cells": [0], "controls": ["share"]}]}
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from glassbox.figures import subject
from glassbox.figures.figure import Figure, Work
from glassbox.page import controls

Json = dict[str, Any]


class Runner:
    """Runs the cells of one chapter, each again only when something it depends on has changed."""

    def __init__(self, program: Json) -> None:
        self._program = program
        self._figures = {f["name"]: f for f in program["figures"]}
        self._controls = {c["name"]: c for c in program["controls"]}
        self._compiled = [_compile(c["name"], c["code"]) for c in program["cells"]]
        self._globals: dict[str, Any] = {"__name__": "notebook"}
        exec(program["imports"], self._globals)
        self._memo: dict[int, tuple[tuple[Any, ...], dict[str, Any], Any]] = {}
        self._on_model: dict[int, bool] = {}  # cell -> whether its last run asked for a model

    def figure(self, name: str, values: Mapping[str, Any]) -> Figure:
        """Returns one state of a figure; long work is run to its end.

        Args:
            name: The figure cell's name.
            values: Control name to wire value (see ``controls``); one left out takes its default.

        Raises:
            ValueError: The figure is unknown, or a value is not one the control can take.
        """
        output = self.output(name, values)
        return output.last() if isinstance(output, Work) else output

    def output(self, name: str, values: Mapping[str, Any]) -> Figure | Work:
        """Returns what the figure's cell ends in; the same arguments and errors as ``figure``."""
        if name not in self._figures:
            raise ValueError(f"no figure named {name!r}; this chapter has {', '.join(self._figures)}")
        figure = self._figures[name]
        wires = {c: values.get(c, self._controls[c]["value"]) for c in figure["controls"]}
        scope = dict(self._globals)
        for control, wire in wires.items():
            scope[control] = SimpleNamespace(value=controls.value(self._controls[control], wire))
        output: object = None
        versions: dict[str, Any] = dict(wires)
        for index in figure["cells"]:
            output = self._run(index, scope, versions)
        if not isinstance(output, (Figure, Work)):
            raise ValueError(f"cell {name!r} ends in {type(output).__name__}; a figure cell ends in a Figure")
        return output

    def on_model(self, name: str) -> bool:
        """Whether a figure's last answer came from running a model, as far as it has been run."""
        return any(self._on_model.get(index, False) for index in self._figures[name]["cells"])

    def stays(self, name: str) -> str:
        """Why a figure shows our model whatever a reader brings; empty where it takes another, or none."""
        function = self._compiled[self._figures[name]["cells"][-1]][2]
        return str(getattr(eval(function, self._globals), "stays", "")) if function else ""

    def _run(self, index: int, scope: dict[str, Any], versions: dict[str, Any]) -> Any:
        """Runs one cell, or takes its last result when all it refers to is unchanged."""
        cell = self._program["cells"][index]
        key = tuple(versions.get(r) for r in cell["refs"])
        if index not in self._memo or self._memo[index][0] != key:
            body, last, _ = self._compiled[index]
            local = dict(scope)
            subject.runs_model(forget=True)
            try:
                exec(body, local)
                output = eval(last, local) if last else None
            finally:
                self._on_model[index] = subject.runs_model()
            self._memo[index] = (key, {d: local[d] for d in cell["defs"]}, output)
        _, defs, output = self._memo[index]
        scope.update(defs)
        versions.update(dict.fromkeys(defs, (index, key)))
        return output


def _compile(name: str, code: str) -> tuple[Any, Any, Any]:
    """Splits a cell into its statements and its last expression, as a notebook does, and what that calls."""
    tree = ast.parse(code)
    last = function = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        value = tree.body.pop().value  # type: ignore[attr-defined]
        last = compile(ast.Expression(value), name, "eval")
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            function = compile(ast.Expression(value.func), name, "eval")
    return compile(tree, name, "exec"), last, function
