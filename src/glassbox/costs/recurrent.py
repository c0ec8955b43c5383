"""Layers whose memory does not grow: a sum that is updated with every token, and the last few inputs.

The reference implementations keep the last inputs of a short convolution in the model's own numbers, 16 bits
as a rule, and the sum at 32, and so does this count.

Source: the ``modeling_*.py`` files of transformers 5.24.0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from glassbox.costs.attending import compressed
from glassbox.costs.fields import (
    MAX_HEAD_DIM,
    MAX_HEADS,
    MAX_LAYERS,
    MAX_WIDTH,
    MAX_WINDOW,
    Fields,
    shown,
)
from glassbox.costs.layers import Layer, grouped
from glassbox.costs.shapes import head_shape, layer_count, typed_layers

_KERNEL = 1_024
_STATE = 65_536


def _linear(convolution: int, state: int) -> Layer:
    return Layer("linear", recent=convolution, sums=state)


def mamba(f: Fields) -> list[Layer]:
    """Mamba: for every channel the last inputs and ``state_size`` numbers."""
    n_layers = layer_count(f)
    # A width that is stated wins over the factor, as in the published Falcon-Mamba 7B.
    width = f.whole_or_none("intermediate_size", MAX_WIDTH)
    if width is None:
        width = f.whole("hidden_size", MAX_WIDTH, required=True) * f.whole("expand", 64)
    return [
        _linear(width * f.whole("conv_kernel", _KERNEL), width * f.whole("state_size", _STATE))
    ] * n_layers


def mamba2(f: Fields) -> list[Layer]:
    """Mamba-2: heads that each keep a matrix."""
    n_layers = f.whole("num_hidden_layers", MAX_LAYERS, required=True)
    heads, head_dim = f.whole("num_heads", MAX_HEADS), f.whole("head_dim", MAX_HEAD_DIM)
    names = ("state_size", "n_groups", "conv_kernel")
    return [_mamba2(f, heads, head_dim, *names)] * n_layers


def _mamba2(f: Fields, heads: int, head_dim: int, state: str, groups: str, kernel: str) -> Layer:
    n_state = f.whole(state, _STATE)
    channels = heads * head_dim + 2 * f.whole(groups, MAX_HEADS) * n_state
    return _linear(channels * f.whole(kernel, _KERNEL), heads * head_dim * n_state)


def _jamba(f: Fields) -> Layer:
    width = f.whole("hidden_size", MAX_WIDTH, required=True) * f.whole("mamba_expand", 64)
    return _linear(width * f.whole("mamba_d_conv", _KERNEL), width * f.whole("mamba_d_state", _STATE))


def _bamba(f: Fields) -> Layer:
    heads = f.whole("mamba_n_heads", MAX_HEADS)
    width = f.whole_or_none("mamba_d_ssm", MAX_WIDTH) if f.family == "falcon_h1" else None
    if width is None:
        width = f.whole("hidden_size", MAX_WIDTH, required=True) * f.whole("mamba_expand", 64)
    if width % heads:
        raise ValueError(f"{f.where}mamba_n_heads is {heads}; it should divide the state's width, {width}")
    if f.config.get("mamba_d_head", "auto") != "auto":
        head_dim = f.whole("mamba_d_head", MAX_HEAD_DIM)
        if head_dim * heads != width:
            raise ValueError(
                f"{f.where}mamba_d_head is {head_dim}; with {heads} heads it should be {width // heads}"
            )
    return _mamba2(f, heads, width // heads, "mamba_d_state", "mamba_n_groups", "mamba_d_conv")


def _nemotron_h(f: Fields) -> Layer:
    heads, head_dim = f.whole("mamba_num_heads", MAX_HEADS), f.whole("mamba_head_dim", MAX_HEAD_DIM)
    groups, kernel = f.given("n_groups", "mamba_n_groups"), f.given("conv_kernel", "mamba_d_conv")
    return _mamba2(f, heads, head_dim, "ssm_state_size", groups, kernel)


def _zamba(f: Fields) -> Layer:
    width = f.whole("hidden_size", MAX_WIDTH, required=True) * f.whole("mamba_expand", 64)
    return _linear(width * f.whole("mamba_d_conv", _KERNEL), width * f.whole("mamba_d_state", _STATE))


def _zamba2(f: Fields) -> Layer:
    heads = f.whole("n_mamba_heads", MAX_HEADS)
    width = f.whole("hidden_size", MAX_WIDTH, required=True) * f.whole("mamba_expand", 64)
    return _mamba2(f, heads, width // heads, "mamba_d_state", "mamba_ngroups", "mamba_d_conv")


def _delta_net(f: Fields) -> Layer:
    """Gated delta net (Qwen3-Next): every value head keeps a matrix of key by value dimension."""
    k_heads, v_heads = (
        f.whole("linear_num_key_heads", MAX_HEADS),
        f.whole("linear_num_value_heads", MAX_HEADS),
    )
    k_dim = f.whole("linear_key_head_dim", MAX_HEAD_DIM)
    v_dim = f.whole("linear_value_head_dim", MAX_HEAD_DIM)
    channels = 2 * k_heads * k_dim + v_heads * v_dim
    return _linear(channels * f.whole("linear_conv_kernel_dim", _KERNEL), v_heads * k_dim * v_dim)


def _kimi_delta(f: Fields) -> Layer:
    """Kimi's delta attention, and Ling's: as many key as value heads, all of one dimension."""
    own = f.config.get("linear_attn_config")
    stated = (
        Fields(own, f.family, None, f"{f.where}linear_attn_config.") if isinstance(own, Mapping) else None
    )
    heads, dim, kernel = (
        stated.whole(old, high)
        if stated and stated.config.get(old) is not None
        else f.whole(f.given(new, *others), high)
        for old, new, others, high in (
            ("num_heads", "linear_num_heads", ("num_attention_heads",), MAX_HEADS),
            ("head_dim", "linear_head_dim", ("head_dim",), MAX_HEAD_DIM),
            ("short_conv_kernel_size", "linear_conv_kernel_dim", ("short_conv_kernel_size",), _KERNEL),
        )
    )
    return _linear(3 * heads * dim * kernel, heads * dim * dim)


def _lightning(f: Fields) -> Layer:
    """MiniMax's lightning attention: a matrix for each head, in the model's own numbers."""
    heads, _, head_dim = head_shape(f)
    return Layer("linear", recent=heads * head_dim * head_dim)


def _short_convolution(f: Fields) -> Layer:
    return _linear(f.whole("hidden_size", MAX_WIDTH, required=True) * f.whole("conv_L_cache", _KERNEL), 0)


HYBRIDS: dict[str, Callable[[Fields], Layer]] = {
    "qwen3_next": _delta_net,
    "qwen3_5_text": _delta_net,
    "qwen3_5_moe_text": _delta_net,
    "jamba": _jamba,
    "bamba": _bamba,
    "granitemoehybrid": _bamba,
    "falcon_h1": _bamba,
    "nemotron_h": _nemotron_h,
    "lfm2": _short_convolution,
    "lfm2_moe": _short_convolution,
    "lfm3": _short_convolution,
    "kimi_linear": _kimi_delta,
    "bailing_hybrid": _kimi_delta,
    "minimax": _lightning,
    "olmo_hybrid": _delta_net,
    "zamba": _zamba,
    "zamba2": _zamba2,
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
        if "sliding" in kinds:
            window = f.whole("sliding_window", MAX_WINDOW)
            made["sliding"] = replace(attending, kind="sliding", window=window)
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


_ALLOWED = {
    "nemotron_h": {"full", "linear", "none"},
    "lfm3": {"full", "linear", "sliding"},
    "zamba": {"linear", "hybrid"},
    "zamba2": {"linear", "hybrid"},
}


def _kinds(name: str, f: Fields, n_layers: int) -> list[str]:
    """Which layers attend and which keep a state."""
    if name == "falcon_h1":
        return ["hybrid"] * n_layers
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


_PATTERN = {"M": "linear", "E": "none", "*": "full", "-": "none"}


def _pattern(f: Fields, n_layers: int) -> list[str]:
    pattern: Any = f.config.get("hybrid_override_pattern")
    if not isinstance(pattern, str) or len(pattern) != n_layers or set(pattern) - set(_PATTERN):
        raise ValueError(
            f"{f.where}hybrid_override_pattern is {shown(pattern)}; it should have one of M, E, * and - for "
            f"each of the {n_layers} layers"
        )
    return [_PATTERN[c] for c in pattern]
