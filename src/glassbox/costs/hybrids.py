"""Models with layers of attention beside layers whose memory does not grow: which layer is which.

Source: the ``configuration_*.py`` and ``modeling_*.py`` files of transformers 5.24.0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from glassbox.costs import recurrent
from glassbox.costs.compressing import compressed
from glassbox.costs.fields import MAX_HEAD_DIM, MAX_LAYERS, MAX_WIDTH, MAX_WINDOW, Fields, shown
from glassbox.costs.layers import Layer, grouped
from glassbox.costs.shapes import head_shape, layer_count, typed_layers

HYBRIDS: dict[str, Callable[[Fields], Layer]] = {
    "qwen3_next": recurrent.delta_net,
    "qwen3_5_text": recurrent.delta_net,
    "qwen3_5_moe_text": recurrent.delta_net,
    "jamba": recurrent.jamba,
    "bamba": recurrent.bamba,
    "granitemoehybrid": recurrent.bamba,
    "falcon_h1": recurrent.bamba,
    "nemotron_h": recurrent.nemotron_h,
    "lfm2": recurrent.short_convolution,
    "lfm2_moe": recurrent.short_convolution,
    "lfm3": recurrent.short_convolution,
    "kimi_linear": recurrent.kimi_delta,
    "bailing_hybrid": recurrent.kimi_delta,
    "minimax": recurrent.lightning,
    "olmo_hybrid": recurrent.delta_net,
    "zamba": recurrent.zamba,
    "zamba2": recurrent.zamba2,
    "lara_mini": recurrent.delta_net,
    "recurrent_gemma": recurrent.griffin,
    "zaya": recurrent.zaya,
}


def hybrid(name: str) -> Callable[[Fields], list[Layer]]:
    """The rule of a family that has layers of attention beside layers with a state of constant size.

    Args:
        name: A key of ``HYBRIDS``.
    """

    def rule(f: Fields) -> list[Layer]:
        kinds = _kinds(name, f, layer_count(f))
        attending, state = _attending(name, f), HYBRIDS[name](f)
        made = {
            "full": attending,
            "linear": state,
            "hybrid": replace(state, kind="hybrid", vectors=attending.vectors),
            "none": Layer("none"),
        }
        if {"sliding", "hybrid sliding"} & set(kinds):
            window = f.whole(_WINDOW.get(name, "sliding_window"), MAX_WINDOW)
            made["sliding"] = replace(attending, kind="sliding", window=window)
            made["hybrid sliding"] = replace(made["hybrid"], window=window)
        return [made[k] for k in kinds]

    return rule


def _attending(name: str, f: Fields) -> Layer:
    """The layers that keep something for each token."""
    if name in ("kimi_linear", "bailing_hybrid"):
        return Layer("latent", compressed(f))
    if name.startswith("zamba"):  # attention reads the stream and the embedding side by side: twice the width
        heads, kv_heads, _ = head_shape(f)
        dim = f.whole_or_none("attention_head_dim", MAX_HEAD_DIM)
        if dim is None:
            dim = 2 * f.whole("hidden_size", MAX_WIDTH, required=True) // heads
        return grouped(kv_heads, dim, dim)
    _, kv_heads, head_dim = head_shape(f)
    return grouped(kv_heads, head_dim, head_dim)


_WINDOW = {"recurrent_gemma": "attention_window_size"}
_ALLOWED = {
    "lara_mini": {"full", "linear", "sliding"},
    "zaya": {"hybrid", "hybrid sliding"},
    "nemotron_h": {"full", "linear", "none"},
    "lfm3": {"full", "linear", "sliding"},
    "zamba": {"linear", "hybrid"},
    "zamba2": {"linear", "hybrid"},
}


def _kinds(name: str, f: Fields, n_layers: int) -> list[str]:
    """Which layers attend and which keep a state."""
    if name == "falcon_h1":
        return ["hybrid"] * n_layers
    if name == "recurrent_gemma":
        return _blocks(f, n_layers)
    field = f.given("layer_types", "layers_block_type")
    listed = typed_layers(f, n_layers, _ALLOWED.get(name, {"full", "linear"}), field)
    if listed is not None:
        return listed
    if name == "nemotron_h":
        return _pattern(f, n_layers)
    if name == "lfm3":
        return [
            "full" if i % 4 == 2 else "sliding" if i % 4 == 0 and i else "linear" for i in range(n_layers)
        ]
    if name == "zaya":
        return ["hybrid"] * n_layers
    if name == "lara_mini":
        period = ("linear", "sliding", "linear", "full", "sliding")
        return [period[i % 5] for i in range(n_layers)]
    attend = _full_layers(name, f, n_layers)
    both = "hybrid" if name.startswith("zamba") else "full"
    return [both if i in attend else "linear" for i in range(n_layers)]


def _full_layers(name: str, f: Fields, n_layers: int) -> set[int]:
    if name in ("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"):
        interval = f.whole_or_none("full_attention_interval", MAX_LAYERS) or 4
        return {i for i in range(n_layers) if (i + 1) % interval == 0}
    if name == "kimi_linear":
        own = f.config.get("linear_attn_config")
        if isinstance(own, Mapping) and own.get("full_attn_layers") is not None:
            numbers = Fields(own, f.family, None, f"{f.where}linear_attn_config.").numbers(
                "full_attn_layers", n_layers, 1
            )
            return {n - 1 for n in numbers or ()}
        return {i for i in range(1, n_layers) if i % 4 == 0}
    if name == "bailing_hybrid":
        group = f.whole("layer_group_size", MAX_LAYERS)
        return {i for i in range(n_layers) if (i + 1) % group == 0}
    if name == "minimax":
        return set(range(0, n_layers, 2))
    if name == "olmo_hybrid":
        return set(range(3, n_layers, 4)) or {n_layers - 1}
    if name == "zamba":
        period, offset = (
            f.whole("attn_layer_period", MAX_LAYERS),
            f.whole("attn_layer_offset", MAX_LAYERS, low=0),
        )
        return {2} | {i for i in range(3, n_layers) if i % period == offset} if n_layers > 2 else set()
    if name in ("lfm2", "lfm2_moe") and f.config.get("full_attn_idxs") is None:
        return set(range(n_layers))
    if name == "jamba":
        period = f.whole("attn_layer_period", MAX_LAYERS)
        offset = f.whole("attn_layer_offset", MAX_LAYERS, low=0)
        return {i for i in range(n_layers) if i % period == offset}
    names = {
        "bamba": "attn_layer_indices",
        "lfm2": "full_attn_idxs",
        "lfm2_moe": "full_attn_idxs",
        "zamba2": "hybrid_layer_ids",
    }
    field = names.get(name)
    listed = f.numbers(field, MAX_LAYERS) if field else None
    if listed is None:
        should = field or "layer_types"
        raise ValueError(
            f"{f.where}{should} is missing; it should list the layers of this {name} that attend"
        )
    return set(listed)


def _blocks(f: Fields, n_layers: int) -> list[str]:
    """RecurrentGemma: a few kinds that repeat; its attention always has a window."""
    blocks = f.words("block_types") or ["recurrent", "recurrent", "attention"]
    if set(blocks) - {"recurrent", "attention"}:
        raise ValueError(
            f"{f.where}block_types is {shown(blocks)}; it should hold only 'recurrent' and 'attention'"
        )
    return ["linear" if blocks[i % len(blocks)] == "recurrent" else "sliding" for i in range(n_layers)]


_PATTERN = {"M": "linear", "E": "none", "*": "full", "-": "none"}


def _pattern(f: Fields, n_layers: int) -> list[str]:
    pattern: Any = f.config.get("hybrid_override_pattern")
    if not isinstance(pattern, str) or len(pattern) != n_layers or set(pattern) - set(_PATTERN):
        raise ValueError(
            f"{f.where}hybrid_override_pattern is {shown(pattern)}; it should have one of M, E, * and - for "
            f"each of the {n_layers} layers"
        )
    return [_PATTERN[c] for c in pattern]
