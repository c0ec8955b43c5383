"""The chart of all models by release and cache, a part of which may be brought closer."""

from __future__ import annotations

import json
import math

import altair as alt

from glassbox.figures.kv_cache.landscape import ENDS, FIRST, FULL, HEIGHT, HOW, LAST, SHORTER, along
from glassbox.figures.specs import parts, zoom


def landscape() -> alt.LayerChart:
    """Models by release and by the bytes that their cache takes for each token."""
    by = parts.series(
        dict(zip(HOW, ("severe", "cat-1", "cat-2", "cat-5", "cat-4"), strict=True)),
        shapes=("cross", "circle", "square", "diamond", "triangle-up"),
    )
    scale = alt.Scale(domain=[along(FIRST), LAST], nice=False, zero=False)
    released = alt.Axis(
        title="released",
        labelExpr=MONTHS,
        labelOverlap="parity",
        labelSeparation=10,
        values=alt.ExprRef(TICKS),
    )
    x = alt.X("at:Q", axis=released, scale=scale)
    sizes = alt.ExprRef(SIZES)
    y = parts.axis(alt.Y, "each", ENDS, log=True, labels=parts.prefixed("B"), values=sizes)
    tooltip = (
        alt.Tooltip("model:N", title=" "),
        alt.Tooltip("each:Q", format=".3~s", title="B for each token"),
        alt.Tooltip("layers:N", title="layers"),
        alt.Tooltip("heads:N", title="heads: keys kept for heads that ask"),
        alt.Tooltip("made:N", title="tokens is what it was made for"),
        alt.Tooltip("released:N", title="released"),
    )
    near = zoom.selection()
    layers = (
        parts.scattered("models", x, y, by, tooltip, size=alt.value(120)),
        parts.ringed("here", x, y, 340),
        *parts.beside("named", x, y),
    )
    whole = parts.chart(
        *zoom.within(near, *layers),
        title="cache for each token of the context",
        height=HEIGHT,
        by=by,
    )
    return whole.add_params(near)


def _ticks(first: list[float], step: float) -> str:
    return json.dumps([*first, *(FULL + step * n for n in range(math.ceil((LAST - FULL) / step)))])


# The closer, the more ticks: years, then quarters, then months, which are named with their year.
TICKS = (
    f"span(domain('x')) > 2 ? {_ticks([along(FIRST)], 1)} : "
    f"span(domain('x')) > 0.8 ? {_ticks([along(y) for y in range(FIRST, FULL)], 1 / 4)} : {_ticks([], 1 / 12)}"
)
_MONTH = "round(12 * (datum.value - floor(datum.value + 0.001)))"
MONTHS = (
    f"datum.value < {FULL - 0.001} ? format({FULL} + (datum.value - {FULL}) / {SHORTER:.6f}, '.0f') : "
    f"{_MONTH} == 0 ? format(datum.value, '.0f') : "
    f"monthAbbrevFormat({_MONTH}) + ' ' + floor(datum.value + 0.001)"
)
_DECADES = (1e3, 1e4, 1e5, 1e6)
_TIMES = "domain('y')[1] / domain('y')[0]"
SIZES = (
    f"{_TIMES} > 60 ? {json.dumps(_DECADES[1:])} : "
    f"{_TIMES} > 6 ? {json.dumps([d * n for d in _DECADES for n in (1, 2, 5)])} : "
    f"{json.dumps([d * n for d in _DECADES for n in (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)])}"
)
