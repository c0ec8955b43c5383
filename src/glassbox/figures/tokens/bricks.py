"""Pieces as bricks: one stud for each character, spaces made visible, parts of characters as bytes."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence

from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import Kept, Markup, el
from glassbox.figures.written import plural
from glassbox.tokens.pieces import Piece, mended

# What a reader chooses from: the label and the vocabulary's name.
VOCABULARIES = {
    "GPT-2": "gpt2",
    "cl100k (GPT-4)": "cl100k_base",
    "o200k (GPT-4o)": "o200k_base",
    "Tekken (Mistral)": "tekken",
    "Qwen": "qwen",
    "clinical": "clinical",
    "everyday": "everyday",
}
LABELS = {
    "gpt2": "GPT-2",
    "cl100k_base": "cl100k",
    "o200k_base": "o200k",
    "tekken": "Tekken",
    "qwen": "Qwen",
    "clinical": "clinical",
    "everyday": "everyday",
}
TONES = {
    "gpt2": "cat-1",
    "cl100k_base": "cat-2",
    "o200k_base": "cat-5",
    "tekken": "cat-3",
    "qwen": "cat-7",
    "clinical": "cat-4",
    "everyday": "cat-6",
}

MAX_IDS = 120  # pieces; beyond that the ids under them would be noise
MAX_DRAWN = 600  # pieces of a long text, before a reader scrolls
MAX_CHARACTERS = 20_000  # what a figure encodes of a pasted text
_SIGNS = {" ": "·", "\n": "↵", "\t": "⇥", "\r": "␍", "\xa0": "⍽", "\u3000": "□"}
# Letters and marks that draw nothing, beside what Unicode calls a control, a format or a separator.
_EMPTY = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
_EMPTY |= {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}


class _Signs(dict[int, str]):
    """What stands for each character; found when it is first asked for."""

    def __missing__(self, code: int) -> str:
        c = chr(code)
        named = code in _EMPTY or unicodedata.category(c) in ("Cc", "Cf", "Co", "Zl", "Zp", "Zs")
        named = named or c in "◌⟨⟩" or c in _SIGNS.values() or 0x2400 <= code <= 0x2421
        self[code] = _SIGNS.get(c) or (f"⟨U+{code:04X}⟩" if named else c)
        return self[code]


_signs = _Signs()


def shown(data: bytes) -> Kept:
    r"""A token as text: no two texts look the same, and a part of a character is its bytes in hex.

    White space is visible, and what draws nothing, or looks like one of our signs, is named.

    >>> shown(b" the"), shown(b"\xf0\x9f"), shown("é".encode()), shown("·\u200d".encode())
    ('·the', 'F0 9F', 'é', '⟨U+00B7⟩⟨U+200D⟩')
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return Kept(data.hex(" ").upper())
    bare = "◌" if text and unicodedata.category(text[0])[0] == "M" and ord(text[0]) not in _EMPTY else ""
    return Kept(bare + text.translate(_signs))


def listed(pieces: Sequence[bytes], between: str = " | ") -> Kept:
    """Tokens in the order in which a model reads them, from left to right in every script."""
    if any(is_rtl(piece.decode("utf-8", "ignore")) for piece in pieces):
        between = f"\u200e{between}\u200e"  # left-to-right marks: no two pieces run together backwards
    return Kept(between.join(map(shown, pieces)))


