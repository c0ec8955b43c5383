"""Why the scores are divided by √d: what width does to dot products, and to learning."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from glassbox.figures import chart
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table
from glassbox.figures.marks import Mark
from glassbox.figures.markup import Markup, el
from glassbox.model import attention

WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512)
N_ROWS, N_KEYS = 96, 16


@dataclass(frozen=True)
class Spread:
    """Means over many random rows of scores.

    Attributes:
        deviation: Standard deviation of the scores.
        largest: Largest weight of a row.
        entropy_bits: Entropy of a row's weights; log2 of the number of keys when all are alike.
        slope: How fast the largest weight answers when its own score moves: w (1 - w).
    """

    deviation: float
    largest: float
    entropy_bits: float
    slope: float


@functools.lru_cache(maxsize=32)
def spread(width: int, divided: bool, seed: int = 1) -> Spread:
    """Draws queries and keys from a standard normal and measures their scores."""
    rng = np.random.default_rng(seed + width)
    q = rng.standard_normal((N_ROWS, 1, width), dtype=np.float32)
    k = rng.standard_normal((N_ROWS, N_KEYS, width), dtype=np.float32)
    scores = attention.scores(q, k, scaling=divided)
    weights = attention.weights(scores)[:, 0].astype(np.float64)
    largest = weights.max(axis=1)
    entropy = -(weights * np.log2(np.maximum(weights, 1e-300))).sum(axis=1)
    return Spread(
        float(scores.std()),
        float(largest.mean()),
        float(entropy.mean()),
        float((largest * (1 - largest)).mean()),
    )


def scaling(width: int) -> Figure:
    """Four measures against width, with and without the division."""
    one_of("width", width, WIDTHS)
    raw, divided = spread(width, False), spread(width, True)
    sentence = (
        f"At width {width} undivided scores spread by {raw.deviation:.1f} and the largest of {N_KEYS} weights takes "
        f"{100 * raw.largest:.0f} %; divided by √{width} they spread by {divided.deviation:.1f} and it takes "
        f"{100 * divided.largest:.0f} %."
    )
    picture = el(
        "div",
        _panel("spread of the scores", "deviation", width, chart.Axis(0.5, 32, log=True, at=(1, 4, 16))),
        _panel("largest weight", "largest", width, chart.Axis(0, 1, at=(0, 0.5, 1))),
        _panel("entropy of the weights (bits)", "entropy_bits", width, chart.Axis(0, 4, at=(0, 2, 4))),
        _panel("gradient that reaches the score", "slope", width, chart.Axis(0, 0.25, at=(0, 0.1, 0.2))),
        class_="four",
    )
    rows = []
    for w in WIDTHS:
        a, b = spread(w, False), spread(w, True)
        rows.append(
            (
                w,
                round(a.deviation, 2),
                round(b.deviation, 2),
                round(a.largest, 3),
                round(b.largest, 3),
                round(a.entropy_bits, 2),
                round(b.entropy_bits, 2),
                round(a.slope, 3),
                round(b.slope, 3),
            )
        )
    columns = (
        "width",
        *tuple(
            f"{what}, {how}"
            for what in ("spread", "largest weight", "entropy (bits)", "gradient")
            for how in ("raw", "divided")
        ),
    )
    note = (
        f"Means over {N_ROWS} rows of {N_KEYS} random keys, drawn from a standard normal with a fixed seed."
    )
    return Figure("Why divide by √d", sentence, picture, Table(columns, tuple(rows)), note=note)


def _panel(title: str, measure: str, width: int, y: chart.Axis) -> Markup:
    def line(divided: bool) -> list[tuple[float, float]]:
        return [(w, getattr(spread(w, divided), measure)) for w in WIDTHS]

    raw, divided = (getattr(spread(width, how), measure) for how in (False, True))
    marks: list[Mark] = [
        chart.Rule(x=width),
        chart.Line(line(False), "raw", tone="severe", dashed=True),
        chart.Line(line(True), "÷ √d", tone="value"),
        chart.Dots([(width, raw)], tone="severe"),
        chart.Dots([(width, divided)], tone="value"),
    ]
    drawn = chart.plot(
        marks,
        x=chart.Axis(4, 512, "width d", log=True, at=(4, 32, 256)),
        y=y,
        sentence=f"{title} at width {width}: {raw:.3g} undivided, {divided:.3g} divided by √d",
        height=8,
    )
    return el("div", el("p", title, class_="part"), drawn)
