"""Weights are not reasons: attention turned round, with and without consequences for the next word."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from glassbox import model
from glassbox.figures import chart, subject, written
from glassbox.figures.attention import cutting, matrix, reading
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.model import experiments

LIMIT = 10


@dataclass(frozen=True)
class Swap:
    """A head, by its index, and what turning its last row round did."""

    head: int
    turn: experiments.Turn


@functools.lru_cache(maxsize=32)
def swaps(text: str) -> tuple[Swap, ...]:
    """Turns round the last row of each head in turn."""
    m, read = model.load(), reading.read(text, LIMIT)
    heads = range(m.config.n_layers * m.config.n_heads)
    return tuple(Swap(i, experiments.turn(m, read.ids, *reading.head_at(i), read.forward)) for i in heads)


def find_swap(text: str) -> tuple[Swap, Swap]:
    """The swap that matters least and the one that matters most.

    Only swaps that move at least half of the attention count; if there is none, all do.
    """
    large = [s for s in swaps(text) if s.turn.moved >= 0.5] or list(swaps(text))
    return min(large, key=lambda s: s.turn.change), max(large, key=lambda s: s.turn.change)


def deciding(text: str) -> Swap:
    """The swap of the head that looks most at the deciding adjective."""
    return swaps(text)[reading.best_head("deciding")]


@subject.stays(
    "It turns round every head of the model in turn, and shows the one that was measured to look at adjectives: "
    "that is known of ours."
)
def not_explanation(text: str) -> Figure:
    """Turns round what heads look at: one hardly matters to the next word, one does, and one you have met."""
    read = reading.read(text, LIMIT)
    same, other = find_swap(text)
    known = deciding(text)
    top = int(same.turn.probs.argmax())
    word = reading.label(top, next_word=True)
    kept = (
        "the likeliest next word stays"
        if int(same.turn.new_probs.argmax()) == top
        else "the likeliest next word changes to"
    )
    kept += f" “{reading.label(int(same.turn.new_probs.argmax()), next_word=True)}”"
    sentence = (
        f"In {reading.head_names()[same.head]}, {100 * same.turn.moved:.0f} % of the attention was moved elsewhere and {kept}, "
        f"at {written.percent(same.turn.probs[top], 1)} before and {written.percent(same.turn.new_probs[top], 1)} after."
    )
    if looks := cutting.without_looks(text, LIMIT)[1:]:
        source, cut = min(looks, key=lambda found: found[1].after)
        sentence += f" Of the words before the last, “{source}” is missed most: with every look at it cut, “{word}” has {written.percent(cut.after, 1)}."
    picture = el(
        "div",
        _swap_panel("This one hardly matters", read.labels, same, top, word),
        _swap_panel("This one does", read.labels, other, top, word),
        _swap_panel("The head that looks at adjectives", read.labels, known, top, word),
        _cut_panel(text, word, sentence),
        class_="three",
    )
    rows: list[tuple[Cell, ...]] = []
    for source, left in cutting.without_looks(text, LIMIT):
        rows.append(("all heads", f"no look at {source}", "", round(100 * left.after, 2)))
    for s in (same, other, known):
        for how, row, p in (
            ("as trained", s.turn.before, s.turn.probs),
            ("turned round", s.turn.after, s.turn.new_probs),
        ):
            shares = ", ".join(f"{w} {x} %" for w, x in zip(read.labels, matrix.shares(row), strict=True))
            rows.append((reading.head_names()[s.head], how, shares, round(100 * float(p[top]), 2)))
    columns = ("head", "weights of the last position", "shares", f"probability of {word} (%)")
    note = (
        f"Found by turning round the last row of all {len(reading.head_names())} heads, one at a time; for the "
        f"first two panels only turns that move at least half of the attention are compared. "
        f"To hide {read.labels[0]} is another matter: it is where heads rest. {read.note}"
    )
    return Figure(
        "Same answer, other weights", sentence, picture, Table(columns, tuple(rows)), note=note.strip()
    )


def _cut_panel(text: str, word: str, sentence: str) -> Markup:
    """What is left of the next word when no head may look from the end at one token."""
    rows: list[chart.Bar] = [
        (source, left.after, written.percent(left.after))
        for source, left in cutting.without_looks(text, LIMIT)
    ]
    return cutting.panel(f"{word} when no head may look at …", rows, sentence)


def _swap_panel(title: str, labels: tuple[str, ...], s: Swap, top: int, word: str) -> Markup:
    before, after = matrix.shares(s.turn.before), matrix.shares(s.turn.after)
    head = el(
        "tr",
        el("th", "read from", scope="col"),
        el("th", "as trained", scope="col"),
        el("th", "turned round", scope="col"),
    )

    def cell(p: int) -> Markup:
        return el("td", f"{p} %", class_="heat number", style=f"--w:{p}%")

    body = [
        el("tr", el("th", w, scope="row"), cell(b), cell(a))
        for w, b, a in zip(labels, before, after, strict=True)
    ]
    foot = el(
        "tr",
        el("th", f"→ {word}", scope="row"),
        [el("td", written.percent(p[top], 1), class_="number") for p in (s.turn.probs, s.turn.new_probs)],
    )
    return el(
        "div",
        el("p", title, class_="part"),
        el("p", reading.head_names()[s.head], class_="soft small"),
        el(
            "div",
            el("table", el("thead", head), el("tbody", body), el("tfoot", foot), class_="turned"),
            class_="scroll",
            tabindex="0",
            role="group",
            aria_label=title,
        ),
    )
