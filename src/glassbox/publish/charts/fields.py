"""Compares what a chart draws with the rows that its figure sends: for a wrong name Vega draws nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def missing(spec: Json, rows: dict[str, list[Json]]) -> str | None:
    """What is wrong between a chart and its rows, as the end of a sentence, or ``None``.

    Args:
        spec: A Vega-Lite specification on named data sets.
        rows: The rows of each set. Columns of a set without rows are not known, and not looked at.
    """
    drawn = list(_drawn(spec, "", frozenset()))
    sets = {name for name, _, _ in drawn if name}
    for name in rows:
        if name not in sets:
            return f"has no data set “{name}”; it has {_listed(sets)}"
    for name, field, made in drawn:
        columns = {column for row in rows.get(name, []) for column in row}
        if columns and field and field not in columns | made:
            return f"draws “{field}” of “{name}”, whose rows have {_listed(columns)}"
    return None


def _drawn(part: Json, data: str, made: frozenset[str]) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Each field that a part draws (or ""), with its data set and the columns that transforms add to that."""
    data = part.get("data", {}).get("name", data)
    made |= frozenset(_made(part.get("transform", [])))
    for channel in part.get("encoding", {}).values():
        for one in channel if isinstance(channel, list) else [channel]:
            if isinstance(field := one.get("field"), str):
                yield data, field, made
    if not part.get("encoding"):
        yield data, "", made  # its marks are all alike
    for inner in part.get("layer", []):
        yield from _drawn(inner, data, made)


def _made(transforms: list[Json]) -> Iterator[str]:
    """The columns that transforms add."""
    for transform in transforms:
        for value in _named(transform):
            yield from [value] if isinstance(value, str) else value
        if "fold" in transform and "as" not in transform:
            yield from ("key", "value")


def _named(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        if "as" in value:
            yield value["as"]
        for inner in value.values():
            yield from _named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named(inner)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"
