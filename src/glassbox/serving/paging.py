"""Memory for many requests: one long reserved stretch each, or small blocks on demand.

A contiguous allocator sets aside the longest answer that a request might get, because its cache must lie in
one stretch. Most of that stays empty (internal waste), and between stretches gaps are left that no request
fits into (external waste). A paged allocator hands out blocks of 16 tokens as they are needed; only the last
block of each request has empty slots.

    >>> paged_slots(10_718, block=16)
    10720
    >>> blocks_for(10_718, 16)
    670

Source: Kwon et al. 2023, *Efficient Memory Management for Large Language Model Serving with PagedAttention*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glassbox.costs.fields import check_whole


@dataclass(frozen=True)
class Request:
    """One request: when it comes, how long it may get and how long it really gets, in tokens and steps."""

    name: str
    arrival: int
    prompt: int
    answer: int
    longest: int

    @property
    def departure(self) -> int:
        """The step after its last token; one token a step."""
        return self.arrival + self.answer

    def tokens_at(self, step: int) -> int:
        """Tokens it holds at ``step`` if it was let in."""
        return self.prompt + min(max(step - self.arrival + 1, 0), self.answer)


@dataclass(frozen=True)
class Stretch:
    """A piece of memory in use: from slot ``start``, ``length`` slots, of which ``used`` hold tokens."""

    name: str
    start: int
    length: int
    used: int


@dataclass(frozen=True)
class Memory:
    """The memory at one step.

    Attributes:
        slots: How many tokens fit in all.
        stretches: What is in use.
        turned_away: Names of requests that found no room, so far.
        served: Names of requests that were let in, so far.
    """

    slots: int
    stretches: tuple[Stretch, ...]
    turned_away: tuple[str, ...]
    served: tuple[str, ...]

    @property
    def used(self) -> int:
        """Slots that hold tokens."""
        return sum(s.used for s in self.stretches)

    @property
    def internal_waste(self) -> int:
        """Slots set aside but empty."""
        return sum(s.length - s.used for s in self.stretches)

    @property
    def free(self) -> int:
        """Slots that nobody has."""
        return self.slots - self.used - self.internal_waste

    @property
    def largest_gap(self) -> int:
        """The longest free stretch."""
        edges = sorted((s.start, s.start + s.length) for s in self.stretches)
        starts = [0, *(end for _, end in edges)]
        ends = [*(start for start, _ in edges), self.slots]
        return max(end - start for start, end in zip(starts, ends, strict=True))


def blocks_for(tokens: int, block: int) -> int:
    """Blocks that ``tokens`` tokens need."""
    check_whole(tokens, "tokens", 10**12, low=0)
    check_whole(block, "block", 10**6)
    return -(-tokens // block)


def paged_slots(tokens: int, block: int) -> int:
    """Slots in those blocks."""
    return blocks_for(tokens, block) * block


def requests(seed: int, count: int, longest: int = 64) -> tuple[Request, ...]:
    """Draws requests that may get half to all of ``longest`` tokens and mostly stay far below."""
    check_whole(seed, "seed", 2**32)
    check_whole(count, "count", 500, low=0)
    check_whole(longest, "longest", 4096, low=32)
    rng = np.random.default_rng(seed)
    drawn, arrival = [], 0
    for n in range(count):
        limit = longest * int(rng.integers(2, 5)) // 4
        prompt = int(rng.integers(4, longest // 4))
        answer = int(min(1 + rng.geometric(1 / (longest // 5)), limit - prompt))
        drawn.append(Request(_name(n), arrival, prompt, answer, limit))
        arrival += int(rng.geometric(0.6))
    return tuple(drawn)


def contiguous(asked: Sequence[Request], slots: int, step: int) -> Memory:
    """The memory at ``step`` where every request gets one stretch of its longest length, first fit."""
    check_whole(slots, "slots", 10**6)
    check_whole(step, "step", 10**6, low=0)
    held: list[tuple[Request, int]] = []
    away: list[str] = []
    served: list[str] = []
    for request in asked:
        if request.arrival > step:
            break
        held = [(r, s) for r, s in held if r.departure > request.arrival]
        start = _first_fit([(s, r.longest) for r, s in held], request.longest, slots)
        if start is None:
            away.append(request.name)
        else:
            held.append((request, start))
            served.append(request.name)
    now = [(r, s) for r, s in held if r.departure > step]
    stretches = tuple(Stretch(r.name, s, r.longest, r.tokens_at(step)) for r, s in now)
    return Memory(slots, stretches, tuple(away), tuple(served))


def _first_fit(taken: list[tuple[int, int]], length: int, slots: int) -> int | None:
    start = 0
    for begin, size in sorted(taken):
        if begin - start >= length:
            return start
        start = max(start, begin + size)
    return start if slots - start >= length else None


def paged(asked: Sequence[Request], slots: int, block: int, step: int) -> Memory:
    """The memory at ``step`` where requests take blocks as they grow.

    A request is let in if the blocks that it will really need are free at every step of its life; an engine
    cannot know that and would let it in and, rarely, put one on hold.
    """
    check_whole(slots, "slots", 10**6)
    check_whole(step, "step", 10**6, low=0)
    n_blocks = slots // check_whole(block, "block", slots)
    held: list[Request] = []
    away: list[str] = []
    for request in asked:
        if request.arrival > step:
            break
        fits = all(
            sum(_blocks_at(r, t, block) for r in [*held, request]) <= n_blocks
            for t in range(request.arrival, request.departure)
        )
        if fits:
            held.append(request)
        else:
            away.append(request.name)
    return Memory(slots, _lay_out(held, n_blocks, block, step), tuple(away), tuple(r.name for r in held))


def _blocks_at(request: Request, step: int, block: int) -> int:
    if not request.arrival <= step < request.departure:
        return 0
    return -(-request.tokens_at(step) // block)


def _lay_out(held: list[Request], n_blocks: int, block: int, step: int) -> tuple[Stretch, ...]:
    """Replays who took which block, so that a block stays where it is while it is in use."""
    owner: list[str | None] = [None] * n_blocks
    for t in range(step + 1):
        for r in held:
            if r.departure == t:
                owner = [None if o == r.name else o for o in owner]
        for r in held:
            for _ in range(_blocks_at(r, t, block) - owner.count(r.name)):
                owner[owner.index(None)] = r.name
    tokens = {r.name: r.tokens_at(step) for r in held}
    stretches = []
    for n, name in enumerate(owner):
        if name is not None:
            used = min(block, tokens[name])
            tokens[name] -= used
            stretches.append(Stretch(name, n * block, block, used))
    return tuple(stretches)


def _name(n: int) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return letters[n % 26] + (str(n // 26) if n >= 26 else "")
