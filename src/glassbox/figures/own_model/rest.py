"""Where attention rests: how much each head leaves on the first token."""

from __future__ import annotations

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import chart, subject
from glassbox.figures.attention import reading
from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import el

TITLE = "Where each head rests"
LIMIT = 32


def shares_on_first(text: str) -> tuple[reading.Reading, Floats]:
    """A text as it was read, and each head's mean share on its first token, (n_layers, n_heads)."""
    read = reading.read(text, LIMIT)
    rows = [w[:, 1:, 0].mean(axis=1) if w.shape[1] > 1 else w[:, 0, 0] for w in read.forward.weights]
    return read, np.array(rows)


def rest(text: str) -> Figure:
    """Each head’s mean attention to the first token of a text, the first row left out; layer by layer and head by head.

    Args:
        text: The text; its last tokens, up to 32, are read.
    """
    read, shares = shares_on_first(text)
    by_layer = shares.mean(axis=1)
    top = int(by_layer.argmax())
    sentence = (
        f"{subject.capital()} leaves {100 * shares.mean():.0f} % of all attention on “{read.labels[0]}”, the first of "
        f"{len(read.ids)} tokens; most in layer {top + 1}, with {100 * by_layer[top]:.0f} %."
    )
    names = [f"layer {n + 1}" for n in range(len(shares))]
    heads = [f"{n + 1}" for n in range(shares.shape[1])]
    picture = el(
        "div",
        el(
            "div",
            el("p", "Each head’s share on the first token, in percent", class_="part"),
            chart.cells(
                names, heads, shares.tolist(), 1, sentence, [[f"{100 * s:.0f}" for s in r] for r in shares]
            ),
        ),
        el(
            "div",
            el("p", "Each layer’s mean", class_="part"),
            chart.bars(
                [(name, float(s), f"{100 * s:.0f} %") for name, s in zip(names, by_layer, strict=True)],
                high=1,
                sentence=sentence,
            ),
        ),
        class_="om-rest",
    )
    table = Table(
        ("layer", *(f"head {h} (%)" for h in heads)),
        tuple(
            (name, *(round(100 * float(s), 1) for s in row)) for name, row in zip(names, shares, strict=True)
        ),
    )
    note = "The first row, which can look nowhere else, is not counted."
    return Figure(TITLE, sentence, picture, table, note=f"{read.note} {note}".strip())
