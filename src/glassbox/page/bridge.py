"""Between the page's worker and the ``Runner``: JSON text in, JSON text out."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from typing import Any

from glassbox.figures import subject
from glassbox.figures.figure import Figure, Work
from glassbox.page.runner import Json, Runner


def parts(figure: Figure) -> list[str]:
    """What a page shows of one state: picture, sentence, note, table, kind of numbers.

    The picture and the table are markup, the others plain text.
    """
    table = str(figure.table.markup())
    return [str(figure.picture), figure.sentence, figure.note, table, figure.provenance]


def fitted(program: Json) -> list[Json]:
    """A program's controls as they fit the model that is shown; those of figures that stay are unchanged."""
    runner = Runner(program)
    staying = {c for f in program["figures"] if runner.stays(f["name"]) for c in f["controls"]}
    return [c if c["name"] in staying else subject.fitted(c) for c in program["controls"]]


def whose(runner: Runner, name: str, ran: bool = False) -> Json:
    """What a figure made of a reader's model: ``Bridge`` says what it looks like."""
    if subject.is_ours():
        return {}
    if why := runner.stays(name):
        return {"stays": why}
    return {"name": subject.name()} if ran or runner.on_model(name) else {}


class Bridge:
    """Answers one page's figures.

    An answer is ``{"parts": [picture, sentence, note, table, kind], "more": bool}`` or
    ``{"error": sentence, "more": false}``; ``more`` asks the page to call ``step`` again. While a reader's
    model is shown, ``whose`` says what a figure made of it: ``{"name": it}`` where it ran, ``{"stays":
    sentence}`` where the figure shows ours all the same; nothing where a figure runs no model.
    """

    def __init__(self, program: str) -> None:
        self._program = json.loads(program)
        self._runner = Runner(self._program)
        self._reading: Generator[Any, None, None] | None = None
        self._work: dict[str, Iterator[Figure]] = {}
        self._ran: set[str] = set()  # figures whose long work has asked for a model
        self._shown: dict[str, list[str]] = {}

    def open(self, name: str, values: str) -> str:
        """Answers a figure for control values given as a JSON object."""
        try:
            output = self._runner.output(name, json.loads(values))
        except ValueError as error:
            return _answer(error=str(error), **self._whose(name))
        if isinstance(output, Work):
            self._ran.discard(name)
            self._work[name] = output.steps()
            return self.step(name)
        return _answer(parts=parts(output), **self._whose(name))

    def step(self, name: str) -> str:
        """Does the next piece of a figure's long work."""
        try:
            figure = self._next(name)
        except StopIteration:
            return _answer(parts=self._shown[name], **self._whose(name))
        except ValueError as error:
            return _answer(error=str(error), **self._whose(name))
        self._shown[name] = parts(figure)
        return _answer(parts=self._shown[name], more=True, **self._whose(name))

    def _next(self, name: str) -> Figure:
        """The next state of long work; notes whether it ran a model."""
        subject.runs_model(forget=True)
        try:
            return next(self._work[name])
        finally:
            if subject.runs_model():
                self._ran.add(name)

    def _whose(self, name: str) -> Json:
        """What an answer says of the reader's model."""
        found = whose(self._runner, name, name in self._ran)
        return {"whose": found} if found else {}

    def bring(self, folder: str, memory: int) -> str:
        """Begins to read a reader's model.

        Args:
            folder: Where the worker has put its files.
            memory: Bytes that its weights may take.

        Returns:
            ``{"read": bytes, "total": bytes, "more": true}`` while ``read_on`` is to be called again, at last
            what ``ours`` returns, or ``{"error": sentence, "more": false}``: then figures show ours.
        """
        self.ours()  # a figure that is asked meanwhile shows ours, in its own sizes
        self._reading = subject.bringing(folder, memory)
        return self.read_on()

    def read_on(self) -> str:
        """Reads the next megabytes of a reader's model."""
        try:
            if self._reading is not None:
                progress = next(self._reading)
                return _answer(read=progress.read, total=progress.total, more=True)
        except (ValueError, MemoryError) as error:
            self.ours()
            why = str(error) if isinstance(error, ValueError) else "this page has no room for it in memory"
            return _answer(error=why)
        except StopIteration:
            pass
        return self._told()

    def ours(self) -> str:
        """Shows the model of these pages again, and forgets the reader's.

        Returns:
            ``{"name": its name or nothing, "note": sentence, "controls": [as they fit it], "more": false}``.
        """
        subject.use(None)
        return self._told()

    def _told(self) -> str:
        self._reading = None
        self._work.clear()
        controls = fitted(self._program)
        self._runner = Runner({**self._program, "controls": controls})
        name = "" if subject.is_ours() else subject.name()
        return _answer(name=name, note=subject.lacking(), controls=controls)


def _answer(more: bool = False, **content: Any) -> str:
    return json.dumps({**content, "more": more})
