"""Presets: the states of a figure that a chapter's prose, or a guess before it, sends the reader to.

A link of the form ``[Patient has severe chest](?next_word_text=Patient+has+severe+chest#next_word)`` names a
figure and values for its controls; a guess (``page.guess``) names the states that it opens in the same way. A
link opens that state as any link with a query does; the page script sets the controls in place, ``frames``
computes the state ahead, and the teach page offers it.
"""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import parse_qsl, urlencode

from glassbox.publish.pages import controls

Json = dict[str, Any]

MANY = 12  # positions; of more a sentence names the ends
_LINK = re.compile(r'(?:<a [^>]*href| data-opens)="\?([^"#]*)#(\w+)"')


def collect(page: str, figures: list[Json]) -> dict[str, list[Json]]:
    """Finds the presets of some prose.

    Args:
        page: The prose as markup.
        figures: Each with its ``name`` and the descriptions of its ``controls``.

    Returns:
        Figure name to its presets: control name to wire value, in the order of the prose.

    Raises:
        ValueError: A link names an unknown figure or control, or a value that the control cannot take.
    """
    by_name = {f["name"]: {c["name"]: c for c in f["controls"]} for f in figures}
    found: dict[str, list[Json]] = {}
    for query, figure in _LINK.findall(page):
        if figure not in by_name:
            raise ValueError(f"a link goes to #{figure}, but the figures are {', '.join(by_name)}")
        values = {}
        for name, text in parse_qsl(html.unescape(query), keep_blank_values=True, strict_parsing=True):
            if name not in by_name[figure]:
                have = ", ".join(by_name[figure]) or "none"
                raise ValueError(f"a link sets {name} of #{figure}, whose controls are {have}")
            values[name] = wire(by_name[figure][name], text)
        if values not in found.setdefault(figure, []):
            found[figure].append(values)
    return found


def opened(page: str) -> str:
    """The figure that the first link of some markup opens, or nothing."""
    found = _LINK.search(page)
    return found[2] if found else ""


def led_out(picture: str, figure: str, chapter: str) -> str:
    """A figure's picture for a page of its own: links to other figures lead to its chapter, in a new tab.

    Args:
        picture: Its markup.
        figure: Its name; links to its own states stay.
        chapter: The address of the chapter's page.
    """

    def led(found: re.Match[str]) -> str:
        if found[2] == figure:
            return found[0]
        return f'{found[0][:-1].replace("?", f"{chapter}?", 1)}" target="_blank" rel="noopener"'

    return _LINK.sub(led, picture)


def wire(control: Json, text: str) -> Any:
    """The wire value that stands in an address, exactly as the control can take it.

    Raises:
        ValueError: It cannot.
    """
    positions = controls.positions(control)
    if positions is None:
        if control["kind"] == "text":
            return text
        raise ValueError(f"{control['name']} is a button, and a link presses none")
    written = {_written(p): p for p in positions}
    if text not in written:
        raise ValueError(
            f"{control['name']}={text} is no position of this control; it has {_listed(list(written))}"
        )
    return written[text]


def _listed(positions: list[str]) -> str:
    """All of a few positions; of many the first, the last and how many there are."""
    if len(positions) <= MANY:
        return ", ".join(positions)
    return f"{len(positions)} positions, {', '.join(positions[:3])} … {positions[-1]}"


def query(values: Json) -> str:
    """The values as an address carries them, without the question mark."""
    return urlencode({name: _written(v) for name, v in values.items()})


def label(values: Json, specs: list[Json]) -> str:
    """The values in words: each control's label and where it stands."""
    labels = {c["name"]: c["label"] for c in specs}
    return "; ".join(f"{labels[name]}: {_shown(v)}" for name, v in values.items())


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return value if isinstance(value, str) else f"{float(value):,.10g}"


def _written(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
