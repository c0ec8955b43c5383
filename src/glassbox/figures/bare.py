"""A chart that a notebook's cell shows by itself, as a figure without a control.

The build takes it apart (``specs.bare``): the specification is compiled with the others, and what is left
for a page is this.
"""

from __future__ import annotations

from typing import Any

from glassbox.figures import vega
from glassbox.figures.figure import Figure, Table


def figure(
    chart: str,
    title: str,
    sentence: str,
    sets: vega.Sets,
    columns: list[str],
    rows: list[list[Any]],
    note: str,
) -> Figure:
    """The figure of a chart.

    Args:
        chart: The name under which the build keeps its specification.
        title: The chart's title.
        sentence: Its description.
        sets: Its rows by data set.
        columns: The table's headings.
        rows: The table's rows.
        note: A sentence where the table holds fewer rows than the chart, else empty.
    """
    table = Table(tuple(columns), tuple(tuple(row) for row in rows))
    return Figure(title, sentence, vega.drawn(chart, sets, sentence), table, note=note)
