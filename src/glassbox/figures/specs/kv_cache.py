"""The charts of the KV cache chapter."""

from __future__ import annotations

import functools

import altair as alt

from glassbox.figures.kv_cache.memory_picture import TONES
from glassbox.figures.kv_cache.per_step import LENGTHS as STEPS
from glassbox.figures.kv_cache.per_step import WITH as CACHED
from glassbox.figures.kv_cache.per_step import WITHOUT as UNCACHED
from glassbox.figures.kv_cache.prompt_cache import TURNS, WITH, WITHOUT
from glassbox.figures.kv_cache.race import LENGTHS, TIMED, WORK
from glassbox.figures.kv_cache.roofline import HIGH, LEAST, LOW
from glassbox.figures.kv_cache.speculative import MOST, OWN, TINY
from glassbox.figures.kv_cache.tail import COLOURS, DASHED, PANELS
from glassbox.figures.specs import parts
from glassbox.figures.specs.landscape import landscape
from glassbox.figures.specs.theme import tone

NAMED = alt.Tooltip("series:N", title=" ")


def race() -> alt.LayerChart:
    """How many times more work and time writing takes without a cache."""
    by = parts.series({WORK: "accent", TIMED: "query"}, dashed=(TIMED,))
    far = LENGTHS[-1]
    x = parts.axis(alt.X, "tokens", (0, far), "tokens written", at=(0, *LENGTHS[1:]))
    y = parts.axis(alt.Y, "times", (0, 120), at=(0, 40, 80, 120))
    tooltip = (
        NAMED,
        alt.Tooltip("times:Q", format=".3~r", title="times more"),
        alt.Tooltip("tokens:Q", title="tokens"),
    )
    return parts.chart(
        parts.rule("here", x),
        parts.lines("lines", x, y, by),
        *parts.told("here", x, f"datum.tokens < {far / 2}"),
        parts.points("lines", x, y, tooltip, by),
        title="how many times more without a cache",
        height=9,
        by=by,
    )


def per_step(title: str, labels: str, form: str) -> alt.LayerChart:
    """What the next token costs at each length of the text, without a cache and with one."""
    by = parts.series({UNCACHED: "severe", CACHED: "value"}, dashed=(UNCACHED,))
    far = STEPS[-1]
    x = parts.axis(
        alt.X, "tokens", (0, far), "tokens of the text, the newest among them", at=range(0, far + 1, 128)
    )
    y = parts.axis(alt.Y, "cost", (0, alt.ExprRef("top")), labels=labels)
    tooltip = (
        NAMED,
        alt.Tooltip("cost:Q", format=form, title=title),
        alt.Tooltip("tokens:Q", title="tokens"),
    )
    whole = parts.chart(
        parts.lines("lines", x, y, by),
        parts.dots("lines", x, y, by, size=36),
        parts.points("lines", x, y, tooltip, by),
        title=title,
        height=14,
        by=by,
    )
    return whole.add_params(alt.param(name="top", value=1))


def prompt_cache() -> alt.LayerChart:
    """Two bills that grow with the turns of a conversation."""
    by = parts.series({WITHOUT: "severe", WITH: "value"}, dashed=(WITHOUT,))
    top = alt.param(name="top", value=1)
    x = parts.axis(alt.X, "turn", (0, TURNS), "turns", at=range(0, TURNS + 1, 10))
    y = parts.axis(alt.Y, "dollars", (0, alt.ExprRef("top")))
    tooltip = (
        NAMED,
        alt.Tooltip("dollars:Q", format="$,.2f", title="paid so far"),
        alt.Tooltip("turn:Q", title="turns"),
    )
    whole = parts.chart(
        parts.rule("here", x),
        parts.lines("lines", x, y, by),
        *parts.told("turns", x, f"datum.turn < {TURNS / 2}"),
        parts.dots("here", x, y, by, size=100),
        parts.points("lines", x, y, tooltip, by),
        title="paid for input so far ($)",
        height=15,
        by=by,
    )
    return whole.add_params(top)


def roofline() -> alt.LayerChart:
    """A GPU's roof, and where reading and writing stand under it."""
    by = parts.series({"prefill": "severe", "decode": "query"}, legend=False)
    x = parts.axis(
        alt.X, "intensity", (LOW, HIGH), "operations for each byte fetched", log=True,
        at=(1, 10, 100, 1000, 10_000, 100_000), labels=parts.prefixed(),
    )  # fmt: skip
    y = parts.axis(alt.Y, "speed", (LEAST, 3000), log=True, at=(1, 10, 100, 1000))
    under = parts.named("roof").mark_area(color=tone("soft"), tooltip=None)
    bottom = alt.Y2Datum(LEAST)
    names = [
        parts.encoded(
            parts.words("phases", x, y, dy=dy, align=align, dx=dx).transform_filter(where), fill=by.fill
        )
        for where, align, dx, dy in (
            ("datum.intensity < 10", "left", 12, 6),
            ("datum.intensity >= 10", "center", 0, 20),
        )
    ]
    tooltip = (
        alt.Tooltip("text:N", title=" "),
        alt.Tooltip("took:N", title="for one step"),
        alt.Tooltip("intensity:Q", format=",.3~r", title="operations a byte"),
        alt.Tooltip("speed:Q", format=",.3~r", title="TFLOP/s"),
    )
    return parts.chart(
        parts.encoded(under, x, y, y2=bottom),
        parts.line("roof", x, y, "ink"),
        parts.line("trail", x, y, "query", strokeWidth=1, strokeDash=[6, 5]),
        parts.rule("ridge", x),
        *parts.told("ridge", x, "datum.intensity < 500"),
        parts.words("left", x, y, align="left"),
        parts.words("right", x, y, align="right"),
        parts.dots("phases", x, y, by, size=180),
        *names,
        parts.points("trail", x, y, tooltip),
        parts.points("phases", x, y, tooltip),
        title="operations a second (TFLOP/s)",
        height=16,
    )


