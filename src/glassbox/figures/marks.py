"""What is drawn in a chart: lines, dots, bands, blocks, rules and notes, each with its words.

Every mark gives its SVG, in a box of 100 by 100, and its labels, which stand over the SVG as HTML.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from glassbox.figures.axis import Axis
from glassbox.figures.markup import Markup, el, join

Point = tuple[float, float]


@dataclass(frozen=True)
class Label:
    """Words over a chart, beside their place: ``side`` is the class that says where."""

    left: float
    top: float
    text: str
    tone: str
    side: str


@dataclass(frozen=True)
class Line:
    """A line through points in order; a NaN leaves a gap. Dash one of two so that colour is not alone."""

    points: Sequence[Point]
    label: str = ""
    tone: str = "accent"
    dashed: bool = False
    thin: bool = False

    def svg(self, x: Axis, y: Axis) -> Markup:
        """The line's path."""
        kind = "l" + " dash" * self.dashed + " thin" * self.thin
        return el("path", class_=kind, d=path(self.points, x, y), style=paint(self.tone))

    def labels(self, x: Axis, y: Axis) -> list[Label]:
        """The label, beside the last point that is in sight."""
        seen = [p for p in self.points if x.holds(p[0]) and y.holds(p[1])]
        if not self.label or not seen:
            return []
        left, top = x.place(seen[-1][0]), 100 - y.place(seen[-1][1])
        side = "end" if left > 98 else "before" if left > 60 else "after"
        return [Label(left, top, self.label, self.tone, side)]


@dataclass(frozen=True)
class Dots:
    """One dot a point, with a name beside it and a detail shown on hover where these are given."""

    points: Sequence[Point]
    names: Sequence[str] = ()
    details: Sequence[str] = ()
    tone: str = "accent"
    size: int = 8
    hollow: bool = False

    def svg(self, x: Axis, y: Axis) -> Markup:
        """Dots as strokes of next to no length with round ends, so that stretching leaves them round.

        Not of none: WebKit stretches the cap of a stroke without length.
        """
        seen = [n for n, (a, b) in enumerate(self.points) if x.holds(a) and y.holds(b)]
        places = [(x.place(self.points[n][0]), 100 - y.place(self.points[n][1])) for n in seen]
        dots = [f"M{length(a)} {length(b)}h0.01" for a, b in places]
        outer = f"{paint(self.tone)};stroke-width:{int(self.size)}px"
        inner = f"--c:var(--paper);stroke-width:{int(self.size) - 4}px"
        drawn = [el("path", class_="d", d="".join(dots), style=outer)]
        if self.hollow:
            drawn.append(el("path", class_="d", d="".join(dots), style=inner))
        for n, d in zip(seen, dots, strict=True):
            if n < len(self.details):  # a wide, unseen dot that a finger can hit
                drawn.append(el("path", class_="d hit", d=d, data_detail=self.details[n]))
        return join(drawn)

    def labels(self, x: Axis, y: Axis) -> list[Label]:
        """Each point's name, on the side with more room."""
        found = []
        for (a, b), name in zip(self.points, self.names, strict=False):
            if x.holds(a) and y.holds(b) and name:
                left = x.place(a)
                side = "before" if left > 60 else "after"
                found.append(Label(left, 100 - y.place(b), name, self.tone, side))
        return found


