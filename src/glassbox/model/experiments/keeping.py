"""Experiments on what a cache keeps: damage it, narrow it, and compare with a run that keeps everything."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from glassbox.arrays import Floats
from glassbox.model import generate
from glassbox.model.cache import Cache, Part, Sliding
from glassbox.model.experiments.reading import probabilities
from glassbox.model.transformer import Model, Switches


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


def follow(
    model: Model, start: Callable[[], tuple[Cache, tuple[int, ...]]], text: tuple[int, ...]
) -> Followed:
    """Reads ``text`` through a cache in one pass, then writes on its own from where the two part.

    Args:
        model: The model.
        start: Gives a fresh cache and the ids it has yet to read before ``text``.
        text: What an exact cache wrote there.
    """
    cache, unread = start()
    logits = model.forward([*unread, *text[:-1]], cache).logits[len(unread) - 1 :]
    picks = logits.argmax(axis=1).tolist()
    change = next((n for n, (a, b) in enumerate(zip(picks, text, strict=True)) if a != b), None)
    if change is None:
        return Followed(logits, text, None)
    cache, unread = start()
    own = [*text[:change], picks[change]]
    rest = generate.greedy(model, [*unread, *own], len(text) - len(own), cache=cache).ids
    return Followed(logits, (*own, *rest), change)


@dataclass(frozen=True)
class Rechecked:
    """What a run with a cache wrote, held against a pass without one.

    Attributes:
        ids: What it wrote.
        same: For each token, whether the pass would have written it too.
        gaps: The largest difference of a logit before each.
    """

    ids: tuple[int, ...]
    same: tuple[bool, ...]
    gaps: tuple[float, ...]


def recheck(model: Model, prompt: Sequence[int], n_new: int) -> Rechecked:
    """Writes with a cache, then predicts every token anew from those before it, in one pass without a cache.

    That pass sees at every place what a run without a cache would see at that step.

    Args:
        model: The model.
        prompt: What is read first, at least one token.
        n_new: How many tokens to write.
    """
    cached = generate.greedy(model, prompt, n_new)
    plain = model.forward([*prompt, *cached.ids[:-1]]).logits[len(prompt) - 1 :]
    gaps = np.abs(plain - np.stack([s.logits for s in cached.steps])).max(axis=1)
    same = (plain.argmax(axis=1) == cached.ids).tolist()
    return Rechecked(tuple(cached.ids), tuple(same), tuple(gaps.tolist()))


def damage(
    model: Model,
    read: Cache,
    unread: tuple[int, ...],
    text: tuple[int, ...],
    at: tuple[int, int, Part],
    seed: int,
) -> Followed:
    """Overwrites one entry of a cache with noise and follows the consequences; ``read`` stays as it is.

    Args:
        model: The model.
        read: A cache that has read a prompt but for its end.
        unread: That end, at least one token.
        text: What an exact cache wrote after the prompt.
        at: Layer and position, both from 0, and whether the key or the value is damaged.
        seed: Of the noise.
    """

    def start() -> tuple[Cache, tuple[int, ...]]:
        cache = copy.deepcopy(read)
        cache.corrupt(*at, np.random.default_rng(seed))
        return cache, unread

    return follow(model, start, text)


def probability_moved(logits: Floats, others: Floats) -> Floats:
    """The share of probability that changed hands between two predictions: (...), from 0 to 1."""
    found: Floats = 0.5 * np.abs(probabilities(logits) - probabilities(others)).sum(axis=-1)
    return found


def key_changes(model: Model, ids: Sequence[int], ahead: bool) -> Floats:
    """By how much each older token's key changes when the last one arrives: (n_layers, n - 1).

    Both keys are worked out from the text alone, without a cache. A change is the length of the difference
    over the length of the key.

    Args:
        model: The model.
        ids: The text with its new last token, two tokens or more.
        ahead: Whether tokens may look at later ones, which a language model does not allow.
    """
    switches, n_old = Switches(mask=not ahead), len(ids) - 1
    before, after = (model.forward(ids[:n], switches=switches).k for n in (n_old, n_old + 1))
    rows = []
    for old, new in zip(before, after, strict=True):
        gap = np.sqrt(((new[:, :n_old] - old) ** 2).sum(axis=(0, 2)))
        rows.append(gap / np.sqrt((old**2).sum(axis=(0, 2))))
    return np.array(rows)


@dataclass(frozen=True)
class Windowed:
    """A text read through a sliding window.

    Attributes:
        keys: Of every layer, (n_kv_heads, n, d_head) each.
        hidden: (n, d_model), the last layer's output.
        logits: (vocab_size,) after the last token.
    """

    keys: tuple[Floats, ...]
    hidden: Floats
    logits: Floats


def through_window(model: Model, ids: Sequence[int], width: int) -> Windowed:
    """Reads a text while every layer keeps its last ``width`` tokens, the current one among them."""
    c = model.config
    forward = model.forward(ids, Sliding(c.n_layers, c.n_kv_heads, c.d_head, width))
    return Windowed(tuple(forward.k), forward.hidden, forward.logits[-1])


def traces(one: Windowed, other: Windowed) -> list[list[float]]:
    """How different two texts of one length look at each level and token: 0 where no difference has arrived.

    Returns:
        One row for each layer's input, by its keys, and one for the last layer's output; one column a token.
    """
    levels = zip((*one.keys, one.hidden[None]), (*other.keys, other.hidden[None]), strict=True)
    return [_apart(a.transpose(1, 0, 2), b.transpose(1, 0, 2)) for a, b in levels]


def _apart(a: Floats, b: Floats) -> list[float]:
    """The distance of each row over the root mean square of the two lengths."""
    a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    far = np.sqrt(((a - b) ** 2).sum(axis=1)) / np.sqrt((a**2).sum(axis=1) + (b**2).sum(axis=1)) * np.sqrt(2)
    return [float(x) for x in far]


def least_alike(model: Model, ids: Sequence[int]) -> tuple[int, int, Floats]:
    """The set of keys whose first and last query head differ most in what the last token reads.

    Returns:
        Layer and set, both from 0, and the weights of these two heads, (2, n).
    """
    per_set = model.config.n_heads // model.config.n_kv_heads
    found = []
    for layer, weights in enumerate(model.forward(ids).weights):
        for s in range(model.config.n_kv_heads):
            pair = weights[[s * per_set, (s + 1) * per_set - 1], -1]
            found.append((float(np.abs(pair[0] - pair[1]).sum()), layer, s, pair))
    _, layer, s, pair = max(found, key=lambda f: f[0])
    return layer, s, pair
