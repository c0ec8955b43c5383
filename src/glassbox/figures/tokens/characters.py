"""Below the word: digits, letters, and the bytes of a single sign."""

from __future__ import annotations

import unicodedata

from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.tokens.bricks import LABELS, TONES, about, brick, cut, plural, problem, shown
from glassbox.tokens import vocabularies
from glassbox.tokens.pieces import Piece

NUMBERS = ("2026", "1,000,000", "1234567", "0.25 mg", "0.125 mg", "19/09/2026", "07:30", "3.14159")
COLUMNS = ("gpt2", "cl100k_base", "o200k_base")
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
_MAX = 40


def numbers(own: str) -> Figure:
    """Shows how numbers, dates and doses fall apart in three vocabularies.

    Args:
        own: The reader's number; it stands in the first row.
    """
    title = "Numbers in pieces"
    read, note = cut(own, _MAX)
    texts = ([read] if read.strip() and read not in NUMBERS else []) + list(NUMBERS)
    try:
        rows = [[vocabularies.load(name).pieces(text) for name in COLUMNS] for text in texts]
    except ValueError as error:
        return problem(title, f"This number cannot be split: {error}.")
    first = rows[0]
    sentence = f"{texts[0]} is " + ", ".join(
        f"{'·'.join(shown(p.data) for p in pieces)} in {LABELS[name]}"
        for name, pieces in zip(COLUMNS, first, strict=True)
    )
    body = [
        el(
            "tr",
            el("th", text, scope="row"),
            [el("td", _wall(p, text)) for p in cells],
            class_="own" if n == 0 and len(texts) > len(NUMBERS) else None,
        )
        for n, (text, cells) in enumerate(zip(texts, rows, strict=True))
    ]
    head = el("tr", el("th", "text", scope="col"), [el("th", LABELS[n], scope="col") for n in COLUMNS])
    table: tuple[tuple[Cell, ...], ...] = tuple(
        (text, *("|".join(shown(p.data) for p in cell) for cell in cells))
        for text, cells in zip(texts, rows, strict=True)
    )
    return Figure(
        title,
        f"{sentence}.",
        el(
            "div",
            el("table", el("thead", head), el("tbody", body), class_="numbers-in-pieces"),
            class_="scroll",
            tabindex=0,
            role="region",
            aria_label="numbers in three vocabularies",
        ),
        Table(("text", *(LABELS[n] for n in COLUMNS)), table),
        note=note,
    )


def _wall(pieces: list[Piece], text: str) -> Markup:
    return el("span", [brick(p.data, about(p, text)) for p in pieces], class_="bricks")


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
    try:
        pieces = vocabularies.load(vocabulary).pieces(text)
    except ValueError as error:
        return problem(title, f"This word cannot be split: {error}.")
    found = read.lower().count(letter.lower())
    sentence = (
        f"You see {plural(len(read), 'letter')} and count {found} × {letter}; {LABELS[vocabulary]} hands the model "
        f"{plural(len(pieces), 'number')}, and none of them says how a piece is spelled."
    )
    seen = [el("b", c, class_="hit" if c.lower() == letter.lower() else None) for c in read]
    picture = el(
        "div",
        el("div", el("p", "What you see", class_="soft small"), el("p", seen, class_="letters-seen")),
        el(
            "div",
            el("p", "The pieces", class_="soft small"),
            el("p", [brick(p.data, about(p, text)) for p in pieces], class_="bricks"),
        ),
        el(
            "div",
            el("p", "What the model receives", class_="soft small"),
            el("p", [el("b", p.id) for p in pieces], class_="letters-ids"),
        ),
        class_="letters",
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (shown(p.data), p.id, p.data.decode("utf-8", "replace").lower().count(letter.lower())) for p in pieces
    )
    return Figure(title, sentence, picture, Table(("piece", "id", f"{letter} in it"), rows), note=note)


def emoji(sign: str, vocabulary: str) -> Figure:
    """Takes one sign apart: its characters, their bytes, and the pieces these bytes form.

    Args:
        sign: A value of ``SIGNS``, or any short text.
        vocabulary: A name of ``vocabularies.NAMES``.
    """
    title = "One sign, many bytes"
    read, note = cut(sign, 12)
    try:
        pieces = vocabularies.load(vocabulary).pieces(read)
    except ValueError as error:
        return problem(title, f"This sign cannot be split: {error}.")
    if not pieces:
        return problem(title, "Choose a sign first.")
    data = read.encode()
    sentence = (
        f"{read} is {plural(len(read), 'character')} of Unicode in {plural(len(data), 'byte')}, "
        f"which {LABELS[vocabulary]} packs into {plural(len(pieces), 'piece')}."
    )
    cells = [el("span", f"{b:02X}", style=f"grid-area:2/{n}") for n, b in enumerate(data, 1)]
    at = 1
    for c in read:
        width = len(c.encode())
        name = unicodedata.name(c, "no name").lower()
        detail = f"U+{ord(c):04X} {name}"
        visible = (
            c
            if unicodedata.category(c) not in ("Cf", "Mn", "Mc")
            else f"◌{c}"
            if unicodedata.category(c) != "Cf"
            else "⟨joiner⟩"
        )
        cells.append(
            el(
                "b",
                visible,
                el("small", f"U+{ord(c):04X}"),
                style=f"grid-area:1/{at}/2/{at + width}",
                title=detail,
                data_detail=detail,
            )
        )
        at += width
    at = 1
    for p in pieces:
        detail = about(p, read)
        style = f"grid-area:3/{at}/4/{at + len(p.data)};--c:var(--{TONES[vocabulary]})"
        cells.append(el("i", p.id, style=style, title=detail, data_detail=detail))
        at += len(p.data)
    names = [
        el("span", label, style=f"grid-area:{n}/1", class_="soft small")
        for n, label in enumerate(("characters", "bytes", "piece ids"), 1)
    ]
    grid = el("div", cells, class_="emoji-grid", style=f"--n:{len(data)}")
    picture = el(
        "div",
        el("div", names, class_="emoji-names"),
        grid,
        class_="emoji scroll",
        tabindex=0,
        role="region",
        aria_label="characters, bytes and pieces",
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (p.id, p.data.hex(" ").upper(), read[p.start : p.end]) for p in pieces
    )
    return Figure(
        title, sentence, picture, Table(("id", "bytes (hex)", "characters it touches"), rows), note=note
    )
