"""What every figure function returns: a picture, its sentence, its data, and where the numbers come from.

A figure is a pure function of its control values. It is shown in three places from this one object: in the
notebook (``_repr_html_``), in the static page that the build writes, and in the page once Python is live.
"""

from __future__ import annotations

import collections
import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from glassbox.figures import style, vega
from glassbox.figures.markup import Markup, el, raw, under, visible

Cell = str | int | float
Provenance = Literal["computed", "measured", "reported"]

PROVENANCE = {
    "computed": "by code of this project, run again when you move a control; where another number stands among "
    "these, the figure says so.",
    "measured": "counted or timed, in your browser or while the model was trained.",
    "reported": "published by others, and shown as theirs; the source stands beside it.",
}


@dataclass(frozen=True)
class Table:
    """The figure's data as rows: what a screen reader, a spreadsheet or a doubter wants.

    Attributes:
        columns: Column headings with units, as ``("share of severe (%)", "next word")``.
        rows: One tuple a row, as long as ``columns``.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table row {row!r} has {len(row)} cells for {len(self.columns)} columns")

    def markup(self) -> Markup:
        """Renders an HTML table with column headers."""
        head = el("tr", [el("th", c, scope="col") for c in self.columns])
        body = [el("tr", [el("td", c) for c in row]) for row in self.rows]
        return el("table", el("thead", head), el("tbody", body), class_="data")


@dataclass(frozen=True)
class Figure:
    """One state of one figure.

    Attributes:
        title: Plain text, the same in every state.
        sentence: One plain sentence with the key number; also what a screen reader hears on a change.
        picture: The drawing, as markup (HTML or SVG) made with ``markup.el`` so that text is escaped.
        table: The same data as rows.
        provenance: What kind of numbers these are; ``note`` says more where they are mixed.
        note: Optional plain sentence under the figure (source, limits, "shortened to the last 512 tokens").
    """

    title: str
    sentence: str
    picture: Markup
    table: Table
    provenance: Provenance = "computed"
    note: str = ""

    def __post_init__(self) -> None:
        # A page shows both as plain text, which may quote what a reader typed.
        for name in ("sentence", "note"):
            object.__setattr__(self, name, visible(getattr(self, name)))
        object.__setattr__(self, "picture", under(self.title, self.picture))

    def charts(self) -> list[Any]:
        """The charts of the picture as Altair's own, with their rows: for notebooks other than marimo's."""
        return vega.altair(self.picture)

    def _repr_html_(self) -> str:
        """Shows the figure in a notebook, with its own styles so that it looks right anywhere."""
        rules = raw(f"<style>{style.inlined()}</style>")
        caption = el("figcaption", el("strong", self.title), ". ", self.sentence, " ", self.note)
        data = el("details", el("summary", "The numbers"), self.table.markup())
        picture = el("div", raw(vega.native(self.picture)), class_="picture")
        notebook = importlib.import_module("glassbox.figures.notebook")  # not for pages that are read
        follows = json.dumps(controls) if (controls := notebook.follows()) else None
        script = notebook.listening() if follows else None
        parts = (rules, picture, caption, data, script)
        # A plain str: marimo in the browser cannot send a subclass of it.
        return str(el("figure", *parts, class_="glassbox inlined", data_follows=follows))


@dataclass(frozen=True)
class Work:
    """Long work that reports as it goes: an iterator of figures, the last of which is the result.

    In the page each figure is painted as it comes and a Stop button appears; in a notebook it runs through.

    Attributes:
        steps: Makes a new iterator of figure states. Between two of them the page stays responsive, so one
            step should take at most about 100 ms.
    """

    steps: Callable[[], Iterator[Figure]]

    def last(self) -> Figure:
        """Runs the work to its end."""
        states = collections.deque(self.steps(), maxlen=1)
        if not states:
            raise ValueError("this work yielded no figure")
        return states[0]

    def _repr_html_(self) -> str:
        return self.last()._repr_html_()


def percents(shares: Sequence[float]) -> list[int]:
    """Rounds shares that sum to 1 to whole percents that sum to 100 (largest remainder).

    >>> percents([1 / 3, 1 / 3, 1 / 3])
    [34, 33, 33]
    """
    floors = [int(s * 100) for s in shares]
    missing = round(sum(shares) * 100) - sum(floors)
    by_remainder = sorted(range(len(floors)), key=lambda i: floors[i] - shares[i] * 100)
    for i in by_remainder[:missing]:
        floors[i] += 1
    return floors
