"""Opening a part: the matrices of one head, rows of the embedding, and what stands nearest to one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from glassbox.arrays import Floats
from glassbox.model import layers
from glassbox.model.experiments import plain
from glassbox.model.experiments.following import Flow
from glassbox.model.transformer import Model


@dataclass(frozen=True, eq=False)
class Matrices:
    """The four matrices of one query head, with the key and value of its group; all as (outputs, inputs).

    Attributes:
        w_q: (d_head, d_model).
        w_k: (d_head, d_model), shared by the heads of the group.
        w_v: (d_head, d_model), shared by the heads of the group.
        w_o: (d_model, d_head), the head's own part of the layer's output matrix.
    """

    w_q: Floats
    w_k: Floats
    w_v: Floats
    w_o: Floats


def matrices(model: Model, layer: int, head: int) -> Matrices:
    """Cuts one head's matrices out of its layer's.

    Args:
        model: The model.
        layer: Counted from 0.
        head: Counted from 0.

    Raises:
        ValueError: The model has no such head.
    """
    plain.require(model, "what a head’s own matrices make", "bias_qkv")
    c = model.config
    if not 0 <= layer < c.n_layers or not 0 <= head < c.n_heads:
        raise ValueError(
            f"layer {layer}, head {head} (from 0) is not one of {c.n_layers} layers of {c.n_heads} heads"
        )
    group = head // (c.n_heads // c.n_kv_heads)
    rows = np.asarray(model.params[f"{layer}.w_qkv"]).reshape(-1, c.d_head, c.d_model)
    own = slice(head * c.d_head, (head + 1) * c.d_head)
    w_o = np.asarray(model.params[f"{layer}.w_o"])[:, own]
    return Matrices(rows[head], rows[c.n_heads + group], rows[c.n_heads + c.n_kv_heads + group], w_o)


def read_by_heads(model: Model, flowed: Flow, layer: int) -> Floats:
    """What the heads of a layer read: the stream before it, after the norm, (n, d_model)."""
    return model.normed(flowed.streams[2 * layer], f"{layer}.norm_attention")


def lengths(model: Model) -> Floats:
    """How long each row of the embedding is, (vocab_size,); a few rows are squared at a time."""
    table = model.params["embedding"]
    cuts = (slice(top, top + 4096) for top in range(0, len(table), 4096))
    found: Floats = np.concatenate([np.linalg.norm(table[rows], axis=1) for rows in cuts])
    return found


def nearest(model: Model, token: int, count: int) -> list[tuple[int, float]]:
    """The tokens whose rows of the embedding point most nearly the same way as a token's own.

    Args:
        model: The model.
        token: Whose neighbours.
        count: How many.

    Returns:
        Tokens with the cosine of the angle, from 1 (the same direction) to -1; the token itself is left out.

    Raises:
        ValueError: The model has no such token.
    """
    if not 0 <= token < model.config.vocab_size:
        raise ValueError(f"token {token} is not one of {model.config.vocab_size}")
    table = model.params["embedding"]
    own = table[np.array([token])]
    cosines = layers.linear(own, table)[0] / np.maximum(lengths(model) * np.linalg.norm(own), 1e-12)
    cosines[token] = -np.inf
    return [(int(i), float(cosines[i])) for i in np.argsort(-cosines, kind="stable")[:count]]
