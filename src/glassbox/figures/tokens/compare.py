"""The same text in several vocabularies, one under the other, aligned by character."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.tokens import texts
from glassbox.figures.tokens.bricks import (
    LABELS,
    TONES,
    about,
    cut,
    is_partial,
    listed,
    problem,
    rtl_note,
)
from glassbox.figures.written import plural
from glassbox.tokens import vocabularies
from glassbox.tokens.pieces import Piece

TITLE = "Side by side"
MAX_CHARACTERS = 700
SETS = {
    "GPT-2, cl100k, o200k": ["gpt2", "cl100k_base", "o200k_base"],
    "GPT-2, o200k, Tekken, Qwen": ["gpt2", "o200k_base", "tekken", "qwen"],
    "everyday and clinical": ["everyday", "clinical"],
    "GPT-2 and clinical": ["gpt2", "clinical"],
    "all five": ["gpt2", "cl100k_base", "o200k_base", "everyday", "clinical"],
    "all seven": [*vocabularies.NAMES],
}


def compare(chosen: str, own: str, names: Sequence[str]) -> Figure:
    """Lays the same text out in several vocabularies and marks where they differ.

    Args:
        chosen: One of ``texts.CHOICES``.
        own: The reader's text, read when the choice says so.
        names: The vocabularies, from top to bottom.
    """
    one_of("chosen", chosen, texts.CHOICES)
    text, note = cut(texts.text_of(chosen, own), MAX_CHARACTERS)
    if not text:
        return problem(TITLE, "Nothing to compare yet: type a text, or choose one from the list.")
    vocabularies.want(*names)
    rows = [vocabularies.load(name).pieces(text) for name in names]
    stretches = common_stretches(rows, len(text))
    differing = sum(not _agree(rows, stretch) for stretch in stretches)
    most, least = max(rows, key=len), min(rows, key=len)
    sentence = (
        f"The same {plural(len(text), 'character')}: {plural(len(least), 'piece')} in "
        f"{LABELS[names[rows.index(least)]]}, {len(most):,} in {LABELS[names[rows.index(most)]]}; "
        f"they differ in {differing} of {plural(len(stretches), 'stretch', 'stretches')}."
    )
    table: list[tuple[Cell, ...]] = [
        (
            LABELS[name],
            len(pieces),
            round(len(pieces) / max(1, len(text.split())), 2),
            listed([p.data for p in pieces]),
        )
        for name, pieces in zip(names, rows, strict=True)
    ]
    picture = el(
        "div",
        _legend(names, rows),
        el("div", [_stretch(rows, names, b, text) for b in stretches], class_="stretches", translate="no"),
        class_="compare",
    )
    return Figure(
        TITLE,
        sentence,
        picture,
        Table(("vocabulary", "pieces", "pieces per word", "split"), tuple(table)),
        note=" ".join([note, rtl_note(text)]).strip(),
    )


def common_stretches(rows: Sequence[Sequence[Piece]], n_characters: int) -> list[tuple[int, int]]:
    """Cuts the text where every vocabulary has a cut, so that no piece reaches across.

    Returns:
        (start, end) in characters of each stretch.
    """
    inside = [False] * (n_characters + 1)  # positions that lie within some piece
    for pieces in rows:
        for piece in pieces:
            for at in range(piece.start + 1, piece.end):
                inside[at] = True
    cuts = [at for at in range(n_characters + 1) if not inside[at]]
    return list(itertools.pairwise(cuts))


def _within(pieces: Sequence[Piece], stretch: tuple[int, int]) -> list[Piece]:
    return [p for p in pieces if stretch[0] <= p.start < stretch[1]]


def _agree(rows: Sequence[Sequence[Piece]], stretch: tuple[int, int]) -> bool:
    splits = {tuple(p.data for p in _within(pieces, stretch)) for pieces in rows}
    return len(splits) == 1


def _stretch(
    rows: Sequence[Sequence[Piece]], names: Sequence[str], stretch: tuple[int, int], text: str
) -> Markup:
    """One stretch: a line for each vocabulary, or one for all where they agree; a column a character."""
    start, end = stretch
    lines = [_within(pieces, stretch) for pieces in rows]
    differs = not _agree(rows, stretch)
    cells = []
    for n, (name, line) in enumerate(zip(names, lines if differs else lines[:1], strict=False), 1):
        for first, last, group in _groups(line):
            detail = f"{LABELS[name]}: " + " + ".join(about(p, text) for p in group)
            place = f"grid-area:{n}/{first - start + 1}/{n + 1}/{last - start + 1};--c:var(--{TONES[name]})"
            if not differs:
                place = f"grid-area:1/{first - start + 1}/{len(names) + 1}/{last - start + 1}"
            label = listed([p.data for p in group], " ")
            kind = "part" if any(is_partial(p.data) for p in group) else None
            cells.append(
                el("span", str(label), class_=kind, style=place, data_detail=detail if differs else None)
            )
    drawn = el("div", cells, class_="stretch differs" if differs else "stretch", style=f"--n:{end - start}")
    return Markup(drawn + el("span", class_="break")) if text[start:end].endswith("\n") else drawn


def _groups(pieces: Sequence[Piece]) -> list[tuple[int, int, list[Piece]]]:
    """Joins pieces that share a character, so that each character has one cell in a line."""
    groups: list[tuple[int, int, list[Piece]]] = []
    for piece in pieces:
        if groups and piece.start < groups[-1][1]:
            start, end, members = groups[-1]
            groups[-1] = (start, max(end, piece.end), [*members, piece])
        else:
            groups.append((piece.start, piece.end, [piece]))
    return groups


def _legend(names: Sequence[str], rows: Sequence[Sequence[Piece]]) -> Markup:
    high = max(map(len, rows))
    items = [
        el(
            "li",
            el("span", LABELS[name]),
            el("i", style=f"--share:{100 * len(pieces) / high:.4g}%"),
            el("b", len(pieces)),
            style=f"--c:var(--{TONES[name]})",
        )
        for name, pieces in zip(names, rows, strict=True)
    ]
    return el("ol", items, class_="compare-key")
