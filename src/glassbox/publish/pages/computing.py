"""Runs one figure over the states that are computed ahead, by the page's own ``Runner``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from glassbox.figures import Figure, Work, subject
from glassbox.page import bridge
from glassbox.page.bridge import parts
from glassbox.page.runner import Runner
from glassbox.publish.pages import covering, failure, packing, pressing
from glassbox.publish.pages.ahead import Ahead

Json = dict[str, Any]

_PARTS = "\x1f"  # separates the parts of one state's string


FEW = 12  # states of a control, or of all together, that are computed with a model larger than ours


def ahead(program: Json, name: str, linked: Sequence[Json], model: Path | None = None) -> Ahead:
    """Computes one figure: its title, its first state, and all states packed.

    Args:
        program: What answers it.
        name: The figure.
        linked: The states that the prose links to.
        model: A folder with a checkpoint that is shown in the place of the shipped model.
    """
    if model is None:
        return _ahead(program, name, compute(program, name, linked))
    try:
        subject.use(subject.read(model))
        return _ahead(program, name, compute(program, name, linked, few=True))
    except RefusedError as error:
        said = f"{subject.model().name} cannot be shown here: {error}."
        subject.use(None)
        return _ahead(program, name, compute(program, name, (), few=True), {"stays": said})
    finally:
        subject.use(None)


def _ahead(program: Json, name: str, packed: Json, whose: Json | None = None) -> Ahead:
    runner = Runner(program)
    output = runner.output(name, {})
    shown = output.last() if isinstance(output, Work) else output
    found = bridge.whose(runner, name, isinstance(output, Work)) if whose is None else whose
    return Ahead.of(shown.title, packed["base"].split(_PARTS), packed, found)


class RefusedError(ValueError):
    """A figure does not show this model in its first state; the words are the figure's own."""


def compute(program: Json, name: str, linked: Sequence[Json] = (), few: bool = False) -> Json:
    """Computes one figure's states and packs them as differences from the first.

    Args:
        program: What answers it.
        name: The figure.
        linked: The states that the prose links to.
        few: Take few states, and leave out those that the model does not have: it is not the one the notebook
            was written with.

    Raises:
        RefusedError: With ``few``, the figure does not show this model at all.
        PressError: An element of a picture sets a control that the figure does not have.
    """
    runner = Runner(program)
    figure = next(f for f in program["figures"] if f["name"] == name)
    specs = [c for wanted in figure["controls"] for c in program["controls"] if c["name"] == wanted]
    names = [c["name"] for c in specs]
    start = {c["name"]: c["value"] for c in specs}
    if few:
        _ask(runner, name, start)
    first = _shown(runner, name, specs, start)
    pressed = pressing.ahead(name, str(first.picture))
    texts: dict[str, str] = {}
    most = (FEW, FEW) if few else ()
    for values in covering.choose(specs, [*linked, *pressed[: FEW if few else None]], *most):
        asked = dict(zip(names, values, strict=True))
        try:
            shown = first if not texts else _shown(runner, name, specs, asked)
        except ValueError:
            if not few:
                raise
            continue
        texts[key(values)] = _PARTS.join(parts(shown))
    covers = f"{len(texts)} states" if few else covering.covered(specs, linked)
    return {"controls": names, "covers": covers, **packing.pack(texts)}


def _ask(runner: Runner, name: str, asked: Json) -> None:
    try:
        runner.figure(name, asked)
    except ValueError as error:
        raise RefusedError(str(error)) from error


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
