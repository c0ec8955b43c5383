"""The causal mask: what a row may see, and what leaks when it may see everything."""

from __future__ import annotations

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import chart, subject
from glassbox.figures.attention import matrix, reading
from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import el
from glassbox.model import attention, experiments, layers
from glassbox.model.transformer import Switches

LIMIT = 12
OFF = Switches(mask=False)


@subject.kept(maxsize=16)
def copied(ids: tuple[int, ...]) -> Floats:
    """Logits of a head that may look ahead: each position reads the next one and says what it sees.

    Nothing is learned: the weights put everything on the token to the right, the values are the model's own
    embeddings, and the read-out compares with every embedding.
    """
    m = subject.model()
    n = len(ids)
    weights = np.eye(n, k=1, dtype=np.float32)
    weights[-1, -1] = 1.0  # the last position has nothing to its right
    rows = m.params["embedding"][np.asarray(ids)]
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    seen = attention.mix(weights[None], rows[None])[0]
    logits: Floats = 40.0 * layers.linear(seen, m.params["embedding"]) / experiments.lengths(m)
    return logits


def mask(text: str, on: bool, head: int) -> Figure:
    """One head with and without the mask, and the surprise at the words of the sentence."""
    read = reading.read(text, LIMIT)
    bare = reading.read(text, LIMIT, OFF)
    n = len(read.ids)
    shown = read if on else bare
    layer, h = reading.head_at(head)
    weights = shown.forward.weights[layer][h]
    lower = attention.causal_mask(n, n)
    ahead = [_mean(np.where(lower, 0, w).sum(axis=-1)[:, :-1]) for w in bare.forward.weights]
    losses = [
        ("mask on", experiments.surprise(read.forward.logits, read.ids), "value"),
        ("mask off, same model", experiments.surprise(bare.forward.logits, bare.ids), "query"),
        ("mask off, a head that copies", experiments.surprise(copied(read.ids), read.ids), "severe"),
    ]
    sentence = (
        "With the mask on, every cell above the diagonal is exactly 0."
        if on
        else f"With the mask off, words give {100 * float(np.mean(ahead)):.0f} % of their attention to words that come later."
    )
    sentence += f" A head that copies what it sees to its right is surprised by {losses[2][1]:.2f} bits a token; the honest model by {losses[0][1]:.1f}."
    if n == 1:
        sentence = "There is no word yet, so there is nothing to hide and nothing to be surprised by."
    bars = chart.bars(
        [(name, v, f"{v:.2f} bits", tone) for name, v, tone in losses], high=_high(losses), sentence=sentence
    )
    allowed = lower if on else np.ones((n, n), dtype=bool)
    picture = el(
        "div",
        matrix.weights_matrix(read.labels, weights, allowed),
        el(
            "div",
            el("p", "Surprise at the sentence’s own next words", class_="part"),
            bars,
            class_="mask-loss",
        ),
        class_="side",
    )
    rows = tuple((name, round(value, 3)) for name, value, _ in losses)
    table = Table(("who predicts", "surprise (bits per token)"), rows)
    note = f"{subject.capital()} was trained with the mask on. Without it, words ahead reach heads that learned to look back, and some of what they say leaks into the guess. The share of attention is the mean over all heads. The copying head is built, not trained."
    return Figure("It cannot look forward", sentence, picture, table, note=f"{read.note} {note}".strip())


def _mean(values: Floats) -> float:
    """The mean; 0 where a text has no next word to ask about."""
    return float(values.mean()) if values.size else 0.0


def _high(losses: list[tuple[str, float, str]]) -> float:
    """The top of the bars: at least 12 bits, so that they hold still for ordinary sentences."""
    return max(12.0, *(value for _, value, _ in losses))
