"""What the model reads, in which shares, packed into batches of like length; can stop and go on exactly.

More than half of the tokens stand in text that only looking back can predict: facts told again after up to
400 tokens, random tokens, lists and sentences that repeat. They are there from the first step, because a
copying head must be there before anything else can lean on it. Of random tokens only those count in the loss
that were said before: what comes first cannot be known, and there is nothing to learn from it.
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
Row = tuple[int, list[int]]  # ids, and how many after the start token are no targets
BUCKETS = (12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256, 320, 384, 448, 512)
# Shares of all tokens.
SHARES = {
    "icd": 0.08,
    "wordnet": 0.13,
    "sentences": 0.18,
    "recall near": 0.12,
    "recall far": 0.08,
    "random tokens": 0.30,
    "lists, brackets": 0.08,
    "copies": 0.03,
}
# Sentences between a fact and its repetition: short distances teach the trick, long ones stretch it.
NEAR, FAR = (0, 0, 0, 1, 1, 2, 3, 5), (8, 12, 16, 20, 24, 28, 32)


class Mixture(Iterator[Batch]):
    """An endless, seeded stream of batches.

    The next text is always of the kind that lags most behind its share, so the shares hold at every step.
    """

    def __init__(
        self, texts: corpus.Texts, tokenizer: bpe.Tokenizer, seed: int, batch_tokens: int = 2048
    ) -> None:
        self.texts, self.tokenizer, self.batch_tokens = texts, tokenizer, batch_tokens
        self.start = tokenizer.special[corpus.START]
        self.rng = random.Random(seed)
        self.seen = dict.fromkeys(SHARES, 0)
        self.waiting: dict[int, list[Row]] = {size: [] for size in BUCKETS}

    def __next__(self) -> Batch:
        """Inputs and targets, both (rows, length).

        Every row begins with the start token, predicts it again at its end, and is padded with target -1,
        which the loss leaves out; so are the targets of random tokens that were not said before.
        """
        while True:
            ids, unknown = self._text()
            row = [self.start, *ids[: BUCKETS[-1]], self.start]
            size = next(b for b in BUCKETS if b >= min(len(row) - 1, BUCKETS[-1]))
            self.waiting[size].append((unknown, row[: size + 1]))
            if len(self.waiting[size]) * size >= self.batch_tokens:
                rows, self.waiting[size] = self.waiting[size], []
                return pad(rows, size, self.start)

    def state(self) -> dict[str, Any]:
        """All that the next batches depend on; plain lists and numbers."""
        return {"rng": self.rng.getstate(), "seen": dict(self.seen), "waiting": self.waiting}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on where ``state`` was taken."""
        version, numbers, gauss = state["rng"]
        self.rng.setstate((version, tuple(numbers), gauss))
        self.seen = dict(state["seen"])
        self.waiting = {
            int(size): [(unknown, list(row)) for unknown, row in rows]
            for size, rows in state["waiting"].items()
        }

    def _text(self) -> tuple[list[int], int]:
        """A text's tokens, and how many of the first of them cannot be known."""
        total = sum(self.seen.values())
        kind = max(SHARES, key=lambda k: SHARES[k] * (total + 1) - self.seen[k])
        if kind == "random tokens":
            ids, unknown = notes.repeated_ids(self.rng, self.tokenizer.vocab_size - 1)
        else:
            ids, unknown = self.tokenizer.encode(written(kind, self.rng, self.texts)), 0
        self.seen[kind] += min(len(ids), BUCKETS[-1]) + 1
        return ids, unknown


def written(kind: str, rng: random.Random, texts: corpus.Texts, held_out: bool = False) -> str:
    """One text of a kind, from the training side of the split or from the side that is held out."""
    while True:
        text = _MAKERS[kind](rng, texts)
        if corpus.held_out(text) == held_out:
            return text


_Maker = Callable[[random.Random, corpus.Texts], str]


def _sentences(rng: random.Random, texts: corpus.Texts) -> str:
    return grammar.sentence(rng) if rng.random() < 0.9 else notes.paragraph(rng)


def _recall(gaps: tuple[int, ...], asked: tuple[float, ...]) -> _Maker:
    def make(rng: random.Random, texts: corpus.Texts) -> str:
        def other() -> str:
            return grammar.sentence(rng) if rng.random() < 0.75 else rng.choice(texts.filler)

        return notes.recall(rng, rng.choice(gaps), other, rng.choice(asked))

    return make


def _repeats(rng: random.Random, texts: corpus.Texts) -> str:
    return notes.repeated_list(rng) if rng.random() < 0.8 else notes.brackets(rng)


_MAKERS: dict[str, _Maker] = {
    "icd": lambda rng, texts: rng.choice(texts.icd),
    "wordnet": lambda rng, texts: rng.choice(texts.wordnet),
    "sentences": _sentences,
    "recall near": _recall(NEAR, (0.0, 0.5)),
    "recall far": _recall(FAR, (0.0, 0.4)),
    "lists, brackets": _repeats,
    "copies": lambda rng, texts: notes.copied(rng),
}


def pad(rows: list[Row], size: int, start: int) -> Batch:
    """Stacks rows of up to ``size + 1`` ids into inputs and targets; the unknown ones are no targets."""
    inputs = np.full((len(rows), size), start)
    targets = np.full((len(rows), size), -1)
    for i, (unknown, row) in enumerate(rows):
        inputs[i, : len(row) - 1] = row[:-1]
        targets[i, unknown : len(row) - 1] = row[unknown + 1 :]
    return inputs, targets