def memory() -> alt.LayerChart:
    """What each layer keeps, coloured by how it attends; behind it what reserving would take."""
    top, count = alt.param(name="top", value=1), alt.param(name="count", value=32)
    x = parts.axis(alt.X, "from", (0, alt.ExprRef("count")), "layer", tickMinStep=1)
    low = alt.ExprRef("-0.12 * top")
    y = parts.axis(alt.Y, "bytes", (low, alt.ExprRef("top")), labels=parts.prefixed("B"), tickCount=3)
    fill = parts.series(TONES, field="kind", legend=False).fill
    tooltip = (
        alt.Tooltip("says:N", title=" "),
        alt.Tooltip("kind:N", title="attention"),
        alt.Tooltip("bytes:Q", format=",", title="bytes for one user"),
    )
    bar = functools.partial(parts.named("layers").mark_rect, stroke=tone("paper"), strokeWidth=0.75)
    ghost = parts.named("ghosts").mark_rect(fill=tone("soft"), fillOpacity=0.18, tooltip=None)
    shape = {"x": x, "x2": alt.X2("to:Q")}
    return parts.chart(
        parts.encoded(ghost, **shape, y=y, y2=alt.Y2Datum(0)),
        parts.encoded(bar(), **shape, y=y, y2=alt.Y2Datum(0), fill=fill, tooltip=list(tooltip)),
        parts.encoded(bar(tooltip=None), **shape, y=_strip(-0.12), y2=_strip2(-0.03), fill=fill),
        title="bytes each layer keeps for one user",
        height=8,
    ).add_params(top, count)


def _strip(share: float) -> alt.YDatum:
    """What a layer is, in a strip under the bars, even where it keeps next to nothing."""
    return alt.YDatum(alt.ExprRef(f"{share} * top"), type="quantitative")


def _strip2(share: float) -> alt.Y2Datum:
    return alt.Y2Datum(alt.ExprRef(f"{share} * top"))


def tail(panel: str) -> alt.LayerChart:
    """How many users wait longer than so long, in one kind of wait."""
    low, high, most = PANELS[panel]
    by = parts.series(COLOURS, dashed=DASHED, field="tone", legend=False)
    seconds = (0.01, 0.1, 1, 10, 100, 1000)
    x = parts.axis(
        alt.X, "seconds", (low, high), panel, log=True, at=[s for s in seconds if s <= high], labels=SECONDS
    )
    y = parts.axis(alt.Y, "one_in", (1, most), log=True, at=[10.0**n for n in range(6) if 10**n <= most])
    tooltip = (
        NAMED,
        alt.Tooltip("seconds:Q", format=".3~s", title="s"),
        alt.Tooltip("one_in:Q", format=",.3~r", title="is the number of which one waits longer"),
    )
    line = parts.named("lines").mark_line()
    return parts.chart(
        parts.rule("percents", y),
        parts.words("percents", alt.value("width"), y, align="right", dx=-2, dy=-8),
        parts.encoded(line, x, y, by.color, by.dash, detail=alt.Detail("series:N")),
        parts.points("lines", x, y, tooltip),
        title="one in so many waits longer",
        height=13,
    )


# Seconds as they are said: 10 ms, 1 s, 100 s.
SECONDS = "datum.value < 1 ? format(datum.value * 1000, ',.6~r') + '\u00a0ms' : format(datum.value, ',.6~r') + '\u00a0s'"


def speculative() -> alt.LayerChart:
    """How many times as fast guessing makes the writing, against the guesses for each pass."""
    by = parts.series({TINY: "value", OWN: "query"}, dashed=(TINY,))
    x = parts.axis(alt.X, "guesses", (0, MOST), "guesses for each pass", at=range(MOST + 1))
    y = parts.axis(alt.Y, "times", (0, 3), at=(0, 1, 2, 3))
    line = (
        NAMED,
        alt.Tooltip("times:Q", format=".2f", title="times as fast, by the formula"),
        alt.Tooltip("guesses:Q", title="guesses"),
    )
    counted = (
        alt.Tooltip("times:Q", format=".2f", title="times as fast, counted"),
        alt.Tooltip("a_pass:Q", format=".2f", title="tokens a pass"),
        alt.Tooltip("guesses:Q", title="guesses"),
    )
    return parts.chart(
        parts.rule("even", y),
        parts.rule("here", x),
        parts.lines("lines", x, y, by),
        parts.dot("counted", x, y, "query", size=80),
        parts.points("lines", x, y, line, by),
        parts.points("counted", x, y, counted),
        title="times as fast",
        height=11,
        by=by,
    )


CHARTS = {
    "race": race,
    "per_step_work": functools.partial(per_step, "multiply-adds of the next token", parts.prefixed(), ".3~s"),
    "per_step_time": functools.partial(per_step, "time of the next token, here (ms)", parts.FULL, ".3~r"),
    "prompt_cache": prompt_cache,
    "roofline": roofline,
    "memory": memory,
    "tail_first": functools.partial(tail, "time to first token"),
    "tail_gap": functools.partial(tail, "gap between tokens"),
    "speculative": speculative,
    "landscape": landscape,
}
