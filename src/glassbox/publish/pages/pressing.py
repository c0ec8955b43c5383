"""What a picture's elements set when they are pressed must be controls of the figure, and values they take.

A picture writes a control's short name, ``data-set='{"severe": 30}'`` in the figure ``paint``; the page adds
the figure's name, as in ``paint_severe``. An element with ``data-ahead`` after it asks the build to compute
ahead where a press leads from the first state; this is for text, whose states the build cannot know.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

from glassbox.figures import vega
from glassbox.page import controls

Json = dict[str, Any]

_SETS = re.compile(r'data-set="([^"]+)"')
_LEADS = re.compile(r'href="(\?[^"#]*#\w+)"')
_AHEAD = re.compile(r'data-set="([^"]+)" data-ahead')


class PressError(ValueError):
    """A pressable element sets a control that is not there, or a value that the control does not take."""


def check(figure: str, specs: list[Json], picture: str) -> None:
    """Checks every pressable element of one picture.

    Args:
        figure: The figure's name.
        specs: Its controls, as in the chapter's program.
        picture: Its markup.

    Raises:
        PressError: One sets what the page could not set; the sentence names both sides.
    """
    known = {spec["name"]: spec for spec in specs}
    for found in sorted({html.unescape(s) for s in _SETS.findall(picture)} | set(_marks(picture, "set"))):
        for short, wire in json.loads(found).items():
            name = f"{figure}_{short}"
            if name not in known:
                there = ", ".join(known) or "none"
                raise PressError(
                    f"figure “{figure}” has elements that set “{short}” when pressed, so the notebook needs "
                    f"a control named {name}; the figure's controls are: {there}. Rename one of the two."
                )
            _take(figure, known[name], wire)


def sent(picture: str) -> list[str]:
    """The addresses of other figures that a picture leads to: its links, and the marks of its charts."""
    return sorted({html.unescape(a) for a in _LEADS.findall(picture)} | set(_marks(picture, "sends")))


def _marks(picture: str, field: str) -> list[str]:
    rows = (row for _, sets, _ in vega.found(picture) for data in sets.values() for row in data)
    return [row[field] for row in rows if row.get(field)]


def ahead(figure: str, picture: str) -> list[Json]:
    """The states that the first picture wants computed ahead: where its elements with ``data-ahead`` lead.

    Args:
        figure: The figure's name.
        picture: The markup of its first state.

    Returns:
        For each, control name to wire value; the other controls stand at their defaults.
    """
    found = (json.loads(html.unescape(sets)) for sets in _AHEAD.findall(picture))
    return [{f"{figure}_{short}": wire for short, wire in one.items()} for one in found]


def _take(figure: str, spec: Json, wire: Any) -> None:
    try:
        taken = controls.value(spec, wire)
    except ValueError as error:
        raise PressError(
            f"an element of figure “{figure}” sets a value when pressed, but {error}."
        ) from error
    if spec["kind"] in ("slider", "number") and abs(float(taken) - float(wire)) > 1e-9:
        raise PressError(
            f"an element of figure “{figure}” sets {spec['name']} to {wire} when pressed; the nearest that "
            f"this control takes is {taken}."
        )
