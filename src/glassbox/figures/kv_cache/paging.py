"""Requests come and go in two memories: one gives each a long stretch, the other blocks."""

from __future__ import annotations

import functools

from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import plural
from glassbox.serving import paging as simulator

TITLE = "One memory, two ways to share it out"
SLOTS, ROW, SEED, COUNT, LAST_STEP = 256, 32, 9, 40, 60
BLOCKS = (4, 8, 16, 32)


@functools.lru_cache(maxsize=1)
def asked() -> tuple[simulator.Request, ...]:
    """The requests, the same in every state."""
    return simulator.requests(SEED, COUNT)


def paging(step: int = 36, block: int = 8) -> Figure:
    """Both memories at one step.

    Args:
        step: Steps since the start; every request in memory gets one token a step.
        block: Slots in a block.
    """
    step = min(max(int(step), 0), LAST_STEP)
    one_of("block", block, BLOCKS)
    whole = simulator.contiguous(asked(), SLOTS, step)
    pages = simulator.paged(asked(), SLOTS, block, step)
    sentence = (
        f"At step {step} long stretches hold tokens in {_share(whole.used)} of memory and have turned away "
        f"{plural(len(whole.turned_away), 'request')}; blocks of {block} hold "
        f"{_share(pages.used)} and turned away {len(pages.turned_away) or 'none'}."
    )
    picture = el(
        "div",
        _side("One long stretch each", whole),
        _side(f"Blocks of {block}", pages),
        el(
            "p",
            el("i", class_="used"),
            "token ",
            el("i", class_="empty"),
            "set aside, empty ",
            el("i"),
            "free",
            class_="small soft paging-key",
        ),
        class_="paging",
    )
    columns = (
        "memory",
        "in use",
        "tokens",
        "set aside but empty",
        "free",
        "longest free stretch",
        "let in",
        "turned away",
    )
    rows = tuple(
        (
            name,
            len({s.name for s in m.stretches}),
            m.used,
            m.internal_waste,
            m.free,
            m.largest_gap,
            len(m.served),
            len(m.turned_away),
        )
        for name, m in (("long stretches", whole), (f"blocks of {block}", pages))
    )
    note = (
        "A request that finds no room is turned away here; a real engine would let it wait. Blocks are given as if "
        "the engine knew when each answer ends; a real one lets requests in, and when blocks run out it puts one on hold."
    )
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=note)


def _share(slots: int) -> str:
    return f"{100 * slots / SLOTS:.0f}\u00a0%"


def _side(title: str, memory: simulator.Memory) -> Markup:
    facts = (
        f"{memory.used} tokens, {memory.internal_waste} slots set aside and empty, {memory.free} free"
        f" (longest stretch {memory.largest_gap})"
    )
    away = ", ".join(memory.turned_away) or "none"
    return el(
        "div",
        el("p", el("b", title), el("span", facts, class_="soft small")),
        el("ol", [el("li", row) for row in _rows(memory)]),
        el("p", el("span", "turned away: ", class_="soft"), el("b", away), class_="small"),
    )


def _rows(memory: simulator.Memory) -> list[list[Markup]]:
    """The slots in lines of ``ROW``, as pieces that each carry a length, a state and a name."""
    state: list[tuple[str, str]] = [("", "")] * memory.slots
    for s in memory.stretches:
        for n in range(s.length):
            state[s.start + n] = (s.name, "used" if n < s.used else "empty")
    starts = {s.start for s in memory.stretches}
    rows = []
    for begin in range(0, memory.slots, ROW):
        pieces, at = [], begin
        while at < begin + ROW:
            end = at + 1
            while end < begin + ROW and state[end] == state[at] and end not in starts:
                end += 1
            pieces.append(_piece(*state[at], end - at))
            at = end
        rows.append(pieces)
    return rows


def _piece(name: str, kind: str, length: int) -> Markup:
    tone = 1 + (ord(name[0]) - 65) % 6 if name else 0
    style = f"--n:{length}" + (f";--c:var(--cat-{tone})" if name else "")
    label = name if kind == "used" and length > 1 else ""
    return el("i", label, class_=kind or None, style=style)
