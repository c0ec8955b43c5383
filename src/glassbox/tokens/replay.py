"""How a text is built from its bytes: the merges in the order in which encoding applies them.

    >>> find = {(97, 98): 256, (256, 99): 257}.get
    >>> replay([[97, 98, 99], [97, 98]], find)
    [[[97, 98, 99], [97, 98]], [[256, 99], [256]], [[257], [256]]]

A tokenizer cuts a text into parts before it merges anything, and no merge joins across such a cut.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

ORDER = 24  # bits
ID = (1 << ORDER) - 1  # an id; where ids do not stand in the order of learning, that order stands above it

Pair = tuple[int, int]
State = list[list[int]]  # the ids of each part


def replay(parts: Sequence[Sequence[int]], find: Callable[[Pair], int | None]) -> list[State]:
    """Merges the parts of a text, the earliest learned pair first, from the left.

    Args:
        parts: The ids of each part's single bytes.
        find: The id that a pair of neighbours becomes, None where it was never merged. The smallest comes
            first; above its lowest ``ORDER`` bits it may hold another order than that of the ids.

    Returns:
        The state at the start and after each merge; a merge joins every place where it can.
    """
    now: State = [list(part) for part in parts]
    states, last = [now], None
    while found := _next(now, find):
        new_id, part, at = found
        now = [list(ids) for ids in now]
        now[part][at : at + 2] = [new_id & ID]
        if new_id == last:
            states.pop()
        states.append(now)
        last = new_id
    return states


def _next(parts: State, find: Callable[[Pair], int | None]) -> tuple[int, int, int] | None:
    """The smallest id that two neighbours can become, and the first place: part and index."""
    places = (
        (new_id, part, at)
        for part, ids in enumerate(parts)
        for at, pair in enumerate(itertools.pairwise(ids))
        if (new_id := find(pair)) is not None
    )
    return min(places, default=None)
