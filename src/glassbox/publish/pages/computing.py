"""Runs one figure over the states that are computed ahead, by the page's own ``Runner``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from glassbox.figures import Figure
from glassbox.page.bridge import parts
from glassbox.page.runner import Runner
from glassbox.publish.pages import covering, failure, packing, pressing
from glassbox.publish.pages.ahead import Ahead

Json = dict[str, Any]

_PARTS = "\x1f"  # separates the parts of one state's string


def ahead(program: Json, name: str, linked: Sequence[Json]) -> Ahead:
    """Computes one figure: its title, its first state, and all states packed."""
    packed = compute(program, name, linked)
    return Ahead.of(Runner(program).figure(name, {}).title, packed["base"].split(_PARTS), packed)


def compute(program: Json, name: str, linked: Sequence[Json] = ()) -> Json:
    """Computes one figure's states and packs them as differences from the first.

    Raises:
        PressError: An element of a picture sets a control that the figure does not have.
    """
    runner = Runner(program)
    figure = next(f for f in program["figures"] if f["name"] == name)
    specs = [c for wanted in figure["controls"] for c in program["controls"] if c["name"] == wanted]
    names = [c["name"] for c in specs]
    first = _shown(runner, name, specs, {c["name"]: c["value"] for c in specs})
    pressed = pressing.ahead(name, str(first.picture))
    texts: dict[str, str] = {}
    for values in covering.choose(specs, [*linked, *pressed]):
        shown = _shown(runner, name, specs, dict(zip(names, values, strict=True)))
        texts[key(values)] = _PARTS.join(parts(shown))
    return {"controls": names, "covers": covering.covered(specs, linked), **packing.pack(texts)}


def _shown(runner: Runner, name: str, specs: list[Json], asked: Json) -> Figure:
    """One state, whose picture sets nothing that the page could not set."""
    try:
        shown = runner.figure(name, asked)
    except Exception as error:
        raise ValueError(failure.sentence(error, name, asked)) from error
    pressing.check(name, specs, str(shown.picture))
    return shown


def key(values: tuple[Any, ...]) -> str:
    """The state's key: the wire values as compact JSON, as the page script writes it."""
    return json.dumps([_plain(v) for v in values], ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
