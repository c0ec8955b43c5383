"""The rows of the whole machine: a button for each part on the left, what it adds or says on the right."""

from __future__ import annotations

import json

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import subject
from glassbox.figures.attention import matrix
from glassbox.figures.machine import cuts, runs, sheet, under
from glassbox.figures.machine.state import ADDS, LEFT, LOOK, State
from glassbox.figures.markup import Markup, el
from glassbox.model.experiments import Part


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
    lines += [_embedding(state), *under.rows(state)]
    grid = el(
        "div",
        lines,
        role="grid",
        aria_multiselectable="true",
        aria_label="the parts of the model; press one to cut it, once more to put it back",
        class_="mc-rows",
    )
    picture = sheet.drawing(state.whole, state.now, state.at, state.gone, state.depth, state.opened)
    return el("div", grid, picture, class_="mc-sheet", style=f"--n:{len(state.now.ids)}")


def _header(state: State) -> Markup:
    parts = {ADDS: "adds", LEFT: f"{runs.word(state.top)} left", LOOK: "press to cut a look"}[state.beside]
    said = "would say" if runs.many() and not state.opened else parts
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
        data_set=json.dumps(state.sets(cut=cuts.toggled(state.written, key))),
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
        class_=f"{kind} mc-above" if state.depth < 2 * part.layer + 1 + part.mlp else kind,
    )


def _look(state: State, key: str, part: Part) -> Markup:
    """The earlier token that a head looks at most, as a button that cuts this look."""
    end = {"role": "gridcell", "class_": "mc-beside"}
    if part.head is None or not state.at:
        return el("span", **end)
    row = matrix.shares(runs.run(state.text).flow.forward.weights[part.layer][part.head, state.at])
    source = max(range(state.at), key=lambda j: row[j])
    name, edge = state.now.labels[source], f"{key}{cuts.looks_key(source)}"
    return el(
        "span",
        f"{name} {row[source]}\u00a0%",
        role="gridcell",
        tabindex=-1,
        translate="no",
        aria_label=f"{name} {row[source]}\u00a0%: the look of {key}",
        aria_selected="true" if edge in state.keys else "false",
        data_set=json.dumps(state.sets(cut=cuts.toggled(state.written, edge))),
        data_detail=f"in {key}, no later token may look at “{name}”",
        class_="mc-chip mc-look mc-cut" if edge in state.keys else "mc-chip mc-look",
    )


def _beside(state: State, key: str, share: float) -> Markup:
    if state.beside == LOOK:
        return _look(state, key, dict(runs.parts())[key])
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
        class_="mc-guess mc-above" if state.depth < 2 * layer + 2 else "mc-guess",
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
        data_set=json.dumps(state.sets(cut=cuts.toggled(state.written, cuts.open_key(layer)))),
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
