"""One sign taken apart: characters, bytes, and the pieces that the bytes form."""

from __future__ import annotations

import unicodedata

from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Kept, Markup, el
from glassbox.figures.tokens.bricks import LABELS, TONES, about, cut, problem
from glassbox.figures.written import plural
from glassbox.tokens import vocabularies
from glassbox.tokens.pieces import Piece

SIGNS = {
    "👋 waving hand": "👋",
    "🌍 globe": "🌍",
    "👨‍👩‍👧 a family": "👨‍👩‍👧",
    "👍🏽 thumb with a skin tone": "👍🏽",
    "🇺🇳 flag": "🇺🇳",
    "é letter with accent": "é",
    "हिन्दी Hindi": "हिन्दी",
    "မြ Burmese": "မြ",
}
_SCROLL = {"class_": "scroll", "tabindex": 0, "role": "group", "aria_label": "characters, bytes and pieces"}


def emoji(sign: str, vocabulary: str) -> Figure:
    """Takes one sign apart: its characters, their bytes, and the pieces these bytes form.

    Args:
        sign: A value of ``SIGNS``, or any short text.
        vocabulary: A name of ``vocabularies.NAMES``.
    """
    title = "One sign, many bytes"
    read, note = cut(sign, 12)
    pieces = vocabularies.load(vocabulary).pieces(read)
    if not pieces:
        return problem(title, "Choose a sign first.")
    data = read.encode()
    sentence = (
        f"{read} is {plural(len(read), 'character')} of Unicode in {plural(len(data), 'byte')}, "
        f"which {LABELS[vocabulary]} packs into {plural(len(pieces), 'piece')}."
    )
    grid = el(
        "div",
        _characters(read),
        [el("span", f"{b:02X}", style=f"grid-area:2/{n}") for n, b in enumerate(data, 1)],
        _pieces(pieces, read, TONES[vocabulary]),
        class_="emoji-grid",
        translate="no",
        style=f"--n:{len(data)}",
    )
    names = [el("span", label, class_="soft small") for label in ("characters", "bytes", "piece ids")]
    picture = el("div", el("div", names, class_="emoji-names"), el("div", grid, **_SCROLL), class_="emoji")
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (p.id, Kept(p.data.hex(" ").upper()), Kept(read[p.start : p.end])) for p in pieces
    )
    return Figure(
        title, sentence, picture, Table(("id", "bytes (hex)", "characters it touches"), rows), note=note
    )


def _characters(text: str) -> list[Markup]:
    """The characters, each as wide as its bytes."""
    cells = []
    at = 1
    for c in text:
        width = len(c.encode())
        detail = f"U+{ord(c):04X} {unicodedata.name(c, 'without a name').lower()}"
        kind = unicodedata.category(c)
        visible = "⟨joiner⟩" if kind == "Cf" else f"◌{c}" if kind in ("Mn", "Mc") else c
        label = el("small", f"U+{ord(c):04X}")
        place = f"grid-area:1/{at}/2/{at + width}"
        joiner = kind == "Cf"
        cells.append(
            el("b", visible, label, style=place, data_joiner=joiner, title=detail, data_detail=detail)
        )
        at += width
    return cells


def _pieces(pieces: list[Piece], text: str, tone: str) -> list[Markup]:
    """The pieces, each as wide as its bytes."""
    cells = []
    at = 1
    for piece in pieces:
        detail = about(piece, text)
        style = f"grid-area:3/{at}/4/{at + len(piece.data)};--c:var(--{tone})"
        cells.append(el("i", piece.id, style=style, title=detail, data_detail=detail))
        at += len(piece.data)
    return cells
