"""Opening a part: the matrices of one head, rows of the embedding, and what stands nearest to one."""

from __future__ import annotations

from collections.abc import Sequence
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
    own = _rows(model, [token])[0]
    return _nearest(model, own, [token], count)


def shifted(model: Model, token: int, start: int, end: int, count: int) -> list[tuple[int, float]]:
    """The tokens nearest to a row that is moved by the difference of two others: token + (end - start).

    All rows are taken at length 1 first, so that each of the three counts alike.

    Args:
        model: The model.
        token: What is moved.
        start: Where the difference begins.
        end: Where it ends.
        count: How many neighbours.

    Returns:
        As ``nearest``; the three tokens themselves are left out.

    Raises:
        ValueError: The model has no such token.

    Source: Mikolov et al. 2013, *Linguistic Regularities in Continuous Space Word Representations*.
    """
    three = [token, start, end]
    rows = _rows(model, three).astype(np.float64)
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return _nearest(model, (rows[0] + rows[2] - rows[1]).astype(np.float32), three, count)


def alike(model: Model, pairs: Sequence[tuple[int, int]]) -> float:
    """Whether pairs of tokens differ in the same way: the mean cosine between their difference vectors.

    Args:
        model: The model.
        pairs: At least two; no token twice at the same end.

    Returns:
        1 if all differences point the same way, about 0 if they have nothing to do with each other.
    """
    rows = [_rows(model, pair).astype(np.float64) for pair in pairs]
    ends = np.array([r / np.linalg.norm(r, axis=1, keepdims=True) for r in rows])
    steps = ends[:, 1] - ends[:, 0]
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    n = len(pairs)
    return float(((steps @ steps.T).sum() - n) / (n * (n - 1)))


def _rows(model: Model, tokens: Sequence[int]) -> Floats:
    for token in tokens:
        if not 0 <= token < model.config.vocab_size:
            raise ValueError(f"token {token} is not one of {model.config.vocab_size}")
    rows: Floats = model.params["embedding"][np.array(tokens)]
    return rows


def _nearest(model: Model, vector: Floats, leave: Sequence[int], count: int) -> list[tuple[int, float]]:
    products = layers.linear(vector[None], model.params["embedding"])[0]
    cosines = products / np.maximum(lengths(model) * np.linalg.norm(vector), 1e-12)
    cosines[list(leave)] = -np.inf
    return [(int(i), float(cosines[i])) for i in np.argsort(-cosines, kind="stable")[:count]]
