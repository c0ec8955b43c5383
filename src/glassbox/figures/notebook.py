"""What a figure tells marimo's page besides its picture: which controls it follows, and the script that sets them.

With it a link of the prose such as ``[a mix](?paint_severe=80#paint)`` moves its figure while the chapter is being
written, and so does what is pressed in a picture. marimo has no way for that of its own: it knows its controls by
numbers alone. Nothing of marimo is imported here; where it does not run, there is nothing to tell.
"""

from __future__ import annotations

import base64
import functools
import sys
from importlib import resources
from typing import Any

from glassbox.figures.markup import Markup, el


def follows() -> dict[str, str]:
    """The controls of the cell that marimo is showing: name to the number that marimo's page knows it by.

    Returns:
        The controls that the cell, or a cell that it needs, refers to; nothing outside marimo's server.
    """
    types = sys.modules.get("marimo._runtime.context.types")
    context: Any = types.safe_get_context() if types else None
    cell = context and context.cell_id
    if not cell or cell not in context.graph.cells:
        return {}
    graph = context.graph
    names = {ref for one in (cell, *graph.ancestors(cell)) for ref in graph.cells[one].refs}
    known = {name: getattr(context.globals.get(name), "_id", None) for name in sorted(names)}
    return {name: str(number) for name, number in known.items() if number is not None}


def listening() -> Markup:
    """The script, which marimo's page loads once, however many figures bring it."""
    return el("script", src=_address())


@functools.lru_cache(maxsize=1)
def _address() -> str:
    code = resources.files("glassbox.figures").joinpath("notebook.js").read_bytes()
    return f"data:text/javascript;base64,{base64.b64encode(code).decode()}"
