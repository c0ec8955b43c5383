"""What the charts are made of: axes with fixed domains, series with a colour and a dash, and their layers.

A chart names its data sets and holds no rows:

    by = parts.series({"without": "severe", "with": "value"}, dashed=("without",))
    parts.chart(
        parts.lines("lines", x, y, by),
        parts.dots("here", x, y, by),
        title="rows of work",
        height=14,
    )

The layer ``points`` is what a reader points at: a mark for each row, unseen, with the row's tooltip.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from glassbox.figures.specs.theme import tone

REM = 16  # px: heights are given in rem, as everywhere in the figures

# How numbers stand at an axis: in full, in percent, or with a prefix, a space and a unit (``1 k``, ``20 MB``).
PERCENT = "format(100 * datum.value, '~r') + '\u00a0%'"
FULL = "replace(format(datum.value, ',.6~r'), '-', '−')"
_PREFIXED = "replace(format(datum.value, '.3~s'), regexp('([^0-9.])$'), '\u00a0$1')"


def prefixed(unit: str = "") -> str:
    """An axis' labels with the prefixes k, M, G … and a unit."""
    if not unit:
        return _PREFIXED
    bare = f"format(datum.value, '~s') + '\u00a0{unit}'"
    return f"datum.value >= 1000 ? {_PREFIXED} + '{unit}' : {bare}"


def axis(
    kind: type[alt.X] | type[alt.Y],
    field: str,
    domain: Sequence[Any],
    title: str | None = None,
    log: bool = False,
    root: bool = False,
    at: Sequence[float] = (),
    labels: str = FULL,
    **more: Any,
) -> Any:
    """One axis with a fixed domain, so that it holds still while the data moves.

    Args:
        kind: ``alt.X`` or ``alt.Y``.
        field: The rows' field.
        domain: Low and high; each a number or an ``alt.ExprRef``.
        title: Under an x axis; a y axis' title stands over the chart.
        log: Equal steps are equal ratios.
        root: Small values get more room: places are square roots.
        at: The values that get a tick; chosen if left out.
        labels: The labels as an expression.
        **more: Other properties of the axis.
    """
    drawn = alt.Axis(title=title, labelExpr=labels, **more)
    if at:
        drawn.values = list(at)
    elif kind is alt.Y and "tickCount" not in more:
        drawn.tickCount = 4
    scale = alt.Scale(type="log" if log else "sqrt", domain=list(domain), nice=False)
    if not log and not root:
        scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    return kind(f"{field}:Q", axis=drawn, scale=scale)


@dataclass(frozen=True)
class Series:
    """What tells the series of a chart apart: a colour, a dash or a shape, and a press on the legend."""

    field: str
    color: alt.Color
    fill: alt.Fill
    dash: alt.StrokeDash
    shape: alt.Shape
    shown: Any  # opacity: full while nothing else is picked
    pick: alt.Parameter | None


def series(
    tones: Mapping[str, str],
    dashed: Sequence[str] = (),
    field: str = "series",
    legend: bool = True,
    shapes: Sequence[str] = (),
) -> Series:
    """Names with their tones; those in ``dashed`` get dashes, so that colour is not alone.

    Args:
        tones: Each name's colour, in the legend's order.
        dashed: The names whose lines are dashed.
        field: The rows' field that holds the name.
        legend: Whether there is one, where there is more than one name.
        shapes: For a chart of dots, each name's shape; then the legend shows these.
    """
    names = list(tones)
    told = alt.Legend() if legend and len(names) > 1 else None
    shown, dots = (None, told) if shapes else (told, None)
    colours = alt.Scale(domain=names, range=[tone(t) for t in tones.values()])
    dashes = alt.Scale(domain=names, range=[[6, 5] if name in dashed else [1, 0] for name in names])
    forms = alt.Scale(domain=names, range=list(shapes) or ["circle"] * len(names))
    pick = alt.selection_point(name="pick", fields=[field], bind="legend")
    return Series(
        field,
        alt.Color(f"{field}:N", scale=colours, legend=shown),
        alt.Fill(f"{field}:N", scale=colours, legend=dots),
        alt.StrokeDash(f"{field}:N", scale=dashes, legend=shown),
        alt.Shape(f"{field}:N", scale=forms, legend=dots),
        alt.condition(pick, alt.value(1), alt.value(0.15)) if told else alt.value(1),
        pick if told else None,
    )


def encoded(mark: alt.Chart, *channels: Any, **more: Any) -> alt.Chart:
    """A mark with its channels."""
    whole: alt.Chart = mark.encode(*channels, **more)
    return whole


def named(data: str) -> alt.Chart:
    """A chart on a named data set."""
    return alt.Chart(alt.NamedData(name=data))


def lines(data: str, x: Any, y: Any, by: Series, **mark: Any) -> alt.Chart:
    """A line for each series."""
    return encoded(named(data).mark_line(**mark), x, y, by.color, by.dash, opacity=by.shown)


