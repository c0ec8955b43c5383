"""Doing it all again: the work for each new word, with and without a cache."""

from __future__ import annotations

from glassbox.costs import scores
from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import Markup, el

TITLE = "Word by word, with and without a cache"
WORDS = tuple(["The", "witness", "said", "that", "the", "car", "was", "red", "and", "had", "not", "stopped"])


def steps(word: int = 8) -> Figure:
    """Two triangles of work: one is worked through again at every word, the other only grows by a line.

    Args:
        word: The word being written, from 1 to 12.
    """
    word = min(max(int(word), 1), len(WORDS))
    again, once = scores.rows_without_cache(word), scores.rows_with_cache(word)
    sentence = (
        f"Writing “{WORDS[word - 1]}”, word {word}, takes {_rows(word)} of work without a cache and 1 with "
        f"one; all {word} so far took {again} against {once}."
        if word > 1
        else "The first word costs the same: 1 row of work either way."
    )
    picture = el(
        "div",
        _side("Without a cache", "every step starts from the first word", word, False, again),
        _side("With a cache", "every step works on one word and reads the rest", word, True, once),
        class_="steps",
    )
    rows = tuple(
        (n, WORDS[n - 1], n, 1, scores.rows_without_cache(n), scores.rows_with_cache(n))
        for n in range(1, word + 1)
    )
    columns = ("step", "word", "rows without", "rows with", "in all without", "in all with")
    note = (
        "The first row of every step is a start token, which stands before the text; the last is the word before the "
        "one that is being written."
    )
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=note)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _side(title: str, subtitle: str, word: int, cached: bool, total: int) -> Markup:
    lines = [_line(n, word, cached) for n in range(1, len(WORDS) + 1)]
    shown = " + ".join(["1"] * word if cached else [str(n) for n in range(1, word + 1)])
    return el(
        "div",
        el("p", el("b", title), el("span", subtitle, class_="soft small"), class_="steps-title"),
        el("ol", lines, aria_hidden="true"),
        el("p", el("span", shown, class_="soft small"), el("b", f"= {total}"), class_="steps-total"),
    )


def _line(n: int, word: int, cached: bool) -> Markup:
    if n > word:
        return el("li", el("span", ""), class_="ahead")
    cells = [el("i", class_="kept" if cached and m < n else None) for m in range(1, n + 1)]
    return el("li", el("span", WORDS[n - 1]), cells, class_="now" if n == word else None)
