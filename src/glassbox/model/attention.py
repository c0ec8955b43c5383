"""Attention in five small functions: score, mask, softmax, mix, and grouping of heads.

One query asks every earlier position "how much do you matter to me?" (``scores``), the answers become
shares that sum to 1 (``softmax``), and the values are mixed in those shares (``mix``):

    >>> q = np.array([[[1.0, 0.0]]])                       # (n_heads=1, n_queries=1, d_head=2)
    >>> k = np.array([[[2.0, 0.0], [0.0, 2.0]]])           # (n_heads=1, n_keys=2, d_head=2)
    >>> v = np.array([[[10.0], [20.0]]])
    >>> w = weights(scores(q, k), causal_mask(1, 2))
    >>> w.round(3).tolist()
    [[[0.804, 0.196]]]
    >>> mix(w, v).round(2).tolist()
    [[[11.96]]]

Source: Vaswani et al. 2017, *Attention is all you need*, equation 1.
"""

from __future__ import annotations

import numpy as np

from glassbox.arrays import Bools, Floats


def softmax(scores: Floats, axis: int = -1) -> Floats:
    """Turns scores into shares that sum to 1; a score of ``-inf`` becomes exactly 0.

    Args:
        scores: Any shape; at least one finite entry along ``axis``.
        axis: The axis that sums to 1.

    Raises:
        ValueError: Everything along the axis is ``-inf``: there is nothing to share among.
    """
    # Softmax ignores a constant shift; taking off the largest score keeps exp() from overflowing.
    peak = scores.max(axis=axis, keepdims=True)
    if not np.isfinite(peak).all():
        raise ValueError("softmax needs at least one finite score in every row and no NaN")
    powers: Floats = np.exp(scores - peak)
    powers /= powers.sum(axis=axis, keepdims=True)
    return powers


def causal_mask(n_queries: int, n_keys: int) -> Bools:
    """Says who may look at whom: True = may attend.

    The queries are the last ``n_queries`` of the ``n_keys`` positions, so a query may see every key up to
    its own position. Without a cache the two counts are equal and the mask is a lower triangle.

    Returns:
        (n_queries, n_keys) of bool.
    """
    if not 0 <= n_queries <= n_keys:
        raise ValueError(f"n_queries={n_queries} must lie between 0 and n_keys={n_keys}")
    return np.arange(n_keys) <= np.arange(n_keys - n_queries, n_keys)[:, None]


def scores(q: Floats, k: Floats, scaling: bool = True) -> Floats:
    """Dot product of every query with every key, divided by √d_head.

    Args:
        q: (n_heads, n_queries, d_head).
        k: (n_kv_heads, n_keys, d_head); each group of n_heads / n_kv_heads query heads shares one key head.
        scaling: False leaves the division out, to show what it is for.

    Returns:
        (n_heads, n_queries, n_keys).
    """
    n_heads, n_queries, d_head = q.shape
    n_kv_heads, n_keys, d_key = k.shape
    if d_key != d_head:
        raise ValueError(f"queries have d_head={d_head} but keys have d_head={d_key}")
    grouped = _group(q, n_kv_heads)
    raw: Floats = np.matmul(grouped, k.transpose(0, 2, 1)).reshape(n_heads, n_queries, n_keys)
    return raw * np.asarray(d_head**-0.5, dtype=raw.dtype) if scaling else raw


def masked(scores: Floats, mask: Bools | None) -> Floats:
    """Fills what may not be attended with ``-inf``, so that its weight is exactly 0.

    Args:
        scores: (..., n_queries, n_keys).
        mask: (n_queries, n_keys) of bool, True = may attend; None changes nothing.

    Raises:
        ValueError: The mask has another shape or holds something else than bool; nothing is stretched to fit.
    """
    if mask is None:
        return scores
    if mask.shape != scores.shape[-2:]:
        raise ValueError(f"mask has shape {mask.shape}, scores need {scores.shape[-2:]}: (n_queries, n_keys)")
    if mask.dtype != np.bool_:
        raise ValueError(f"mask holds {mask.dtype}, expected bool: True = may attend")
    return np.where(mask, scores, np.asarray(-np.inf, dtype=scores.dtype))


def weights(scores: Floats, mask: Bools | None = None) -> Floats:
    """Shares of attention: softmax over the keys each query may see.

    Args:
        scores: (n_heads, n_queries, n_keys).
        mask: (n_queries, n_keys) of bool, True = may attend; None lets everyone see everything.

    Returns:
        (n_heads, n_queries, n_keys); every row sums to 1.

    Raises:
        ValueError: The mask does not have the scores' last two sizes, or a query may see nothing.
    """
    return softmax(masked(scores, mask))


def mix(weights: Floats, v: Floats) -> Floats:
    """Mixes the values in the shares that ``weights`` gives.

    Args:
        weights: (n_heads, n_queries, n_keys).
        v: (n_kv_heads, n_keys, d_head).

    Returns:
        (n_heads, n_queries, d_head).
    """
    n_heads, n_queries, n_keys = weights.shape
    if v.shape[1] != n_keys:
        raise ValueError(f"weights have n_keys={n_keys} but values have n_keys={v.shape[1]}")
    mixed: Floats = np.matmul(_group(weights, v.shape[0]), v).reshape(n_heads, n_queries, v.shape[2])
    return mixed


def _group(x: Floats, n_kv_heads: int) -> Floats:
    """(n_heads, n_queries, d) -> (n_kv_heads, group * n_queries, d): a group shares one key head."""
    n_heads, n_queries, d = x.shape
    if n_kv_heads == 0 or n_heads % n_kv_heads:
        raise ValueError(f"n_heads={n_heads} is not divisible by n_kv_heads={n_kv_heads}; groups are equal")
    return x.reshape(n_kv_heads, (n_heads // n_kv_heads) * n_queries, d)
