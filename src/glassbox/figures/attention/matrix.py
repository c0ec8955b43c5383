"""One way to draw a matrix of attention: rows are readers (queries), columns are read from (keys)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glassbox.arrays import Bools, Floats
from glassbox.figures.figure import Cell, Figure, Table, percents
from glassbox.figures.markup import Markup, el
from glassbox.model import attention

WORDS = ("Patient", "has", "severe", "chest", "pain")


def heatmap() -> Figure:
    """A causal heatmap of five words, from queries and keys drawn with a fixed seed."""
    rng = np.random.default_rng(11)
    q, k = rng.normal(size=(2, 1, len(WORDS), 16))
    mask = attention.causal_mask(len(WORDS), len(WORDS))
    weights = attention.weights(attention.scores(1.6 * q, k), mask)[0]
    last = percents([float(w) for w in weights[-1]])
    best = int(weights[-1].argmax())
    sentence = f"The last word, {WORDS[-1]}, gives {last[best]} % of its attention to {WORDS[best]}."
    rows: list[tuple[Cell, ...]] = [
        (word, *percents([float(w) for w in row])) for word, row in zip(WORDS, weights, strict=True)
    ]
    return Figure(
        "Who looks at whom",
        sentence,
        grid(WORDS, weights, mask),
        Table(("query (reader)", *(f"{w} (%)" for w in WORDS)), tuple(rows)),
        note="Queries and keys drawn at random with a fixed seed.",
    )


def grid(words: Sequence[str], weights: Floats, mask: Bools) -> Markup:
    """Draws weights as a table of shaded cells; both axes are named, rows sum to 100 %.

    Args:
        words: One label per position.
        weights: (n_queries, n_keys), rows sum to 1.
        mask: (n_queries, n_keys), True = may attend; the rest is hatched.
    """
    head = el("tr", el("td"), [el("th", w, scope="col") for w in words])
    body = []
    for word, row, allowed in zip(words, weights, mask, strict=True):
        whole = percents([float(w) for w in row])
        cells = [_cell(word, key, p, bool(ok)) for key, p, ok in zip(words, whole, allowed, strict=True)]
        body.append(el("tr", el("th", word, scope="row"), cells))
    table = el(
        "table",
        el("caption", "key (read from) →", class_="matrix-keys"),
        el("thead", head),
        el("tbody", body),
        class_="matrix",
    )
    axis = el("span", "query (reader) ↓", class_="matrix-queries")
    return el("div", axis, table, class_="scroll", tabindex="0", aria_label="attention matrix")


def _cell(query: str, key: str, percent: int, allowed: bool) -> Markup:
    if not allowed:
        return el("td", "·", class_="matrix-masked", title=f"{query} cannot see {key}: it comes later")
    detail = f"{query} gives {percent} % of its attention to {key}"
    return el("td", percent, style=f"--w:{percent}%", title=detail, data_detail=detail)
