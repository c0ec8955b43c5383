"""One word, from bytes to bricks: the merges in the order they were learned."""

from __future__ import annotations

import functools

from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.tokens.bricks import LABELS, cut, plain_brick, plural, problem, shown
from glassbox.tokens import bpe, vocabularies

TITLE = "Watch it merge"
MAX_CHARACTERS = 40
MAX_STEPS = 24


def merge(word: str, vocabulary: str, step: int) -> Figure:
    """Replays how a vocabulary builds one word, merge by merge.

    Args:
        word: The word; a space before it counts.
        vocabulary: A name of ``vocabularies.NAMES``.
        step: How many merges to show, from 0; beyond the last it stays at the last.
    """
    read, note = cut(word, MAX_CHARACTERS)
    if not read:
        return problem(TITLE, "Nothing to merge yet: type a word.")
    try:
        trace = vocabularies.merges(vocabulary).trace(read)
    except ValueError as error:
        return problem(TITLE, f"This word cannot be merged: {error}.")
    last = len(trace) - 1
    step = max(0, min(int(step), last))
    entries = [_entry(_places(vocabulary), trace[n - 1], trace[n]) for n in range(1, last + 1)]
    now = trace[step]
    if last == 0:
        sentence = f"{LABELS[vocabulary]} has no merge for this: it stays {plural(len(now), 'piece')}."
    else:
        sentence = (
            f"After {step} of {plural(last, 'merge')} {LABELS[vocabulary]} has built "
            f"{plural(len(now), 'piece')} from {plural(len(trace[0]), 'byte')}."
        )
    if step == last and last:
        note += " No pair that is left was ever merged, so this is how the word is encoded."
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (n, *(entries[n - 1][1:3] if n else ("", "")), len(trace[n]), " | ".join(map(shown, trace[n])))
        for n in range(last + 1)
    )
    return Figure(
        TITLE,
        sentence,
        el("ol", [_line(trace, entries, n, n == step) for n in range(step + 1)], class_="merge"),
        Table(("merge", "joins", "learned as number", "pieces", "word"), rows),
        note=note.strip(),
    )


Entry = tuple[bytes, str, int]  # the new piece, what was joined, its place in the order of learning


def _entry(places: dict[bytes, int], before: list[bytes], after: list[bytes]) -> Entry:
    """Finds which merge led from one state of the word to the next."""
    at = next(i for i, piece in enumerate(after) if piece != before[i])
    left, right = before[at], before[at + 1]
    place = places[left + right] - bpe.N_BYTES + 1
    return left + right, f"{shown(left)} + {shown(right)}", place


@functools.cache
def _places(vocabulary: str) -> dict[bytes, int]:
    """The id of each token by its bytes; the first where two merges made the same bytes."""
    vocab = vocabularies.merges(vocabulary).vocab
    return {data: n for n, data in reversed(list(enumerate(vocab)))}


def _line(trace: list[list[bytes]], entries: list[Entry], n: int, current: bool) -> Markup:
    """The word after n merges; what the merge made is marked."""
    new = entries[n - 1][0] if n else None
    drawn = [plain_brick(piece, "new" if piece == new else "") for piece in trace[n]]
    if n:
        _, joined, place = entries[n - 1]
        said = el("span", el("b", joined), f" merge {place:,}", class_="merge-said")
    else:
        said = el("span", "single bytes", class_="merge-said")
    word = el("span", drawn, class_="bricks")
    return el("li", word, said, class_="now" if current else None)
