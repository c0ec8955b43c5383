"""One word, from bytes to bricks: the merges in the order they were learned."""

from __future__ import annotations

import functools
import itertools

from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Kept, Markup, el
from glassbox.figures.tokens.bricks import (
    LABELS,
    cut,
    is_rtl,
    listed,
    plain_brick,
    problem,
    rtl_note,
)
from glassbox.figures.written import plural
from glassbox.tokens import bpe, vocabularies

TITLE = "Watch it merge"
MAX_CHARACTERS = 40
STEPS = 16  # of the control; at its end every merge is replayed, however many there are


def merge(word: str, vocabulary: str, step: int) -> Figure:
    """Replays how a vocabulary builds one word, merge by merge.

    Args:
        word: The word, or a short text; a space before it counts.
        vocabulary: A name of ``vocabularies.NAMES``.
        step: How many merges to show, from 0; beyond the last, and from ``STEPS`` on, all.
    """
    read, note = cut(word, MAX_CHARACTERS)
    if not read:
        return problem(TITLE, "Nothing to merge yet: type a word.")
    states = vocabularies.load(vocabulary).replay(read)
    last = len(states) - 1
    step = max(0, min(int(step), last)) if step < STEPS else last
    trace = [list(itertools.chain.from_iterable(state)) for state in states]
    entries = [_entry(_places(vocabulary), trace[n - 1], trace[n]) for n in range(1, last + 1)]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (n, *(entries[n - 1][1:3] if n else ("", "")), len(trace[n]), _spelled(states[n]))
        for n in range(last + 1)
    )
    note += _cuts(LABELS[vocabulary], states[0])
    if step == last and last:
        where = "within a part " if len(states[0]) > 1 else ""
        note += f" No pair that is left {where}was ever merged, so this is how the text is encoded."
    lines = [_line(states[n], entries[n - 1] if n else None, n == step) for n in range(step + 1)]
    return Figure(
        TITLE,
        _sentence(LABELS[vocabulary], trace, step),
        el("ol", lines, class_="merge"),
        Table(("merge", "joins", "learned as number", "pieces", "text"), rows),
        note=f"{note} {rtl_note(read)}".strip(),
    )


def _sentence(name: str, trace: list[list[bytes]], step: int) -> str:
    pieces, last = plural(len(trace[step]), "piece"), len(trace) - 1
    if last == 0:
        return f"{name} has no merge for this: it stays {pieces}."
    n_bytes = plural(len(trace[0]), "byte")
    return f"After {step} of {plural(last, 'merge')} {name} has built {pieces} from {n_bytes}."


def _cuts(name: str, parts: list[list[bytes]]) -> str:
    """Says where the text was cut before any merge, if it was."""
    if len(parts) < 2:
        return ""
    return f" Before any merge {name} cuts this into {len(parts)} parts; no merge joins across such a cut."


def _spelled(parts: list[list[bytes]]) -> Kept:
    """The pieces of a state; a double line stands where the text was cut first."""
    mark = "\u200e" if any(is_rtl(b"".join(part).decode("utf-8", "ignore")) for part in parts) else ""
    return Kept(f"{mark} ‖ {mark}".join(listed(part) for part in parts))


Entry = tuple[bytes, Kept, int]  # the new piece, what was joined, its place in the order of learning


def _entry(places: dict[bytes, int], before: list[bytes], after: list[bytes]) -> Entry:
    """Finds which merge led from one state of the word to the next."""
    at = next(i for i, piece in enumerate(after) if piece != before[i])
    left, right = before[at], before[at + 1]
    place = places[left + right] - bpe.N_BYTES + 1
    return left + right, listed([left, right], " + "), place


@functools.cache
def _places(vocabulary: str) -> dict[bytes, int]:
    """The id of each token by its bytes; the first where two merges made the same bytes."""
    vocab = vocabularies.merges(vocabulary).vocab
    return {data: n for n, data in reversed(list(enumerate(vocab)))}


def _line(parts: list[list[bytes]], entry: Entry | None, current: bool) -> Markup:
    """The text after a merge; what the merge made is marked, and the parts stand apart."""
    said = el("span", "single bytes", class_="merge-said")
    if entry:
        said = el("span", el("b", entry[1], translate="no"), f" merge {entry[2]:,}", class_="merge-said")
    new = entry[0] if entry else None
    drawn = [[plain_brick(piece, "new" if piece == new else "") for piece in part] for part in parts]
    groups = [el("span", part, class_="merge-part") for part in drawn] if len(drawn) > 1 else drawn
    return el("li", el("span", groups, class_="bricks"), said, class_="now" if current else None)