def is_partial(data: bytes) -> bool:
    """Whether a token holds a part of a character, so that it is no text by itself."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return False


def about(piece: Piece, text: str) -> str:
    """What a reader learns of one piece by pointing at it."""
    return _about(piece.id, piece.data, _part_of(piece, text))


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
        of = _part_of(piece, text)
        drawn.append(_walled(piece.id, piece.data, of, ids, n == 0))
        if piece.data.endswith(b"\n"):
            drawn.append(el("br"))
    # Pieces are kept apart from right to left only where some run so: it doubles what a layout takes.
    kind = "bricks" if ids else "dense rtl" if is_rtl(text) else "dense"
    row = el("div", drawn, role="row", class_=kind)
    return el("div", row, role="grid", aria_label=f"{len(pieces)} pieces", translate="no")


def long_wall(pieces: Sequence[Piece], text: str) -> list[Markup]:
    """A wall of any length: the first pieces drawn, all others as data for ``js/wall.js``.

    It draws them as a reader scrolls near; where no script runs, a line says how many more there are.

    Args:
        pieces: What to draw.
        text: The text that they are pieces of.
    """
    drawn, left = pieces[:MAX_DRAWN], pieces[MAX_DRAWN:]
    parts = [wall(drawn, text, ids=len(pieces) <= MAX_IDS)]
    if left:
        waiting = "\n".join([_waiting(p.id, p.data, _part_of(p, text)) for p in left])
        said = ("… and ", el("b", f"{len(left):,}"), " more pieces")
        parts.append(el("p", said, class_="small soft pieces-left", data_pieces=waiting))
    return parts


def _part_of(piece: Piece, text: str) -> str:
    """The character that a piece is a part of; nothing for whole text."""
    return text[piece.start : piece.end][:12] if is_partial(piece.data) else ""


@functools.lru_cache(maxsize=16_384)
def _waiting(token: int, data: bytes, of: str) -> str:
    """One piece as data: what stands on it, its id, its bytes and what it is a part of; none holds a tab."""
    for sign in "\t\n\r":
        of = of.replace(sign, _SIGNS[sign])
    return f"{shown(data)}\t{token}\t{data.hex()}\t{of}"


@functools.lru_cache(maxsize=8192)
def _walled(token: int, data: bytes, of: str, ids: bool, first: bool) -> Markup:
    """One brick of a wall, kept: between two keystrokes nearly all of them stay the same."""
    detail = _about(token, data, of)
    if ids:
        return brick(data, detail, f"{token}", first)
    place = 0 if first else -1  # a long wall is drawn with the least markup there is
    return el(
        "i", str(shown(data)), class_="p" if of else None, role="gridcell", tabindex=place, data_detail=detail
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
    kind, label = _kind(data)
    return el(
        "span",
        el("b", label),
        el("small", under) if under else None,
        class_=f"{kind} {mark}" if mark else kind,
        role="gridcell",
        tabindex=0 if first else -1,
        title=detail,
        data_detail=detail,
        translate="no",
    )


def _kind(data: bytes) -> tuple[str, str]:
    """The class of a brick and what stands on it; the style draws a first space as a dot before it."""
    label = str(shown(data))  # the brick says that it is data
    if is_partial(data):
        return "brick part", label
    if data.startswith(b" ") and data.strip(b" "):
        return "brick sp", label[1:]
    return "brick", label


def plain_brick(data: bytes, mark: str = "") -> Markup:
    """Draws one piece without its details, for pictures of very many."""
    kind, label = _kind(data)
    return el("span", el("b", label), class_=f"{kind} {mark}" if mark else kind, translate="no")


def counts(rows: Sequence[tuple[str, int]]) -> Markup:
    """Draws big numbers with their units under them."""
    items = [el("li", el("b", f"{number:,}"), el("span", unit)) for unit, number in rows]
    return el("ul", items, class_="counts")


def problem(title: str, sentence: str) -> Figure:
    """The figure for a text that cannot be read: it says why, and stays in its place."""
    return Figure(
        title, sentence, el("p", sentence, class_="problem"), Table(("what is wrong",), ((sentence,),))
    )


def cut(text: str, limit: int = MAX_CHARACTERS) -> tuple[str, str]:
    """The part of a text that a figure reads, and the sentences that say so."""
    read, note = mended(text[:limit])
    if len(text) > limit:
        note = (
            f"{note} Your text has {len(text):,} characters; the first {limit:,} are counted here.".lstrip()
        )
    return read, note


def rtl_note(text: str) -> str:
    """Says how pieces of a script that runs from right to left are laid out, where there is one."""
    if is_rtl(text):
        return "Pieces stand from left to right in the order the model reads them, in every script."
    return ""


# Where letters lie that run from right to left; a test looks through all of Unicode.
_RTL = re.compile("[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")


def is_rtl(text: str) -> bool:
    """Whether a text holds letters that run from right to left."""
    return any(unicodedata.bidirectional(c) in ("R", "AL") for c in set(_RTL.findall(text)))
