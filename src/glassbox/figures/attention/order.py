"""No sense of order: permute the words and see what moves; then how rotation makes distance count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glassbox.arrays import Floats, Ints
from glassbox.figures import chart, subject, vega
from glassbox.figures.attention import reading
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import el
from glassbox.figures.written import percent
from glassbox.model import experiments
from glassbox.model.transformer import Switches

SENTENCE = "the nurse thanked the tired doctor because"
# How to lay out all tokens but the first (the start) and the last (which stays, to be compared).
ARRANGEMENTS = ("as written", "first two words swapped", "reversed", "shuffled")
FAR = 1.0


def arrangement(name: str, n: int) -> Ints:
    """Old position at each new position; the start token and the last word stay where they are."""
    inner = np.arange(1, n - 1)
    if name == "first two words swapped" and len(inner) > 1:
        inner[[0, 1]] = inner[[1, 0]]
    elif name == "reversed":
        inner = inner[::-1]
    elif name == "shuffled":
        inner = np.random.default_rng(5).permutation(inner)
    return np.array([0, *inner, n - 1]) if n > 1 else np.arange(n)


def moved(ids: Sequence[int], to: Ints, mask: bool, positions: bool) -> Floats:
    """How far each word's output moves when the words are rearranged, relative to its size: (n,) in old order."""
    return experiments.moved(subject.model(), ids, to, Switches(mask=mask, positions=positions))


def order(arranged: str, mask: bool, positions: bool) -> Figure:
    """Rearranges a sentence and shows which words' outputs move."""
    one_of("arranged", arranged, ARRANGEMENTS)
    read = reading.read(SENTENCE, 16)
    ids, names = list(read.ids), read.labels
    to = arrangement(arranged, len(ids))
    change = moved(ids, to, mask, positions)
    change = np.where(change < 1e-5, 0.0, change)
    how = {
        (False, False): "Without mask and positions",
        (True, False): "With the mask alone",
        (False, True): "With positions alone",
        (True, True): "With mask and positions",
    }[mask, positions]
    still = int((change == 0).sum())
    sentence = f"{how}, {still} of {len(ids)} outputs stay exactly what they were; the last word’s moves by {_percent(float(change[-1]))}."
    if arranged == "as written":
        sentence = "Nothing is rearranged yet, so no output has moved."
    written = [names[i] for i in to]
    line = el(
        "p",
        [
            el("span", w, class_="od-word od-off" if names[i] != w else "od-word")
            for i, w in enumerate(written)
        ],
        class_="od-line",
    )
    rows: list[chart.Bar] = [
        (name, min(float(c), FAR), _percent(float(c)), "severe" if c else "value")
        for name, c in zip(names, change, strict=True)
    ]
    picture = el(
        "div",
        el("p", "The words as they stand now", class_="part"),
        line,
        el("p", "How far each word’s output has moved", class_="part"),
        chart.bars(rows, high=FAR, sentence=sentence),
        class_="od",
    )
    data: list[tuple[Cell, ...]] = [
        (name, int(np.flatnonzero(to == i)[0]), round(100 * float(c), 1))
        for i, (name, c) in enumerate(zip(names, change, strict=True))
    ]
    note = f"{subject.capital()}, its first layer, all heads. Moves below a hundred-thousandth are rounding and shown as 0."
    return Figure(
        "Shuffle the words",
        sentence,
        picture,
        Table(("word", "now at position", "moved (%)"), tuple(data)),
        note=note,
    )


@subject.kept(maxsize=16)
def distance_scores(head: int, furthest: int = 48) -> Floats:
    """Mean score of a head for the words of a sentence 0, 1, 2 … positions back."""
    ids = reading.read(SENTENCE, 16).ids
    return experiments.distance_scores(subject.model(), ids, *reading.head_at(head), furthest=furthest)


def distance(head: int) -> Figure:
    """Score against distance for one head: what rotation adds."""
    scores = distance_scores(head)
    name = reading.head_names()[head]
    best = int(scores.argmax())
    sentence = f"{name.capitalize()} scores the same words highest {back(best)} and {scores[best] - scores.min():.1f} points lower {back(int(scores.argmin()))}."
    low, high = min(-6.0, float(np.floor(scores.min()))), max(6.0, float(np.ceil(scores.max())))
    rows = [{"back": n, "score": float(score)} for n, score in enumerate(scores)]
    picture = vega.drawn(
        "attention.distance", {"lines": rows, "best": [rows[best]]}, sentence, low=low, high=high
    )
    table = Table(
        ("positions back", "mean score"), tuple((i, round(float(s), 2)) for i, s in enumerate(scores))
    )
    return Figure(
        "Distance makes the score",
        sentence,
        picture,
        table,
        note="Queries and keys of one sentence, turned to every distance.",
    )


def _percent(change: float) -> str:
    return percent(change, 0 if change >= 0.01 else 2)


def back(positions: int) -> str:
    """A distance in words."""
    return "at the same place" if positions == 0 else f"{positions} position{'s' * (positions > 1)} back"
