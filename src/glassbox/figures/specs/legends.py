"""Legends that are as wide as their chart at most: Vega lays all names side by side, and cuts off what has no room.

A page writes its legends as buttons (``Page.keys``), which wrap as text does; this is for every other program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]

_SIGN, _LETTER = 34, 7  # px: of a name's sign with the room around it, and of a letter
_CHANNELS = ("color", "fill", "strokeDash", "shape")


def fitted(spec: Json, width: float | None = None) -> Json:
    """The specification with as many names of a legend side by side as there is room for.

    Args:
        spec: A Vega-Lite specification.
        width: Of its plot in px; without it the chart finds out where it is drawn, which one that is part of another
            chart cannot.
    """
    layers = [fitted(layer, width) for layer in spec.get("layer", [])]
    encoding = {
        name: _fitted(told, width) if name in _CHANNELS else told
        for name, told in spec.get("encoding", {}).items()
    }
    return spec | ({"layer": layers} if layers else {}) | ({"encoding": encoding} if encoding else {})


def _fitted(told: Json, width: float | None) -> Json:
    if told.get("legend") is None or "scale" not in told:
        return told
    room = _room(told["scale"]["domain"])
    columns: Any = {"expr": "".join(f"width > {px} ? {n} : " for n, px in room.items()) + "1"}
    if width is not None:
        columns = next((n for n, px in room.items() if width > px), 1)
    return told | {"legend": told["legend"] | {"columns": columns}}


def _room(names: Sequence[str]) -> dict[int, int]:
    """How wide so many names side by side are, in px, from all in one row to two; a column is as wide as its widest.

    >>> _room(["long name", "b", "c", "d"])
    {4: 220, 3: 179, 2: 138}
    """
    wide = [_SIGN + _LETTER * len(name) for name in names]
    return {n: sum(max(wide[at::n]) for at in range(n)) for n in range(len(wide), 1, -1)}
