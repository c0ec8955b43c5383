"""Order: what moves when words are laid out anew, and what distance alone does to a score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glassbox.arrays import Floats, Ints
from glassbox.model import attention, layers
from glassbox.model.transformer import Model, Switches


def first_outputs(model: Model, ids: Sequence[int], switches: Switches) -> Floats:
    """What the first attention layer hands on for each position: (n, n_heads * d_head)."""
    forward = model.forward(ids, switches=switches, last_only=True)
    mixed = attention.mix(forward.weights[0], forward.v[0])
    flat: Floats = mixed.transpose(1, 0, 2).reshape(len(ids), -1)
    return flat


def moved(model: Model, ids: Sequence[int], to: Ints, switches: Switches) -> Floats:
    """How far each word's output of the first layer moves when the words are laid out anew.

    Args:
        model: The model.
        ids: The text, start token included.
        to: (n,) old position at each new one.
        switches: Mask and positions, on or off.

    Returns:
        (n,) in the old order: the length of the change over the length of the output.
    """
    before = first_outputs(model, ids, switches)
    after = first_outputs(model, [ids[i] for i in to], switches)
    back = np.empty_like(after)
    back[to] = after
    change: Floats = np.linalg.norm(back - before, axis=1) / np.maximum(np.linalg.norm(before, axis=1), 1e-9)
    return change


def distance_scores(model: Model, ids: Sequence[int], layer: int, head: int, furthest: int = 48) -> Floats:
    """Mean score of a head for a key 0, 1, 2 … positions back; words taken from a text, turned anew.

    Every pair of words is asked how it would score at each distance, so that only the distance differs.

    Returns:
        (furthest + 1,).
    """
    c, rope = model.config, model.config.rope(layer)
    if rope is None:
        raise ValueError(f"layer {layer + 1} of this model does not turn queries and keys by their positions")
    forward = model.forward(ids, switches=Switches(positions=False), last_only=True)
    one = forward.head(layer, head)
    cos, sin = layers.rotation(np.arange(furthest + 1), c.d_head, rope)
    turned = layers.rotate(np.repeat(one.q[None], furthest + 1, axis=0), cos[:, None], sin[:, None])
    scores = np.einsum("dqi,ki->dqk", turned, one.k) * (c.score_scale / np.sqrt(c.d_head))
    mean: Floats = scores.mean(axis=(1, 2))
    return mean
