"""What is kept for the next word: the keys and values of every layer, and the work that they save."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import chart, subject
from glassbox.figures.figure import Figure, Table
from glassbox.figures.machine import runs
from glassbox.figures.machine.strips import strip
from glassbox.figures.markup import Markup, el

TITLE = "What is kept for the next word"


@dataclass(frozen=True, eq=False)
class _Step:
    """Reading one more token with what was kept, and by starting again."""

    kept: int
    again: int
    apart: float
    keys: list[Floats]
    values: list[Floats]


def kept(text: str, layer: int = 1) -> Figure:
    """The keys and values that are kept of each token, and what reading one more token costs with them and without.

    Args:
        text: The text; its last seven tokens are read.
        layer: Whose keys and values are drawn, counted from 1.
    """
    run = runs.run(text)
    c = subject.model().config
    step = _step(run.ids)
    at = min(max(int(layer), 1), c.n_layers) - 1
    numbers = 2 * c.n_layers * c.n_kv_heads * c.d_head
    ratio = step.again / step.kept
    sentence = (
        f"Each token leaves {numbers:,} numbers behind. With them the last of {len(run.ids)} tokens takes "
        f"{step.kept / 1e6:.1f} million multiplications, without them {step.again / 1e6:.1f} million: "
        f"{ratio:.1f} times as many, for the same answer."
    )
    k, v = step.keys[at], step.values[at]
    tallest_k, tallest_v = float(np.abs(k).max()), float(np.abs(v).max())
    lines = [
        el(
            "li",
            el("b", word),
            strip(k[:, i].reshape(-1), "key", "", tallest_k),
            strip(v[:, i].reshape(-1), "value", "", tallest_v),
        )
        for i, word in enumerate(run.labels[:-1])
    ]
    each = c.n_kv_heads * c.d_head
    head = el(
        "li",
        el("span", "token"),
        el(
            "span",
            f"its keys in layer {at + 1}: {c.n_kv_heads} × {c.d_head} = {each} numbers",
            class_="c-key",
        ),
        el("span", f"its values: {each} numbers", class_="c-value"),
        class_="kp-head",
    )
    picture = el("div", el("ol", head, lines, class_="kp"), _work(step, sentence))
    columns = ("way", "multiplications for the last token", "numbers kept for each token")
    rows = (("with what was kept", step.kept, numbers), ("starting again", step.again, 0))
    same = "agree to a thousandth" if step.apart < 1e-3 else f"differ by {step.apart:.2g}"
    note = f"The logits of both ways {same}; sums are made in another order."
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=f"{run.note} {note}".strip())


def _work(step: _Step, sentence: str) -> Markup:
    bars: list[chart.Bar] = [
        ("with what was kept", step.kept / step.again, f"{step.kept / 1e6:.1f} M", "value"),
        ("starting again", 1.0, f"{step.again / 1e6:.1f} M", "severe"),
    ]
    heading = el("p", "Multiplications to read the last token", class_="part")
    return el("div", heading, chart.bars(bars, high=1, sentence=sentence), class_="kp-work")


@subject.kept(maxsize=12)
def _step(ids: tuple[int, ...]) -> _Step:
    m = subject.model()
    cache = m.new_cache()
    before = m.forward(ids[:-1], cache) if len(ids) > 1 else None
    last = m.forward(ids[-1:], cache)
    again = m.forward(ids, last_only=True)
    apart = float(np.abs(last.logits[-1] - again.logits[-1]).max())
    keys, values = (before.k, before.v) if before is not None else (last.k, last.v)
    return _Step(last.multiply_adds, again.multiply_adds, apart, keys, values)
