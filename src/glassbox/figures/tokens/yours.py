"""A tokenizer from a file of the reader's own."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Protocol

from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Kept, el
from glassbox.figures.tokens.bricks import LABELS, counts, cut, long_wall, problem, rtl_note, shown
from glassbox.figures.written import plural
from glassbox.tokens import vocabularies
from glassbox.tokens.foreign import reading
from glassbox.tokens.foreign.tokenizer import Tokenizer
from glassbox.tokens.pieces import Piece, mended, utf8

TITLE = "Your own tokenizer"
MAX_CHARACTERS = 5_000
MAX_ROWS = 300  # of the table
_PASTED = "The pasted text"  # and so the page's script names it
_ASKED = "gpt2"  # what stands here until a file is chosen


class Chosen(Protocol):
    """A file that a reader chose."""

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def contents(self) -> bytes: ...  # noqa: D102


def yours(files: Sequence[Chosen], text: str, special: bool = False, pasted: str = "") -> Figure:
    """Splits a text with the tokenizer in a file.

    Args:
        files: The file, as the only one; without one GPT-2 stands in.
        text: Any text.
        special: Read the file's control tokens as such.
        pasted: The text of such a file; it comes before a file that is chosen too.
    """
    read, note = cut(text, MAX_CHARACTERS)
    if not read:
        return problem(TITLE, "Nothing to split yet: an empty text has no pieces. Type a word above.")
    if not files and not pasted.strip():
        pieces = vocabularies.load(_ASKED).pieces(read, special)
        who = f"No file yet, so this is {LABELS[_ASKED]}: it splits"
        return _figure(f"{who} {_into(read, pieces)}.", read, pieces, note)
    name, contents = (
        (_PASTED, utf8(mended(pasted)[0])) if pasted.strip() else (files[0].name, files[0].contents)
    )
    try:
        tokenizer = opened(name, contents)
        pieces = tokenizer.pieces(read, special)
    except ValueError as error:
        return problem(TITLE, f"{name} cannot be used: {error}.")
    size = f"{tokenizer.kind} with {plural(tokenizer.vocab_size, 'entry', 'entries')}"
    sentence = f"{name} is {size}; it splits {_into(read, pieces)}."
    return _figure(sentence, read, pieces, f"{tokenizer.steps} {_around(tokenizer)} {note}")


@functools.lru_cache(maxsize=2)
def opened(name: str, contents: bytes) -> Tokenizer:
    """The tokenizer of a file, read once.

    Raises:
        ValueError: The file cannot be used; the sentence says why.
    """
    return reading.read_file(name, contents)


def _into(text: str, pieces: Sequence[Piece]) -> str:
    words = len(text.split())
    rate = f", {len(pieces) / words:.2f} a word" if words else ""
    return f"{plural(words, 'word')} into {plural(len(pieces), 'piece')}{rate}"


def _around(tokenizer: Tokenizer) -> str:
    """What the file puts before and behind a text, and how many control tokens it knows."""
    told = []
    for ids, where in ((tokenizer.before, "before"), (tokenizer.after, "behind")):
        if ids:
            names = ", ".join(str(shown(tokenizer.data(i))) for i in ids)
            told.append(f"It puts {names} {where} a text")
    known = plural(len(tokenizer.special), "control token")
    return "; ".join([*told, f"it knows {known}" if told else f"It knows {known}"]) + "."


def _figure(sentence: str, text: str, pieces: Sequence[Piece], note: str) -> Figure:
    if len(pieces) > MAX_ROWS:
        note += f" The table lists the first {MAX_ROWS:,}."
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (n, shown(p.data), p.id, Kept(p.data.hex(" ").upper())) for n, p in enumerate(pieces[:MAX_ROWS], 1)
    )
    numbers = counts(
        [
            ("pieces", len(pieces)),
            ("words", len(text.split())),
            ("different ids", len({p.id for p in pieces})),
        ]
    )
    return Figure(
        TITLE,
        sentence,
        el("div", long_wall(pieces, text), numbers, class_="split"),
        Table(("place", "piece", "id", "bytes (hex)"), rows),
        note=" ".join(" ".join([note, rtl_note(text)]).split()),
    )
