"""Takes an Altair chart that a cell shows by itself apart: its specification, and its rows.

A page draws such a chart from rows like any other. What a notebook alone can do is left out: selections by
pointer, and controls that a parameter brings along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import altair as alt

from glassbox.figures.specs import theme

Json = dict[str, Any]

MOST_ROWS = 500  # of the table under the figure
_SEVERAL = {"hconcat", "vconcat", "concat", "facet", "repeat"}


@dataclass(frozen=True)
class Bare:
    """A chart taken apart.

    Attributes:
        spec: The Vega-Lite specification on named data sets, without rows.
        arguments: What ``glassbox.figures.bare.figure`` takes after the chart's name.
    """

    spec: Json
    arguments: tuple[Any, ...]


def is_chart(shown: object) -> bool:
    """Whether a cell's output is an Altair chart."""
    return isinstance(shown, alt.TopLevelMixin)


def taken(chart: Any) -> Bare:
    """Takes a chart apart.

    Raises:
        ValueError: It lacks a title or a description, holds several charts, or its rows are elsewhere.
    """
    with alt.data_transformers.enable("default", max_rows=None), alt.theme.enable("glassbox"):
        spec: Json = chart.to_dict()
    if several := sorted(_SEVERAL & set(spec)):
        raise ValueError(f"it holds several charts ({several[0]}); give each a cell of its own")
    title, sentence = _words(spec.pop("title", "")), _words(spec.pop("description", ""))
    if not (title and sentence):
        lacks = "title" if not title else "description, which is the sentence under its picture"
        raise ValueError(f"it has no {lacks}; write .properties(title=…, description=…)")
    sets = {name: rows for name, rows in spec.pop("datasets", {}).items() if isinstance(rows, list)}
    for number, data in enumerate(_data(spec)):
        if "url" in data:
            raise ValueError(
                f"its rows are at {data['url']}; pages load nothing else, so read them in the cell"
            )
        if isinstance(data.get("values"), list):
            name = f"rows_{number}"
            sets[name] = data.pop("values")
            data["name"] = name
    spec = _still(spec) | {"width": "container"}
    spec["title"] = _measure(spec)
    spec["config"] = theme.config() | spec.get("config", {})
    spec["config"]["mark"] = {**spec["config"]["mark"], "tooltip": {"content": "encoding"}}
    return Bare(spec, (title, sentence, sets, *_table(sets)))


def _words(text: Any) -> str:
    """A title as Altair has it: text, its lines, or a mapping."""
    if isinstance(text, dict):
        text = text.get("text", "")
    return " ".join(map(str, text)) if isinstance(text, list) else str(text)


def _nodes(node: Any) -> Iterator[Json]:
    """Every mapping of a specification, outer ones first."""
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _nodes(child)


def _data(spec: Json) -> list[Json]:
    return [node["data"] for node in _nodes(spec) if isinstance(node.get("data"), dict)]


def _still(node: Any) -> Any:
    """The specification as nobody has touched it: no selections, each condition as it stands at first."""
    if isinstance(node, list):
        return [
            _still(child) for child in node if not (isinstance(child, dict) and _picks(child.get("filter")))
        ]
    if not isinstance(node, dict):
        return node
    if _picks(node.get("condition")):
        chosen = node["condition"]
        rest = {k: v for k, v in node.items() if k != "condition"}
        first = {k: v for k, v in chosen.items() if k not in ("param", "empty")}
        return _still(rest if chosen.get("empty") is False else first)
    copy = {key: _still(child) for key, child in node.items()}
    if "params" in copy:
        params = [{k: v for k, v in p.items() if k != "bind"} for p in node["params"] if "select" not in p]
        copy = {k: v for k, v in copy.items() if k != "params"} | ({"params": params} if params else {})
    return copy


def _picks(condition: Any) -> bool:
    return isinstance(condition, dict) and "param" in condition


def _measure(spec: Json) -> str:
    """What stands over the picture: the title of the first y axis, which then stands nowhere else."""
    for node in _nodes(spec):
        y = node.get("encoding", {}).get("y") if isinstance(node.get("encoding"), dict) else None
        if isinstance(y, dict):
            named = (
                (y.get("axis") or {}).get("title") or y.get("title") or y.get("field") or y.get("aggregate")
            )
            if named:
                y["axis"] = (y.get("axis") or {}) | {"title": None}
                return _words(named)
    return "value"


def _table(sets: dict[str, list[Json]]) -> tuple[list[str], list[list[Any]], str]:
    """The largest data set as columns and rows, and a sentence where not all of it is there."""
    rows = max(sets.values(), key=len, default=[])
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_cell(row.get(name)) for name in columns] for row in rows[:MOST_ROWS]]
    some = f"The table holds the first {MOST_ROWS} of {len(rows):,} rows." if len(rows) > MOST_ROWS else ""
    return columns or ["value"], cells, some


def _cell(value: Any) -> str | int | float:
    if value is None:
        return ""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
