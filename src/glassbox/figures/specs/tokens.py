"""The charts of the tokens chapter."""

from __future__ import annotations

import altair as alt

from glassbox.figures.specs import parts
from glassbox.figures.specs.theme import tone
from glassbox.figures.tokens import bricks
from glassbox.figures.tokens.languages import order
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


def languages() -> alt.LayerChart:
    """Every language in every vocabulary: how many times the pieces of English it takes."""
    tones = {bricks.LABELS[name]: tone_ for name, tone_ in bricks.TONES.items()}
    shapes = ("circle", "square", "diamond", "triangle-up", "triangle-right", "cross", "triangle-down")
    by = parts.series(tones, shapes=shapes)
    x, least = (
        parts.axis(
            alt.X, field, (0.85, 27), "times the pieces of English", log=True, at=(1, 2, 5, 10, 20), grid=True
        )
        for field in ("times", "least")
    )
    scale = alt.Scale(type="point", domain=list(order()), padding=0.6)
    y = alt.Y("language:N", scale=scale, axis=alt.Axis(title=None, labelOverlap=False, labelLimit=110))
    tooltip = (
        alt.Tooltip("language:N", title=" "),
        alt.Tooltip("times:Q", format=".2f", title="times the pieces of English"),
        alt.Tooltip("pieces:Q", format=",", title="pieces"),
        alt.Tooltip("series:N", title="is the vocabulary"),
    )
    row = parts.named("followed").mark_rule(
        color=tone("accent"), opacity=0.16, strokeWidth=18, strokeDash=[1, 0], tooltip=None
    )
    span = parts.named("spans").mark_rule(color=tone("rule"), strokeWidth=2, strokeDash=[1, 0], tooltip=None)
    small = parts.scattered("dots", x, y, by, tooltip, size=alt.value(50))
    return parts.chart(
        parts.encoded(row, y),
        parts.encoded(span, least, y, x2=alt.X2("most:Q")),
        small,
        parts.scattered("chosen", x, y, by, tooltip, size=alt.value(120)),
        title="pieces of the same text",
        height=42,
        by=by,
    )


CHARTS = {"train": train, "languages": languages}
