"""The rows under the whole machine: who is followed, the tokens' ids, who is hidden, and whether places are told."""

from __future__ import annotations

import json

from glassbox.figures import subject
from glassbox.figures.machine import cuts
from glassbox.figures.machine.state import State
from glassbox.figures.markup import Markup, el


def rows(state: State) -> list[Markup]:
    """All four, from the top down."""
    return [_followed(state), _ids(state), _hidden(state), _turning(state)]


def _followed(state: State) -> Markup:
    """The words: pressing one follows it."""
    cells = [
        el(
            "span",
            el("span", word),
            role="gridcell",
            tabindex=-1,
            aria_selected="true" if j == state.at else "false",
            data_set=json.dumps(state.sets(position=j)),
            data_ahead=True,
            data_detail=f"position {j}: “{word}”, id {state.now.ids[j]}; press to follow it",
            class_="mc-word mc-on" if j == state.at else "mc-word",
        )
        for j, word in enumerate(state.now.labels)
    ]
    return el(
        "div",
        el("span", "follow", role="rowheader"),
        cells,
        el("span", class_="mc-end", role="gridcell"),
        role="row",
        class_="mc-words-row",
    )


def _ids(state: State) -> Markup:
    """Under each word the number by which the model knows it; what it is made of stands in its detail."""
    m = subject.model()
    cells = [
        el(
            "span",
            token,
            role="gridcell",
            tabindex=-1,
            data_detail=f"the bytes {m.piece(token)[:16].hex(' ')} are token {token}, “{word}”; {token} is its row of the table",
        )
        for token, word in zip(state.now.ids, state.now.labels, strict=True)
    ]
    end = el("span", class_="mc-end", role="gridcell")
    return el("div", el("span", "id", role="rowheader"), cells, end, role="row", class_="mc-words-row mc-ids")


def _hidden(state: State) -> Markup:
    """Under each word a button that cuts all looks at it."""
    cells = []
    for j, word in enumerate(state.now.labels):
        key, hidden = cuts.looks_key(j), cuts.looks_key(j) in state.keys
        cells.append(
            el(
                "span",
                "hide",
                role="gridcell",
                tabindex=-1,
                aria_label=f"hide {word}",
                aria_selected="true" if hidden else "false",
                data_set=json.dumps(state.sets(cut=cuts.toggled(state.written, key))),
                data_ahead=True,
                data_detail=f"no later word may look at “{word}”, in any head",
                class_="mc-chip mc-cut" if hidden else "mc-chip",
            )
        )
    return el(
        "div",
        el("span", "looks", role="rowheader"),
        cells,
        el("span", class_="mc-end", role="gridcell"),
        role="row",
        class_="mc-words-row mc-hide",
    )


def _turning(state: State) -> Markup:
    """One button for the turning of queries and keys by their positions, in all heads."""
    cut = cuts.ROTATION in state.keys
    words = "by positions, in every head"
    button = el(
        "span",
        words,
        role="gridcell",
        tabindex=-1,
        aria_label=f"{words}: the rotation",
        aria_selected="true" if cut else "false",
        data_set=json.dumps(state.sets(cut=cuts.toggled(state.written, cuts.ROTATION))),
        data_ahead=True,
        data_detail="queries and keys are turned by their positions, so that a score depends on the distance",
        class_="mc-chip mc-cut" if cut else "mc-chip",
    )
    return el("div", el("span", "rotation", role="rowheader"), button, role="row", class_="mc-turning")
