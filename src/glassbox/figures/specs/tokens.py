"""The charts of the tokens chapter."""

from __future__ import annotations

import altair as alt

from glassbox.figures.specs import parts
from glassbox.figures.tokens.train import MAX_SIZE, TONES


def train() -> alt.LayerChart:
    """How many pieces each word takes, as the vocabulary grows."""
    by = parts.series(TONES, dashed=("harbaugh",))
    x = parts.axis(
        alt.X, "entries", (0, MAX_SIZE), "entries in the vocabulary", at=range(0, MAX_SIZE + 1, 500)
    )
    y = parts.axis(alt.Y, "pieces", (0, 18), at=(1, 5, 10, 15))
    tooltip = (
        alt.Tooltip("series:N", title=" "),
        alt.Tooltip("pieces:Q", title="pieces"),
        alt.Tooltip("entries:Q", format=",", title="entries"),
    )
    return parts.chart(
        parts.lines("lines", x, y, by, interpolate="step-after"),
        parts.points("lines", x, y, tooltip, by),
        title="pieces",
        height=11,
        by=by,
    )


CHARTS = {"train": train}
