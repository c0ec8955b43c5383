"""One way to draw a matrix of attention: rows are readers (queries), columns are read from (keys)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from glassbox.arrays import Bools, Floats
from glassbox.figures.figure import percents
from glassbox.figures.markup import Markup, el, grid

# (row, column) to the words in the cell, its detail, and the controls it sets.
Cell = tuple[str, str, dict[str, object] | None]


def shares(row: Floats, allowed: Bools | None = None) -> list[int]:
    """A row of weights as whole percents that sum to 100, none of them where nothing is allowed."""
    whole = percents([float(w) for w in row])
    if allowed is None:
        return whole
    for i, ok in enumerate(allowed):
        if not ok and whole[i]:
            whole[int(row.argmax())] += whole[i]
            whole[i] = 0
    return whole


def weights_matrix(
    labels: Sequence[str],
    weights: Floats,
    allowed: Bools,
    sets: Callable[[int, int], dict[str, object]] | None = None,
    chosen: tuple[int, int] | None = None,
) -> Markup:
    """Draws attention weights in percent.

    Args:
        labels: One label per position.
        weights: (n, n), rows sum to 1.
        allowed: (n, n), True = may attend; the rest is hatched.
        sets: Controls that a cell sets when it is chosen.
        chosen: The cell to mark.
    """
    rows = [shares(row, ok) for row, ok in zip(weights, allowed, strict=True)]

    def cell(i: int, j: int) -> Cell:
        detail = f"{labels[i]} gives {rows[i][j]} % of its attention to {labels[j]}"
        return str(rows[i][j]), detail, sets(i, j) if sets else None

    return table(labels, cell, [[p / 100 for p in row] for row in rows], allowed, chosen)


def table(
    labels: Sequence[str],
    cell: Callable[[int, int], Cell],
    shade: Sequence[Sequence[float]],
    allowed: Bools,
    chosen: tuple[int, int] | None = None,
    tone: str = "accent",
) -> Markup:
    """Draws a square table of readers and read-from, both axes named.

    Args:
        labels: One label per position.
        cell: Gives a cell's words, its detail and what it sets.
        shade: (n, n) from 0 to 1.
        allowed: (n, n), True = may attend; the rest is hatched.
        chosen: The cell to mark.
        tone: Colour of the shade.
    """
    n = len(labels)
    walked = any(cell(0, 0)[2] or ())
    head = el(
        "tr",
        el("td", class_="m-corner"),
        [
            el(
                "th",
                el("span", name),
                scope="col",
                class_="m-on" if chosen and chosen[1] == j else None,
                role="columnheader" if walked else None,
            )
            for j, name in enumerate(labels)
        ],
        role="row" if walked else None,
    )
    body = []
    for i in range(n):
        drawn = [
            _cell(cell(i, j), shade[i][j], bool(allowed[i, j]), labels, (i, j), chosen, walked)
            for j in range(n)
        ]
        on = "m-on" if chosen and chosen[0] == i else None
        body.append(
            el(
                "tr",
                el("th", labels[i], scope="row", class_=on, role="rowheader" if walked else None),
                drawn,
                role="row" if walked else None,
            )
        )
    tone = f"--tone:var(--{tone})"
    if walked:
        label = "rows are queries, columns are keys"
        drawn_table = grid(head, body, label, class_="matrix", style=tone)
    else:
        drawn_table = el("table", el("thead", head), el("tbody", body), class_="matrix", style=tone)
    return el(
        "div",
        el(
            "p",
            el("span", "query (reader) ↓", class_="c-query"),
            el("span", "key (read from) →", class_="c-key"),
            class_="m-axes",
        ),
        el("div", drawn_table, class_="scroll", tabindex="0", role="group", aria_label="attention matrix"),
        class_="m-box",
    )


def _cell(
    content: Cell,
    shade: float,
    allowed: bool,
    labels: Sequence[str],
    at: tuple[int, int],
    chosen: tuple[int, int] | None,
    walked: bool,
) -> Markup:
    words, detail, sets = content
    marked = at == chosen
    attributes: dict[str, object] = {}
    if walked:
        attributes = {
            "role": "gridcell",
            "tabindex": 0 if marked or (chosen is None and at == (0, 0)) else -1,
        }
        if sets:
            attributes["data_set"] = json.dumps(sets, ensure_ascii=False, separators=(",", ":"))
    if not allowed:
        detail = f"{labels[at[0]]} cannot see {labels[at[1]]}, which comes later"
    kind = ("heat" if allowed else "hatch") + (" m-at" if marked else "")
    style = f"--w:{round(100 * shade)}%" if allowed and shade >= 0.005 else None
    return el(
        "td",
        words if allowed else "",
        class_=kind,
        style=style,
        title=detail,
        data_detail=detail,
        **attributes,
    )


def strip(values: Floats, tone: str, name: str, high: float) -> Markup:
    """A vector as a row of small cells: up for positive numbers, down for negative ones.

    Args:
        values: (d,).
        tone: Colour.
        name: What it is, for the label and a screen reader.
        high: The size of a full bar.
    """
    up: list[str] = []
    down: list[str] = []
    for i, value in enumerate(values):
        tall = min(abs(float(value)) / high, 1) * 10
        (up if value >= 0 else down).append(f"M{i + 0.1:.1f} 10v{-tall if value >= 0 else tall:.1f}h.8V10z")
    drawing = el(
        "svg",
        el("path", d=f"M0 10H{len(values)}", class_="s-axis"),
        el("path", d="".join(up), class_="s-up"),
        el("path", d="".join(down), class_="s-down"),
        viewBox=f"0 0 {len(values)} 20",
        preserveAspectRatio="none",
        aria_hidden="true",
        class_="s-bars",
        style=f"--tone:var(--{tone})",
    )
    return el("div", el("span", name, class_="s-name"), drawing, class_="strip")