@dataclass(frozen=True)
class Area:
    """A filled band between two heights: points are (x, low, high)."""

    points: Sequence[tuple[float, float, float]]
    label: str = ""
    tone: str = "accent"

    def svg(self, x: Axis, y: Axis) -> Markup:
        """The band's outline, filled faintly."""
        over = [(a, high) for a, _, high in self.points]
        under = [(a, low) for a, low, _ in reversed(self.points)]
        return el("path", class_="a", d=path([*over, *under], x, y) + "Z", style=paint(self.tone))

    def labels(self, x: Axis, y: Axis) -> list[Label]:
        """The label in the middle of the band."""
        if not self.label or not self.points:
            return []
        a, low, high = self.points[len(self.points) // 2]
        middle = (y.place(low) + y.place(high)) / 2
        return [Label(x.place(a), 100 - middle, self.label, self.tone, "over")]


@dataclass(frozen=True)
class Blocks:
    """Filled rectangles (x0, y0, x1, y1): a histogram's bars, cells of work, a region."""

    boxes: Sequence[tuple[float, float, float, float]]
    tone: str = "accent"
    faint: bool = False

    def svg(self, x: Axis, y: Axis) -> Markup:
        """All rectangles as one path."""
        parts = []
        for x0, y0, x1, y1 in self.boxes:
            left, right = x.place(x0), x.place(x1)
            low, high = 100 - y.place(y0), 100 - y.place(y1)
            parts.append(f"M{length(left)} {length(low)}V{length(high)}H{length(right)}V{length(low)}Z")
        return el("path", class_="a" if self.faint else "b", d="".join(parts), style=paint(self.tone))

    def labels(self, x: Axis, y: Axis) -> list[Label]:
        """None: say what blocks are with a ``Note``."""
        return []


@dataclass(frozen=True)
class Rule:
    """A straight line across the chart at one x or one y, with its words."""

    x: float | None = None
    y: float | None = None
    text: str = ""
    tone: str = "soft"

    def __post_init__(self) -> None:
        if (self.x is None) == (self.y is None):
            raise ValueError(f"a rule stands at one x or at one y, not at x={self.x}, y={self.y}")

    def svg(self, x: Axis, y: Axis) -> Markup:
        """The dashed line, left out where it would lie outside the chart."""
        if self.x is not None:
            d = f"M{length(x.place(self.x))} 0V100" if x.holds(self.x) else ""
        else:
            d = f"M0 {length(100 - y.place(self.y or 0))}H100" if y.holds(self.y or 0) else ""
        return el("path", class_="r", d=d, style=paint(self.tone))

    def labels(self, x: Axis, y: Axis) -> list[Label]:
        """The words: over the top of an upright rule, on the left above a level one."""
        if not self.text:
            return []
        if self.x is not None:
            left = x.place(self.x)
            side = "top first" if left < 15 else "top last" if left > 85 else "top"
            return [Label(left, 0, self.text, self.tone, side)] if x.holds(self.x) else []
        top = 100 - y.place(self.y or 0)
        return [Label(0, top, self.text, self.tone, "above")] if y.holds(self.y or 0) else []


@dataclass(frozen=True)
class Note:
    """Words at a place: ``side`` is ``after`` (right of it), ``before``, ``over`` (centred) or ``above``."""

    x: float
    y: float
    text: str
    tone: str = "soft"
    side: str = "over"

    def svg(self, x: Axis, y: Axis) -> Markup:
        """Nothing: a note is only words."""
        return Markup("")

    def labels(self, x: Axis, y: Axis) -> list[Label]:
        """The words."""
        return [Label(x.place(self.x), 100 - y.place(self.y), self.text, self.tone, self.side)]


Mark = Line | Dots | Area | Blocks | Rule | Note


def path(points: Iterable[Point], x: Axis, y: Axis) -> str:
    """An SVG path through points; a NaN lifts the pen, and points that change nothing are left out."""
    strokes: list[list[Point]] = [[]]
    for a, b in points:
        if math.isnan(a) or math.isnan(b):
            strokes.append([])
        else:
            strokes[-1].append((x.place(a), 100 - y.place(b)))
    return "".join(
        "M" + "L".join(f"{length(a)} {length(b)}" for a, b in _thinned(stroke))
        for stroke in strokes
        if stroke
    )


def _thinned(points: list[Point], tolerance: float = 0.06) -> list[Point]:
    """Leaves out points that lie on the line between their neighbours, as far as an eye can tell.

    Source: Douglas and Peucker (1973), with distances in percent of the chart.
    """
    keep = {0, len(points) - 1}
    spans = [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        (x0, y0), (x1, y1) = points[first], points[last]
        run, rise = x1 - x0, y1 - y0
        size = math.hypot(run, rise)
        far, farthest = tolerance, 0
        for n in range(first + 1, last):
            a, b = points[n][0] - x0, points[n][1] - y0
            away = abs(run * b - rise * a) / size if size else math.hypot(a, b)
            if away > far:
                far, farthest = away, n
        if farthest:
            keep.add(farthest)
            spans += [(first, farthest), (farthest, last)]
    return [points[n] for n in sorted(keep)]


def paint(tone: str) -> str:
    """The style that gives a mark its tone."""
    return f"--c:var(--{tone_name(tone)})"


def tone_name(tone: str) -> str:
    """The tone itself, checked: it becomes part of a style."""
    if not tone.replace("-", "").isalnum():
        raise ValueError(f"a tone is the name of a custom property, such as 'query' or 'cat-2', not {tone!r}")
    return tone


def length(number: float) -> str:
    """A length with at most two decimals: markup stays small and the same bytes come out."""
    short = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short
