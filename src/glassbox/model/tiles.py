"""Exact attention in tiles: the same result, but the whole table of scores never exists.

Keys are read a few at a time. A running peak and a running sum repair what was added before: when a larger
score turns up, all earlier powers shrink by the same factor.

Source: Milakov & Gimelshein 2018, *Online normalizer calculation for softmax*; Dao et al. 2022,
*FlashAttention*, algorithm 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from glassbox.arrays import Bools, Floats
from glassbox.model import attention


@dataclass(frozen=True)
class Tile:
    """The state after one tile.

    Attributes:
        rows: First and last + 1 query of the tile.
        keys: First and last + 1 key of the tile.
        mixed: (n_queries, d) mixed so far; rows that are finished are final.
        held: Scores that were in memory for this tile.
    """

    rows: tuple[int, int]
    keys: tuple[int, int]
    mixed: Floats
    held: int


def run(q: Floats, k: Floats, v: Floats, mask: Bools, size: int) -> Iterator[Tile]:
    """Mixes values for every query of one head, tile by tile; tiles that are masked throughout are skipped.

    Args:
        q: (n_queries, d_head).
        k: (n_keys, d_head).
        v: (n_keys, d).
        mask: (n_queries, n_keys) of bool, True = may attend.
        size: Queries and keys per tile.
    """
    if size < 1:
        raise ValueError(f"size={size} must be at least 1")
    mixed = np.zeros((len(q), v.shape[1]))
    for top in range(0, len(q), size):
        rows = slice(top, min(top + size, len(q)))
        peak = np.full((rows.stop - top, 1), -np.inf)
        total, partial = np.zeros_like(peak), np.zeros((rows.stop - top, v.shape[1]))
        for left in range(0, len(k), size):
            keys = slice(left, min(left + size, len(k)))
            if not mask[rows, keys].any():
                continue
            scores = attention.masked(attention.scores(q[None, rows], k[None, keys])[0], mask[rows, keys])
            higher = np.maximum(peak, scores.max(axis=1, keepdims=True))
            safe = np.where(np.isfinite(higher), higher, 0.0)  # a row that has seen nothing yet
            powers, shrink = np.exp(scores - safe), np.exp(peak - safe)
            total, partial, peak = (
                total * shrink + powers.sum(axis=1, keepdims=True),
                partial * shrink + powers @ v[keys],
                higher,
            )
            mixed[rows] = partial / np.where(total > 0, total, 1.0)
            yield Tile((rows.start, rows.stop), (keys.start, keys.stop), mixed.copy(), scores.size)
