"""What width does to scores, and length to shares; no trained weights are needed."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from glassbox.model import attention

N_ROWS, N_KEYS = 96, 16


def best_share(advantage: float, n_keys: int) -> float:
    """Share of one key whose score lies ``advantage`` above all the other ``n_keys - 1``."""
    return 1.0 / (1.0 + (n_keys - 1) * math.exp(-advantage))


def half_length(advantage: float) -> int:
    """How many keys there may be before the best one falls below half."""
    return 1 + math.floor(math.exp(advantage))


@dataclass(frozen=True)
class Spread:
    """Means over many random rows of scores.

    Attributes:
        deviation: Standard deviation of the scores.
        largest: Largest weight of a row.
        entropy_bits: Entropy of a row's weights; log2 of the number of keys when all are alike.
        slope: How fast the largest weight answers when its own score moves: w (1 - w).
    """

    deviation: float
    largest: float
    entropy_bits: float
    slope: float


@functools.lru_cache(maxsize=32)
def spread(width: int, divided: bool, seed: int = 1) -> Spread:
    """Draws queries and keys of a width from a standard normal and measures their scores."""
    rng = np.random.default_rng(seed + width)
    q = rng.standard_normal((N_ROWS, 1, width), dtype=np.float32)
    k = rng.standard_normal((N_ROWS, N_KEYS, width), dtype=np.float32)
    scores = attention.scores(q, k, scaling=divided)
    weights = attention.weights(scores)[:, 0].astype(np.float64)
    largest = weights.max(axis=1)
    entropy = -(weights * np.log2(np.maximum(weights, 1e-300))).sum(axis=1)
    return Spread(
        float(scores.std()),
        float(largest.mean()),
        float(entropy.mean()),
        float((largest * (1 - largest)).mean()),
    )
