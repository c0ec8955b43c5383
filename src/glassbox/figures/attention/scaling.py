"""Why the scores are divided by √d: what width does to dot products, and to learning."""

from __future__ import annotations

from glassbox.figures import vega, written
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.model.experiments import spread
from glassbox.model.experiments.spreading import N_KEYS, N_ROWS

RAW, DIVIDED = "raw", "÷ √d"
WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512)


def scaling(width: int) -> Figure:
    """Four measures against width, with and without the division."""
    one_of("width", width, WIDTHS)
    raw, divided = spread(width, False), spread(width, True)
    sentence = (
        f"At width {width} undivided scores spread by {raw.deviation:.1f} and the largest of {N_KEYS} weights takes "
        f"{written.percent(raw.largest)}; divided by √{width} they spread by {divided.deviation:.1f} and it takes "
        f"{written.percent(divided.largest)}."
    )
    picture = el(
        "div",
        _panel("spread", "spread of the scores", "deviation", width),
        _panel("largest", "largest weight", "largest", width),
        _panel("entropy", "entropy of the weights (bits)", "entropy_bits", width),
        _panel("slope", "gradient that reaches the score", "slope", width),
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


def _panel(chart: str, title: str, measure: str, width: int) -> Markup:
    def row(w: int, divided: bool) -> vega.Row:
        value = getattr(spread(w, divided), measure)
        return {"width": w, "value": value, "series": DIVIDED if divided else RAW}

    here = [row(width, divided) for divided in (False, True)]
    raw, divided = (r["value"] for r in here)
    sentence = f"{title} at width {width}: {raw:.3g} undivided, {divided:.3g} divided by √d"
    lines = [row(w, divided) for divided in (False, True) for w in WIDTHS]
    return vega.drawn(f"attention.scaling_{chart}", {"lines": lines, "here": here}, sentence)
