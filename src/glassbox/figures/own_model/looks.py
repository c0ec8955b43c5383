"""Where every head of every layer looks, and one of them large."""

from __future__ import annotations

from glassbox.figures import subject
from glassbox.figures.attention import matrix, reading
from glassbox.figures.attention.every_head import HABITS, counted, every_head, share
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import el
from glassbox.model import attention

TITLE = "Every head of every layer"
LIMIT = 10


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
    counts = counted(read.forward.weights)
    last = matrix.shares(weights[-1])
    best = int(weights[-1].argmax())
    sentence = (
        f"Of {c.n_layers * c.n_heads} heads of {subject.name()}, {_listed(counts)} here; "
        f"in layer {at[0] + 1}, head {at[1] + 1}, “{read.labels[-1]}” gives {last[best]}\u00a0% to “{read.labels[best]}”."
    )
    n = len(read.labels)
    picture = el(
        "div",
        el(
            "div",
            el("p", "Rows are layers, columns are heads", class_="part"),
            every_head(read.forward.weights, at, lambda a, b: {"layer": a + 1, "head": b + 1}),
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
        (f"layer {i + 1}, head {j + 1}", *(round(100 * share(w, name)) for name in HABITS))
        for i, heads in enumerate(read.forward.weights)
        for j, w in enumerate(heads)
    )
    columns = ("head", *(f"{what} (%)" for what in HABITS.values()))
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=read.note)


def _listed(counts: dict[str, int]) -> str:
    said = [f"{n} mostly rest {HABITS[name]}" for name, n in counts.items() if n]
    if not said:
        return "none does just one thing"
    said = [said[0], *(s.replace("mostly rest ", "") for s in said[1:])]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
