"""No sense of order: permute the words and see what moves; then how rotation makes distance count."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from glassbox import model
from glassbox.arrays import Floats, Ints
from glassbox.figures import chart
from glassbox.figures.attention import reading
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import el
from glassbox.model import attention, layers
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


@functools.lru_cache(maxsize=32)
def outputs(ids: tuple[int, ...], mask: bool, positions: bool) -> Floats:
    """What the first attention layer hands on for each position: (n, n_heads * d_head)."""
    f = model.load().forward(ids, switches=Switches(mask=mask, positions=positions), last_only=True)
    mixed = attention.mix(f.weights[0], f.v[0])
    flat: Floats = mixed.transpose(1, 0, 2).reshape(len(ids), -1)
    return flat


def moved(ids: Sequence[int], to: Ints, mask: bool, positions: bool) -> Floats:
    """How far each word's output moves when the words are rearranged, relative to its size: (n,) in old order."""
    before = outputs(tuple(ids), mask, positions)
    after = outputs(tuple(ids[i] for i in to), mask, positions)
    back = np.empty_like(after)
    back[to] = after
    change: Floats = np.linalg.norm(back - before, axis=1) / np.maximum(np.linalg.norm(before, axis=1), 1e-9)
    return change


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
    note = "First layer of the shipped model, all heads. Moves below a hundred-thousandth are rounding and shown as 0."
    return Figure(
        "Shuffle the words",
        sentence,
        picture,
        Table(("word", "now at position", "moved (%)"), tuple(data)),
        note=note,
    )


@functools.lru_cache(maxsize=16)
def distance_scores(head: int, furthest: int = 48) -> Floats:
    """Mean score of a head for a key 0, 1, 2 … positions back; words taken from a sentence, turned anew.

    Every pair of words of the sentence is asked how it would score at each distance, so that only the
    distance differs.
    """
    m = model.load()
    layer, h = reading.head_at(head)
    f = m.forward(reading.read(SENTENCE, 16).ids, switches=Switches(positions=False), last_only=True)
    group = m.config.n_heads // m.config.n_kv_heads
    q, k = f.q[layer][h], f.k[layer][h // group]
    cos, sin = layers.rotation(np.arange(furthest + 1), m.config.d_head, m.config.rope_base)
    turned = layers.rotate(np.repeat(q[None], furthest + 1, axis=0), cos[:, None], sin[:, None])
    scores = np.einsum("dqi,ki->dqk", turned, k) / np.sqrt(m.config.d_head)
    mean: Floats = scores.mean(axis=(1, 2))
    return mean


def distance(head: int) -> Figure:
    """Score against distance for one head: what rotation adds."""
    scores = distance_scores(head)
    name = reading.head_names()[head]
    best = int(scores.argmax())
    sentence = f"{name.capitalize()} scores the same words highest {back(best)} and {scores[best] - scores.min():.1f} points lower {back(int(scores.argmin()))}."
    low, high = min(-6.0, float(np.floor(scores.min()))), max(6.0, float(np.ceil(scores.max())))
    picture = chart.plot(
        [
            chart.Rule(x=best),
            chart.Line(list(enumerate(scores.tolist())), tone="key"),
            chart.Dots([(best, float(scores[best]))], tone="key"),
        ],
        x=chart.Axis(0, 48, "how many positions back the key stands"),
        y=chart.Axis(low, high, "mean score"),
        sentence=sentence,
        height=11,
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
    """0 only for no change at all."""
    if change == 0:
        return "0 %"
    return f"{100 * change:.0f} %" if change >= 0.01 else f"{max(100 * change, 0.01):.2f} %"


def back(positions: int) -> str:
    """A distance in words."""
    return "at the same place" if positions == 0 else f"{positions} position{'s' * (positions > 1)} back"
