"""What it guesses next, and what it writes when it always takes the likeliest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import chart, subject, written
from glassbox.figures.attention import reading
from glassbox.figures.figure import Figure, Table, Work
from glassbox.figures.markup import el
from glassbox.model import experiments, generate

TITLE = "What it guesses"
N_SHOWN, N_WRITTEN, LIMIT = 10, 12, 256


def guesses(text: str) -> Work:
    """The ten likeliest next tokens, and the likeliest continuation, which appears token by token.

    Args:
        text: The beginning; its last 255 tokens are read.
    """
    return Work(lambda: _steps(text))


def _steps(text: str) -> Iterator[Figure]:
    m = subject.model()
    ids, note = reading.cut(text, max(len(m.begins) + 1, min(LIMIT, m.config.context - N_WRITTEN)))
    written: list[int] = []
    first: Figure | None = None
    for step in generate.stream(m, ids, N_WRITTEN, generate.likeliest):
        if first is None:
            logits = step.logits
        if step.id in m.stops:
            break
        written.append(step.id)
        first = _figure(text, logits, written, note)
        yield first
    if first is None:
        yield _figure(text, logits, [], note)


def _figure(text: str, logits: Floats, written: Sequence[int], note: str) -> Figure:
    probs = experiments.probabilities(logits)
    order = np.argsort(-probs, kind="stable")[:N_SHOWN]
    names = [reading.label(int(i), next_word=True) for i in order]
    sentence = (
        f"After “{reading.tail(text)}” {subject.name()} finds “{names[0]}” likeliest, "
        f"with {_percent(float(probs[order[0]]))}."
    )
    rows: list[chart.Bar] = [
        (name, float(probs[i]), _percent(float(probs[i]))) for name, i in zip(names, order, strict=True)
    ]
    rest = max(0.0, 1 - float(probs[order].sum()))
    rows.append(("all others", rest, _percent(rest), "masked"))
    more = subject.model().write(written).decode("utf-8", "replace")
    picture = el(
        "div",
        chart.bars(rows, high=1, sentence=sentence),
        el(
            "p",
            el("span", "Always the likeliest", class_="soft small"),
            " ",
            el("span", reading.tail(text), translate="no"),
            el("b", reading.visible(more) if written else " ⟨end of text⟩", translate="no"),
            class_="om-written",
        ),
        class_="om-guesses",
    )
    table = Table(
        ("next token", "probability (%)"),
        tuple((name, round(100 * float(probs[i]), 3)) for name, i in zip(names, order, strict=True)),
    )
    return Figure(TITLE, sentence, picture, table, note=note)


def _percent(share: float) -> str:
    return written.percent(share, 1)
