"""The small pictures that rows carry, for a notebook: what is pointed at shows them in its tooltip there too.

A page draws a row's ``cells``, a digit for the shade of each cell of a triangle, itself. Vega's own tooltip shows
a picture where the field is called ``image`` and holds an address, so here the digits become one.
"""

from __future__ import annotations

import base64
import itertools
from typing import Any

from glassbox.figures import palette

Json = dict[str, Any]

SIDE = 104  # px
_STEPS = len(palette.SCALE) - 1
_COLOUR = palette.SCALE[4][0]  # in shades of one colour, which may lie on light and dark


def shown(spec: Json) -> Json:
    """The specification with a picture in the tooltip of every mark whose row has cells."""
    sets = {
        name: [row | {"image": image(row["cells"])} if row.get("cells") else row for row in rows]
        for name, rows in spec["datasets"].items()
    }
    carry = {name for name, rows in sets.items() if any("image" in row for row in rows)}
    if not carry:
        return spec
    layers = [_with_image(layer) if layer["data"]["name"] in carry else layer for layer in spec["layer"]]
    return spec | {"datasets": sets, "layer": layers}


def _with_image(layer: Json) -> Json:
    told = layer["encoding"].get("tooltip")
    if not isinstance(told, list):
        return layer
    channel = {"field": "image", "type": "nominal", "title": "image"}
    return layer | {"encoding": layer["encoding"] | {"tooltip": [*told, channel]}}


def image(cells: str) -> str:
    """The address of a picture that holds its own content.

    Args:
        cells: The shades of a triangle's cells, row by row, each from 0 for none to 6 for full.

    Raises:
        ValueError: They are no triangle.
    """
    n = next(n for n in itertools.count() if n * (n + 1) // 2 >= len(cells))
    if n * (n + 1) // 2 != len(cells):
        raise ValueError(f"{len(cells)} cells are no triangle; one of {n} rows has {n * (n + 1) // 2}")
    places = ((y, x) for y in range(n) for x in range(y + 1))
    drawn = "".join(
        f'<path d="M{x} {y}h1v1h-1z" fill-opacity="{0.08 + 0.92 * int(shade) / _STEPS:.2f}"/>'
        for (y, x), shade in zip(places, cells, strict=True)
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}" viewBox="0 0 {n} {n}" '
        f'fill="{_COLOUR}" shape-rendering="crispEdges">{drawn}</svg>'
    )
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
