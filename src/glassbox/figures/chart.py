"""Small charts as markup: marks in an SVG that stretches, words as HTML that does not.

A chart is a function of data and options. Marks are drawn in a box of 100 by 100 that is stretched to
whatever width there is; lines and dots keep their thickness, and words are placed over it in percent, so
that text is as large on a phone as on a desk.

    from glassbox.figures import chart

    chart.plot(
        [
            chart.Line([(n, n * n) for n in range(1, 101)], "without a cache", tone="severe"),
            chart.Line([(n, n) for n in range(1, 101)], "with a cache", tone="value"),
            chart.Rule(x=50, text="here"),
        ],
        x=chart.Axis(0, 100, "tokens written"),
        y=chart.Axis(0, 10_000, "rows of work"),
        sentence="Without a cache the hundredth token costs 100 rows of work, with one it costs 1.",
    )
    chart.bars([("pain", 0.92, "92 %"), ("tightness", 0.08, "8 %")], high=1, sentence="…")
    chart.shares([("severe", 0.85, "severe"), ("chest", 0.15, "masked")], sentence="…")

A *tone* is the name of a colour's custom property: ``severe``, ``query``, ``cat-2``, ``soft``, ``accent``.
Give lines their label: it stands at the line's end instead of in a legend.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from glassbox.figures.axis import Axis
from glassbox.figures.marks import Area, Blocks, Dots, Label, Line, Mark, Note, Rule, length, paint, tone_name
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import plain, si

__all__ = [
    "Area",
    "Axis",
    "Blocks",
    "Dots",
    "Line",
    "Note",
    "Rule",
    "bars",
    "cells",
    "columns",
    "plain",
    "plot",
    "shares",
    "si",
]

_LABEL_REM = 1.125  # height of one line of text in a chart


def plot(marks: Iterable[Mark], x: Axis, y: Axis, sentence: str, height: float = 15) -> Markup:
    """Draws marks between two axes.

    Args:
        marks: Drawn in order, later ones over earlier ones.
        x: The axis from left to right.
        y: The axis from bottom to top; its title stands above the chart.
        sentence: The figure's sentence; a screen reader says it for the whole picture.
        height: Of the plot, in rem.
    """
    marks = list(marks)
    across = "".join(f"M0 {length(100 - y.place(v))}H100" for v in y.ticks)
    drawn = [el("path", class_="g", d=across), *(m.svg(x, y) for m in marks)]
    svg = el(
        "svg", drawn, viewBox="0 0 100 100", preserveAspectRatio="none", aria_hidden="true", focusable="false"
    )
    labels = _apart([label for m in marks for label in m.labels(x, y)], 100 * _LABEL_REM / height)
    left = max((len(w) for w in y.words), default=0)
    right = max(
        [len(w) / 2 for w in x.words[-1:]] + [len(a.text) + 1 for a in labels if a.side == "end"], default=0
    )
    box = el(
        "div",
        svg,
        [
            el("span", w, class_="cy", style=f"top:{length(100 - y.place(v))}%")
            for v, w in zip(y.ticks, y.words, strict=True)
        ],
        _x_ticks(x),
        [_label(a) for a in labels],
        class_="plot tops" if any(a.side.startswith("top") for a in labels) else "plot",
        style=f"--h:{length(height)}rem",
    )
    titles = [
        el("p", y.title, class_="ct") if y.title else None,
        box,
        el("p", x.title, class_="cx-title") if x.title else None,
    ]
    return el(
        "div",
        titles,
        class_="chart",
        style=f"--l:{left};--r:{length(right)}",
        role="img",
        aria_label=sentence,
    )


def _x_ticks(x: Axis) -> list[Markup]:
    """Ticks under the chart; every second one steps back where the chart is too narrow for all."""
    need = sum(len(w) + 2 for w in x.words)
    spare = " s2" if need > 44 else " s1" if need > 24 else ""
    places = zip(x.ticks, x.words, strict=True)
    return [
        el("span", w, class_=f"cx{spare if n % 2 else ''}", style=f"left:{length(x.place(v))}%")
        for n, (v, w) in enumerate(places)
    ]


def _label(label: Label) -> Markup:
    place = f"left:{length(label.left)}%;top:{length(label.top)}%;{paint(label.tone)}"
    return el("span", label.text, class_=f"cl {label.side}", style=place)


def _apart(labels: list[Label], gap: float) -> list[Label]:
    """Moves labels in the right margin until none stands on another; the rest stay where they are."""
    ends = sorted((a for a in labels if a.side == "end"), key=lambda a: a.top)
    tops: list[float] = []
    for label in ends:
        tops.append(max(label.top, tops[-1] + gap) if tops else label.top)
    lowest = 100.0
    for n in range(len(tops) - 1, -1, -1):
        tops[n] = min(tops[n], lowest)
        lowest = tops[n] - gap
    moved = [Label(a.left, top, a.text, a.tone, a.side) for a, top in zip(ends, tops, strict=True)]
    return [*(a for a in labels if a.side != "end"), *moved]


Bar = tuple[str, float, str] | tuple[str, float, str, str]


def bars(rows: Iterable[Bar], high: float, sentence: str, tone: str = "accent", low: float = 0) -> Markup:
    """Draws level bars, one a row: name, bar, value.

    Args:
        rows: (name, value, value as written) and, where it differs, the bar's tone.
        high: The value of a full bar: fixed, so that bars can be compared between states.
        sentence: What a screen reader says for the whole picture.
        tone: The bars' colour.
        low: The value of an empty bar.
    """
    axis = Axis(low, high)
    drawn = []
    for name, value, written, *own in rows:
        style = f"--share:{_share(axis, value)}%;{paint(own[0] if own else tone)}"
        drawn.append(el("div", el("span", name), el("i", style=style), el("b", written)))
    return el("div", drawn, class_="chart-bars", role="img", aria_label=sentence)


def columns(
    rows: Iterable[Bar], high: float, sentence: str, tone: str = "accent", height: float = 10
) -> Markup:
    """Draws upright bars, one a column: value over it, name under it. Arguments as for ``bars``."""
    axis = Axis(0, high)
    drawn = []
    for name, value, written, *own in rows:
        bar = el("i", style=f"--share:{_share(axis, value)}%;{paint(own[0] if own else tone)}")
        drawn.append(el("div", el("span", el("b", written), bar, class_="up"), el("span", name)))
    return el(
        "div",
        drawn,
        class_="chart-columns",
        style=f"--h:{length(height)}rem",
        role="img",
        aria_label=sentence,
    )


def shares(parts: Iterable[tuple[str, float, str]], sentence: str, written: Sequence[str] = ()) -> Markup:
    """Draws one whole bar cut into parts, with a key in the same order.

    Args:
        parts: (name, amount, tone); the amounts' sum is the full bar.
        sentence: What a screen reader says for the whole picture.
        written: Each part's amount as written; in whole percent if left out.
    """
    parts = list(parts)
    total = math.fsum(amount for _, amount, _ in parts) or 1.0
    words = list(written) or [f"{100 * amount / total:.0f}\u00a0%" for _, amount, _ in parts]
    cut = [el("i", style=f"--share:{length(100 * a / total)}%;{paint(tone)}") for _, a, tone in parts]
    key = [
        el("li", el("span", name), " ", el("b", word), style=paint(tone))
        for (name, _, tone), word in zip(parts, words, strict=True)
    ]
    return el(
        "div",
        el("div", cut, class_="whole"),
        el("ul", key),
        class_="chart-shares",
        role="img",
        aria_label=sentence,
    )


def cells(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    high: float,
    sentence: str,
    written: Sequence[Sequence[str]] = (),
    tone: str = "accent",
) -> Markup:
    """Draws a table whose cells are shaded by their value, from none at 0 to full at ``high``.

    Args:
        rows: The rows' names.
        columns: The columns' names.
        values: One row of numbers for each name in ``rows``.
        high: The value with full shade.
        sentence: What a screen reader says for the whole picture.
        written: What stands in each cell; empty for shade alone.
        tone: The shade's colour.
    """
    axis = Axis(0, high)
    head = el("tr", el("td"), [el("th", c, scope="col") for c in columns])
    body = []
    for r, (name, numbers) in enumerate(zip(rows, values, strict=True)):
        texts = written[r] if written else [""] * len(numbers)
        shaded = [
            el("td", t, class_="heat", style=f"--w:{_share(axis, v)}%")
            for v, t in zip(numbers, texts, strict=True)
        ]
        body.append(el("tr", el("th", name, scope="row"), shaded))
    table = el(
        "table",
        el("thead", head),
        el("tbody", body),
        class_="chart-cells",
        style=f"--tone:var(--{tone_name(tone)})",
    )
    return el("div", table, class_="scroll", role="group", tabindex="0", aria_label=sentence)


def _share(axis: Axis, value: float) -> str:
    return length(min(max(axis.place(value), 0), 100))
