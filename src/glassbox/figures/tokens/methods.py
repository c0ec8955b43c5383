"""The same text under four methods that learned from the same texts, and what Unigram weighs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Kept, Markup, el
from glassbox.figures.tokens.bricks import (
    about,
    brick,
    cut,
    listed,
    plain_brick,
    problem,
    rtl_note,
    shown,
)
from glassbox.figures.written import plural
from glassbox.tokens import methods as trained
from glassbox.tokens import vocabularies
from glassbox.tokens.pieces import Piece

TITLE = "Four ways to cut"
MAX_CHARACTERS = 160
LABELS = {
    "bytes": ("byte-level BPE", "GPT, Llama 3, Qwen"),
    "fallback": ("BPE with byte fallback", "Llama 2, Gemma"),
    "wordpiece": ("WordPiece", "BERT"),
    "unigram": ("Unigram", "T5, XLM-R"),
}
_UNKNOWN = (b"[UNK]", b"<unk>")
_N_WAYS = 5
_LONGEST = 40  # characters of a word whose ways are weighed


def methods(text: str) -> Figure:
    """Cuts one text in four ways.

    Args:
        text: Any text; the four have seen lower case alone.
    """
    read, note = cut(text, MAX_CHARACTERS)
    if not read.split():
        return problem(TITLE, "Nothing to cut yet: type a word.")
    vocabularies.want("methods")
    found = {name: one.pieces(read) for name, one in trained.load().items()}
    unknown = {name: sum(p.data in _UNKNOWN for p in pieces) for name, pieces in found.items()}
    sentence = f"{plural(len(read.split()), 'word')}: " + ", ".join(
        f"{plural(len(pieces), 'piece')} in {LABELS[name][0]}" for name, pieces in found.items()
    )
    word = max(re.finditer(r"\S+", read), key=lambda m: m.end() - m.start())
    longest = word.group()[:_LONGEST]
    sentence = f"{_differing(longest, ways_of(found, *word.span()))}; {sentence}"
    lost = [LABELS[name][0] for name, n in unknown.items() if n]
    if lost:
        sentence += f"; what {' and '.join(lost)} cannot spell {'is' if len(lost) == 1 else 'are'} unknown"
    ways = trained.weigh(longest, _N_WAYS)
    rows: list[tuple[Cell, ...]] = [
        (LABELS[name][0], len(pieces), unknown[name], listed([p.data for p in pieces]))
        for name, pieces in found.items()
    ]
    rows += [
        (f"Unigram weighs {_percent(w.share)}", len(w.pieces), "", listed([p.encode() for p in w.pieces]))
        for w in ways
    ]
    picture = el(
        "div",
        el("ul", [_row(name, pieces, read) for name, pieces in found.items()], class_="methods-rows"),
        _weighed(longest, ways),
        class_="methods",
    )
    note = (
        f"All four learned 2,000 entries from the same 20,000 words, in lower case. {note} {rtl_note(read)}"
    )
    return Figure(
        TITLE,
        f"{sentence}.",
        picture,
        Table(("method", "pieces", "unknown", "split"), tuple(rows)),
        note=" ".join(note.split()),
    )


def ways_of(found: Mapping[str, Sequence[Piece]], start: int, end: int) -> dict[str, tuple[Kept, ...]]:
    """How each method cuts one word of a text, without the signs for a space before it or a word that goes on.

    Args:
        found: The pieces of the text by method.
        start: Offset of the word's first character.
        end: Offset behind its last.
    """
    return {
        name: tuple(
            bare
            for p in pieces
            if p.end > start and p.start < end
            if (bare := shown(p.data.removeprefix(b"##" if p.start > start else b"").strip(b" ")))
        )
        for name, pieces in found.items()
    }


def _differing(word: str, ways: Mapping[str, tuple[Kept, ...]]) -> str:
    """Says in how many ways the methods cut a word."""
    n, name = len(set(ways.values())), shown(word.encode())
    return f"{name} is cut alike by all four" if n == 1 else f"{name} is cut in {n} different ways"


def _percent(share: float) -> str:
    """A share in percent, to two figures; what is next to nothing is told so."""
    if share < 1e-5:
        return "under 0.001\u00a0%"
    return f"{100 * share:.2g}\u00a0%" if share < 0.995 else f"{100 * share:.2f}\u00a0%"


def _row(name: str, pieces: Sequence[Piece], text: str) -> Markup:
    label, used_by = LABELS[name]
    bricks = [
        brick(p.data, about(p, text), first=n == 0, mark="wrong" if p.data in _UNKNOWN else "")
        for n, p in enumerate(pieces)
    ]
    wall = el("div", bricks, role="row", class_="bricks")
    return el(
        "li",
        el("span", el("b", label), el("small", used_by)),
        el("div", wall, role="grid", aria_label=f"{label}, {len(pieces)} pieces", translate="no"),
        el("b", len(pieces)),
    )


def _weighed(word: str, ways: Sequence[trained.Weighed]) -> Markup:
    """The likeliest ways of one word, each with its share of all."""
    lines = [
        el(
            "li",
            el("span", [plain_brick(p.encode()) for p in way.pieces], class_="bricks", translate="no"),
            el("i", style=f"--share:{100 * way.share:.4g}%"),
            el("b", _percent(way.share)),
        )
        for way in ways
    ]
    head = el(
        "p",
        "What Unigram weighs for ",
        el("b", Kept(word), translate="no"),
        " in the middle of a sentence",
        class_="soft small",
    )
    return el("div", head, el("ol", lines), class_="methods-ways")
