"""Reading the stream: what it would say after each layer, and who added what to a logit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glassbox.arrays import Floats
from glassbox.model import attention
from glassbox.model.experiments import plain
from glassbox.model.transformer import Model


def probabilities(logits: Floats) -> Floats:
    """Logits (..., vocab_size) as distributions, in double precision."""
    return attention.softmax(logits.astype(np.float64))


def token_surprise(logits: Floats, ids: Sequence[int]) -> Floats:
    """Surprise in bits at each token after the first: (n - 1,).

    Args:
        logits: (n, vocab_size), one row a token; the last row is not used.
        ids: The n tokens.
    """
    if len(logits) != len(ids):
        raise ValueError(f"{len(logits)} rows of logits do not go with {len(ids)} tokens")
    probs = probabilities(logits[:-1])[np.arange(len(ids) - 1), list(ids[1:])]
    found: Floats = -np.log2(np.maximum(probs, 1e-300))
    return found


def surprise(logits: Floats, ids: Sequence[int]) -> float:
    """Mean surprise in bits a token; 0 for fewer than two tokens, where nothing is predicted."""
    return float(token_surprise(logits, ids).mean()) if len(ids) > 1 else 0.0


def lens(model: Model, ids: Sequence[int], position: int = -1) -> Floats:
    """What the stream would predict if the model stopped after the embedding, after layer 1, and so on.

    Args:
        model: The model.
        ids: The text, start token included.
        position: Whose stream is read.

    Returns:
        (n_layers + 1, vocab_size) logits; the last row is the model's own.

    Source: nostalgebraist 2020, *interpreting GPT: the logit lens*.
    """
    states: list[Floats] = []

    def station(name: str, layer: int, value: Floats) -> Floats:
        if name in ("embedding", "stream"):
            states.append(value[position])
        return value

    model.forward(ids, station=station, last_only=True, keep=False)
    return model.read_out(np.array(states))


@dataclass(frozen=True)
class Contributions:
    """What each part added to one logit; all of them add up to it.

    Attributes:
        embedding: What the token's own embedding added.
        heads: (n_layers, n_heads).
        mlps: (n_layers,).
        logit: The logit itself.
    """

    embedding: float
    heads: Floats
    mlps: Floats
    logit: float


def contributions(model: Model, ids: Sequence[int], token: int, position: int = -1) -> Contributions:
    """Splits a logit into what each head and MLP wrote into the stream at that position.

    The last norm divides the whole stream by one number; with that number held, the logit is a sum. What a
    part did by changing what later parts compute counts for them: this is the direct path alone.

    Args:
        model: The model.
        ids: The text, start token included.
        token: Whose logit.
        position: Whose prediction.

    Raises:
        ValueError: The model is of a family whose logits are no such sum.
    """
    plain.require(
        model, "what each part adds to a logit", "norm", "post_norms", "bias_out", "bias_mlp", "logit_cap"
    )
    c, found = model.config, {}

    def station(name: str, layer: int, value: Floats) -> Floats:
        found[name, layer] = value[:, position] if name == "heads" else value[position]
        return value

    forward = model.forward(ids, station=station)
    stream = found["stream", c.n_layers - 1].astype(np.float64)
    scale = 1.0 / np.sqrt((stream**2).mean() + c.norm_eps)
    table = model.params.get("head", model.params["embedding"])
    direction = table[np.array([token])][0] * model.params["norm_out"] * scale
    heads = np.empty((c.n_layers, c.n_heads))
    for layer in range(c.n_layers):
        written = (direction @ np.asarray(model.params[f"{layer}.w_o"])).reshape(c.n_heads, c.d_head)
        heads[layer] = (found["heads", layer] * written).sum(axis=1)
    mlps = [float(found["mlp", layer] @ direction) for layer in range(c.n_layers)]
    return Contributions(
        float(found["embedding", 0] @ direction),
        heads,
        np.array(mlps),
        float(forward.logits[position, token]),
    )
