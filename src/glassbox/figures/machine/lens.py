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
Guess = tuple[int, float]  # a token and its probability


def lens(text: str, cut: str = "") -> Figure:
    """What every token's stream would predict after the embedding and after each layer.

    Args:
        text: The text; its last seven tokens are read.
        cut: Parts that add nothing, as ``cuts.parse`` reads them.
    """
    m, run = subject.model(), runs.run(text, cut)
    n = len(run.ids)
    likeliest = [_likeliest(experiments.guesses(m, run.flow, i)) for i in range(n)]
    last = [runs.word(guess[0][0]) for guess in likeliest[-1]]
    settled = next(k for k in range(len(last)) if all(w == last[-1] for w in last[k:]))
    where = "the embedding" if settled == 0 else f"layer {settled}"
    sentence = (
        f"The stream of “{run.labels[-1]}” first says “{last[0]}”; from {where} on it says “{last[-1]}”, in the end "
        f"with {runs.percent(likeliest[-1][-1][0][1])}."
    )
    depth = range(len(last) - 1, -1, -1)
    names = ["embedding", *(f"layer {k}" for k in range(1, len(last)))]
    body = [
        el(
            "tr",
            el("th", names[k], scope="row"),
            [_cell(likeliest[i][k], run.labels[i], names[k]) for i in range(n)],
        )
        for k in depth
    ]
    foot = el("tr", el("td"), [el("th", word, scope="col") for word in run.labels])
    table = el("table", el("tbody", body), el("tfoot", foot), class_="ln")
    picture = el("div", table, class_="scroll", tabindex="0", role="group", aria_label=sentence)
    rows = tuple(
        (
            names[k],
            *(Kept(f"{runs.word(token)} {runs.percent(p)}") for token, p in (one[k][0] for one in likeliest)),
        )
        for k in depth
    )
    return Figure(TITLE, sentence, picture, Table(("after", *run.labels), rows), note=run.note)


def _likeliest(logits: Floats) -> list[list[Guess]]:
    """The likeliest tokens of each row of (n_layers + 1, vocab_size); the rest of a large vocabulary may go."""
    found = []
    for probs in experiments.probabilities(logits):
        order = np.argsort(-probs, kind="stable")[:N_SHOWN]
        found.append([(int(i), float(probs[i])) for i in order])
    return found


def _cell(guesses: list[Guess], word: str, where: str) -> Markup:
    """The likeliest word and, smaller, its probability; the next ones on pointing."""
    token, best = guesses[0]
    others = ", ".join(f"{runs.word(i)} {runs.percent(p)}" for i, p in guesses)
    return el(
        "td",
        el("b", runs.word(token)),
        el("span", runs.percent(best)),
        class_="heat",
        style=f"--w:{100 * best:.0f}%",
        data_detail=f"{word}, after {where}: {others}",
    )
