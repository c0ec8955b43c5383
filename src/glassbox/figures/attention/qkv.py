"""Queries, keys and values of one head, stage by stage, with the numbers themselves."""

from __future__ import annotations

import numpy as np

from glassbox.arrays import Bools, Floats
from glassbox.figures import chart, subject, written
from glassbox.figures.attention import matrix, reading
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.model import attention, experiments

TITLE = "One head at work"
STAGES = ("scores", "scaled", "masked", "softmax", "mix")
LIMIT = 8
EXPLAINED = {
    "scores": "Each cell is the dot product of the row’s query with the column’s key.",
    "scaled": "Every score is divided by √{0}, so that the next step stays gentle.",
    "masked": "Scores of words that come later are struck out.",
    "softmax": "Each row becomes shares that sum to 100 %.",
    "mix": "Each row’s shares mix the values into what this head passes on.",
}


def qkv(text: str, head: int, stage: str = "scores", query: int = 99, key: int = 99) -> Figure:
    """One head on a sentence at one of five stages.

    Args:
        text: The sentence; its last seven tokens are used.
        head: Index of the head among ``reading.head_names``.
        stage: One of ``STAGES``.
        query: The chosen reader's position; a position beyond the end means the last.
        key: The position it reads from; beyond the end, the one it attends to most.
    """
    read = reading.read(text, LIMIT)
    layer, h = reading.head_at(head)
    one = read.forward.head(layer, h)
    q, k, v, scaled, weights = one.q, one.k, one.v, one.scores, one.weights
    n = len(read.labels)
    i = min(int(query), n - 1)
    j = int(weights[i].argmax()) if key >= n else int(key)
    one_of("stage", stage, STAGES)
    scores = attention.scores(q[None], k[None], scaling=False)[0]
    sentence = _sentence(read.labels, i, j, stage, scores, scaled, weights)
    seen = (
        attention.causal_mask(n, n) if stage in ("masked", "softmax", "mix") else np.ones((n, n), dtype=bool)
    )
    panel = (
        _mix_panel(read.labels, i, j, weights, v)
        if stage == "mix"
        else _dot_panel(read.labels, i, j, q, k, v, stage)
    )
    picture = el(
        "div",
        el("p", EXPLAINED[stage].format(_root()), class_="qkv-what"),
        _table(read.labels, stage, scores, scaled, weights, seen, (i, j)),
        el("div", panel, _next(read, sentence), class_="qkv-right"),
        class_="qkv",
    )
    rows: list[tuple[Cell, ...]] = [
        (name, round(float(scores[i, c]), 2), round(float(scaled[i, c]), 2), "yes" if c <= i else "no", p)
        for c, (name, p) in enumerate(zip(read.labels, matrix.shares(weights[i]), strict=True))
    ]
    columns = (f"key, read by {read.labels[i]}", "score", "scaled", "may be seen", "share (%)")
    note = f"{read.note} {_bent()}".strip()
    return Figure(TITLE, sentence, picture, Table(columns, tuple(rows)), note=note)


def _next(read: reading.Reading, sentence: str) -> Markup:
    """What the whole model makes of the text: the likeliest next words."""
    probs = experiments.probabilities(read.forward.logits[-1])
    rows: list[chart.Bar] = [
        (reading.label(int(t), next_word=True), float(probs[t]), written.percent(probs[t]))
        for t in np.argsort(-probs, kind="stable")[:3]
    ]
    return el("div", el("p", "What comes next", class_="part"), chart.bars(rows, high=1, sentence=sentence))


def _root() -> int:
    """What scores are divided by the root of: the width of a head, or what the model's family takes instead."""
    c = subject.model().config
    return round(c.d_head / c.score_scale**2)


def _score(score: float) -> str:
    return f"{score:.2f}".replace("-", "−")


def _bent() -> str:
    """What some families do to scores beside."""
    cap = subject.model().config.score_cap
    return f"{subject.capital()} also bends scaled scores, so that none goes beyond {cap:g}." if cap else ""


