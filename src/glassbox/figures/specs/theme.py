"""The one Altair theme of all charts: fonts, sizes and colours, named as everywhere else.

A colour is the name of a custom property, so that a chart is light or dark as its page is without being drawn
again. What leaves the site (a file for the Vega editor) gets the palette's light values instead.
"""

from __future__ import annotations

import json
import re
from typing import Any

import altair as alt

from glassbox.figures import palette
from glassbox.figures.style import OWN, PLAIN

Json = dict[str, Any]

SMALL, TEXT = 13, 14  # px, as --figure-small and --figure-text at the usual size


def tone(name: str) -> str:
    """A colour by the name of its property, as a figure names it.

    >>> tone("severe")
    'var(--severe)'
    """
    if name not in palette.properties():
        raise ValueError(f"no colour named {name!r}; the palette has {', '.join(palette.properties())}")
    return f"var(--{name})"


def rimless(spec: Json) -> Json:
    """The same specification without the rim of paper around words.

    Vega paints it over the letters; only a style of the site's pages puts it behind them.
    """
    text = json.dumps(spec)
    bare: Json = json.loads(text, object_hook=_rimless)
    return bare


def _rimless(node: Json) -> Json:
    if node.get("type") != "text":
        return node
    return {key: value for key, value in node.items() if not key.startswith("stroke")}


def own_colours(spec: Json) -> Json:
    """The same specification with names of colours that no host has, for the elements of a notebook."""
    named: Json = json.loads(json.dumps(spec).replace("var(--", f"var(--{OWN}"))
    return named


def plain_colours(spec: Json) -> Json:
    """The same specification with the palette's light colours as numbers, for programs without our properties."""
    pairs = palette.properties()
    text = re.sub(r"var\(--([a-z0-9-]+)\)", lambda m: pairs[m[1]][0], json.dumps(spec))
    plain: Json = json.loads(text)
    return plain | {"background": pairs["paper"][0]}


def config() -> Json:
    """Vega-Lite's configuration."""
    soft, ink, rule = tone("soft"), tone("ink"), tone("rule")
    words = {"labelColor": soft, "titleColor": soft, "labelFontSize": SMALL, "titleFontSize": SMALL}
    return {
        "background": None,
        "font": PLAIN["sans"],
        "padding": 0,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "view": {"stroke": None, "continuousWidth": 640},
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "color": soft,
            "fontSize": SMALL,
            "fontWeight": "normal",
            "offset": 12,
        },
        "axis": {
            **words,
            "titleFontWeight": "normal",
            "domain": False,
            "gridColor": rule,
            "tickColor": soft,
            "tickSize": 5,
            "labelPadding": 6,
            "titlePadding": 6,
            "labelFlush": False,
            "labelOverlap": "greedy",
        },
        "axisX": {"grid": False, "titleAnchor": "start"},
        "axisY": {"ticks": False, "title": None, "labelPadding": 8},
        "legend": {
            **words,
            "titleFontWeight": "normal",
            "labelColor": ink,
            "orient": "top",
            "title": None,
            "symbolStrokeWidth": 2,
            "labelLimit": 0,
        },
        "mark": {"color": tone("accent")},
        "range": {"category": [tone(f"cat-{n}") for n in range(1, len(palette.CATEGORIES) + 1)]},
        "line": {"strokeWidth": 2, "strokeJoin": "round", "strokeCap": "butt"},
        "rule": {"color": soft, "strokeWidth": 1, "strokeDash": [3, 3]},
        "text": {"fontSize": TEXT, "color": soft},
        "point": {"filled": True, "opacity": 1, "size": 64},
        "bar": {"stroke": tone("paper"), "strokeWidth": 1},
        "area": {"opacity": 0.14},
    }


@alt.theme.register("glassbox", enable=True)
def _theme() -> alt.theme.ThemeConfig:
    return alt.theme.ThemeConfig(config=config())  # type: ignore[typeddict-item]
