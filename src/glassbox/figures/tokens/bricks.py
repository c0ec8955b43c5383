"""Pieces as bricks: one stud for each character, spaces made visible, parts of characters as bytes."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.tokens.pieces import Piece

# What a reader chooses from: the label and the vocabulary's name.
VOCABULARIES = {
    "GPT-2": "gpt2",
    "cl100k (GPT-4)": "cl100k_base",
    "o200k (GPT-4o)": "o200k_base",
    "clinical": "clinical",
    "everyday": "everyday",
}
LABELS = {
    "gpt2": "GPT-2",
    "cl100k_base": "cl100k",
    "o200k_base": "o200k",
    "clinical": "clinical",
    "everyday": "everyday",
}
TONES = {
    "gpt2": "cat-1",
    "cl100k_base": "cat-2",
    "o200k_base": "cat-5",
    "clinical": "cat-4",
    "everyday": "cat-6",
}

MAX_IDS = 120  # pieces; beyond that the ids under them would be noise
MAX_CHARACTERS = 20_000  # what a figure encodes of a pasted text
_VISIBLE = {ord(" "): "·", ord("\n"): "↵", ord("\t"): "⇥", ord("\r"): "␍"}
_WHITE = {0xA0: "⍽", 0x3000: "□", 0x200B: "⟨U+200B⟩", 0x200D: "⟨U+200D⟩", 0xFE0F: "⟨U+FE0F⟩"}


def shown(data: bytes) -> str:
    r"""A token as text: white space visible, and a part of a character as its bytes in hex.

    >>> shown(b" the"), shown(b"\xf0\x9f"), shown("é".encode())
    ('·the', 'F0 9F', 'é')
    """
    try:
        return data.decode().translate(_VISIBLE).translate(_WHITE)
    except UnicodeDecodeError:
        return data.hex(" ").upper()


def is_partial(data: bytes) -> bool:
    """Whether a token holds a part of a character, so that it is no text by itself."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return False


def about(piece: Piece, text: str) -> str:
    """What a reader learns of one piece by pointing at it."""
    return _about(piece.id, piece.data, text[piece.start : piece.end][:12] if is_partial(piece.data) else "")


def _about(token: int, data: bytes, of: str) -> str:
    words = f"id {token:,} · {plural(len(data), 'byte')}: {data[:24].hex(' ').upper()}"
    if len(data) > 24:
        words += " …"
    return f"bytes of {of} · {words}" if of else f"“{shown(data)[:60]}” · {words}"


def wall(pieces: Sequence[Piece], text: str, ids: bool = True) -> Markup:
    """Draws pieces in reading order; arrow keys walk along them.

    Args:
        pieces: What to draw.
        text: The text that they are pieces of.
        ids: Write each id under its piece.
    """
    drawn: list[Markup] = []
    for n, piece in enumerate(pieces):
        of = text[piece.start : piece.end][:12] if is_partial(piece.data) else ""
        drawn.append(_walled(piece.id, piece.data, of, ids, n == 0))
        if piece.data.endswith(b"\n"):
            drawn.append(el("br"))
    row = el("div", drawn, role="row", class_="bricks" if ids else "dense")
    return el("div", row, role="grid", aria_label=f"{len(pieces)} pieces")


@functools.lru_cache(maxsize=8192)
def _walled(token: int, data: bytes, of: str, ids: bool, first: bool) -> Markup:
    """One brick of a wall, kept: between two keystrokes nearly all of them stay the same."""
    detail = _about(token, data, of)
    if ids:
        return brick(data, detail, f"{token}", first)
    place = 0 if first else -1  # a long wall is drawn with the least markup there is
    return el(
        "i", shown(data), class_="p" if of else None, role="gridcell", tabindex=place, data_detail=detail
    )


def brick(data: bytes, detail: str, under: str = "", first: bool = False, mark: str = "") -> Markup:
    """Draws one piece.

    Args:
        data: Its bytes.
        detail: What pointing at it tells.
        under: Small text under it, such as its id.
        first: The one that the tab key reaches.
        mark: A further class, such as ``new``.
    """
    label = shown(data)
    kind = "brick"
    if is_partial(data):
        kind += " part"
    elif label.startswith("·") and label.strip("·"):
        kind, label = "brick sp", label[1:]
    return el(
        "span",
        el("b", label),
        el("small", under) if under else None,
        class_=f"{kind} {mark}" if mark else kind,
        role="gridcell",
        tabindex=0 if first else -1,
        title=detail,
        data_detail=detail,
    )


def plain_brick(data: bytes, mark: str = "") -> Markup:
    """Draws one piece without its details, for pictures of very many."""
    label = shown(data)
    kind = "brick part" if is_partial(data) else "brick"
    if label.startswith("·") and label.strip("·"):
        kind, label = "brick sp", label[1:]
    return el("span", el("b", label), class_=f"{kind} {mark}" if mark else kind)


def counts(rows: Sequence[tuple[str, int]]) -> Markup:
    """Draws big numbers with their units under them."""
    items = [el("li", el("b", f"{number:,}"), el("span", unit)) for unit, number in rows]
    return el("ul", items, class_="counts")


def problem(title: str, sentence: str) -> Figure:
    """The figure for a text that cannot be read: it says why, and stays in its place."""
    return Figure(
        title, sentence, el("p", sentence, class_="problem"), Table(("what is wrong",), ((sentence,),))
    )


def plural(number: int, one: str, many: str = "") -> str:
    """A number with its unit: ``1 piece``, ``2 pieces``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def cut(text: str, limit: int = MAX_CHARACTERS) -> tuple[str, str]:
    """The part of a text that a figure reads, and the sentence that says so."""
    if len(text) <= limit:
        return text, ""
    return text[:limit], f"Your text has {len(text):,} characters; the first {limit:,} are counted here."


def rtl_note(text: str) -> str:
    """Says how pieces of a script that runs from right to left are laid out, where there is one."""
    if any("\u0590" <= c <= "\u08ff" or "\ufb1d" <= c <= "\ufefc" for c in text):
        return "Pieces stand from left to right in the order the model reads them, in every script."
    return ""
