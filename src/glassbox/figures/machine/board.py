"""The rows of the whole machine: a button for each part on the left, what it adds or says on the right."""

from __future__ import annotations

import json

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import subject
from glassbox.figures.attention import matrix
from glassbox.figures.machine import cuts, runs, sheet
from glassbox.figures.machine.state import ADDS, LEFT, State
from glassbox.figures.markup import Markup, el


def board(state: State) -> Markup:
    """The drawing with its rows of buttons on the left and what stands beside each part on the right."""
    c = subject.model().config
    lines: list[Markup] = [_header(state)]
    for layer in reversed(range(c.n_layers)):
        lines.append(_guess(state, layer))
        if layer not in state.opened:
            continue
        lines.append(_part(state, cuts.mlp_key(layer), "mc-mlp"))
        lines += [_part(state, cuts.head_key(layer, h), "mc-head") for h in reversed(range(c.n_heads))]
    lines += [_embedding(state), _words_row(state), _hide_row(state)]
    grid = el(
        "div",
        lines,
        role="grid",
        aria_multiselectable="true",
        aria_label="the parts of the model; press one to cut it, once more to put it back",
        class_="mc-rows",
    )
    picture = sheet.drawing(state.whole, state.now, state.at, state.gone, state.opened)
    return el("div", grid, picture, class_="mc-sheet", style=f"--n:{len(state.now.ids)}")


def _header(state: State) -> Markup:
    said = "adds" if state.beside == ADDS else f"{runs.word(state.top)} left"
    return el(
        "div",
        el("span", "press to cut", role="columnheader"),
        el(
            "span",
            el("span", "● looks", class_="mc-looks"),
            el("span", "■ MLPs", class_="mc-squares"),
            el("span", "↑ depth"),
            role="columnheader",
            class_="mc-mid",
        ),
        el("span", said, role="columnheader"),
        role="row",
        class_="mc-top",
    )


def _chip(state: State, key: str, words: str, name: str, detail: str) -> Markup:
    cut = key in state.gone
    first = key == cuts.layer_key(subject.model().config.n_layers - 1)
    return el(
        "span",
        words,
        role="gridcell",
        tabindex=0 if first else -1,
        aria_label=name if words in name else f"{words}: {name}",
        aria_selected="true" if cut else "false",
        data_set=json.dumps({"cut": cuts.toggled(state.written, key)}),
        data_ahead=True,
        data_detail=detail,
        class_="mc-chip mc-cut" if cut else "mc-chip",
    )


def _part(state: State, key: str, kind: str) -> Markup:
    """One head or MLP: its button, and how much it adds or what is left without it."""
    part = dict(runs.parts())[key]
    name = cuts.named(cuts.Cut(key, part), state.now.labels)
    words = "MLP" if part.mlp else key
    word = state.now.labels[state.at]
    share = state.added[key]
    if key in state.gone:
        detail = f"{name} is cut: it adds nothing, at any word"
    elif part.head is None:
        detail = f"{name} works on {word} alone and adds {100 * share:.0f} % of the stream"
    else:
        row = matrix.shares(state.now.flow.forward.weights[part.layer][part.head, state.at])
        order = sorted(range(len(row)), key=lambda j: -row[j])[:2]
        reads = ", ".join(f"{state.now.labels[j]} {row[j]} %" for j in order if row[j])
        detail = f"{name}: {word} reads {reads}; it adds {100 * share:.0f} % of the stream"
    return el(
        "div",
        _chip(state, key, words, name, detail),
        _beside(state, key, share),
        role="row",
        class_=kind,
    )


def _beside(state: State, key: str, share: float) -> Markup:
    if state.beside == LEFT:
        known = state.left.get(key)
        share = 0.0 if known is None else float(known.left[state.at])
        said = "…" if known is None else runs.percent(share)
    else:
        said = "cut" if key in state.gone else f"{100 * share:.0f}\u00a0%"
    return el(
        "span",
        el("i", style=f"--share:{min(100 * share, 100):.0f}%"),
        el("span", said),
        role="gridcell",
        class_="mc-beside",
    )


def _guess(state: State, layer: int) -> Markup:
    """The line over a layer: its button, and what the stream would say there."""
    c = subject.model().config
    key = cuts.layer_key(layer)
    name = f"the whole of layer {layer + 1}"
    detail = f"{name}: {c.n_heads} heads and an MLP"
    if known := state.left.get(key):
        left = runs.percent(float(known.left[state.at]))
        detail += f"; cut alone, it leaves “{runs.word(state.top)}” {left}"
    chip = _chip(state, key, f"layer {layer + 1}", name, detail)
    return el(
        "div",
        el("span", chip, _opener(state, layer), class_="mc-two") if runs.many() else chip,
        _guessed(state.lens[layer + 1], state.lens_whole[layer + 1]),
        role="row",
        class_="mc-guess",
    )


def _opener(state: State, layer: int) -> Markup:
    """Shows the parts of a layer, or puts them away: a large model's are too many to show all."""
    opened = layer in state.opened
    return el(
        "span",
        "−" if opened else "+",
        role="gridcell",
        tabindex=-1,
        aria_label=f"{'put away' if opened else 'show'} the parts of layer {layer + 1}",
        aria_expanded="true" if opened else "false",
        data_set=json.dumps({"cut": cuts.toggled(state.written, cuts.open_key(layer))}),
        data_detail=f"the heads and the MLP of layer {layer + 1}",
        class_="mc-chip mc-opener",
    )


def _embedding(state: State) -> Markup:
    return el(
        "div",
        el("span", "embedding", role="rowheader"),
        _guessed(state.lens[0], state.lens_whole[0]),
        role="row",
        class_="mc-embedding",
    )


def _words_row(state: State) -> Markup:
    """The words: pressing one follows it."""
    cells = [
        el(
            "span",
            el("span", word),
            role="gridcell",
            tabindex=-1,
            aria_selected="true" if j == state.at else "false",
            data_set=json.dumps({"position": j}),
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


def _hide_row(state: State) -> Markup:
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
                data_set=json.dumps({"cut": cuts.toggled(state.written, key)}),
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


def _guessed(now: Floats, whole: Floats) -> Markup:
    best = int(now.argmax())
    moved = float(np.abs(now - whole).sum()) / 2 >= sheet.CHANGED
    return el(
        "span",
        el("b", runs.word(best)),
        " ",
        el("span", runs.percent(float(now[best]))),
        role="gridcell",
        class_="mc-says mc-moved" if moved else "mc-says",
    )
