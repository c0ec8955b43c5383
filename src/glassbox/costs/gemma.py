"""Gemma's own: layers that read what an earlier one stores, and layers with sizes of their own.

Source: the ``configuration_*.py`` and ``modeling_*.py`` files of transformers 5.24.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from glassbox.costs.attending import attention
from glassbox.costs.fields import MAX_HEAD_DIM, MAX_HEADS, MAX_LAYERS, Fields, check_whole, from_json, shown
from glassbox.costs.layers import Layer, grouped
from glassbox.costs.shapes import head_shape
from glassbox.costs.windows import periodic


def shared_tail(f: Fields) -> list[Layer]:
    """Gemma 3n: the last layers read what earlier ones stored."""
    layers = attention(f, *periodic(f, 5))
    return _share(f, layers)


def _share(f: Fields, layers: list[Layer]) -> list[Layer]:
    shared = f.whole("num_kv_shared_layers", MAX_LAYERS, low=0)
    if shared >= len(layers):
        raise ValueError(
            f"{f.where}num_kv_shared_layers is {shared}; it should be less than num_hidden_layers, "
            f"{len(layers)}, because shared layers read what another one stores"
        )
    kept = len(layers) - shared
    return layers[:kept] + [Layer("shared")] * shared


def gemma4(f: Fields) -> list[Layer]:
    """Gemma 4: full layers have their own head dimension, and may have their own number of KV heads.

    Newer configs list each layer's own fields in ``per_layer_config``, older ones state them once.
    """
    if f.config.get("use_bidirectional_attention") == "all":
        raise ValueError(
            f"{f.where}use_bidirectional_attention is 'all'; it should be null in a model that writes"
        )
    kinds, window = periodic(f, 6)
    kinds[-1] = "full"
    _, kv_heads, head_dim = head_shape(f)
    own = _per_layer(f, len(kinds))
    if own is None:
        wide = {"head_dim": f.whole_or_none("global_head_dim", MAX_HEAD_DIM) or 512}
        heads = f.whole_or_none("num_global_key_value_heads", MAX_HEADS)
        if f.flag("attention_k_eq_v") and heads:
            wide["num_key_value_heads"] = heads
        own = {i: wide for i, k in enumerate(kinds) if k == "full"}
    layers = []
    for i, kind in enumerate(kinds):
        fields = own.get(i, {})
        heads, dim = fields.get("num_key_value_heads", kv_heads), fields.get("head_dim", head_dim)
        layers.append(grouped(heads, dim, dim, window if kind == "sliding" else None))
    return _share(f, layers)


def _per_layer(f: Fields, n_layers: int) -> dict[int, dict[str, int]] | None:
    """The fields of ``per_layer_config`` that say what a layer keeps, by the layer's number from 0."""
    given = f.config.get("per_layer_config")
    if given is None:
        return None
    should = "it should map numbers of layers to fields, such as head_dim"
    if not isinstance(given, Mapping) or not all(isinstance(v, Mapping) for v in given.values()):
        raise ValueError(f"{f.where}per_layer_config is {shown(given)}; {should}")
    limits = {"head_dim": MAX_HEAD_DIM, "num_key_value_heads": MAX_HEADS}
    found = {}
    for number, fields in given.items():
        digits = str(number)
        if not digits.isdecimal() or not int(digits[:6]) < n_layers or len(digits) > 6:
            raise ValueError(
                f"{f.where}per_layer_config names layer {shown(number)} of {n_layers}; {should}, from 0"
            )
        found[int(digits)] = {
            name: check_whole(from_json(fields[name]), f"{f.where}per_layer_config.{number}.{name}", high)
            for name, high in limits.items()
            if fields.get(name) is not None
        }
    return found
