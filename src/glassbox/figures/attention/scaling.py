"""Why the scores are divided by √d: what width does to dot products, and to learning."""

from __future__ import annotations

from glassbox.figures import chart
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table
from glassbox.figures.marks import Mark
from glassbox.figures.markup import Markup, el
from glassbox.model.experiments import spread
from glassbox.model.experiments.spreading import N_KEYS, N_ROWS

WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512)


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
