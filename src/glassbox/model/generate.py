"""Generating text token by token, with or without a cache, counting what it costs.

``stream`` is an iterator, so that a page can show progress and stop it; ``greedy`` and ``sample`` run it to
its end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from glassbox.arrays import Floats
from glassbox.model import attention
from glassbox.model.cache import Cache
from glassbox.model.transformer import Model

Choose = Callable[[Floats], int]
CHUNK = 512  # tokens that are read at once: their scores must fit in memory with all before them


@dataclass(frozen=True)
class Step:
    """One generated token.

    Attributes:
        id: The token.
        logits: (vocab_size,) it was chosen from.
        seconds: Wall time of this step; the first includes reading the prompt.
        multiply_adds: Multiplications of this step.
        n_read: Tokens the model read in this step: all of them without a cache, one with it.
    """

    id: int
    logits: Floats
    seconds: float
    multiply_adds: int
    n_read: int


@dataclass(frozen=True)
class Generation:
    """A finished generation: new ``ids``, wall time and multiplications, in all and ``steps`` one by one."""

    ids: list[int]
    seconds: float
    multiply_adds: int
    steps: list[Step]


def stream(
    model: Model,
    ids: Sequence[int],
    n_new: int,
    choose: Choose,
    use_cache: bool = True,
    cache: Cache | None = None,
) -> Iterator[Step]:
    """Yields up to ``n_new`` tokens one by one; stop it by not asking for more.

    Args:
        model: The model.
        ids: The prompt, start token included.
        n_new: How many tokens to generate.
        choose: Picks an id from logits (vocab_size,).
        use_cache: False reads the whole text again at every step.
        cache: The cache to use and extend, e.g. a quantised one; with what it already holds, ``ids`` follow.
    """
    if n_new < 0:
        raise ValueError(f"n_new={n_new} must not be negative")
    if use_cache and cache is None:
        cache = model.new_cache()
    text, unread = list(ids), list(ids)
    for _ in range(n_new):
        began = time.perf_counter()
        logits, products = _read(model, unread if use_cache else text, cache if use_cache else None)
        new = choose(logits)
        seconds = time.perf_counter() - began
        yield Step(new, logits, seconds, products, len(unread) if use_cache else len(text))
        text.append(new)
        unread = [new]


def _read(model: Model, ids: list[int], cache: Cache | None) -> tuple[Floats, int]:
    """The logits behind the last id, and the multiplications; a long text goes into the cache in chunks."""
    products = 0
    while cache is not None and len(ids) > CHUNK:
        products += model.forward(ids[:CHUNK], cache, last_only=True, keep=False).multiply_adds
        ids = ids[CHUNK:]
    forward = model.forward(ids, cache, last_only=True, keep=False)
    return forward.logits[-1], products + forward.multiply_adds


def multiply_adds(model: Model, n_prompt: int, n_new: int, use_cache: bool) -> int:
    """Multiplications that ``stream`` will count for texts up to ``CHUNK``, worked out without running it.

    A pass over some queries multiplies each of them with every weight of the layers, compares each with all
    keys and mixes as many values, and reads out one position.

    Args:
        model: The model.
        n_prompt: Tokens of the prompt, start token included.
        n_new: How many tokens are generated.
        use_cache: False reads the whole text again at every step.
    """
    c, total = model.config, 0
    for n in range(n_new):
        keys = n_prompt + n
        queries = 1 if use_cache and n else keys
        pairs = 2 * c.n_layers * c.n_heads * c.d_head * queries * keys
        total += queries * model.layer_products + pairs + c.vocab_size * c.d_model
    return total


def likeliest(logits: Floats) -> int:
    """The id with the largest logit; the smallest id of equals."""
    return int(logits.argmax())


def greedy(
    model: Model, ids: Sequence[int], n_new: int, use_cache: bool = True, cache: Cache | None = None
) -> Generation:
    """Generates the likeliest token again and again."""
    return _collect(stream(model, ids, n_new, likeliest, use_cache, cache))


def sample(
    model: Model,
    ids: Sequence[int],
    n_new: int,
    rng: np.random.Generator,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    use_cache: bool = True,
) -> Generation:
    """Generates by drawing from the distribution; see ``distribution``."""

    def draw(logits: Floats) -> int:
        return draw_from(distribution(logits, temperature, top_k, top_p), rng)

    return _collect(stream(model, ids, n_new, draw, use_cache))


def distribution(
    logits: Floats, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Floats:
    """Turns logits into the probabilities tokens are drawn with; all tokens take part.

    Args:
        logits: (vocab_size,).
        temperature: Below 1 sharpens, above 1 flattens; 0 leaves only the likeliest.
        top_k: Keep this many likeliest tokens; None keeps all.
        top_p: Then keep the fewest likeliest tokens that together reach this probability.

    Returns:
        (vocab_size,) in float64, sums to 1; what was cut off is exactly 0.
    """
    if temperature < 0 or not np.isfinite(temperature):
        raise ValueError(f"temperature={temperature} must be a number from 0 up")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k={top_k} must be at least 1")
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p={top_p} must lie above 0 and at most 1")
    wide = logits.astype(np.float64)
    if temperature == 0:
        only = np.zeros_like(wide)
        only[likeliest(logits)] = 1.0
        return only
    probs = attention.softmax(wide / temperature)
    order = np.argsort(-probs, kind="stable")
    kept = len(order) if top_k is None else min(top_k, len(order))
    if top_p < 1:
        share = np.cumsum(probs[order[:kept]]) / probs[order[:kept]].sum()
        kept = int(np.searchsorted(share, top_p * (1 - 1e-12))) + 1
    probs[order[kept:]] = 0.0
    result: Floats = probs / probs.sum()
    return result


def draw_from(probs: Floats, rng: np.random.Generator) -> int:
    """Draws one id."""
    edges = np.cumsum(probs)
    return int(np.searchsorted(edges, rng.random() * edges[-1], side="right"))


def _collect(steps: Iterator[Step]) -> Generation:
    done = list(steps)
    return Generation(
        [s.id for s in done], sum(s.seconds for s in done), sum(s.multiply_adds for s in done), done
    )
