"""The charts of the attention chapter."""

from __future__ import annotations

import functools
from typing import Any

import altair as alt

from glassbox.figures.attention import trained as training
from glassbox.figures.attention.head_map import SERIES
from glassbox.figures.attention.quadratic import ALL, LAST, REST
from glassbox.figures.attention.scaling import DIVIDED, RAW
from glassbox.figures.specs import parts
from glassbox.figures.specs.theme import tone


def quadratic() -> alt.LayerChart:
    """Operations of reading a text against its length: attention to all, to a window, and everything else."""
    by = parts.series({ALL: "severe", LAST: "value", REST: "soft"}, dashed=(LAST,))
    far = (100, 1e3, 1e4, 1e5, 1e6)
    high = (1e9, 1e12, 1e15, 1e18)
    x = parts.axis(alt.X, "tokens", (100, 1e6), "tokens", log=True, at=far, labels=parts.prefixed())
    y = parts.axis(alt.Y, "operations", (1e9, 1e18), log=True, at=high, labels=parts.prefixed())
    tooltip = (
        alt.Tooltip("series:N", title=" "),
        alt.Tooltip("tokens:Q", format=",", title="tokens"),
        alt.Tooltip("operations:Q", format=".3~s", title="operations"),
    )
    return parts.chart(
        *parts.traced(x, y, tooltip, by),
        title="operations to read the text",
        height=14,
        by=by,
    )


def scaling(title: str, low: float, high: float, log: bool, at: tuple[float, ...]) -> alt.LayerChart:
    """One measure of attention against the width of a head, with and without the division by its root."""
    by = parts.series({RAW: "severe", DIVIDED: "value"}, dashed=(RAW,))
    x = parts.axis(alt.X, "width", (4, 512), "width d", log=True, at=(4, 32, 256))
    y = parts.axis(alt.Y, "value", (low, high), log=log, at=at)
    tooltip = (
        alt.Tooltip("series:N", title=" "),
        alt.Tooltip("value:Q", format=".3~g", title=title),
        alt.Tooltip("width:Q", title="wide"),
    )
    return parts.chart(
        *parts.traced(x, y, tooltip, by),
        title=title,
        height=8,
        by=by,
    )


def distance() -> alt.LayerChart:
    """A head's mean score against how far back the key stands."""
    low, high = (alt.param(name=name, value=value) for name, value in (("low", -6), ("high", 6)))
    x = parts.axis(alt.X, "back", (0, 48), "how many positions back the key stands", at=range(0, 49, 6))
    y = parts.axis(alt.Y, "score", (alt.ExprRef("low"), alt.ExprRef("high")))
    tooltip = (
        alt.Tooltip("score:Q", format=".2f", title="mean score"),
        alt.Tooltip("back:Q", title="positions back"),
    )
    whole = parts.chart(
        parts.rule("best", x),
        parts.line("lines", x, y, "key"),
        parts.dot("best", x, y, "key"),
        parts.points("lines", x, y, tooltip),
        title="mean score",
        height=11,
    )
    return whole.add_params(low, high)


def dilution() -> alt.LayerChart:
    """The best key's share against the number of keys: the formula, and what our model was measured at."""
    far = (10, 100, 1e3, 1e4, 1e5, 1e6)
    x = parts.axis(alt.X, "keys", (2, 1e6), "keys in the context", log=True, at=far, labels=parts.prefixed())
    y = parts.axis(alt.Y, "share", (0, 1), at=(0, 0.25, 0.5, 0.75, 1))
    seen = (
        alt.Tooltip("series:N", title=" "),
        alt.Tooltip("share:Q", format=".1%", title="for the best key"),
        alt.Tooltip("keys:Q", format=",", title="keys"),
    )
    circle = parts.named("measured").mark_point(
        size=64, filled=True, fill=tone("paper"), stroke=tone("query"), strokeWidth=2, tooltip=None
    )
    return parts.chart(
        parts.rule("half", y),
        parts.words("half", x, y, align="left", dx=4, dy=-9),
        parts.line("lines", x, y, "severe"),
        parts.encoded(circle, x, y),
        parts.words("named", x, y, align="right", dx=-2, dy=-12, color=tone("severe")),
        parts.points("lines", x, y, seen),
        parts.points("measured", x, y, seen),
        title="share of the best key",
        height=14,
    )


