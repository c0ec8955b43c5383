"""What the figures of this chapter share: a text as the model reads it, whole or with parts cut, kept for reuse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import subject, written
from glassbox.figures.attention import reading
from glassbox.figures.machine import cuts
from glassbox.figures.markup import Kept
from glassbox.model import experiments
from glassbox.model.experiments import Flow, Part
from glassbox.model.transformer import Switches

CLINICAL, HOUSEHOLD = "Patient has severe chest", "She opened the wooden chest"
MANY = 60  # parts of a model that are shown all at once
LIMIT = 8  # positions that are drawn side by side, the start included


@dataclass(frozen=True, eq=False)
class Run:
    """A text, and everything that was written into the stream while it was read.

    Attributes:
        ids: The tokens, the start token first.
        labels: One short label a token.
        flow: What each part wrote.
        probs: (n, vocab_size), what would come next after each token.
        note: A sentence when the text was shortened, else empty.
    """

    ids: tuple[int, ...]
    labels: tuple[Kept, ...]
    flow: Flow
    probs: Floats
    note: str

    def at(self, position: int) -> int:
        """The position that is followed: one beyond the end means the last."""
        return min(int(position), len(self.ids) - 1)


@subject.kept(maxsize=24)
def run(text: str, cut: str = "") -> Run:
    """Reads the end of a text while parts are cut.

    Raises:
        ValueError: ``cut`` names a part that is not there.
    """
    read = reading.read(text, LIMIT)
    found = cuts.parse(cut)
    n = len(read.ids)
    for one in found:
        if one.edge is not None and one.edge.source >= n:
            raise ValueError(
                f"{one.key} hides position {one.edge.source}, and this text has positions 0 to {n - 1}"
            )
    parts = [one.part for one in found if one.part is not None]
    edges = [one.edge for one in found if one.edge is not None]
    switches = Switches(positions=not any(one.rotation for one in found))
    flow = experiments.flow(subject.model(), read.ids, parts, edges, switches)
    probs = experiments.probabilities(flow.forward.logits)
    return Run(read.ids, read.labels, flow, probs, read.note)


@dataclass(frozen=True)
class Alone:
    """One part, and what is left of the likeliest next word when it alone is cut.

    Attributes:
        key: The part, as ``cuts`` writes it.
        left: (n,), the probability of each position's likeliest next token without the part.
        moved: (n,), how much probability changed hands, 0 to 1.
    """

    key: str
    left: Floats
    moved: Floats


@subject.kept(maxsize=1)
def parts() -> list[tuple[str, Part]]:
    """Every head, MLP and layer, from the bottom up."""
    c = subject.model().config
    found = []
    for layer in range(c.n_layers):
        found += [(cuts.head_key(layer, h), Part(layer, h)) for h in range(c.n_heads)]
        found.append((cuts.mlp_key(layer), Part(layer, mlp=True)))
        found.append((cuts.layer_key(layer), Part(layer)))
    return found


@subject.kept(maxsize=12)
def alone(text: str) -> dict[str, Alone]:
    """Cuts each part in turn, and nothing else."""
    return {key: one(text, key) for key, _ in parts()}


@subject.kept(maxsize=1024)
def one(text: str, key: str) -> Alone:
    """Cuts one part, and nothing else."""
    m, whole = subject.model(), run(text)
    top = whole.probs.argmax(axis=1)
    probs = experiments.probabilities(experiments.without(m, whole.ids, [dict(parts())[key]]).logits)
    left = probs[np.arange(len(top)), top]
    return Alone(key, left, np.abs(probs - whole.probs).sum(axis=1) / 2)


AT_ONCE = 4e9  # multiplications of a reader's patience: to cut every part in turn, or read other texts


def quick(text: str) -> bool:
    """Whether a model is small enough to cut each of its parts in turn before a reader grows impatient."""
    m = subject.model()
    return len(parts()) * len(run(text).ids) * m.layer_products <= AT_ONCE


def many() -> bool:
    """Whether the model has more parts than can be shown side by side."""
    return len(parts()) > MANY


def heaviest(text: str, kind: str = "head", position: int = 99) -> Alone:
    """The part whose cut moves most probability: among ``"head"``s, ``"MLP"``s or ``"layer"``s."""
    whole = run(text)
    at, by_key = whole.at(position), alone(text)
    mine = [by_key[key] for key, part in parts() if _kind(part) == kind]
    return max(mine, key=lambda part: float(part.moved[at]))


def _kind(part: Part) -> str:
    return "layer" if part.whole else "MLP" if part.mlp else "head"


def labels(ids: Sequence[int]) -> tuple[Kept, ...]:
    """One short label a token of any text."""
    return reading.labels(list(ids))


def word(token: int) -> Kept:
    """A token as the next word."""
    return reading.label(int(token), next_word=True)


def percent(share: float) -> str:
    """A probability as a reader takes it in: in whole percents."""
    return written.percent(share)


def moved(before: float, after: float) -> str:
    """Where a probability went, as a sentence goes on: ``goes from 87 % to 62 %``."""
    was, now = percent(before), percent(after)
    return f"stays at {now}" if was == now else f"goes from {was} to {now}"


def signed(value: float) -> str:
    """A number with its sign and two decimals, ``+0.44``; what rounds to nothing has none."""
    number = f"{value:+,.2f}".replace("-", "−")
    return "0.00" if number[1:] == "0.00" else number
