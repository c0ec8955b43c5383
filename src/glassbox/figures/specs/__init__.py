"""The charts as Altair specifications: named data sets, no rows. For the build, notebooks and the editor.

``glassbox.figures.vega.drawn("attention.quadratic", rows, …)`` is what a figure calls; it sends rows alone and
imports nothing of this package, so that a page that is read never loads Altair.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import altair as alt

from glassbox import chapters
from glassbox.figures.specs import cells, legends, theme, zoom

__all__ = [
    "ListError",
    "Page",
    "cells",
    "filled",
    "for_page",
    "for_pages",
    "legends",
    "lite",
    "names",
    "theme",
    "zoom",
]

Json = dict[str, Any]


class ListError(ValueError):
    """A module of charts does not list its functions; the words say how it would."""


@functools.cache
def _charts(chapter: str) -> dict[str, Callable[[], alt.LayerChart]]:
    """A chapter's charts by name; loaded when asked for, since each needs what its figures need."""
    if importlib.util.find_spec(f"{__name__}.{chapter}") is None:
        return {}
    module = importlib.import_module(f"{__name__}.{chapter}")
    found: dict[str, Callable[[], alt.LayerChart]] | None = getattr(module, "CHARTS", None)
    if found is None:
        raise ListError('it has no list of its charts; end it with CHARTS = {"name": function}')
    if called := [name for name, chart in found.items() if not callable(chart)]:
        raise ListError(
            f"CHARTS names functions; write {called[0]!r}: {called[0]}, without brackets behind it"
        )
    return found


def names(chapter: str) -> tuple[str, ...]:
    """A chapter's charts, as figures name them: ``("attention.quadratic",)``."""
    return tuple(f"{chapter}.{name}" for name in _charts(chapter))


def lite(name: str) -> Json:
    """One chart's Vega-Lite specification, whole: with the theme, a title and a legend.

    Raises:
        ValueError: No chart has this name.
    """
    return _lite(name) | {}


@functools.cache
def _lite(name: str) -> Json:
    chapter, _, chart = name.partition(".")
    if chapter not in chapters.NAMES or chart not in _charts(chapter):
        known = ", ".join(names(chapter)) if chapter in chapters.NAMES else "none of that chapter"
        raise ValueError(f"no chart named {name!r}; there are {known}")
    spec: Json = _charts(chapter)[chart]().to_dict(context={"pre_transform": False})
    spec["config"] = theme.config()
    return spec


def filled(name: str, rows: dict[str, list[Json]], values: dict[str, float]) -> Json:
    """The specification with its rows and the values of its parameters, as any Vega-Lite program reads it."""
    spec = lite(name)
    spec["datasets"] = rows
    spec["params"] = [
        p | {"value": values[p["name"]]} if p["name"] in values else p for p in spec.get("params", [])
    ]
    return spec


@dataclass(frozen=True)
class Page:
    """What a page shows of a chart in HTML, and the rest as a specification.

    Attributes:
        title: What is measured.
        keys: The legend: name, colour, form; that is nothing for a line, ``dash``, or a dot's shape.
        zooms: Whether a reader may bring a part of it closer.
        spec: The specification without both.
    """

    title: str
    keys: tuple[tuple[str, str, str], ...]
    zooms: bool
    spec: Json


def for_pages(name: str) -> Page:
    """Takes title and legend off, which a page writes as text and buttons."""
    return for_page(lite(name))


def for_page(spec: Json) -> Page:
    """The same of a specification at hand."""
    near = zoom.for_page(spec)
    zooms = near is not spec
    spec = near | {"config": dict(spec["config"])}
    title = spec.pop("title", "")
    spec["config"] |= {"aria": False}
    spec["width"] = 640  # the page measures its place itself and says how wide it is
    keys: dict[str, tuple[str, str, str]] = {}
    bare = _bare(spec, keys)
    for param in bare.get("params", []):
        if "select" in param:
            param.pop("bind", None)
            param["select"] = param["select"] | {"on": "glassbox", "clear": False}  # buttons set it
    return Page(title, tuple(keys.values()), zooms, bare)


def _bare(node: Any, keys: dict[str, tuple[str, str, str]]) -> Any:
    """A copy without legends; what they would have said goes into ``keys``."""
    if isinstance(node, list):
        return [_bare(n, keys) for n in node]
    if not isinstance(node, dict):
        return node
    copy = {k: _bare(v, keys) for k, v in node.items()}
    if str(copy.get("name")).startswith("points_"):
        copy["mark"]["size"] = 1  # the page looks for the nearest itself, and a plot makes room for its marks
    for channel in ("color", "fill", "strokeDash", "shape"):
        encoding = copy.get(channel)
        if isinstance(encoding, dict) and encoding.get("legend") is not None and "scale" in encoding:
            copy[channel] = encoding | {"legend": None}
            for key, value in zip(encoding["scale"]["domain"], encoding["scale"]["range"], strict=True):
                name, colour, form = keys.get(key, (key, "", ""))
                if channel == "strokeDash":
                    form = "dash" if value[1] else ""
                elif channel == "shape":
                    form = value
                else:
                    colour = value
                keys[key] = (name, colour, form)
    return copy
