"""Any text as bricks: what a tokenizer makes of it."""

from __future__ import annotations

from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Kept, el
from glassbox.figures.tokens.bricks import (
    LABELS,
    counts,
    cut,
    long_wall,
    problem,
    rtl_note,
    shown,
)
from glassbox.figures.written import plural
from glassbox.tokens import vocabularies

TITLE = "Split a text"
MAX_ROWS = 100  # of the table


def split(text: str, vocabulary: str, special: bool = False) -> Figure:
    """Splits whatever you type, and tells each piece's number and bytes.

    Args:
        text: Any text.
        vocabulary: A name of ``vocabularies.NAMES``.
        special: Read control tokens such as ``<|endoftext|>`` as such.
    """
    read, note = cut(text)
    pieces = vocabularies.load(vocabulary).pieces(read, special)
    name = LABELS[vocabulary]
    if not pieces:
        return problem(TITLE, "Nothing to split yet: an empty text has no pieces. Type a word above.")
    if len(pieces) > MAX_ROWS:
        note += f" The table lists the first {MAX_ROWS:,}."
    words = len(read.split())
    sentence = f"{name} splits {plural(words, 'word')} into {plural(len(pieces), 'piece')}."
    if words:
        sentence = f"{sentence[:-1]}, {len(pieces) / words:.2f} a word."
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (n, shown(p.data), p.id, Kept(p.data.hex(" ").upper())) for n, p in enumerate(pieces[:MAX_ROWS], 1)
    )
    numbers = counts(
        [
            ("pieces", len(pieces)),
            ("words", words),
            ("characters", len(read)),
            ("bytes", len(read.encode())),
        ]
    )
    return Figure(
        TITLE,
        sentence,
        el("div", long_wall(pieces, read), numbers, class_="split"),
        Table(("place", "piece", "id", "bytes (hex)"), rows),
        note=" ".join([note.strip(), rtl_note(read)]).strip(),
    )
