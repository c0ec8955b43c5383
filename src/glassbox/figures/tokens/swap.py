"""Why a vocabulary cannot be swapped: the ids of one, read with another."""

from __future__ import annotations

from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.tokens.bricks import LABELS, brick, cut, problem, shown
from glassbox.figures.written import plural
from glassbox.tokens import vocabularies

TITLE = "The wrong dictionary"
_MAX = 300


def swap(text: str, written: str, read: str) -> Figure:
    """Encodes a text with one vocabulary and decodes the ids with another.

    Args:
        text: Any text.
        written: The vocabulary that makes the ids.
        read: The vocabulary that reads them.
    """
    kept, note = cut(text, _MAX)
    if not kept:
        return problem(TITLE, "Nothing to read yet: type a text.")
    vocabularies.want(written, read)
    source, target = vocabularies.load(written), vocabularies.load(read)
    pieces = source.pieces(kept)
    back: list[bytes | None] = []
    for piece in pieces:
        try:
            back.append(target.data(piece.id))
        except ValueError:
            back.append(None)
    same = sum(b == p.data for b, p in zip(back, pieces, strict=True))
    unknown = back.count(None)
    sentence = (
        f"{plural(len(pieces), 'id')} written by {LABELS[written]} and read by {LABELS[read]}: "
        f"{same:,} mean the same"
    )
    sentence += f", {unknown:,} do not exist there." if unknown else "."
    columns = [
        _column(p.data, p.id, b, LABELS[written], LABELS[read], first=n == 0)
        for n, (p, b) in enumerate(zip(pieces, back, strict=True))
    ]
    legend = el(
        "div",
        [
            el("span", s, class_="soft small")
            for s in (f"written by {LABELS[written]}", "id", f"read by {LABELS[read]}")
        ],
        class_="swap-column swap-names",
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (shown(p.data), p.id, "no such id" if b is None else shown(b))
        for p, b in zip(pieces, back, strict=True)
    )
    return Figure(
        TITLE,
        sentence,
        el("div", el("div", legend, columns, class_="swap", role="row"), role="grid", aria_label="pieces"),
        Table((f"in {LABELS[written]}", "id", f"in {LABELS[read]}"), rows),
        note=note,
    )


def _column(data: bytes, token: int, back: bytes | None, written: str, read: str, first: bool) -> Markup:
    """One id: what it was, and what the other vocabulary makes of it."""
    was = brick(data, f"id {token:,} is “{shown(data)}” in {written}", first=first)
    if back is None:
        becomes = el("span", "none", class_="swap-none", title=f"{read} has no id {token:,}")
    else:
        becomes = brick(
            back, f"id {token:,} is “{shown(back)}” in {read}", mark="" if back == data else "wrong"
        )
    return el("span", was, el("small", token, translate="no"), becomes, class_="swap-column")
