"""The answer of the machine: the next word before and after the cuts, and the numbers that were lost."""

from __future__ import annotations

import json

import numpy as np

from glassbox.figures.machine import cuts, runs, tour
from glassbox.figures.machine.state import State, after_adding, written
from glassbox.figures.machine.strips import strip
from glassbox.figures.markup import Child, Markup, el


def next_words(state: State) -> Markup:
    """The list of next words: a bar for now, a tick for the whole machine."""
    before, after = state.before, state.after
    lines = []
    for w in state.words:
        now, was = runs.percent(after[w]), runs.percent(before[w])
        style = f"--share:{100 * after[w]:.1f}%;--mark:{100 * before[w]:.1f}%"
        lines.append(
            el(
                "li",
                el("span", runs.word(w)),
                el("i", style=style),
                el("small", f"{was} →" if now != was and state.risen else ""),
                el("b", now),
            )
        )
    back = el(
        "span",
        "Put all back",
        role="button",
        tabindex=0,
        data_set=json.dumps(state.sets(cut=cuts.listed(state.opening))),
        class_="mc-back",
        hidden=not state.cut,  # always there, so that the other buttons keep their places
    )
    heading = el("p", "The next word after ", el("b", state.whole.labels[state.at]), back)
    return el("div", heading, _climb(state), el("ol", lines), class_="mc-words")


def _climb(state: State) -> Markup:
    """Where the stream is read, and a button to read one addition further down or up."""
    where = "read at the top" if state.risen else f"read {after_adding(state.depth)}"
    return el("p", _step(state, -1), el("span", where), _step(state, 1), class_="mc-climb")


def _step(state: State, by: int) -> Markup:
    there = 0 <= state.depth + by <= tour.top()
    return el(
        "span",
        "↑" if by > 0 else "↓",
        role="button",
        tabindex=0,
        aria_label="↑: one addition up" if by > 0 else "↓: one addition down",
        aria_disabled=None if there else "true",
        data_set=json.dumps(state.sets(depth=state.depth + by) if there else {}),
        class_="mc-step",
    )


def numbers(state: State) -> Markup:
    """The numbers of what was cut last, or of what the output reads."""
    word = state.now.labels[state.at]
    key = state.last_gone
    name: list[Child]
    if not state.risen:
        values, tone = state.now.flow.streams[state.depth][state.at], "accent"
        size = f"{np.linalg.norm(values):,.1f}"
        name = [
            "The stream of ",
            el("b", word),
            f" {after_adding(state.depth)}: {len(values)} numbers, size {size}",
        ]
    elif key is None:
        values, tone = state.now.flow.forward.hidden[state.at], "accent"
        name = ["What the output reads at ", el("b", word), f": {len(values)} numbers"]
    else:
        values, tone = written(state.whole, key, state.at), "severe"
        name = ["Gone: what ", el("b", key), " had added at ", el("b", word), f", {len(values)} numbers"]
    return strip(values, tone, name)
