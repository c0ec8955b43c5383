"""Following the stream: what every part writes into it at every position, in a whole or a cut model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from glassbox.arrays import Floats
from glassbox.model import layers
from glassbox.model.experiments import plain
from glassbox.model.experiments.cutting import Edge, Part, barring, silencing
from glassbox.model.transformer import ON, Forward, Model, Switches


@dataclass(frozen=True, eq=False)
class Flow:
    """Everything that was added on the way through a decoder; lists have one entry per layer.

    Attributes:
        forward: The pass itself.
        embedding: (n, d_model), what the stream starts as.
        heads: (n_heads, n, d_model), what each head wrote, through its own slice of ``w_o``.
        mlps: (n, d_model), what each MLP wrote.
        streams: The stream as it stands before layer 1 and after each attention and each MLP:
            ``2 * n_layers + 1`` arrays (n, d_model).
    """

    forward: Forward
    embedding: Floats
    heads: list[Floats]
    mlps: list[Floats]
    streams: list[Floats]


def flow(
    model: Model,
    ids: Sequence[int],
    parts: Iterable[Part] = (),
    edges: Iterable[Edge] = (),
    switches: Switches = ON,
) -> Flow:
    """Reads a text and keeps what each part wrote, while some parts add nothing and some edges are cut.

    Args:
        model: The model.
        ids: The text, start token included.
        parts: What adds nothing (see ``without``).
        edges: What nobody looks along (see ``cut``).
        switches: Parts of every layer to leave out.

    Raises:
        ValueError: A part or an edge that the model or the text does not have.
    """
    silence, bar = silencing(model, parts), barring(model, len(ids), edges)
    found: dict[tuple[str, int], Floats] = {}

    def station(name: str, layer: int, value: Floats) -> Floats:
        value = bar(name, layer, silence(name, layer, value))
        found[name, layer] = value
        return value

    forward = model.forward(ids, station=station, switches=switches)
    heads, mlps, streams = [], [], [found["embedding", 0]]
    for layer in range(model.config.n_layers):
        heads.append(_written(model, layer, found["heads", layer]))
        mlps.append(found["mlp", layer])
        streams.append(found["stream", layer] - mlps[-1])
        streams.append(found["stream", layer])
    return Flow(forward, streams[0], heads, mlps, streams)


def _written(model: Model, layer: int, mixed: Floats) -> Floats:
    """What each head adds to the stream: its mix through its own columns of ``w_o``.

    Where a norm follows (Gemma 2 and 3), it divides all heads' sum by one number; each head's part of it is
    what it wrote, divided by the same.
    """
    n_heads, _, d_head = mixed.shape
    w_o = np.asarray(model.params[f"{layer}.w_o"]).reshape(-1, n_heads, d_head)
    written: Floats = np.stack(
        [layers.linear(mixed[h], np.ascontiguousarray(w_o[:, h])) for h in range(n_heads)]
    )
    if model.config.post_norms:
        total = written.sum(axis=0)
        spread = np.sqrt((total**2).mean(axis=1, keepdims=True) + model.config.norm_eps)
        written = written * (model.params[f"{layer}.norm_attended"] / spread)
    return written


def guesses(model: Model, flowed: Flow, position: int = -1) -> Floats:
    """What the stream would predict after the embedding and each layer: ``lens``, of a cut model too.

    Args:
        model: The model.
        flowed: What ``flow`` gave.
        position: Whose stream is read.

    Returns:
        (n_layers + 1, vocab_size) logits; the last row is the pass's own.
    """
    states = np.array([stream[position] for stream in flowed.streams[::2]])
    return model.read_out(states)


def units(model: Model, flowed: Flow, layer: int) -> Floats:
    """How strongly each hidden unit of a layer's MLP fires at each position: (n, d_ff).

    A unit is its gate, activated, times its up value; what it writes is that times its column of ``w_down``.

    Args:
        model: The model.
        flowed: What ``flow`` gave.
        layer: Counted from 0.
    """
    plain.require(model, "how strongly units fire", "gated", "post_norms")
    c, p = model.config, model.params
    if not 0 <= layer < c.n_layers:
        raise ValueError(f"layer {layer} (from 0) is not one of {c.n_layers}")
    x = model.normed(flowed.streams[2 * layer + 1], f"{layer}.norm_mlp")
    both = layers.linear(x, p[f"{layer}.w_gate_up"], p.get(f"{layer}.b_gate_up"))
    fired: Floats = layers.ACTIVATIONS[c.activation](both[:, : c.d_ff]) * both[:, c.d_ff :]
    return fired


def without_units(model: Model, ids: Sequence[int], layer: int, chosen: Sequence[int]) -> Forward:
    """Reads a text while some hidden units of one MLP stay silent.

    Args:
        model: The model.
        ids: The text, start token included.
        layer: Counted from 0.
        chosen: The units, counted from 0.

    Raises:
        ValueError: A layer or unit that the model does not have.
    """
    if any(not 0 <= unit < model.config.d_ff for unit in chosen):
        raise ValueError(f"units {list(chosen)} (from 0) are not all among {model.config.d_ff}")
    fired = units(model, flow(model, ids), layer)[:, list(chosen)]
    taken = layers.linear(
        fired, np.ascontiguousarray(np.asarray(model.params[f"{layer}.w_down"])[:, list(chosen)])
    )

    def station(name: str, at: int, value: Floats) -> Floats:
        return value - taken if name == "mlp" and at == layer else value

    return model.forward(ids, station=station)
