"""A token becomes a vector: its row of the table, and the rows that point nearly the same way."""

from __future__ import annotations

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import chart, subject
from glassbox.figures.attention import reading
from glassbox.figures.figure import Figure, Table
from glassbox.figures.machine import runs
from glassbox.figures.machine.strips import strip
from glassbox.figures.markup import Kept, Markup, el
from glassbox.model import experiments
from glassbox.model.transformer import Model
from glassbox.tokens.pieces import mended

TITLE = "A row of the table"
N_NEAR, N_PIECES = 8, 5


def embed(text: str = "severe", minus: str = "", plus: str = "") -> Figure:
    """The row of numbers that a token starts as, and the tokens whose rows point the same way.

    Args:
        text: A word; where it is several tokens, all are shown and the last of them counts.
        minus: With ``plus``: the row is moved by the difference from this word to that.
        plus: As ``minus``.
    """
    m = subject.model()
    inside, note = _tokens(text)
    token, c = inside[-1], m.config
    word = runs.word(token)
    moved = [_tokens(other)[0][-1] for other in (minus, plus)] if minus.strip() and plus.strip() else []
    near = experiments.nearest(m, token, N_NEAR)
    if moved:
        near = experiments.shifted(m, token, moved[0], moved[1], N_NEAR)
    first = runs.word(near[0][0])
    sentence = (
        f"“{word}” is row {token} of {c.vocab_size:,}; nearest to it, with a cosine of {near[0][1]:.2f}, "
        f"lies the row of “{first}”."
    )
    what = "Nearest rows (cosine)"
    if moved:
        start, end = (runs.word(i) for i in moved)
        what = f"Nearest to {word} + ({end} − {start}) (cosine)"
        sentence = (
            f"The row of “{word}”, moved by the difference from “{start}” to “{end}”, comes nearest to the row of "
            f"“{first}”, with a cosine of {near[0][1]:.2f}; the three themselves are left out."
        )
    bars: list[chart.Bar] = [(runs.word(i), max(cosine, 0), f"{cosine:.2f}") for i, cosine in near]
    picture = el(
        "div",
        el(
            "div",
            _spelled(m, inside),
            el("p", f"Row {token}: {c.d_model} numbers", class_="part"),
            _table(token),
            [_own(m, one) for one in inside[-N_PIECES:]],
            strip(_row(m, near[0][0]), "soft", [el("b", first), ", for comparison"]),
            class_="em-rows",
        ),
        el("div", el("p", what, class_="part"), chart.bars(bars, high=1, sentence=sentence)),
        class_="two",
    )
    rows = tuple((runs.word(i), i, round(cosine, 3)) for i, cosine in near)
    return Figure(TITLE, sentence, picture, Table(("token", "row", f"cosine with {word}"), rows), note=note)


def _own(m: Model, token: int) -> Markup:
    """A row of the table as a strip."""
    row = _row(m, token)
    span = f", row {token}, from {row.min():.2f} to {row.max():.2f}".replace("-", "−")
    return strip(row, "accent", [el("b", runs.word(token)), span])


def _spelled(m: Model, inside: list[int]) -> Markup:
    """The way from letters to rows: the bytes of each token, and its id."""
    shown = inside[-N_PIECES:]
    return el(
        "div",
        el("p", "Bytes → token → id", class_="part"),
        el(
            "ol",
            [
                el(
                    "li",
                    el("code", Kept(m.piece(one)[:12].hex(" ") + (" …" if len(m.piece(one)) > 12 else ""))),
                    " → ",
                    el("b", runs.word(one)),
                    f" → {one}",
                )
                for one in shown
            ],
            class_="em-bytes",
        ),
    )


def _row(m: Model, token: int) -> Floats:
    row: Floats = m.params["embedding"][np.array([token])][0]
    return row


def _tokens(text: str) -> tuple[list[int], str]:
    """The tokens of a word as it stands inside a text, and a sentence where there are several, or none."""
    m = subject.model()
    word, note = mended(text.strip()[-reading.LONGEST :])
    if not word:
        return [m.start], "With nothing typed this is the token that stands before every text."
    inside = m.tokenizer.encode(" " + word)
    if len(inside) > 1:
        fewer = f"; the last {N_PIECES} are shown" if len(inside) > N_PIECES else ""
        note = f"{note} This is {len(inside)} tokens, each with a row of its own{fewer}; the neighbours are the last one’s."
    return list(inside), note.strip()


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
