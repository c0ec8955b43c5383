"""A chart that a reader may bring closer: a selection bound to its scales, as Altair has it.

    near = zoom.selection()
    x, y = …
    layers = zoom.within(near, layer, …)  # a mark beyond the part that is shown is left out
    parts.chart(*layers, …).add_params(near)

A notebook has it as Vega-Lite knows it: drag to move, turn the wheel with Ctrl, press twice for the whole. A page
draws boxes, has buttons and listens to keys (``site/js/zoom.js``), so it gets the ends of both axes instead, as
parameters that it sets.
"""

from __future__ import annotations

from typing import Any

import altair as alt

Json = dict[str, Any]

_ENDS = {"x": "zoom_x", "y": "zoom_y"}  # of an axis: its two ends on a page, or null for all of it


def selection() -> alt.Parameter:
    """What a reader brings closer; nothing at first."""
    return alt.selection_interval(
        name="zoom", bind="scales", encodings=["x", "y"], zoom="wheel![event.ctrlKey]"
    )


def within(near: alt.Parameter, *layers: alt.Chart) -> list[alt.Chart]:
    """The layers without the marks that lie beyond what is shown."""
    return [layer.transform_filter(near) for layer in layers]


def for_page(spec: Json) -> Json:
    """The specification with the ends of its axes as parameters in place of such a selection."""
    near = [p["name"] for p in spec.get("params", []) if p.get("bind") == "scales"]
    if not near:
        return spec
    kept = [p for p in spec["params"] if p["name"] not in near]
    ends = [{"name": name, "value": None} for name in _ENDS.values()]
    return spec | {"params": kept + ends, "layer": [_layer(layer, near[0]) for layer in spec["layer"]]}


def _layer(layer: Json, near: str) -> Json:
    encoding = dict(layer["encoding"])
    ends = {channel: name for channel, name in _ENDS.items() if "field" in encoding.get(channel, {})}
    for channel, name in ends.items():
        scale = encoding[channel]["scale"] | {"domainRaw": {"expr": name}}
        encoding[channel] = encoding[channel] | {"scale": scale}
    inside = " && ".join(
        f"(!{name} || inrange(datum[{encoding[channel]['field']!r}], {name}))"
        for channel, name in ends.items()
    )
    transform = [
        {"filter": inside} if step == {"filter": {"param": near}} else step for step in layer["transform"]
    ]
    return layer | {"encoding": encoding, "transform": transform}
