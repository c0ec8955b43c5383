"""Says which states of a figure are computed ahead.

One control: every position up to 201; several: the whole grid up to 400 states, else each control moved alone
from the defaults, and in any case every state that the prose links to (``presets``) or the first picture asks
for (``pressing.ahead``). Text counts with its
default and those; a button is unpressed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from glassbox.publish.pages import controls

Json = dict[str, Any]

MAX_POSITIONS = 201
MAX_GRID = 400


def choose(
    specs: list[Json], linked: Sequence[Json] = (), positions: int = MAX_POSITIONS, grid: int = MAX_GRID
) -> list[tuple[Any, ...]]:
    """Lists the control values to compute, the defaults first.

    Args:
        specs: The controls.
        linked: The presets: control name to value, the others at their defaults.
        positions: Most positions of one control.
        grid: Most states of several controls together.

    >>> choose([{"name": "a", "kind": "switch", "value": True}, {"name": "b", "kind": "text", "value": ""}],
    ...        [{"b": "word"}])
    [(True, ''), (False, ''), (True, 'word')]
    """
    defaults = tuple(c["value"] for c in specs)
    finite = [controls.positions(c) for c in specs]
    options = [p if p is not None else [c["value"]] for p, c in zip(finite, specs, strict=True)]
    size = 1
    for values in options:
        size *= len(values)
    if size <= (positions if sum(len(o) > 1 for o in options) == 1 else grid):
        rest = [s for s in itertools.product(*options) if s != defaults]
    else:
        rest = [s for s in _one_at_a_time(defaults, options, positions) if s != defaults]
    rest += [tuple(p.get(c["name"], c["value"]) for c in specs) for p in linked]
    return list(dict.fromkeys([defaults, *rest]))


def _one_at_a_time(
    defaults: tuple[Any, ...], options: list[list[Any]], most: int
) -> Iterator[tuple[Any, ...]]:
    for i, values in enumerate(options):
        thin = values if len(values) <= most else values[:: -(-len(values) // most)]
        for value in thin:
            yield (*defaults[:i], value, *defaults[i + 1 :])


def covered(specs: list[Json], linked: Sequence[Json] = ()) -> str:
    """Says in a few words which states are computed ahead."""
    more = len(choose(specs, linked)) - len(choose(specs))
    return _moved(specs) + (f" and {more} linked state{'s' if more > 1 else ''}" if more else "")


def missed(specs: list[Json]) -> str:
    """Says of a figure with somewhat more states than are all computed ahead what that changes, else nothing.

    >>> one = {"name": "a", "kind": "slider", "start": 1, "stop": 4, "step": 1, "value": 1}
    >>> missed([one, one | {"name": "b", "stop": 101}])  # doctest: +ELLIPSIS
    'its controls have 404 combinations; up to 400, all are computed ahead, beyond that each control...
    """
    moving, whole = _moving(specs)
    if len(moving) < 2 or not MAX_GRID < whole <= 2 * MAX_GRID:
        return ""
    known = f"up to {MAX_GRID}, all are computed ahead, beyond that each control moved alone"
    return (
        f"its controls have {whole} combinations; {known} ({len(choose(specs))} states), and the others wait "
        "for Python. With fewer positions all of them would be there at once."
    )


def _moving(specs: list[Json]) -> tuple[list[Json], int]:
    """The controls that have more than one position, and how many combinations they make."""
    moving = [c for c in specs if (controls.positions(c) or [None])[1:]]
    return moving, math.prod(len(controls.positions(c) or []) for c in moving)


def _moved(specs: list[Json]) -> str:
    moving, whole = _moving(specs)
    if not moving:
        return "the first state"
    if len(moving) == 1:
        return "every position" if whole <= MAX_POSITIONS else f"{MAX_POSITIONS} positions"
    return f"all {whole} combinations" if whole <= MAX_GRID else "each control moved alone from the start"
