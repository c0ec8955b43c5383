"""Every head of every layer as a small square, whose edge says where it mostly rests in the text at hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np

from glassbox.arrays import Floats, Ints
from glassbox.figures.markup import Markup, el

MOST = 0.5  # the share of a head's weight from which it counts as doing one thing
HABITS = {"first": "on the first token", "previous": "on the token before", "self": "on itself"}
Sets = Callable[[int, int], dict[str, object]]  # layer and head, both from 0, to the controls that open it


def every_head(weights: Sequence[Floats], opened: tuple[int, int], sets: Sets) -> list[Markup]:
    """The squares, and below them what their edges say.

    Args:
        weights: For each layer (n_heads, n_queries, n_keys).
        opened: Layer and head, both from 0, of the one that is shown large.
        sets: What pressing a square sets.
    """
    habits = [[habit(w) for w in layer] for layer in weights]
    rows = [_row(i, layer, habits[i], opened, sets) for i, layer in enumerate(weights)]
    squares_ = el(
        "div",
        rows,
        role="grid",
        aria_label="every head: rows are layers, columns are heads",
        class_="om-grid",
        style=f"--n:{len(weights[0])}",
    )
    return [squares_, _key(counted(weights))]


def counted(weights: Sequence[Floats]) -> dict[str, int]:
    """How many heads rest mostly on each place."""
    found = [habit(w) for layer in weights for w in layer]
    return {name: found.count(name) for name in HABITS}


def squares(weights: Floats) -> list[Markup]:
    """Cells in six shades, all cells of a shade in one path; the lower triangle stands out from the paper."""
    n = len(weights)
    shade = shades(weights)
    paths = [el("path", d="".join(f"M0 {i}h{i + 1}v1H0z" for i in range(n)), fill="var(--scale-0)")]
    for step in range(2, 7):
        cells = "".join(f"M{j} {i}h1v1h-1z" for i in range(n) for j in range(i + 1) if shade[i, j] == step)
        if cells:
            paths.append(el("path", d=cells, fill=f"var(--scale-{step})"))
    return paths


def shades(weights: Floats) -> Ints:
    """Each cell's shade, from 0 for nothing to 6 for all; small weights get more of them."""
    found: Ints = np.ceil(np.sqrt(weights) * 6).astype(int)
    return found


def share(weights: Floats, name: str) -> float:
    """A habit's mean share in one head, over the readers behind the first two tokens, who can tell them apart."""
    rows = weights[2:] if len(weights) > 2 else weights
    places = np.arange(len(weights) - len(rows), len(weights))
    columns = {"first": 0 * places, "previous": np.maximum(places - 1, 0), "self": places}[name]
    return float(rows[np.arange(len(rows)), columns].mean())


def habit(weights: Floats) -> str:
    """What takes most of a head's weight, (n_queries, n_keys), if it takes at least half; else nothing."""
    name = max(HABITS, key=lambda n: share(weights, n))
    return name if share(weights, name) >= MOST else ""


def _row(layer: int, heads: Floats, habits: list[str], at: tuple[int, int], sets: Sets) -> Markup:
    cells = [_small(layer, j, w, habits[j], (layer, j) == at, sets) for j, w in enumerate(heads)]
    return el("div", el("span", layer + 1, aria_hidden="true"), cells, role="row", class_="om-row")


def _small(layer: int, head: int, weights: Floats, does: str, chosen: bool, sets: Sets) -> Markup:
    n = len(weights)
    drawing = el("svg", squares(weights), viewBox=f"0 0 {n} {n}", aria_hidden="true")
    said = f"layer {layer + 1}, head {head + 1}: " + (f"mostly {HABITS[does]}" if does else "mixed")
    return el(
        "div",
        drawing,
        role="gridcell",
        tabindex=0 if chosen else -1,
        class_=f"om-head {does} om-on" if chosen else f"om-head {does}".strip(),
        data_set=json.dumps(sets(layer, head)),
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
