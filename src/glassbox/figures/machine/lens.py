"""The guess forms: what each token's stream would say if the model stopped after this layer."""

from __future__ import annotations

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import subject
from glassbox.figures.figure import Figure, Table
from glassbox.figures.machine import runs
from glassbox.figures.markup import Kept, Markup, el
from glassbox.model import experiments

TITLE = "The guess after each layer"
N_SHOWN = 3


def lens(text: str, cut: str = "") -> Figure:
    """What every token's stream would predict after the embedding and after each layer.

    Args:
        text: The text; its last seven tokens are read.
        cut: Parts that add nothing, as ``cuts.parse`` reads them.
    """
    m, run = subject.model(), runs.run(text, cut)
    n = len(run.ids)
    probs = np.array(
        [experiments.probabilities(experiments.guesses(m, run.flow, i)) for i in range(n)]
    )  # (n, n_layers + 1, vocab_size)
    top = probs.argmax(axis=2)
    last = [runs.word(i) for i in top[-1]]
    settled = next(k for k in range(len(last)) if all(w == last[-1] for w in last[k:]))
    where = "the embedding" if settled == 0 else f"layer {settled}"
    sentence = (
        f"The stream of “{run.labels[-1]}” first says “{last[0]}”; from {where} on it says “{last[-1]}”, in the end "
        f"with {runs.percent(float(probs[-1, -1].max()))}."
    )
    depth = range(len(last) - 1, -1, -1)
    names = ["embedding", *(f"layer {k}" for k in range(1, len(last)))]
    body = [
        el(
            "tr",
            el("th", names[k], scope="row"),
            [_cell(probs[i, k], run.labels[i], names[k]) for i in range(n)],
        )
        for k in depth
    ]
    foot = el("tr", el("td"), [el("th", word, scope="col") for word in run.labels])
    table = el("table", el("tbody", body), el("tfoot", foot), class_="ln")
    picture = el("div", table, class_="scroll", tabindex="0", role="group", aria_label=sentence)
    rows = tuple(
        (
            names[k],
            *(
                Kept(f"{runs.word(top[i, k])} {runs.percent(float(probs[i, k, top[i, k]]))}")
                for i in range(n)
            ),
        )
        for k in depth
    )
    return Figure(TITLE, sentence, picture, Table(("after", *run.labels), rows), note=run.note)


def _cell(probs: Floats, word: str, where: str) -> Markup:
    """The likeliest word and, smaller, its probability; the next ones on pointing."""
    order = np.argsort(-probs, kind="stable")[:N_SHOWN]
    best = float(probs[order[0]])
    others = ", ".join(f"{runs.word(i)} {runs.percent(float(probs[i]))}" for i in order)
    return el(
        "td",
        el("b", runs.word(order[0])),
        el("span", runs.percent(best)),
        class_="heat",
        style=f"--w:{100 * best:.0f}%",
        data_detail=f"{word}, after {where}: {others}",
    )
