"""Copying: names and random tokens said again, and the heads that do it, found by cutting.

A copying head reads what followed last time; it finds the place by what another head wrote there, one that
looks one token back. Both are looked for in the same way: a look is taken away, and what is right is counted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassbox.model import experiments
from glassbox.model.experiments import Edge, Part
from glassbox.model.transformer import Forward, Model
from glassbox.training import grammar, words

Json = dict[str, Any]
Heads = Sequence[tuple[int, int]]
GAPS = (0, 1, 2, 4, 8, 12, 16, 24, 32, 40)  # sentences between a name and the question
NAME = "The patient's name is"
FEW = 0.2  # what is left at most when enough heads were cut
MOST = 6  # heads that are cut together at most


@dataclass(frozen=True)
class Copy:
    """A text whose tokens at some places are those that followed at others.

    Attributes:
        ids: The text, start token included.
        readers: Positions that predict a copied token.
        sources: For each, where that token stands.
    """

    ids: list[int]
    readers: list[int]
    sources: list[int]

    def right(self, forward: Forward) -> float:
        """How many of the copied tokens are the likeliest, from 0 to 1."""
        best = forward.logits[self.readers].argmax(axis=1)
        return float(np.mean(best == np.array(self.ids)[self.sources]))

    def chance(self, forward: Forward) -> float:
        """The mean probability of the copied tokens."""
        probs = experiments.probabilities(forward.logits[self.readers])
        return float(probs[np.arange(len(self.readers)), np.array(self.ids)[self.sources]].mean())


def named(rng: random.Random, sentences: int) -> tuple[str, str]:
    """A text that tells a name, goes on about other things, and asks; and the name."""
    name = rng.choice(words.SHE + words.HE)
    between = [grammar.sentence(rng) for _ in range(sentences)]
    return " ".join([f"{NAME} {name}.", *between, NAME]), name


def questions(model: Model, sentences: int, count: int, seed: int) -> list[Copy]:
    """Texts that ask for a name they told; only those that fit the context."""
    found, at = [], len(model.encode(NAME))
    for n in range(count):
        text, _ = named(random.Random(1000 * seed + 37 * sentences + n), sentences)
        ids = model.encode(text)
        if len(ids) <= model.config.context:
            found.append(Copy(ids, [len(ids) - 1], [at]))
    return found


def doubled(model: Model, count: int, seed: int, length: int = 24) -> list[Copy]:
    """Random tokens said twice; the first of the second half is not asked for, since nobody can know it."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        some = rng.integers(0, model.config.vocab_size - 1, length).tolist()
        readers = list(range(length + 1, 2 * length))
        found.append(Copy([model.start, *some, *some], readers, [r - length + 1 for r in readers]))
    return found


def recall(model: Model, count: int = 24, seed: int = 3) -> list[Json]:
    """How often the name is said, by distance; and the most any head looks at it."""
    rows = []
    for sentences in GAPS:
        asked = questions(model, sentences, count, seed)
        if len(asked) < count // 2:
            continue
        forwards = [(model.forward(c.ids), c) for c in asked]
        looked = np.mean([[w[:, -1, c.sources[0]] for w in f.weights] for f, c in forwards], axis=0)
        layer, head = np.unravel_index(looked.argmax(), looked.shape)
        probs = [experiments.probabilities(f.logits[-1])[c.ids[c.sources[0]]] for f, c in forwards]
        rows.append(
            {
                "tokens": round(float(np.mean([len(c.ids) for _, c in forwards])), 1),
                "right": round(float(np.mean([c.right(f) for f, c in forwards])), 4),
                "probability": round(float(np.mean(probs)), 4),
                "weight": round(float(looked.max()), 4),
                "head": [int(layer) + 1, int(head) + 1],
            }
        )
    return rows


def repeats(model: Model, count: int = 24, seed: int = 5) -> float:
    """How often the token is right in the second half of random tokens that are said twice."""
    return _share(doubled(model, count, seed), lambda c: model.forward(c.ids))


def pair(model: Model, copies: list[Copy]) -> Json:
    """The heads without which nothing is copied: those that read the source, those that read one token back.

    Every head is tried alone in three ways: its looks from the readers at the sources are cut; its looks from
    every token at the one before; it is taken out as a whole. Then looks are cut in more and more heads, each
    time in the one that costs most (where none costs an answer, most of its probability), until a fifth is
    right or ``MOST`` heads are cut.
    """

    def unread(copy: Copy, heads: Heads) -> Forward:
        places = list(zip(copy.readers, copy.sources, strict=True))
        return experiments.cut(model, copy.ids, [Edge(r, s, *at) for at in heads for r, s in places])

    def unlinked(copy: Copy, heads: Heads) -> Forward:
        places = range(1, len(copy.ids))
        return experiments.cut(model, copy.ids, [Edge(i, i - 1, *at) for at in heads for i in places])

    def gone(copy: Copy, heads: Heads) -> Forward:
        return experiments.without(model, copy.ids, [Part(*at) for at in heads])

    return {
        "whole": _share(copies, lambda c: model.forward(c.ids)),
        "without its look at the source": _table(model, copies, unread),
        "without its look one token back": _table(model, copies, unlinked),
        "without the head": _table(model, copies, gone),
        "readers": _fewest(model, copies, unread),
        "linkers": _fewest(model, copies, unlinked),
    }


_Change = Callable[[Copy, Heads], Forward]


def _share(copies: list[Copy], change: Callable[[Copy], Forward]) -> float:
    return round(float(np.mean([copy.right(change(copy)) for copy in copies])), 4)


def _table(model: Model, copies: list[Copy], change: _Change) -> list[list[float]]:
    """What is left without each head alone: (n_layers, n_heads)."""
    layers, heads = range(model.config.n_layers), range(model.config.n_heads)
    return [[_share(copies, lambda c, a=a, b=b: change(c, [(a, b)])) for b in heads] for a in layers]  # type: ignore[misc]


def _fewest(model: Model, copies: list[Copy], change: _Change) -> list[list[float]]:
    """Heads, counted from 1, in the order in which they are cut, each with what is left by then."""
    rest = [(a, b) for a in range(model.config.n_layers) for b in range(model.config.n_heads)]
    cut: list[tuple[int, int]] = []
    found: list[list[float]] = []
    while len(cut) < MOST and (not found or found[-1][2] >= FEW):
        tried = {at: [change(copy, [*cut, at]) for copy in copies] for at in rest}
        worst = min(tried, key=lambda at: _rank(copies, tried[at]))
        rest.remove(worst)
        cut.append(worst)
        found.append([worst[0] + 1, worst[1] + 1, round(_rank(copies, tried[worst])[0], 4)])
    return found


def _rank(copies: list[Copy], forwards: list[Forward]) -> tuple[float, float]:
    """How often the copied tokens are right, and how likely they are."""
    both = list(zip(copies, forwards, strict=True))
    return float(np.mean([c.right(f) for c, f in both])), float(np.mean([c.chance(f) for c, f in both]))
