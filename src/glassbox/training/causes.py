"""What the model's answers hang on: deciding adjectives, the first token, and what a cut leaves of them.

Looking is not enough: every claim here is made by an experiment that takes something away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassbox.arrays import Floats
from glassbox.model import experiments
from glassbox.model.experiments import Edge
from glassbox.model.transformer import Model
from glassbox.training import words

Json = dict[str, Any]
# Word with two meanings: what follows in the first, and (adjective of the first, of another) twice.
PAIRS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "chest": ("pain", (("severe", "wooden"), ("crushing", "carved"))),
    "cold": ("and", (("bad", "winter"), ("nasty", "icy"))),
    "culture": ("grew", (("blood", "ancient"), ("urine", "Greek"))),
    "discharge": ("from", (("watery", "hospital"), ("purulent", "planned"))),
    "positive": ("for", (("weak", "cheerful"), ("strong", "sunny"))),
}
# Beginnings that training had, with other endings.
FAMILIAR = ("The", "She asked about the", "They talked about the", "I think the", "We heard that the")
PARKED = 0.4  # mean weight on the first token from which on a head counts as parking


def chance(model: Model, text: str, word: str) -> float:
    """Probability of a word's first token after a text."""
    logits = model.forward(model.encode(text), last_only=True).logits[-1]
    return float(experiments.probabilities(logits)[model.tokenizer.encode(" " + word)[0]])


def nouns(model: Model) -> list[Json]:
    """Each word with two meanings: alone after *The*; with adjectives after *The* and unseen beginnings."""
    rows = []
    for noun, (word, pairs) in PAIRS.items():
        near = {a: round(chance(model, f"The {a} {noun}", word), 4) for two in pairs for a in two}
        after = {
            adjective: round(
                float(
                    np.mean([chance(model, f"{o} {adjective} {noun}", word) for o in words.HELD_OUT_OPENINGS])
                ),
                4,
            )
            for pair in pairs
            for adjective in pair
        }
        rows.append(
            {
                "noun": noun,
                "word": word,
                "alone": round(chance(model, f"The {noun}", word), 4),
                "pairs": [[[a, near[a], after[a]], [b, near[b], after[b]]] for a, b in pairs],
            }
        )
    return rows


@dataclass
class _Case:
    """A sentence cut at its noun: how likely the word is with the adjective and without it."""

    model: Model
    ids: list[int]
    token: int
    whole: float
    bare: float

    def back(self, source: int, layer: int | None = None, head: int | None = None) -> float:
        """How far the probability moves towards the bare noun's when an edge of the noun is cut."""
        edge = Edge(len(self.ids) - 1, source, layer, head)
        logits = experiments.cut(self.model, self.ids, [edge]).logits[-1]
        moved = self.whole - float(experiments.probabilities(logits)[self.token])
        return moved if self.whole > self.bare else -moved


def edges(model: Model, openings: tuple[str, ...]) -> Json:
    """How far the prediction goes back to that of the bare noun when an edge of the noun is cut.

    1 means all the way back, 0 that nothing changed; means over all pairs and beginnings, each edge in all
    heads and layers, and the deciding one also in one head at a time.
    """
    c = model.config
    cases = [
        _Case(
            model,
            model.encode(f"{opening} {adjective} {noun}"),
            model.tokenizer.encode(" " + word)[0],
            chance(model, f"{opening} {adjective} {noun}", word),
            chance(model, f"{opening} {noun}", word),
        )
        for noun, (word, pairs) in PAIRS.items()
        for opening in openings
        for adjective in (a for two in pairs for a in two)
    ]
    away = sum(abs(case.whole - case.bare) for case in cases)

    def share(values: list[float]) -> float:
        return round(sum(values) / away, 4)

    others = [[case.back(source) for source in range(1, len(case.ids) - 2)] for case in cases]
    return {
        "deciding": share([case.back(len(case.ids) - 2) for case in cases]),
        "start": share([case.back(0) for case in cases]),
        "itself": share([case.back(len(case.ids) - 1) for case in cases]),
        "other words": share([float(np.mean(found)) for found in others]),
        "by head": [
            [share([case.back(len(case.ids) - 2, a, b) for case in cases]) for b in range(c.n_heads)]
            for a in range(c.n_layers)
        ],
    }


def sink(model: Model, first: Floats, texts: list[str]) -> Json:
    """What the heads that park on the first token cost when they may not, in bits a token.

    Args:
        model: The model.
        first: (n_layers, n_heads), mean weight on the first token.
        texts: Held-out texts.
    """
    read = [model.encode(text)[:128] for text in texts]
    parking = [(int(a), int(b)) for a, b in np.argwhere(first >= PARKED)]
    silent = [experiments.Part(layer, head) for layer, head in parking]

    def bits(change: Any) -> float:
        found = []
        for ids in read:
            logits, seen = change(ids)
            found.append(experiments.surprise(logits[-len(ids) + 1 :], seen[-len(ids) + 1 :]))
        return round(float(np.mean(found)), 4)

    def barred(heads: list[tuple[int, int]]) -> float:
        return bits(lambda ids: (experiments.bar(model, ids, heads).logits, ids))

    return {
        "heads": [[a + 1, b + 1, round(float(first[a, b]), 4)] for a, b in parking],
        "whole": bits(lambda ids: (model.forward(ids).logits, ids)),
        "without each": [barred([head]) for head in parking],
        "without all": barred(parking) if parking else None,
        "adding nothing": bits(lambda ids: (experiments.without(model, ids, silent).logits, ids)),
        "without the token": bits(lambda ids: (model.forward(ids[1:]).logits, ids[1:])),
    }
