"""Below the word: how digits fall apart, and why letters are hard to count."""

from __future__ import annotations

import unicodedata

from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Kept, Markup, el, grid
from glassbox.figures.tokens.bricks import LABELS, about, brick, cut, listed, problem, shown
from glassbox.figures.written import plural
from glassbox.tokens import vocabularies
from glassbox.tokens.pieces import Piece

NUMBERS = ("2026", "1,000,000", "1234567", "0.25 mg", "0.125 mg", "19/09/2026", "07:30", "3.14159")
COLUMNS = ("gpt2", "cl100k_base", "o200k_base", "qwen")
_MAX = 40


def numbers(own: str) -> Figure:
    """Shows how numbers, dates and doses fall apart in four vocabularies.

    Args:
        own: The reader's number; it stands in the first row.
    """
    title = "Numbers in pieces"
    read, note = cut(own, _MAX)
    texts = ([read] if read.strip() and read not in NUMBERS else []) + list(NUMBERS)
    vocabularies.want(*COLUMNS)
    rows = [[vocabularies.load(name).pieces(text) for name in COLUMNS] for text in texts]
    first = rows[0]
    sentence = f"{texts[0]} is " + ", ".join(
        f"{listed([p.data for p in pieces], '·')} in {LABELS[name]}"
        for name, pieces in zip(COLUMNS, first, strict=True)
    )
    body = [
        el(
            "tr",
            el("th", text, scope="row", role="rowheader", translate="no"),
            [el("td", _wall(p, text, n + at == 0), role="presentation") for at, p in enumerate(cells)],
            class_="own" if n == 0 and len(texts) > len(NUMBERS) else None,
            role="row",
        )
        for n, (text, cells) in enumerate(zip(texts, rows, strict=True))
    ]
    names = [el("th", LABELS[n], scope="col", role="columnheader") for n in COLUMNS]
    head = el("tr", el("th", "text", scope="col", role="columnheader"), names, role="row")
    table: tuple[tuple[Cell, ...], ...] = tuple(
        (Kept(text), *(listed([p.data for p in cell], "|") for cell in cells))
        for text, cells in zip(texts, rows, strict=True)
    )
    return Figure(
        title,
        f"{sentence}.",
        el(
            "div",
            grid(head, body, "pieces", class_="numbers-in-pieces"),
            class_="scroll",
            tabindex=0,
            role="group",
            aria_label="numbers in four vocabularies",
        ),
        Table(("text", *(LABELS[n] for n in COLUMNS)), table),
        note=note,
    )


def _wall(pieces: list[Piece], text: str, first: bool) -> Markup:
    """One cell's pieces; the tab key reaches the first of the whole table, arrow keys walk on from there."""
    bricks = [brick(p.data, about(p, text), first=first and n == 0) for n, p in enumerate(pieces)]
    return el("span", bricks, class_="bricks")


def _seen(text: str) -> str:
    """Counts what a reader sees: letters, and where other signs stand between them, all characters.

    >>> _seen("strawberry"), _seen("New York"), _seen("B12")
    ('10 letters', '8 characters (7 letters)', '3 characters (1 letter)')
    """
    kinds = [unicodedata.category(c)[0] for c in text]
    n_letters, n_marks = kinds.count("L"), kinds.count("M")  # a mark belongs to the letter before it
    letters = plural(n_letters, "letter")
    if n_letters and n_letters + n_marks == len(text):
        return letters
    return f"{plural(len(text), 'character')} ({letters})"


def letters(word: str, letter: str, space: bool, vocabulary: str) -> Figure:
    """Sets what you count beside what the model receives.

    Args:
        word: The word whose letters are counted.
        letter: What to count.
        space: Put a space before the word, as in the middle of a sentence.
        vocabulary: A name of ``vocabularies.NAMES``.
    """
    title = "Counting letters"
    read, note = cut(word.strip(), _MAX)
    if not read or not letter.strip():
        return problem(title, "Type a word and one letter to count in it.")
    letter = letter.strip()[0]
    text = f" {read}" if space else read
    pieces = vocabularies.load(vocabulary).pieces(text)
    found = sum(c.lower() == letter.lower() for c in read)
    sentence = (
        f"You see {_seen(read)} and count {found} × {letter}; {LABELS[vocabulary]} hands the "
        f"model {plural(len(pieces), 'number')}, and {'it does not say' if len(pieces) == 1 else 'none of them says'} "
        "how the word is spelled."
    )
    seen = [el("b", c, class_="hit" if c.lower() == letter.lower() else None) for c in read]
    picture = el(
        "div",
        el(
            "div",
            el("p", "What you see", class_="soft small"),
            el("p", seen, class_="letters-seen", translate="no"),
        ),
        el(
            "div",
            el("p", "The pieces", class_="soft small"),
            el("div", el("div", _wall(pieces, text, True), role="row"), role="grid", aria_label="pieces"),
        ),
        el(
            "div",
            el("p", "What the model receives", class_="soft small"),
            el("p", [el("b", p.id) for p in pieces], class_="letters-ids", translate="no"),
        ),
        class_="letters",
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (shown(p.data), p.id, p.data.decode("utf-8", "replace").lower().count(letter.lower())) for p in pieces
    )
    return Figure(title, sentence, picture, Table(("piece", "id", f"{letter} in it"), rows), note=note)
