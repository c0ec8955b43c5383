"""A map of all heads: where their attention went, measured on texts that were kept from training."""

from __future__ import annotations

import functools

from glassbox import model
from glassbox.arrays import Floats
from glassbox.figures import chart, leading, subject, vega
from glassbox.figures.attention import every_head, reading
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import percent

TITLE = "A map of the heads"
TEXT = "She has an old chest of drawers"  # what the small picture reads
MEASURES = ("previous", "first", "same", "self")
ENOUGH = 0.4  # of a head's weight: then it has a habit
SERIES = {
    "previous": "the token before",
    "first": "the first token",
    "self": "itself",
    "mixed": "no single place",
}


@subject.stays("It shows what was measured on texts kept from training, and that was done for our model.")
def head_map(opened: int) -> Figure:
    """Every head as a dot by what it looks at; one of them beside it, in figures and at work.

    Args:
        opened: Index of the head to show.
    """
    names = head_names()
    if not 0 <= opened < len(names):
        raise ValueError(f"head is {opened}; it should be a whole number from 0 to {len(names) - 1}")
    found = {what: reading.habits()[what] for what in MEASURES}
    of = {what: percent(values[opened]) for what, values in found.items()}
    settled = sum(habit(i) != "mixed" for i in range(len(names)))
    sentence = (
        f"{names[opened].capitalize()} spends {of['previous']} of its attention on the token before, {of['first']} on "
        f"the first token and {of['same']} on earlier places of the same token; {settled} of {len(names)} heads spend "
        f"{100 * ENOUGH:.0f} % or more on one place."
    )
    rows = [_row(i, name) for i, name in enumerate(names)]
    best = sorted({reading.best_head(what) for what in ("previous", "first", "self")})
    sets = {
        "heads": rows,
        "here": [rows[opened]],
        "named": [rows[i] | {"text": short(i)} for i in best],
    }
    picture = el(
        "div", vega.drawn("attention.head_map", sets, sentence), _one(opened, names[opened]), class_="hm"
    )
    table: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *(round(100 * found[what][i], 1) for what in MEASURES)) for i, name in enumerate(names)
    )
    columns = ("head", *(f"{reading.HABITS[what]} (%)" for what in MEASURES))
    note = (
        "Of our model, on 300 texts kept from training; every number is a share of the head’s attention. The larger a "
        "dot, the more goes to earlier places of the same token. Both axes give small shares more room."
    )
    return Figure(TITLE, sentence, picture, Table(columns, table), "measured", note)


def head_names() -> list[str]:
    """Our model's heads, as the other figures name them."""
    c = model.load().config
    return [f"layer {a + 1}, head {b + 1}" for a in range(c.n_layers) for b in range(c.n_heads)]


def habit(index: int) -> str:
    """Where most of a head's weight goes, one of ``SERIES``."""
    shares = {what: reading.habits()[what][index] for what in ("previous", "first", "self")}
    most = max(shares, key=shares.__getitem__)
    return most if shares[most] >= ENOUGH else "mixed"


def short(index: int) -> str:
    """Layer and head as ``2.1``."""
    layer, head = divmod(index, model.load().config.n_heads)
    return f"{layer + 1}.{head + 1}"


def _row(index: int, name: str) -> dict[str, object]:
    measured = {what: reading.habits()[what][index] for what in MEASURES}
    sends = leading.address("heads", heads_open=name)
    return {
        "head": name,
        **measured,
        "series": SERIES[habit(index)],
        "cells": _cells(index),
        **leading.pressed(sends, head=name),
    }


def _cells(index: int) -> str:
    """What pointing at a head shows: its small picture, a digit for each cell's shade, row by row."""
    shade = every_head.shades(_weights()[index])
    return "".join(str(shade[i, j]) for i in range(len(shade)) for j in range(i + 1))


def _one(opened: int, name: str) -> Markup:
    weights = _weights()[opened]
    n = len(weights)
    caption = f"It reads “{TEXT}”: one row for each token, the stronger a cell, the more of its weight."
    drawing = el("svg", every_head.squares(weights), viewBox=f"0 0 {n} {n}", aria_hidden="true")
    shares = {SERIES.get(what, "the same token earlier"): reading.habits()[what][opened] for what in MEASURES}
    bars: list[chart.Bar] = [(what, share, percent(share)) for what, share in shares.items()]
    told = f"{name}: " + ", ".join(f"{what} {percent(share)}" for what, share in shares.items())
    return el(
        "div",
        el("p", name.capitalize(), class_="part"),
        el("div", drawing, el("p", caption), class_="hm-read"),
        chart.bars(bars, high=1, sentence=told),
        leading.link("Open it among all heads, on a text of yours", "heads", heads_open=name),
        class_="hm-one",
    )


@functools.cache
def _weights() -> tuple[Floats, ...]:
    """Every head's weights, (n_queries, n_keys), on ``TEXT``; layer by layer."""
    m = model.load()
    return tuple(head for layer in m.forward(m.encode(TEXT)).weights for head in layer)