def line(data: str, x: Any, y: Any, colour: str, **mark: Any) -> alt.Chart:
    """One line, of one colour."""
    return encoded(named(data).mark_line(color=tone(colour), **mark), x, y)


def dot(data: str, x: Any, y: Any, colour: str, size: int = 64) -> alt.Chart:
    """A dot for each row, all of one colour."""
    mark = named(data).mark_point(
        size=size, fill=tone(colour), stroke=tone("paper"), strokeWidth=1.5, tooltip=None
    )
    return encoded(mark, x, y)


def dots(data: str, x: Any, y: Any, by: Series, size: int = 64) -> alt.Chart:
    """A dot for each row, with a rim of paper so that it stands out from its line."""
    mark = named(data).mark_point(size=size, stroke=tone("paper"), strokeWidth=1.5, tooltip=None)
    return encoded(mark, x, y, by.fill, opacity=by.shown)


def scattered(
    data: str, x: Any, y: Any, by: Series, tooltip: Sequence[alt.Tooltip], **channels: Any
) -> alt.Chart:
    """A mark for each row, of its series' shape and colour, that is pointed at itself."""
    mark = named(data).mark_point(size=90, filled=True, stroke=tone("paper"), strokeWidth=1)
    return encoded(mark, x, y, by.fill, by.shape, opacity=by.shown, tooltip=list(tooltip), **channels)


def ringed(data: str, x: Any, y: Any, size: int = 260) -> alt.Chart:
    """A ring around the mark that was chosen."""
    mark = named(data).mark_point(size=size, filled=False, stroke=tone("ink"), strokeWidth=2, tooltip=None)
    return encoded(mark, x, y)


def rule(data: str, place: Any) -> alt.Chart:
    """A dashed line across the chart at each row's x, or at its y."""
    return encoded(named(data).mark_rule(tooltip=None), place)


def told(data: str, x: Any, middle: str, field: str = "text") -> list[alt.Chart]:
    """The words of upright rules, at their top on the side with more room.

    Args:
        data: The rows.
        x: The axis.
        middle: Where the middle of the axis lies, as a condition: ``datum.n < 128``.
        field: The words.
    """
    sides = ((middle, "left", 5), (f"!({middle})", "right", -5))
    return [
        words(data, x, alt.value(9), field, align=align, dx=away).transform_filter(where)
        for where, align, away in sides
    ]


def beside(data: str, x: Any, y: Any, away: float = 10) -> list[alt.Chart]:
    """The names of marks, each on the ``side`` that its row says: right, left, above or below."""
    sides: dict[str, dict[str, Any]] = {
        "right": {"align": "left", "dx": away},
        "left": {"align": "right", "dx": -away},
        "above": {"align": "center", "dy": -away - 6},
        "below": {"align": "center", "dy": away + 6},
    }
    return [
        words(data, x, y, color=tone("ink"), **place).transform_filter(f"datum.side == '{side}'")
        for side, place in sides.items()
    ]


def points(data: str, x: Any, y: Any, tooltip: Sequence[alt.Tooltip], by: Series | None = None) -> alt.Chart:
    """What is pointed at: unseen marks with the rows' tooltips."""
    mark = named(data).mark_point(size=200, opacity=0).properties(name=f"points_{data}")
    detail = alt.Detail(f"{by.field}:N") if by else alt.Undefined
    return encoded(mark, x, y, detail=detail, tooltip=list(tooltip))


def traced(x: Any, y: Any, tooltip: Sequence[alt.Tooltip], by: Series) -> list[alt.Chart]:
    """A line for each series of ``lines``, pointed at, with a rule and dots where ``here`` says one stands."""
    return [
        rule("here", x),
        lines("lines", x, y, by),
        dots("here", x, y, by),
        points("lines", x, y, tooltip, by),
    ]


def words(data: str, x: Any, y: Any, field: str = "text", **mark: Any) -> alt.Chart:
    """Words at a place, with a rim of paper so that a line may pass behind them."""
    behind: dict[str, Any] = {
        "stroke": tone("paper"),
        "strokeWidth": 4,
        "strokeJoin": "round",
        "tooltip": None,
    }
    return encoded(named(data).mark_text(**(behind | mark)), x=x, y=y, text=alt.Text(f"{field}:N"))


def chart(*layers: alt.Chart, title: str, height: float, by: Series | None = None) -> alt.LayerChart:
    """Lays the layers over each other.

    Args:
        *layers: In drawing order.
        title: What is measured: the y axis' title, over the chart.
        height: Of the plot, in rem.
        by: The series, where a press on the legend picks one.
    """
    whole = alt.LayerChart(layer=layers).properties(width="container", height=height * REM, title=title)
    return whole.add_params(by.pick) if by and by.pick else whole
