"""Runs of the shipped model that several figures need, each made once."""

from __future__ import annotations

import functools

import numpy as np

from glassbox import model
from glassbox.arrays import Floats


def shown(ids: list[int] | tuple[int, ...]) -> tuple[str, ...]:
    """Tokens as words to show; the start token as ⟨start⟩, a lone byte in hex."""
    m = model.load()
    return tuple("⟨start⟩" if i == m.start else _word(m.tokenizer.decode_bytes([i])) for i in ids)


def _word(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.hex(" ").upper()


@functools.lru_cache(maxsize=64)
def encoded(text: str) -> tuple[int, ...]:
    """The ids of a text, start token first."""
    return tuple(model.load().encode(text))


@functools.lru_cache(maxsize=64)
def written(text: str, n_new: int) -> tuple[int, ...]:
    """What the model writes after ``text``, the likeliest token each time, with an exact cache."""
    m = model.load()
    return tuple(model.generate.greedy(m, encoded(text), n_new).ids)


def fed(ids: tuple[int, ...], n_prompt: int, cache: model.Growing) -> Floats:
    """Reads a prompt at once and the rest token by token through ``cache``.

    Returns:
        (len(ids) - n_prompt + 1, vocab_size): the logits from the last prompt token on.
    """
    m = model.load()
    logits = [m.forward(ids[:n_prompt], cache, last_only=True).logits[-1]]
    logits += [m.forward([i], cache, last_only=True).logits[-1] for i in ids[n_prompt:]]
    return np.stack(logits)


def probabilities(logits: Floats) -> Floats:
    """Softmax over the whole vocabulary, (…, vocab_size)."""
    found: Floats = model.attention.softmax(logits.astype(np.float64))
    return found


def sizes() -> tuple[int, int, int]:
    """Layers, KV heads and head dimension of the shipped model: what a cache is made with."""
    c = model.load().config
    return c.n_layers, c.n_kv_heads, c.d_head