def _sentence(
    labels: tuple[str, ...], i: int, j: int, stage: str, scores: Floats, scaled: Floats, weights: Floats
) -> str:
    reader, source = labels[i], labels[j]
    if stage == "scores":
        return f"The query of {reader} times the key of {source} gives a score of {_score(scores[i, j])}."
    if stage == "scaled":
        return f"Divided by √{_root()}, the score of {reader} for {source} goes from {_score(scores[i, j])} to {_score(scaled[i, j])}."
    if j > i:
        return f"{source} comes after {reader}, so {reader} may not see it and gives it exactly 0 %."
    percent = matrix.shares(weights[i])[j]
    if stage == "masked":
        return f"{reader} may see {i + 1} of {len(labels)} positions; its score for {source} stays {_score(scaled[i, j])}."
    if stage == "softmax":
        return f"After softmax {reader} gives {source} {percent} % of its attention; its whole row is 100 %."
    return f"{percent} % of what this head passes on to {reader} is the value of {source}; the shares of its row mix into one vector."


def _table(
    labels: tuple[str, ...],
    stage: str,
    scores: Floats,
    scaled: Floats,
    weights: Floats,
    seen: Bools,
    chosen: tuple[int, int],
) -> Markup:
    def sets(i: int, j: int) -> dict[str, object]:
        return {"query": i, "key": j}

    if stage in ("softmax", "mix"):
        return matrix.weights_matrix(labels, weights, seen, sets, chosen)
    shown = scores if stage == "scores" else scaled
    low, high = float(scores.min()), float(scores.max())
    base = scores if stage == "scores" else scaled * (scores.std() / max(float(scaled.std()), 1e-9))
    shade = np.clip((base - low) / max(high - low, 1e-9), 0, 1)

    def cell(i: int, j: int) -> matrix.Cell:
        detail = f"query of {labels[i]} · key of {labels[j]} = {_score(scores[i, j])}, divided by √{_root()}: {_score(scaled[i, j])}"
        return f"{shown[i, j]:.1f}", detail, sets(i, j)

    return matrix.table(labels, cell, shade.tolist(), seen, chosen)


def _dot_panel(
    labels: tuple[str, ...], i: int, j: int, q: Floats, k: Floats, v: Floats, stage: str
) -> Markup:
    """The two vectors of the chosen cell, and their product number by number."""
    product = q[i] * k[j]
    total = float(product.sum())
    high = float(max(np.abs(q[i]).max(), np.abs(k[j]).max(), 1e-6))
    words = f"sum of the {len(product)} products: {_score(total)}"
    if stage != "scores":
        words += f", divided by √{_root()}: {_score(total / _root() ** 0.5)}"
    return el(
        "div",
        matrix.strip(q[i], "query", f"query of {labels[i]}", high),
        matrix.strip(k[j], "key", f"key of {labels[j]}", high),
        matrix.strip(product, "accent", "their product", float(max(np.abs(product).max(), 1e-6))),
        el("p", words, class_="strip-sum"),
        class_="strips",
    )


def _mix_panel(labels: tuple[str, ...], i: int, j: int, weights: Floats, v: Floats) -> Markup:
    """The values the chosen row reads, each scaled by its share, and their sum."""
    mixed = attention.mix(weights[None, i : i + 1], v[None])[0, 0]
    order = np.argsort(-weights[i])[:4]
    high = float(max(np.abs(v[: i + 1]).max(), 1e-6))
    percent = matrix.shares(weights[i])
    return el(
        "div",
        [
            matrix.strip(weights[i, c] * v[c], "value", f"{percent[c]} % of the value of {labels[c]}", high)
            for c in order
            if c <= i
        ],
        matrix.strip(mixed, "accent", f"their sum: what {labels[i]} takes on", high),
        class_="strips",
    )
