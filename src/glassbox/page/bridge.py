"""Between the page's worker and the ``Runner``: JSON text in, JSON text out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from glassbox.figures.figure import Figure, Work
from glassbox.page.runner import Runner


def parts(figure: Figure) -> list[str]:
    """What a page shows of one state: picture, sentence, note, table, kind of numbers.

    The picture and the table are markup, the others plain text.
    """
    table = str(figure.table.markup())
    return [str(figure.picture), figure.sentence, figure.note, table, figure.provenance]


class Bridge:
    """Answers one page's figures.

    An answer is ``{"parts": [picture, sentence, note, table, kind], "more": bool}`` or
    ``{"error": sentence, "more": false}``; ``more`` asks the page to call ``step`` again.
    """

    def __init__(self, program: str) -> None:
        self._runner = Runner(json.loads(program))
        self._work: dict[str, Iterator[Figure]] = {}
        self._shown: dict[str, list[str]] = {}

    def open(self, name: str, values: str) -> str:
        """Answers a figure for control values given as a JSON object."""
        try:
            output = self._runner.output(name, json.loads(values))
        except ValueError as error:
            return _answer(error=str(error))
        if isinstance(output, Work):
            self._work[name] = output.steps()
            return self.step(name)
        return _answer(parts=parts(output))

    def step(self, name: str) -> str:
        """Does the next piece of a figure's long work."""
        try:
            figure = next(self._work[name])
        except StopIteration:
            return _answer(parts=self._shown[name])
        self._shown[name] = parts(figure)
        return _answer(parts=self._shown[name], more=True)


def _answer(more: bool = False, **content: Any) -> str:
    return json.dumps({**content, "more": more})
