"""The answer of the machine: the next word before and after the cuts, and the numbers that were lost."""

from __future__ import annotations

import json

from glassbox.figures.machine import cuts, runs
from glassbox.figures.machine.state import State, written
from glassbox.figures.machine.strips import strip
from glassbox.figures.markup import Child, Markup, el


def next_words(state: State) -> Markup:
    """The list of next words: a bar for now, a tick for the whole machine."""
    before, after = state.whole.probs[state.at], state.now.probs[state.at]
    lines = []
    for w in state.words:
        now, was = runs.percent(after[w]), runs.percent(before[w])
        style = f"--share:{100 * after[w]:.1f}%;--mark:{100 * before[w]:.1f}%"
        lines.append(
            el(
                "li",
                el("span", runs.word(w)),
                el("i", style=style),
                el("small", f"{was} →" if now != was else ""),
                el("b", now),
            )
        )
    back = el(
        "span",
        "Put all back",
        role="button",
        tabindex=0,
        data_set=json.dumps({"cut": cuts.listed(state.opening)}),
        class_="mc-back",
        hidden=not state.cut,  # always there, so that the other buttons keep their places
    )
    heading = el("p", "The next word after ", el("b", state.whole.labels[state.at]), back)
    return el("div", heading, el("ol", lines), class_="mc-words")


def numbers(state: State) -> Markup:
    """The numbers of what was cut last, or of what the output reads."""
    word = state.now.labels[state.at]
    key = state.last_gone
    if key is None:
        values, tone = state.now.flow.forward.hidden[state.at], "accent"
        name: list[Child] = ["What the output reads at ", el("b", word), f": {len(values)} numbers"]
    else:
        values, tone = written(state.whole, key, state.at), "severe"
        name = ["Gone: what ", el("b", key), " had added at ", el("b", word), f", {len(values)} numbers"]
    return strip(values, tone, name)