def head_map() -> alt.LayerChart:
    """Every head by its weight on the token before and on the first one; its size by that on the same token."""
    by = parts.series(
        dict(zip(SERIES.values(), ("cat-2", "cat-1", "cat-7", "masked"), strict=True)),
        shapes=("circle", "square", "diamond", "triangle-up"),
    )
    at = (0, 0.05, 0.2, 0.5, 1)
    x, y = (
        parts.axis(kind, field, (0, 1), title, root=True, at=at, labels=parts.PERCENT, grid=True)
        for kind, field, title in ((alt.X, "previous", "on the token before"), (alt.Y, "first", None))
    )
    size = alt.Size("same:Q", scale=alt.Scale(domain=[0, 0.15], range=[50, 450], clamp=True), legend=None)
    tooltip = (
        alt.Tooltip("head:N", title=" "),
        alt.Tooltip("previous:Q", format=".0%", title="on the token before"),
        alt.Tooltip("first:Q", format=".0%", title="on the first token"),
        alt.Tooltip("same:Q", format=".0%", title="on the same token earlier"),
        alt.Tooltip("self:Q", format=".0%", title="on itself"),
    )
    return parts.chart(
        parts.scattered("heads", x, y, by, tooltip, size=size),
        parts.ringed("here", x, y, 520),
        parts.words("named", x, y, align="left", dx=17, color=tone("ink")),
        title="weight on the first token",
        height=20,
        by=by,
    )


def loss() -> alt.LayerChart:
    """The loss on texts that the model learned from and on others, over its training."""
    by = parts.series({training.KEPT: "query", training.SEEN: "accent"}, dashed=(training.SEEN,))
    x = _steps()
    y = parts.axis(alt.Y, "bits", (0, 12), at=(0, 4, 8, 12), minExtent=BESIDE)
    tooltip = (
        alt.Tooltip("series:N", title=" "),
        alt.Tooltip("bits:Q", format=".2f", title="bits a token"),
        alt.Tooltip("step:Q", format=",", title="steps"),
    )
    return parts.chart(
        *parts.traced(x, y, tooltip, by),
        title="loss (bits a token)",
        height=11,
        by=by,
    )


def skills() -> alt.LayerChart:
    """What the model gets right of three drills, over its training."""
    tones = dict(zip(training.SKILLS.values(), ("cat-2", "cat-7", "cat-4"), strict=True))
    by = parts.series(tones, dashed=(training.SKILLS["recall_far"],))
    x = _steps()
    y = parts.axis(alt.Y, "share", (0, 1), at=(0, 0.5, 1), labels=parts.PERCENT, minExtent=BESIDE)
    tooltip = (
        alt.Tooltip("series:N", title=" "),
        alt.Tooltip("share:Q", format=".0%", title="right"),
        alt.Tooltip("step:Q", format=",", title="steps"),
    )
    return parts.chart(
        *parts.traced(x, y, tooltip, by),
        title="right answers",
        height=7,
        by=by,
    )


BESIDE = 44  # px for the labels beside two charts that stand under each other


def _steps() -> Any:
    """The axis of training steps; the first thousand, when most happens, get a third of it."""
    far = training.steps()[-1]
    at = [n for n in (0, 200, 1000, 2000, 4000) if n < far / 1.3]
    return parts.axis(alt.X, "step", (0, far), "steps of training", root=True, at=(*at, far))


CHARTS = {
    "quadratic": quadratic,
    "scaling_spread": functools.partial(scaling, "spread of the scores", 0.5, 32, True, (1, 4, 16)),
    "scaling_largest": functools.partial(scaling, "largest weight", 0, 1, False, (0, 0.5, 1)),
    "scaling_entropy": functools.partial(scaling, "entropy of the weights (bits)", 0, 4, False, (0, 2, 4)),
    "scaling_slope": functools.partial(
        scaling, "gradient that reaches the score", 0, 0.25, False, (0, 0.1, 0.2)
    ),
    "distance": distance,
    "dilution": dilution,
    "head_map": head_map,
    "loss": loss,
    "skills": skills,
}
