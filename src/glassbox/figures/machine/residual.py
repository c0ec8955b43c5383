"""The stream as a sum written out: what heads and MLPs add, and one number of it followed through all of them."""

from __future__ import annotations

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.machine import runs
from glassbox.figures.machine.strips import strip
from glassbox.figures.markup import Markup, el

TITLE = "A stream, written out as a sum"


def residual(text: str, number: int = 1) -> Figure:
    """What the embedding, the heads and the MLP of each layer add to the last token's stream, and their sum.

    Args:
        text: The text; its last seven tokens are read.
        number: Which entry of the stream is followed, counted from 1.
    """
    run = runs.run(text)
    terms = _terms(run)
    total = run.flow.streams[-1][-1]
    at = min(max(int(number), 1), len(total)) - 1
    values = [float(term[at]) for _, term in terms]
    sizes = [float(np.linalg.norm(term)) for _, term in terms]
    largest = int(np.argmax(sizes))
    word = run.labels[-1]
    sentence = (
        f"Entry {at + 1} of the stream of “{word}” is {runs.signed(values[0])} from the embedding and ends at "
        f"{runs.signed(float(total[at]))}; the largest of all additions is that of {terms[largest][0]}."
    )
    lines = [
        _line(
            name,
            term,
            values[k],
            sizes[k],
            max(sizes),
            at,
            "query" if "MLP" in name else "value" if k else "accent",
        )
        for k, (name, term) in enumerate(terms)
    ]
    size = float(np.linalg.norm(total))
    lines.append(
        _line(
            "the sum: the stream at the top",
            total,
            float(total[at]),
            size,
            max(sizes),
            at,
            "accent",
            "rs-sum",
        )
    )
    head = el(
        "li",
        el("span", "added by"),
        el("span", f"{len(total)} numbers, each row on a scale of its own"),
        el("span", f"entry {at + 1}", class_="number"),
        el("span", "size", class_="number"),
        class_="rs-head",
    )
    rows: list[tuple[Cell, ...]] = []
    before = np.zeros_like(total)
    for k, (name, term) in enumerate(terms):
        after = before + term
        rows.append(
            (
                name,
                round(values[k], 3),
                round(sizes[k], 2),
                round(float(np.linalg.norm(after)), 2),
                _cosine(before, term) if k else "",
            )
        )
        before = after
    columns = (
        "added by",
        f"entry {at + 1}",
        "size of the addition",
        "size of the stream after it",
        "cosine with the stream before it",
    )
    note = "The size of a list of numbers is the root of the sum of their squares."
    return Figure(
        TITLE,
        sentence,
        el("ol", head, lines, class_="rs rs-many" if runs.many() else "rs"),
        Table(columns, tuple(rows)),
        note=f"{run.note} {note}".strip(),
    )


def _terms(run: runs.Run) -> list[tuple[str, Floats]]:
    """What is added to the last token's stream, from the bottom up."""
    found = [("the embedding", run.flow.embedding[-1])]
    for layer, (heads, mlp) in enumerate(zip(run.flow.heads, run.flow.mlps, strict=True)):
        found.append((f"the heads of layer {layer + 1}", heads[:, -1].sum(axis=0)))
        found.append((f"the MLP of layer {layer + 1}", mlp[-1]))
    return found


def _line(
    name: str, term: Floats, value: float, size: float, largest: float, at: int, tone: str, kind: str = ""
) -> Markup:
    return el(
        "li",
        el("span", name),
        strip(term, tone, "", mark=at),
        el("b", runs.signed(value), class_="number"),
        el(
            "span",
            el("i", style=f"--share:{100 * size / largest:.1f}%;--tone:var(--{tone})"),
            f"{size:,.1f}",
            class_="rs-size number",
        ),
        class_=kind or None,
    )


def _cosine(a: Floats, b: Floats) -> float:
    return round(float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-12)), 3)
