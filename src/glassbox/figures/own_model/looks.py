"""Where every head of every layer looks, and one of them large."""

from __future__ import annotations

import json

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import subject
from glassbox.figures.attention import matrix, reading
from glassbox.figures.attention.heads import squares
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.model import attention

TITLE = "Every head of every layer"
LIMIT = 10
MOST = 0.5  # the share of a head's weight from which it counts as doing one thing
HABITS = {"first": "on the first token", "previous": "on the token before", "self": "on itself"}


def looks(text: str, layer: int, head: int) -> Figure:
    """Small squares for all heads of all layers, one head opened.

    Args:
        text: The sentence; its last tokens, up to ten, are used.
        layer: The layer to open, from 1.
        head: The head to open, from 1.
    """
    read = reading.read(text, LIMIT)
    c = subject.model().config
    at = min(max(int(layer), 1), c.n_layers) - 1, min(max(int(head), 1), c.n_heads) - 1
    weights = read.forward.weights[at[0]][at[1]]
    habits = [[habit(w) for w in layer] for layer in read.forward.weights]
    counts = {name: sum(h == name for row in habits for h in row) for name in HABITS}
    last = matrix.shares(weights[-1])
    best = int(weights[-1].argmax())
    sentence = (
        f"Of {c.n_layers * c.n_heads} heads of {subject.name()}, {_listed(counts)} here; "
        f"in layer {at[0] + 1}, head {at[1] + 1}, {read.labels[-1]} gives {last[best]} % to {read.labels[best]}."
    )
    n = len(read.labels)
    picture = el(
        "div",
        el(
            "div",
            el("p", "Rows are layers, columns are heads", class_="part"),
            el(
                "div",
                [_row(i, read.forward.weights[i], habits[i], at) for i in range(c.n_layers)],
                role="grid",
                aria_label="every head: rows are layers, columns are heads",
                class_="om-grid",
                style=f"--n:{c.n_heads}",
            ),
            _key(counts),
        ),
        el(
            "div",
            el("p", f"Layer {at[0] + 1}, head {at[1] + 1}", class_="part"),
            matrix.weights_matrix(read.labels, weights, attention.causal_mask(n, n)),
            class_="om-opened",
        ),
        class_="om-looks",
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (f"layer {i + 1}, head {j + 1}", *(round(100 * _share(w, name)) for name in HABITS))
        for i, heads in enumerate(read.forward.weights)
        for j, w in enumerate(heads)
    )
    columns = ("head", *(f"{what} (%)" for what in HABITS.values()))
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=read.note)


def _share(weights: Floats, name: str) -> float:
    """A habit's mean share in one head, over the readers behind the first two tokens, who can tell them apart."""
    rows = weights[2:] if len(weights) > 2 else weights
    places = np.arange(len(weights) - len(rows), len(weights))
    columns = {"first": 0 * places, "previous": np.maximum(places - 1, 0), "self": places}[name]
    return float(rows[np.arange(len(rows)), columns].mean())


def habit(weights: Floats) -> str:
    """What takes most of a head's weight, (n_queries, n_keys), if it takes at least half; else nothing."""
    name = max(HABITS, key=lambda n: _share(weights, n))
    return name if _share(weights, name) >= MOST else ""


def _listed(counts: dict[str, int]) -> str:
    said = [f"{n} mostly rest {HABITS[name]}" for name, n in counts.items() if n]
    if not said:
        return "none does just one thing"
    said = [said[0], *(s.replace("mostly rest ", "") for s in said[1:])]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _row(layer: int, heads: Floats, habits: list[str], at: tuple[int, int]) -> Markup:
    cells = [_small(layer, j, w, habits[j], (layer, j) == at) for j, w in enumerate(heads)]
    return el("div", el("span", layer + 1, aria_hidden="true"), cells, role="row", class_="om-row")


def _small(layer: int, head: int, weights: Floats, does: str, chosen: bool) -> Markup:
    n = len(weights)
    drawing = el("svg", squares(weights), viewBox=f"0 0 {n} {n}", aria_hidden="true")
    said = f"layer {layer + 1}, head {head + 1}: " + (f"mostly {HABITS[does]}" if does else "mixed")
    return el(
        "div",
        drawing,
        role="gridcell",
        tabindex=0 if chosen else -1,
        class_=f"om-head {does} om-on" if chosen else f"om-head {does}".strip(),
        data_set=json.dumps({"layer": layer + 1, "head": head + 1}),
        data_detail=said,
        aria_label=said,
        aria_selected="true" if chosen else None,
    )


def _key(counts: dict[str, int]) -> Markup:
    """What the edges of the small squares say."""
    parts = [
        el("li", el("i", class_=f"om-head {name}"), f"mostly {what}: {counts[name]}")
        for name, what in HABITS.items()
    ]
    return el("ul", parts, class_="om-key small")
