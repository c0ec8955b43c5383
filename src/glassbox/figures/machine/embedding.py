"""A token becomes a vector: its row of the table, and the rows that point nearly the same way."""

from __future__ import annotations

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import chart, subject
from glassbox.figures.attention import reading
from glassbox.figures.figure import Figure, Table
from glassbox.figures.machine import runs
from glassbox.figures.machine.strips import strip
from glassbox.figures.markup import Markup, el
from glassbox.model import experiments
from glassbox.model.transformer import Model
from glassbox.tokens.pieces import mended

TITLE = "A row of the table"
N_NEAR = 8


def embed(text: str = "severe") -> Figure:
    """The row of numbers that a token starts as, and the tokens whose rows point the same way.

    Args:
        text: A word; where it is several tokens, the last of them counts.
    """
    m = subject.model()
    token, note = _token(text)
    word, row = runs.word(token), _row(m, token)
    near = experiments.nearest(m, token, N_NEAR)
    c = m.config
    first = runs.word(near[0][0])
    sentence = (
        f"“{word}” is row {token} of {c.vocab_size:,}; nearest to it, with a cosine of {near[0][1]:.2f}, "
        f"lies the row of “{first}”."
    )
    bars: list[chart.Bar] = [(runs.word(i), max(cosine, 0), f"{cosine:.2f}") for i, cosine in near]
    picture = el(
        "div",
        el(
            "div",
            el("p", f"Row {token}: {c.d_model} numbers", class_="part"),
            _table(token),
            strip(
                row, "accent", [el("b", word), f", from {row.min():.2f} to {row.max():.2f}".replace("-", "−")]
            ),
            strip(_row(m, near[0][0]), "soft", [el("b", first), ", for comparison"]),
            class_="em-rows",
        ),
        el(
            "div",
            el("p", "Nearest rows (cosine)", class_="part"),
            chart.bars(bars, high=1, sentence=sentence),
        ),
        class_="two",
    )
    rows = tuple((runs.word(i), i, round(cosine, 3)) for i, cosine in near)
    return Figure(TITLE, sentence, picture, Table(("token", "row", f"cosine with {word}"), rows), note=note)


def _row(m: Model, token: int) -> Floats:
    row: Floats = m.params["embedding"][np.array([token])][0]
    return row


def _token(text: str) -> tuple[int, str]:
    """The token of a word as it stands inside a text, or the last piece of it."""
    m = subject.model()
    word, note = mended(text.strip()[-reading.LONGEST :])
    if not word:
        return m.start, "With nothing typed this is the token that stands before every text."
    inside = m.tokenizer.encode(" " + word)
    if len(inside) > 1:
        pieces = " · ".join(runs.word(i) for i in inside[-6:])
        cut = "… " if len(inside) > 6 else ""
        note = f"{note} This is {len(inside)} tokens ({cut}{pieces}); the last one is shown.".strip()
    return inside[-1], note


def _table(token: int) -> Markup:
    """The whole table as a box, and where in it the row lies."""
    c = subject.model().config
    place = f"--at:{100 * token / (c.vocab_size - 1):.1f}%"
    return el(
        "div",
        el("span", f"{c.vocab_size:,} rows, one a token"),
        el("span", f"{c.d_model} columns"),
        class_="em-table",
        style=place,
        aria_hidden="true",
    )
