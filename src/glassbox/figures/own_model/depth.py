"""What it would say if it stopped after each layer: a guess takes shape."""

from __future__ import annotations

from glassbox.arrays import Floats
from glassbox.figures import chart, subject, written
from glassbox.figures.attention import reading
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import el
from glassbox.model import experiments

TITLE = "Layer by layer"
LIMIT = 64


def depth(text: str) -> Figure:
    """The likeliest next token after each layer, and how likely the final one is by then.

    Args:
        text: The beginning; its last 63 tokens are read.
    """
    m = subject.model()
    ids, note = reading.cut(text, LIMIT)
    probs = experiments.probabilities(experiments.lens(m, ids))
    best = probs.argmax(axis=1)
    final = int(best[-1])
    word = reading.label(final, next_word=True)
    agreed = len(best) - 1
    while agreed and best[agreed - 1] == final:
        agreed -= 1
    names = ["no layer yet", *(f"layer {n}" for n in range(1, m.config.n_layers + 1))]
    after = "the last layer" if agreed == m.config.n_layers else names[agreed]
    sentence = (
        f"After “{reading.tail(text)}” {subject.name()} comes to “{word}” at {after} of {m.config.n_layers} "
        f"and stays with it, ending at {_written(probs[-1, final])}."
    )
    if agreed == 0:
        sentence = f"After “{reading.tail(text)}” {subject.name()} says “{word}” before its first layer."
    rows = [_row(names[n], int(best[n]), probs[n], final) for n in range(len(names))]
    picture = el("div", chart.bars(rows, high=1, sentence=sentence), class_="om-depth")
    cells: tuple[tuple[Cell, ...], ...] = tuple(
        (
            names[n],
            reading.label(int(best[n]), next_word=True),
            _percent(probs[n, best[n]]),
            _percent(p[final]),
        )
        for n, p in enumerate(probs)
    )
    columns = ("after", "likeliest", "probability (%)", f"of “{word}” (%)")
    known = "Each layer’s stream is read out as if it were the last (the logit lens); early layers were never trained for it."
    return Figure(TITLE, sentence, picture, Table(columns, cells), note=f"{note} {known}".strip())


def _row(name: str, best: int, probs: Floats, final: int) -> chart.Bar:
    word = reading.label(best, next_word=True)
    same = best == final
    shown = f"“{word}” {_written(probs[best])}"
    return (name, float(probs[best]), shown, "accent" if same else "masked")


def _percent(share: float) -> float:
    return round(100 * float(share), 2)


def _written(share: float) -> str:
    return written.percent(share)
