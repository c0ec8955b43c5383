"""One head and its four matrices: every number of a query, key, value or output is a row of weights times a vector."""

from __future__ import annotations

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import subject
from glassbox.figures.attention import reading
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table
from glassbox.figures.machine import runs
from glassbox.figures.machine.strips import strip
from glassbox.figures.markup import Child, el
from glassbox.model import experiments

TITLE = "Four matrices make a head"
MATRICES = ("W_Q: the query", "W_K: the key", "W_V: the value", "W_O: the output")
_NAMES = ("query", "key", "value", "output")
_TONES = ("query", "key", "value", "accent")


def project(text: str, head: int, matrix: str = MATRICES[0], number: int = 1) -> Figure:
    """One number of what a matrix makes, as the sum it is: what goes in, times a row of weights.

    Args:
        text: The text; its last seven tokens are read.
        head: Index of the head among ``reading.head_names``.
        matrix: One of ``MATRICES``.
        number: Which number of the result, counted from 1.
    """
    one_of("matrix", matrix, MATRICES)
    run, which = runs.run(text), MATRICES.index(matrix)
    layer, h = reading.head_at(head)
    weights, inputs, source = _product(run, layer, h, which)
    result = weights @ inputs
    at = min(max(int(number), 1), len(result)) - 1
    products = weights[at] * inputs
    letter, tone = matrix.split(":")[0], _TONES[which]
    word, name = run.labels[-1], reading.head_names()[head]
    total = float(products.sum())
    sentence = (
        f"Number {at + 1} of the {_NAMES[which]} of “{word}” in {name} is {_number(total)}: {len(inputs)} numbers times "
        f"{len(inputs)} weights, added up."
    )
    steps: list[tuple[Child, Floats, str, int | None]] = [
        ([source, f": {len(inputs)} numbers"], inputs, "soft", None),
        (
            [f"times row {at + 1} of ", el("b", letter), f": {len(inputs)} learned weights"],
            weights[at],
            tone,
            None,
        ),
        (f"their products; they add up to {_number(total)}", products, "soft", None),
        (
            [f"which is number {at + 1} of the {_NAMES[which]}: {len(result)} numbers in all"],
            result,
            tone,
            at,
        ),
    ]
    shape = el(
        "p",
        el("b", letter),
        f" of this head has {len(result)} rows of {len(inputs)} weights: {weights.size:,} learned numbers. {_after(which)}",
        class_="pj-shape",
    )
    picture = el("div", shape, [strip(v, t, n, mark=mark) for n, v, t, mark in steps], class_="strips pj")
    rows = tuple((n + 1, round(float(value), 4)) for n, value in enumerate(result))
    columns = ("number", f"{_NAMES[which]} of {word}")
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=run.note)


def _product(run: runs.Run, layer: int, head: int, which: int) -> tuple[Floats, Floats, str]:
    """A head's matrix, the vector that it is multiplied by at the last token, and what that is."""
    m = subject.model()
    own = experiments.matrices(m, layer, head)
    word = run.labels[-1]
    if which == 3:
        one = run.flow.forward.head(layer, head)
        mixed = (one.weights[-1] @ one.v).astype(np.float64)
        return own.w_o.astype(np.float64), mixed, f"The mix of values that {word} has read"
    read = experiments.read_by_heads(m, run.flow, layer)[-1].astype(np.float64)
    matrix = (own.w_q, own.w_k, own.w_v)[which].astype(np.float64)
    return matrix, read, f"The stream of {word} below layer {layer + 1}, brought to an even size"


def _after(which: int) -> str:
    if which < 2:
        return "Afterwards pairs of the result are turned by the token’s place, so that distance counts."
    return (
        "This result is what the shares of attention mix."
        if which == 2
        else "This result is added to the stream."
    )


def _number(value: float) -> str:
    return f"{value:,.2f}".replace("-", "−")
