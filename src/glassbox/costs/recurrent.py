"""Layers whose memory does not grow: a sum that is updated with every token, and the last few inputs.

The reference implementations keep the last inputs of a short convolution in the model's own numbers, 16 bits
as a rule, and the sum at 32, and so does this count.

Source: the ``modeling_*.py`` files of transformers 5.24.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from glassbox.costs.fields import MAX_HEAD_DIM, MAX_HEADS, MAX_LAYERS, MAX_WIDTH, Fields
from glassbox.costs.layers import Layer
from glassbox.costs.shapes import head_shape, layer_count

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


def jamba(f: Fields) -> Layer:
    """Jamba's Mamba layer, whose width is a multiple of the model's."""
    width = f.whole("hidden_size", MAX_WIDTH, required=True) * f.whole("mamba_expand", 64)
    return _linear(width * f.whole("mamba_d_conv", _KERNEL), width * f.whole("mamba_d_state", _STATE))


def bamba(f: Fields) -> Layer:
    """Bamba, Granite 4 and Falcon-H1: Mamba-2 heads, whose width may be stated."""
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


def nemotron_h(f: Fields) -> Layer:
    """Nemotron-H: Mamba-2 with a number of heads and a dimension of its own."""
    heads, head_dim = f.whole("mamba_num_heads", MAX_HEADS), f.whole("mamba_head_dim", MAX_HEAD_DIM)
    groups, kernel = f.given("n_groups", "mamba_n_groups"), f.given("conv_kernel", "mamba_d_conv")
    return _mamba2(f, heads, head_dim, "ssm_state_size", groups, kernel)


def zamba(f: Fields) -> Layer:
    """Zamba's Mamba layer."""
    width = f.whole("hidden_size", MAX_WIDTH, required=True) * f.whole("mamba_expand", 64)
    return _linear(width * f.whole("mamba_d_conv", _KERNEL), width * f.whole("mamba_d_state", _STATE))


def zamba2(f: Fields) -> Layer:
    """Zamba 2's Mamba-2 layer."""
    heads = f.whole("n_mamba_heads", MAX_HEADS)
    width = f.whole("hidden_size", MAX_WIDTH, required=True) * f.whole("mamba_expand", 64)
    return _mamba2(f, heads, width // heads, "mamba_d_state", "mamba_ngroups", "mamba_d_conv")


def delta_net(f: Fields) -> Layer:
    """Gated delta net (Qwen3-Next): every value head keeps a matrix of key by value dimension."""
    k_heads, v_heads = (
        f.whole("linear_num_key_heads", MAX_HEADS),
        f.whole("linear_num_value_heads", MAX_HEADS),
    )
    k_dim = f.whole("linear_key_head_dim", MAX_HEAD_DIM)
    v_dim = f.whole("linear_value_head_dim", MAX_HEAD_DIM)
    channels = 2 * k_heads * k_dim + v_heads * v_dim
    return _linear(channels * f.whole("linear_conv_kernel_dim", _KERNEL), v_heads * k_dim * v_dim)


def kimi_delta(f: Fields) -> Layer:
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


def lightning(f: Fields) -> Layer:
    """MiniMax's lightning attention: a matrix for each head, in the model's own numbers."""
    heads, _, head_dim = head_shape(f)
    return Layer("linear", recent=heads * head_dim * head_dim)


def short_convolution(f: Fields) -> Layer:
    """LFM 2: a short convolution alone, without a sum."""
    return _linear(f.whole("hidden_size", MAX_WIDTH, required=True) * f.whole("conv_L_cache", _KERNEL), 0)


def griffin(f: Fields) -> Layer:
    """RecurrentGemma's recurrence: one number for each channel, and a convolution's last inputs."""
    width = f.whole_or_none("lru_width", MAX_WIDTH) or f.whole("hidden_size", MAX_WIDTH, required=True)
    return _linear(width * (f.whole("conv1d_width", _KERNEL) - 1), width)


def zaya(f: Fields) -> Layer:
    """ZAYA's compressed convolutional attention: the last inputs of two convolutions, and half a value."""
    heads, kv_heads, head_dim = head_shape(f)
    inputs = f.whole("cca_time0", _KERNEL) + f.whole("cca_time1", _KERNEL) - 2
    return Layer("linear", recent=(heads + kv_heads) * head_dim * inputs + kv_heads * head_dim // 2)
