"""A chart in a picture: its name and its rows, which the page draws between axes that never change.

    vega.drawn(
        "attention.quadratic",
        {"lines": [{"tokens": n, "scores": n * n, "series": "exact"} for n in lengths], "here": [...]},
        sentence="…",
    )

What the chart looks like stands in ``specs``, in Altair; nothing of it is imported here. A state of a figure is
then a few numbers: the build draws the first one, the page every other, from the same specification.
"""

from __future__ import annotations

import importlib
import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape, unescape
from typing import Any

from glassbox.figures.markup import Markup, el, raw

Row = Mapping[str, Any]
Sets = Mapping[str, Iterable[Row]]  # data sets by name
Json = dict[str, Any]

FIGURES = 6  # significant ones of a number: far finer than a pixel
WIDTH = 640  # px of a chart where nothing says how wide its place is
AXIS = 80  # px of them, at most, beside the plot


def drawn(chart: str, sets: Sets, sentence: str, **values: float) -> Markup:
    """A chart's place in a picture.

    Args:
        chart: Its name: chapter and function in ``specs``.
        sets: Its data sets by name, each as rows. A number that is none (NaN, infinity) leaves a gap.
        sentence: What a screen reader says for the whole picture.
        **values: Its parameters, such as the end of an axis.
    """
    content = {"rows": {name: _columns(list(rows)) for name, rows in sets.items()}}
    if values:
        content["values"] = {name: _number(value) for name, value in values.items()}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    script = el("script", raw(_inert(text)), type="application/json")
    return el("div", script, class_="vega", data_chart=chart, role="group", aria_label=sentence)


def _inert(text: str) -> str:
    """JSON that may stand in a script element: nothing in it ends the element or begins a comment."""
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _columns(rows: list[Row]) -> Json:
    """Rows by column, which is shorter; a column that never changes is one value.

    >>> _columns([{"n": 1, "name": "a"}, {"n": 2, "name": "a"}])
    {'n': [1, 2], 'name': 'a'}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    columns: Json = {}
    for name in names:
        column = [_number(row.get(name)) for row in rows]
        columns[name] = column[0] if len(names) > 1 and _alike(column) else column
    if columns and not any(isinstance(c, list) for c in columns.values()):
        first = next(iter(columns))
        columns[first] = [columns[first]] * len(rows)
    return columns


def _alike(column: list[Any]) -> bool:
    return all(type(value) is type(column[0]) and value == column[0] for value in column)


def _number(value: Any) -> Any:
    """A number as it is sent; what is no number is left open."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value if value is None or isinstance(value, bool) else str(value)
    if hasattr(value, "item"):  # NumPy's own
        value = value.item()
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        value = float(f"{value:.{FIGURES}g}")
        return int(value) if value.is_integer() and abs(value) < 1e15 else value
    return value


def rows_of(columns: Json) -> list[Json]:
    """The rows that ``drawn`` was given, as a page reads them back.

    >>> rows_of({"n": [1, 2], "name": "a"})
    [{'n': 1, 'name': 'a'}, {'n': 2, 'name': 'a'}]
    """
    length = max((len(c) for c in columns.values() if isinstance(c, list)), default=0)
    return [{k: c[n] if isinstance(c, list) else c for k, c in columns.items()} for n in range(length)]


_PLACE = re.compile(
    r'(<div class="vega" data-chart="([\w.]+)"[^>]*>)<script type="application/json">(.*?)</script>(</div>)',
    re.S,
)


def found(picture: str) -> list[tuple[str, dict[str, list[Json]], dict[str, float]]]:
    """The charts in a picture: name, rows by data set, values of parameters."""
    return [(m[2], *_read(m[3])) for m in _PLACE.finditer(picture)]


def _read(text: str) -> tuple[dict[str, list[Json]], dict[str, float]]:
    content = json.loads(text)
    return {name: rows_of(c) for name, c in content["rows"].items()}, content.get("values", {})


def with_drawings(picture: str, drawings: Iterable[str]) -> str:
    """The picture with a drawing behind each chart's rows, in the order of ``found``."""
    waiting = iter(drawings)
    return _PLACE.sub(
        lambda m: f'{m[1]}<script type="application/json">{m[3]}</script>{next(waiting)}{m[4]}', picture
    )


# Where nothing draws the chart, as in Jupyter, this stands in its place.
ELSEWHERE = (
    "This chart is drawn in marimo and on the built page; elsewhere “figure.charts()[{}]” gives it to Altair."
)


def native(picture: str) -> str:
    """The picture for a notebook: each chart as marimo draws Altair's, alive.

    marimo's page finds its own element in any markup, so that nothing of marimo is imported here. Anywhere else
    that element is unknown, and what stands in it is seen: a sentence that says where the chart is.
    """
    numbers = itertools.count()
    return _PLACE.sub(
        lambda m: _element(m[2], unescape(m[1]), *_read(m[3]), ELSEWHERE.format(next(numbers))), picture
    )


def altair(picture: str) -> list[Any]:
    """The charts in a picture as Altair's, whole with their rows: ``alt.Chart``s that any notebook shows."""
    alt, specs = importlib.import_module("altair"), importlib.import_module("glassbox.figures.specs")
    charts = []
    for name, rows, values in found(picture):
        whole = specs.legends.fitted(specs.cells.shown(specs.filled(name, rows, values)), WIDTH - AXIS)
        spec = specs.theme.plain_colours(_alone(whole)) | {"width": WIDTH}
        spec["config"].pop("background")  # none is no colour for Altair; the specification has its own
        charts.append(alt.Chart.from_dict(spec))
    return charts


def _element(
    chart: str, head: str, rows: dict[str, list[Json]], values: dict[str, float], elsewhere: str
) -> str:
    specs = importlib.import_module("glassbox.figures.specs")  # not for pages that are read: it needs Altair
    whole = specs.legends.fitted(specs.cells.shown(specs.filled(chart, rows, values)))
    spec = specs.theme.own_colours(_alone(whole))
    spec |= {"usermeta": {"embedOptions": {"renderer": "svg"}}}
    spec["description"] = re.sub(r'.*aria-label="(.*?)".*', r"\1", head, flags=re.S)
    data = {"mime": "application/vnd.vegalite.v6+json", "data": spec}
    pairs = "".join(f" data-{name}='{escape(json.dumps(value))}'" for name, value in data.items())
    return f'<div class="vega native"><marimo-mime-renderer{pairs}><p>{elsewhere}</p></marimo-mime-renderer></div>'


def _alone(spec: Json) -> Json:
    """A specification for a page whose styles are not ours: nothing is cut off or painted over."""
    below = {
        "padding": {"left": 0, "top": 0, "right": 0, "bottom": 4}
    }  # the tails of the last line's letters
    return spec | below | ({"layer": list(_rims_below(spec["layer"]))} if "layer" in spec else {})


_RIM = ("stroke", "strokeWidth", "strokeJoin")


def _rims_below(layers: Iterable[Json]) -> Iterator[Json]:
    """Words that have a rim become a rim and words over it.

    A rim that is painted last covers its word, and no style of ours reaches into marimo's element to say that it
    is painted first.
    """
    for layer in layers:
        yield layer
        mark = layer["mark"]
        if isinstance(mark, dict) and mark.get("type") == "text" and "stroke" in mark:
            yield layer | {"mark": {k: v for k, v in mark.items() if k not in _RIM}}
