"""All heads of the model on one sentence, named by what they were measured to do.

Ours was measured on texts kept from training; of a reader's model only this sentence is known, which is said.
"""

from __future__ import annotations

import json

from glassbox.arrays import Floats
from glassbox.figures import chart, subject
from glassbox.figures.attention import cutting, matrix, reading
from glassbox.figures.attention import every_head as here
from glassbox.figures.attention.every_head import every_head, habit, share, squares
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.model import attention

TITLE = "Every head of the model"
LIMIT = 12


def heads(text: str, opened: int) -> Figure:
    """Small multiples of every head, and one of them large.

    Args:
        text: The sentence; its last eleven tokens are used.
        opened: Index of the head to show large.
    """
    read = reading.read(text, LIMIT)
    if not subject.is_ours():
        return _of_readers(read, opened, text)
    names = reading.head_names()
    layer, h = reading.head_at(opened)
    weights = read.forward.weights[layer][h]
    n = len(read.labels)
    habit = reading.habit_of(opened)
    last = matrix.shares(weights[-1])
    best = int(weights[-1].argmax())
    named = (
        f"{reading.HABITS[habit[0]]} ({100 * habit[1]:.0f} % of its weight on held-out texts)"
        if habit
        else "has no single habit"
    )
    alone = cutting.without_head(text, LIMIT, opened)
    sentence = (
        f"{names[opened].capitalize()} {named}; here {read.labels[-1]} gives {last[best]} % to {read.labels[best]}. "
        f"Cut alone, the next word {alone.said}."
    )
    small = [_small(index, names[index], read.forward.weights, opened) for index in range(len(names))]
    n_heads = len(read.forward.weights[0])
    grid = [
        el("div", small[at : at + n_heads], role="row", class_="hd-row")
        for at in range(0, len(small), n_heads)
    ]
    picture = el(
        "div",
        el(
            "div",
            grid,
            role="grid",
            aria_label="every head: rows are layers, columns are heads",
            class_="hd-all",
        ),
        el(
            "div",
            el("p", names[opened].capitalize(), class_="part"),
            matrix.weights_matrix(read.labels, weights, attention.causal_mask(n, n)),
            el("p", "Where it looks on held-out texts", class_="part"),
            _scores(opened, sentence),
            el("p", "What is right without it, on held-out texts", class_="part"),
            chart.bars(cutting.on_many_texts(opened), high=1, sentence=sentence, tone="severe"),
            class_="hd-one",
        ),
        class_="hd",
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (names[i], *(round(100 * reading.habits()[k][i]) for k in reading.HABITS)) for i in range(len(names))
    )
    columns = ("head", *(f"{what} (%)" for what in reading.HABITS.values()))
    note = (
        "Habits are mean weights over 300 texts kept from training; each is a share of the head’s attention."
    )
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=f"{read.note} {note}".strip())


def _of_readers(read: reading.Reading, opened: int, text: str) -> Figure:
    """The same of a reader's model: its heads, often hundreds, are named by what they do in this text."""
    layer, h = reading.head_at(opened)
    weights, names = read.forward.weights[layer][h], reading.head_names()
    last, best = matrix.shares(weights[-1]), int(weights[-1].argmax())
    does = habit(weights)
    named = (
        f"rests mostly {here.HABITS[does]} in this text"
        if does
        else "does not do one thing alone in this text"
    )
    sentence = (
        f"{names[opened].capitalize()} of {subject.name()} {named}; here {read.labels[-1]} gives {last[best]} % "
        f"to {read.labels[best]}. Cut alone, the next word {cutting.without_head(text, LIMIT, opened).said}."
    )
    n, n_heads = len(read.labels), len(read.forward.weights[0])
    grid = every_head(read.forward.weights, (layer, h), lambda a, b: {"open": names[a * n_heads + b]})
    bars: list[chart.Bar] = [
        (f"mostly {what}", share(weights, name), f"{100 * share(weights, name):.0f} %")
        for name, what in here.HABITS.items()
    ]
    picture = el(
        "div",
        el("div", grid),
        el(
            "div",
            el("p", names[opened].capitalize(), class_="part"),
            matrix.weights_matrix(read.labels, weights, attention.causal_mask(n, n)),
            el("p", "What it does in this text", class_="part"),
            chart.bars(bars, high=1, sentence=sentence),
            class_="hd-one",
        ),
        class_="hd",
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (names[a * n_heads + b], *(round(100 * share(w, name)) for name in here.HABITS))
        for a, heads in enumerate(read.forward.weights)
        for b, w in enumerate(heads)
    )
    columns = ("head", *(f"{what} (%)" for what in here.HABITS.values()))
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=read.note)


def _scores(opened: int, sentence: str) -> Markup:
    rows: list[chart.Bar] = [
        (what, reading.habits()[name][opened], f"{100 * reading.habits()[name][opened]:.0f} %")
        for name, what in reading.HABITS.items()
    ]
    return chart.bars(rows, high=1, sentence=sentence)


def _small(index: int, name: str, weights: list[Floats], opened: int) -> Markup:
    layer, h = reading.head_at(index)
    habit = reading.habit_of(index)
    tag = {
        "previous": "previous",
        "first": "first",
        "self": "itself",
        "same": "same word",
        "deciding": "adjective",
    }
    label = tag[habit[0]] if habit else "mixed"
    drawing = el(
        "svg",
        squares(weights[layer][h]),
        viewBox=f"0 0 {len(weights[layer][h])} {len(weights[layer][h])}",
        aria_hidden="true",
    )
    chosen = index == opened
    return el(
        "div",
        drawing,
        el("span", f"{layer + 1}.{h + 1} ", el("b", label)),
        role="gridcell",
        tabindex=0 if chosen else -1,
        class_="hd-small hd-on" if chosen else "hd-small",
        data_set=json.dumps({"open": name}),
        data_detail=f"{name}: {reading.HABITS[habit[0]] if habit else 'no single habit'}",
        aria_label=f"{layer + 1}.{h + 1} {label}: {name}",
        aria_selected="true" if chosen else None,
    )
