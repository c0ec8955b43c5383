"""The charts of the attention chapter."""

from __future__ import annotations

import altair as alt

from glassbox.figures.attention.quadratic import ALL, LAST
from glassbox.figures.specs import parts


def quadratic() -> alt.LayerChart:
    """Scores of one head against the length of the text: every pair, and a window's."""
    by = parts.series({ALL: "severe", LAST: "value"}, dashed=(LAST,))
    far = (100, 1e3, 1e4, 1e5, 1e6)
    x = parts.axis(alt.X, "tokens", (100, 1e6), "tokens", log=True, at=far, labels=parts.prefixed())
    y = parts.axis(alt.Y, "scores", (1e3, 1e12), log=True, at=(1e3, 1e6, 1e9, 1e12), labels=parts.prefixed())
    tooltip = (
        alt.Tooltip("series:N", title=" "),
        alt.Tooltip("tokens:Q", format=",", title="tokens"),
        alt.Tooltip("scores:Q", format=",", title="scores in one head"),
    )
    return parts.chart(
        parts.rule("here", x),
        parts.lines("lines", x, y, by),
        parts.dots("here", x, y, by),
        parts.points("lines", x, y, tooltip, by),
        title="scores of one head",
        height=14,
        by=by,
    )


CHARTS = {"quadratic": quadratic}
