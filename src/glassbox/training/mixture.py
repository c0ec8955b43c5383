"""What the model reads, in which shares, packed into batches of like length; can stop and go on exactly.

Half of the tokens stand in text that only looking back can predict: facts told again after up to 400 tokens,
random tokens, lists and sentences that repeat. They are there from the first step, because a model of this
size learns to copy only after some ten million tokens of such text.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from glassbox.tokens import bpe
from glassbox.training import corpus, grammar, notes

Tokens = np.ndarray[tuple[int, int], np.dtype[np.int64]]
Batch = tuple[Tokens, Tokens]
BUCKETS = (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
# Shares of all tokens at first, and after the plan's turn: the first mixture teaches words and their order,
# but holds too little of what can only be copied for a copying head to come up in the time there is.
FIRST = {
    "icd": 0.10,
    "wordnet": 0.16,
    "sentences": 0.20,
    "recall": 0.24,
    "random tokens": 0.20,
    "lists, brackets, copies": 0.10,
}
LATER = {
    "icd": 0.05,
    "wordnet": 0.09,
    "sentences": 0.18,
    "recall near": 0.18,
    "recall far": 0.08,
    "longer random tokens": 0.26,
    "copies": 0.09,
    "lists, brackets": 0.07,
}
# Sentences between a fact and its repetition: short distances teach the trick, long ones stretch it.
GAPS = (0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 6, 8, 12, 18, 26, 34)
NEAR, FAR = (0, 0, 0, 1, 1, 2, 3, 5), (8, 12, 16, 20, 24, 28, 32)


class Mixture(Iterator[Batch]):
    """An endless, seeded stream of batches.

    The next text is always of the kind that lags most behind its share, so the shares hold at every step.
    """

    def __init__(
        self, texts: corpus.Texts, tokenizer: bpe.Tokenizer, seed: int, batch_tokens: int = 4096
    ) -> None:
        self.texts, self.tokenizer, self.batch_tokens = texts, tokenizer, batch_tokens
        self.start = tokenizer.special[corpus.START]
        self.rng = random.Random(seed)
        self.shares = FIRST
        self.seen = dict.fromkeys(FIRST, 0)
        self.waiting: dict[int, list[list[int]]] = {size: [] for size in BUCKETS}

    def __next__(self) -> Batch:
        """Inputs and targets, both (rows, length).

        Every row begins with the start token, predicts it again at its end, and is padded with target -1,
        which the loss leaves out.
        """
        while True:
            row = [self.start, *self._text()[: BUCKETS[-1]], self.start]
            size = next(b for b in BUCKETS if b >= min(len(row) - 1, BUCKETS[-1]))
            self.waiting[size].append(row[: size + 1])
            if len(self.waiting[size]) * size >= self.batch_tokens:
                rows, self.waiting[size] = self.waiting[size], []
                return pad(rows, size, self.start)

    def state(self) -> dict[str, Any]:
        """All that the next batches depend on; plain lists and numbers."""
        return {
            "rng": self.rng.getstate(),
            "later": self.shares is LATER,
            "seen": dict(self.seen),
            "waiting": self.waiting,
        }

    def turn(self) -> None:
        """From here on the shares are ``LATER``."""
        self.shares, self.seen = LATER, dict.fromkeys(LATER, 0)

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on where ``state`` was taken."""
        version, numbers, gauss = state["rng"]
        self.rng.setstate((version, tuple(numbers), gauss))
        self.shares, self.seen = LATER if state["later"] else FIRST, dict(state["seen"])
        self.waiting = {int(size): [list(row) for row in rows] for size, rows in state["waiting"].items()}

    def _text(self) -> list[int]:
        total = sum(self.seen.values())
        kind = max(self.shares, key=lambda k: self.shares[k] * (total + 1) - self.seen[k])
        if kind.endswith("random tokens"):
            ids = notes.repeated_ids(self.rng, self.tokenizer.vocab_size - 1, kind.startswith("longer"))
        else:
            ids = self.tokenizer.encode(written(kind, self.rng, self.texts))
        self.seen[kind] += min(len(ids), BUCKETS[-1]) + 1
        return ids


def written(kind: str, rng: random.Random, texts: corpus.Texts, held_out: bool = False) -> str:
    """One text of a kind, from the training side of the split or from the side that is held out."""
    while True:
        text = _MAKERS[kind](rng, texts)
        if corpus.held_out(text) == held_out:
            return text


_Maker = Callable[[random.Random, corpus.Texts], str]


def _sentences(rng: random.Random, texts: corpus.Texts) -> str:
    return grammar.sentence(rng) if rng.random() < 0.9 else notes.paragraph(rng)


def _recall(gaps: tuple[int, ...], asked: tuple[float, ...], facts: tuple[int, int]) -> _Maker:
    def make(rng: random.Random, texts: corpus.Texts) -> str:
        def other() -> str:
            return grammar.sentence(rng) if rng.random() < 0.75 else rng.choice(texts.filler)

        return notes.recall(rng, rng.choice(gaps), other, rng.choice(asked), facts)

    return make


def _repeats(copies: float) -> _Maker:
    def make(rng: random.Random, texts: corpus.Texts) -> str:
        roll = rng.random() * (1 - copies)
        if roll < 0.60:
            return notes.repeated_list(rng)
        return notes.brackets(rng) if roll < 0.78 else notes.copied(rng)

    return make


_MAKERS: dict[str, _Maker] = {
    "icd": lambda rng, texts: rng.choice(texts.icd),
    "wordnet": lambda rng, texts: rng.choice(texts.wordnet),
    "sentences": _sentences,
    "recall": _recall(GAPS, (0.0, 0.0, 0.3), (1, 4)),
    "recall near": _recall(NEAR, (0.0, 0.5), (2, 5)),
    "recall far": _recall(FAR, (0.0, 0.4), (2, 5)),
    "lists, brackets, copies": _repeats(0.0),
    "lists, brackets": _repeats(0.22),
    "copies": lambda rng, texts: notes.copied(rng),
}


def pad(rows: list[list[int]], size: int, start: int) -> Batch:
    """Stacks rows of up to ``size + 1`` ids into inputs and targets."""
    inputs = np.full((len(rows), size), start)
    targets = np.full((len(rows), size), -1)
    for i, row in enumerate(rows):
        inputs[i, : len(row) - 1] = row[:-1]
        targets[i, : len(row) - 1] = row[1:]
    return inputs, targets
