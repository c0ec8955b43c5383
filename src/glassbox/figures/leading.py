"""Ways from one figure to another of its chapter, which they set: links in pictures, and marks that are pressed.

>>> address("heads", heads_open="layer 1, head 2")
'?heads_open=layer+1%2C+head+2#heads'
"""

from __future__ import annotations

import json
from urllib.parse import urlencode

from glassbox.figures.markup import Markup, el


def address(figure: str, **values: str) -> str:
    """The address of a figure of the same chapter in a state, as prose has it: its name, and its controls."""
    return f"?{urlencode(values)}#{figure}"


def link(words: str, figure: str, **values: str) -> Markup:
    """A line with a link to a figure of the same chapter in a state."""
    return el("p", el("a", words, href=address(figure, **values)), class_="lead-on")


def pressed(sends: str = "", **sets: object) -> dict[str, str]:
    """What a row of a chart does when its mark is pressed.

    Args:
        sends: The ``address`` of another figure, which is set as well where it stands on the same page.
        **sets: The figure's own controls, without its name in front.
    """
    return {"set": json.dumps(sets)} | ({"sends": sends} if sends else {})
