"""Runs of the model that several figures need, each made once."""

from __future__ import annotations

from glassbox import model
from glassbox.arrays import Floats
from glassbox.figures import subject
from glassbox.figures.markup import Kept
from glassbox.model import experiments


def shown(ids: list[int] | tuple[int, ...]) -> tuple[Kept, ...]:
    """Tokens as words to show; the start token as ⟨start⟩, a lone byte in hex."""
    m = subject.model()
    return tuple(Kept("⟨start⟩") if i in m.begins else _word(m.piece(i)) for i in ids)


def _word(data: bytes) -> Kept:
    try:
        return Kept(data.decode("utf-8"))
    except UnicodeDecodeError:
        return Kept(data.hex(" ").upper())


@subject.kept(maxsize=64)
def encoded(text: str) -> tuple[int, ...]:
    """The ids of a text, start token first."""
    return tuple(subject.model().encode(text))


@subject.kept(maxsize=64)
def written(text: str, n_new: int) -> tuple[int, ...]:
    """What the model writes after ``text``, the likeliest token each time, with an exact cache."""
    m = subject.model()
    return tuple(model.generate.greedy(m, encoded(text), n_new).ids)


def exact_logits(prompt: str, n_new: int) -> Floats:
    """The logits behind ``written``, (n_new, vocab_size)."""
    m = subject.model()
    return experiments.follow(m, lambda: (m.new_cache(), encoded(prompt)), written(prompt, n_new)).logits


def sizes() -> tuple[int, int, int]:
    """Layers, KV heads and head dimension of the model: what a cache is made with."""
    c = subject.model().config
    return c.n_layers, c.n_kv_heads, c.d_head
