"""Taking parts away: heads, MLPs and layers as a whole, single edges of attention, the order of a row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from glassbox.arrays import Floats
from glassbox.model.experiments.reading import probabilities
from glassbox.model.transformer import Forward, Model, Station


@dataclass(frozen=True)
class Part:
    """Something that adds to the stream; all counted from 0.

    Attributes:
        layer: Its layer.
        head: A head of that layer, or None.
        mlp: Whether the layer's MLP is meant. With neither head nor MLP the part is the whole layer.
    """

    layer: int
    head: int | None = None
    mlp: bool = False

    @property
    def whole(self) -> bool:
        """Whether the whole layer is meant."""
        return self.head is None and not self.mlp


@dataclass(frozen=True)
class Edge:
    """A reader that attends to a source; positions and heads counted from 0.

    Attributes:
        reader: Position of the query; None means every position after the source.
        source: Position of the key.
        layer: None means every layer.
        head: None means every head.
    """

    reader: int | None
    source: int
    layer: int | None = None
    head: int | None = None


def without(model: Model, ids: Sequence[int], parts: Iterable[Part], mean: bool = False) -> Forward:
    """Reads a text while some parts add nothing, or only what they add on average.

    Args:
        model: The model.
        ids: The text, start token included.
        parts: What to take away.
        mean: Put the part's mean over the positions of this text in place instead of zero: what does not
            depend on the position stays.

    Raises:
        ValueError: A part that the model does not have.
    """
    return model.forward(ids, station=silencing(model, parts, mean))


def silencing(model: Model, parts: Iterable[Part], mean: bool = False) -> Station:
    """The station that lets some parts add nothing, or their mean; all as for ``without``."""
    parts = list(parts)
    for part in parts:
        _check(model, part.layer, part.head)

    def station(name: str, layer: int, value: Floats) -> Floats:
        found = [p for p in parts if p.layer == layer]
        if name == "mlp" and any(p.mlp or p.head is None for p in found):
            return _flat(value, mean, axis=0)
        if name == "heads" and found:
            value = value.copy()
            for part in found:
                chosen = slice(None) if part.head is None and not part.mlp else part.head
                if chosen is not None:
                    value[chosen] = _flat(value[chosen], mean, axis=-2)
        return value

    return station


def _flat(value: Floats, mean: bool, axis: int) -> Floats:
    """Zeros, or everywhere the mean along the positions."""
    if not mean:
        return np.zeros_like(value)
    flat: Floats = np.broadcast_to(value.mean(axis=axis, keepdims=True), value.shape).copy()
    return flat


def cut(model: Model, ids: Sequence[int], edges: Iterable[Edge]) -> Forward:
    """Reads a text while some edges have weight 0 and each row's other weights are renewed to sum to 1.

    Args:
        model: The model.
        ids: The text, start token included.
        edges: What to cut.

    Raises:
        ValueError: An edge outside the text or the model, one that points forward, or one from the first
            position to itself, which has nothing else to look at.
    """
    return model.forward(ids, station=barring(model, len(ids), edges))


def barring(model: Model, n_positions: int, edges: Iterable[Edge]) -> Station:
    """The station that gives some edges a weight of 0; arguments and errors as for ``cut``."""
    edges = list(edges)
    for edge in edges:
        _check(model, edge.layer or 0, edge.head)
        last = n_positions - 1 if edge.reader is None else edge.reader
        if not 0 <= edge.source <= last < n_positions or edge.reader == 0:
            raise ValueError(
                f"an edge of {n_positions} positions cannot lead from {edge.reader} to {edge.source}"
            )

    # A score of minus infinity is a weight of exactly 0, and softmax renews the rest, however small it was.
    def station(name: str, layer: int, value: Floats) -> Floats:
        found = [e for e in edges if e.layer in (None, layer)]
        if name != "scores" or not found:
            return value
        value = value.copy()
        for edge in found:
            heads = slice(None) if edge.head is None else edge.head
            readers = slice(edge.source + 1, None) if edge.reader is None else edge.reader
            value[heads, readers, edge.source] = -np.inf
        return value

    return station


def bar(model: Model, ids: Sequence[int], heads: Iterable[tuple[int, int]], source: int = 0) -> Forward:
    """Reads a text while heads (layer, head) cannot look at one position from any later one."""
    return cut(model, ids, [Edge(None, source, layer, head) for layer, head in heads])


@dataclass(frozen=True)
class Turn:
    """A head whose last row was turned round, and the next word's distribution before and after.

    Attributes:
        before: (n_keys,), the row as trained.
        after: (n_keys,), the largest share where the smallest was, and so on.
        probs: (vocab_size,).
        new_probs: (vocab_size,).
    """

    before: Floats
    after: Floats
    probs: Floats
    new_probs: Floats

    @property
    def moved(self) -> float:
        """How much attention changed hands, 0 to 1."""
        return float(np.abs(self.before - self.after).sum() / 2)

    @property
    def change(self) -> float:
        """How much probability changed hands, 0 to 1."""
        return float(np.abs(self.probs - self.new_probs).sum() / 2)


def turn(model: Model, ids: Sequence[int], layer: int, head: int, as_trained: Forward | None = None) -> Turn:
    """Turns round the last row of one head: the largest share goes to where the smallest was.

    Args:
        model: The model.
        ids: The text, start token included.
        layer: Counted from 0.
        head: Counted from 0.
        as_trained: What ``model.forward(ids)`` gave, if it is known already.
    """
    _check(model, layer, head)
    as_trained = as_trained or model.forward(ids)
    row = as_trained.weights[layer][head, -1]
    ranks = np.argsort(np.argsort(row, kind="stable"), kind="stable")
    turned = np.sort(row)[::-1][ranks]

    def station(name: str, at: int, value: Floats) -> Floats:
        if name == "weights" and at == layer:
            value = value.copy()
            value[head, -1] = turned
        return value

    after = model.forward(ids, station=station, last_only=True)
    return Turn(row, turned, probabilities(as_trained.logits[-1]), probabilities(after.logits[-1]))


def _check(model: Model, layer: int, head: int | None) -> None:
    c = model.config
    if not 0 <= layer < c.n_layers or not 0 <= (head or 0) < c.n_heads:
        raise ValueError(
            f"layer {layer}, head {head} (from 0) is not one of {c.n_layers} layers of {c.n_heads} heads"
        )
