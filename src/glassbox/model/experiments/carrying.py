"""Carrying over: one position of a text goes on with what another text had there."""

from __future__ import annotations

from collections.abc import Sequence

from glassbox.arrays import Floats
from glassbox.model.transformer import Forward, Model


def patch(
    model: Model,
    ids: Sequence[int],
    other: Sequence[int],
    position: int,
    layer: int,
    other_position: int | None = None,
) -> Forward:
    """Reads ``ids`` while one position's stream is taken from ``other``.

    Args:
        model: The model.
        ids: The text that is read on.
        other: The text the activations come from.
        position: Where they are put, counted from 0.
        layer: After which layer, counted from 0; -1 means the embedding, before the first.
        other_position: Where they come from; None means the same position.

    Raises:
        ValueError: A position or layer that does not exist.
    """
    source = position if other_position is None else other_position
    if not 0 <= position < len(ids) or not 0 <= source < len(other):
        raise ValueError(
            f"positions {position} and {source} must lie in texts of {len(ids)} and {len(other)} tokens"
        )
    if not -1 <= layer < model.config.n_layers:
        raise ValueError(f"layer {layer} is not between -1 and {model.config.n_layers - 1}")
    at = ("embedding", 0) if layer == -1 else ("stream", layer)
    taken: list[Floats] = []

    def give(name: str, layer: int, value: Floats) -> Floats:
        if (name, layer) == at:
            taken.append(value[source])
        return value

    def take(name: str, layer: int, value: Floats) -> Floats:
        if (name, layer) == at:
            value = value.copy()
            value[position] = taken[0]
        return value

    model.forward(other, station=give, last_only=True)
    return model.forward(ids, station=take)
