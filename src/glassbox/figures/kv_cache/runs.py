"""Runs of the shipped model that several figures need, each made once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from glassbox import model
from glassbox.arrays import Floats
from glassbox.figures.markup import Kept


def shown(ids: list[int] | tuple[int, ...]) -> tuple[Kept, ...]:
    """Tokens as words to show; the start token as ⟨start⟩, a lone byte in hex."""
    m = model.load()
    return tuple(Kept("⟨start⟩") if i == m.start else _word(m.tokenizer.decode_bytes([i])) for i in ids)


def _word(data: bytes) -> Kept:
    try:
        return Kept(data.decode("utf-8"))
    except UnicodeDecodeError:
        return Kept(data.hex(" ").upper())


@functools.lru_cache(maxsize=64)
def encoded(text: str) -> tuple[int, ...]:
    """The ids of a text, start token first."""
    return tuple(model.load().encode(text))


@functools.lru_cache(maxsize=64)
def written(text: str, n_new: int) -> tuple[int, ...]:
    """What the model writes after ``text``, the likeliest token each time, with an exact cache."""
    m = model.load()
    return tuple(model.generate.greedy(m, encoded(text), n_new).ids)


@dataclass(frozen=True)
class Followed:
    """How a cache of one's own follows a text that an exact cache wrote.

    Attributes:
        logits: (len(text), vocab_size), each token's while both read the same text.
        ids: What it writes on its own.
        first_change: The first token of these that differs, or None.
    """

    logits: Floats
    ids: tuple[int, ...]
    first_change: int | None


def follow(start: Callable[[], tuple[model.Cache, tuple[int, ...]]], text: tuple[int, ...]) -> Followed:
    """Reads ``text`` through a cache in one pass, then writes on its own from where the two part.

    Args:
        start: Gives a fresh cache and the ids it has yet to read before ``text``.
        text: What an exact cache wrote there.
    """
    m = model.load()
    cache, unread = start()
    logits = m.forward([*unread, *text[:-1]], cache).logits[len(unread) - 1 :]
    picks = logits.argmax(axis=1).tolist()
    change = next((n for n, (a, b) in enumerate(zip(picks, text, strict=True)) if a != b), None)
    if change is None:
        return Followed(logits, text, None)
    cache, unread = start()
    own = [*text[:change], picks[change]]
    rest = model.generate.greedy(m, [*unread, *own], len(text) - len(own), cache=cache).ids
    return Followed(logits, (*own, *rest), change)


def exact_logits(prompt: str, n_new: int) -> Floats:
    """The logits behind ``written``, (n_new, vocab_size)."""
    found = follow(lambda: (model.Growing(*sizes()), encoded(prompt)), written(prompt, n_new))
    return found.logits


def probabilities(logits: Floats) -> Floats:
    """Softmax over the whole vocabulary, (…, vocab_size)."""
    found: Floats = model.attention.softmax(logits.astype(np.float64))
    return found


def sizes() -> tuple[int, int, int]:
    """Layers, KV heads and head dimension of the shipped model: what a cache is made with."""
    c = model.load().config
    return c.n_layers, c.n_kv_heads, c.d_head
