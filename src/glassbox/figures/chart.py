"""Small pictures of amounts as markup: rows of bars, upright bars, one bar cut into parts, shaded tables.

They flow with the text around them; charts with axes are in ``vega``.

    from glassbox.figures import chart

    chart.bars([("pain", 0.92, "92 %"), ("tightness", 0.08, "8 %")], high=1, sentence="…")
    chart.shares([("severe", 0.85, "severe"), ("chest", 0.15, "masked")], sentence="…")

A *tone* is the name of a colour's custom property: ``severe``, ``query``, ``cat-2``, ``soft``, ``accent``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from glassbox.figures.markup import Markup, el
from glassbox.figures.written import plain, si

__all__ = ["Bar", "bars", "cells", "columns", "length", "paint", "plain", "shares", "si"]

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
    drawn = []
    for name, value, written, *own in rows:
        style = f"--share:{_share(value, high, low)}%;{paint(own[0] if own else tone)}"
        drawn.append(el("div", el("span", name), el("i", style=style), el("b", written)))
    return el("div", drawn, class_="chart-bars", role="img", aria_label=sentence)


def columns(
    rows: Iterable[Bar], high: float, sentence: str, tone: str = "accent", height: float = 10
) -> Markup:
    """Draws upright bars, one a column: value over it, name under it. Arguments as for ``bars``."""
    drawn = []
    for name, value, written, *own in rows:
        bar = el("i", style=f"--share:{_share(value, high)}%;{paint(own[0] if own else tone)}")
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
    head = el("tr", el("td"), [el("th", c, scope="col") for c in columns])
    body = []
    for r, (name, numbers) in enumerate(zip(rows, values, strict=True)):
        texts = written[r] if written else [""] * len(numbers)
        shaded = [
            el("td", t, class_="heat", style=f"--w:{_share(v, high)}%")
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


def _share(value: float, high: float, low: float = 0) -> str:
    """How much of a full bar a value is, in percent; never less than nothing or more than all."""
    if not (math.isfinite(high) and math.isfinite(low) and low < high):
        raise ValueError(f"a bar grows from a number to a larger one, not from {low} to {high}")
    share = 100 * (value - low) / (high - low)
    return length(min(max(share, 0), 100))


def paint(tone: str) -> str:
    """The style that gives a mark its tone."""
    return f"--c:var(--{tone_name(tone)})"


def tone_name(tone: str) -> str:
    """The tone itself, checked: it becomes part of a style."""
    if not tone.replace("-", "").isalnum():
        raise ValueError(f"a tone is the name of a custom property, such as 'query' or 'cat-2', not {tone!r}")
    return tone


def length(number: float) -> str:
    """A length with at most two decimals: markup stays small and the same bytes come out."""
    short = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short
