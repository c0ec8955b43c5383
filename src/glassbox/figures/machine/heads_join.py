"""The heads of a layer come together: their mixes side by side, what each adds, and the sum."""

from __future__ import annotations

import numpy as np

from glassbox.figures import subject
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.machine import runs
from glassbox.figures.machine.strips import strip
from glassbox.figures.markup import el
from glassbox.model import layers
from glassbox.model.experiments import plain

TITLE = "Side by side, then together"


def heads_join(text: str, layer: int = 1) -> Figure:
    """What each head of a layer has mixed at the last token, what it adds through its part of W_O, and the sum.

    Args:
        text: The text; its last seven tokens are read.
        layer: Counted from 1.
    """
    m, run = subject.model(), runs.run(text)
    plain.require(m, "the sum of a layer’s heads", "post_norms", "bias_out")
    c = m.config
    at = min(max(int(layer), 1), c.n_layers) - 1
    heads = [run.flow.forward.head(at, h) for h in range(c.n_heads)]
    mixes = [one.weights[-1] @ one.v for one in heads]
    written = run.flow.heads[at][:, -1]
    together = layers.linear(np.concatenate(mixes)[None], m.params[f"{at}.w_o"])[0]
    sizes = [float(np.linalg.norm(w)) for w in written]
    most = int(np.argmax(sizes))
    word = run.labels[-1]
    sentence = (
        f"At “{word}” the {c.n_heads} heads of layer {at + 1} mix {c.d_head} numbers each, {len(np.concatenate(mixes))} "
        f"together, and add {len(together)}; head {at + 1}.{most + 1} adds most, a vector of size {sizes[most]:,.1f}."
    )
    lines = [
        el(
            "li",
            el("b", f"{at + 1}.{h + 1}"),
            strip(mixes[h], "value", ""),
            strip(written[h], "accent", ""),
            el("span", f"{sizes[h]:,.1f}", class_="number"),
        )
        for h in range(c.n_heads)
    ]
    total = el(
        "li",
        el("b", "all"),
        strip(np.concatenate(mixes), "value", ""),
        strip(together, "accent", ""),
        el("span", f"{float(np.linalg.norm(together)):,.1f}", class_="number"),
        class_="hj-sum",
    )
    head = el(
        "li",
        el("span", "head"),
        el("span", f"its mix: {c.d_head} numbers", class_="c-value"),
        el("span", f"through its part of W_O: {c.d_model} numbers"),
        el("span", "size", class_="number"),
        class_="hj-head",
    )
    rows: list[tuple[Cell, ...]] = [
        (f"{at + 1}.{h + 1}", round(float(np.linalg.norm(mixes[h])), 3), round(sizes[h], 3))
        for h in range(c.n_heads)
    ]
    columns = ("head", "size of its mix", "size of what it adds")
    note = "The last row is worked out at once, from all mixes written one after the other: it is the sum of those above."
    return Figure(
        TITLE,
        sentence,
        el("ol", head, lines, total, class_="hj"),
        Table(columns, tuple(rows)),
        note=f"{run.note} {note}".strip(),
    )
