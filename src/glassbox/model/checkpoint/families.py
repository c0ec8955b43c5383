"""What the families of models differ in: fields of one ``Config``, and the names of their weights.

A family is a row of a table, no class. Each row says how the file calls a weight that ``Config.laid`` lists;
a weight that lies in several of the file's tensors is stacked from them in order. ``config`` reads the sizes
and the switches.

Sources: each family's own report, and the configurations and models of transformers 5.24.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from glassbox.model.checkpoint import turning
from glassbox.model.checkpoint.fields import Fields
from glassbox.model.config import Activation, Config

Names = Mapping[str, tuple[str, ...]]

_ATTENTION = {
    "norm_attention": ("input_layernorm.weight",),
    "w_qkv": ("self_attn.q_proj.weight", "self_attn.k_proj.weight", "self_attn.v_proj.weight"),
    "b_qkv": ("self_attn.q_proj.bias", "self_attn.k_proj.bias", "self_attn.v_proj.bias"),
    "norm_q": ("self_attn.q_norm.weight",),
    "norm_k": ("self_attn.k_norm.weight",),
    "w_o": ("self_attn.o_proj.weight",),
    "b_o": ("self_attn.o_proj.bias",),
}
_MLP = {
    "w_gate_up": ("mlp.gate_proj.weight", "mlp.up_proj.weight"),
    "b_gate_up": ("mlp.gate_proj.bias", "mlp.up_proj.bias"),
    "w_down": ("mlp.down_proj.weight",),
    "b_down": ("mlp.down_proj.bias",),
}
LLAMA: Names = _ATTENTION | _MLP | {"norm_mlp": ("post_attention_layernorm.weight",)}
PHI: Names = dict(LLAMA) | {
    "w_qkv": ("self_attn.qkv_proj.weight",),
    "w_gate_up": ("mlp.gate_up_proj.weight",),
}
GEMMA2: Names = dict(LLAMA) | {
    "norm_attended": ("post_attention_layernorm.weight",),
    "norm_mlp": ("pre_feedforward_layernorm.weight",),
    "norm_fed": ("post_feedforward_layernorm.weight",),
}
GPT2: Names = {
    "norm_attention": ("ln_1.weight",),
    "norm_attention_bias": ("ln_1.bias",),
    "w_qkv": ("attn.c_attn.weight",),
    "b_qkv": ("attn.c_attn.bias",),
    "w_o": ("attn.c_proj.weight",),
    "b_o": ("attn.c_proj.bias",),
    "norm_mlp": ("ln_2.weight",),
    "norm_mlp_bias": ("ln_2.bias",),
    "w_up": ("mlp.c_fc.weight",),
    "b_up": ("mlp.c_fc.bias",),
    "w_down": ("mlp.c_proj.weight",),
    "b_down": ("mlp.c_proj.bias",),
}
OUTSIDE: Names = {
    "embedding": ("embed_tokens.weight",),
    "norm_out": ("norm.weight",),
    "head": ("lm_head.weight",),
}
GPT2_OUTSIDE: Names = {
    "embedding": ("wte.weight",),
    "positions": ("wpe.weight",),
    "norm_out": ("ln_f.weight",),
    "norm_out_bias": ("ln_f.bias",),
    "head": ("lm_head.weight",),
}

ACTIVATIONS: dict[str, Activation] = {
    "silu": "silu",
    "swish": "silu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
}
_ACTIVATION = ("hidden_activation", "hidden_act", "activation_function")


@dataclass(frozen=True)
class Family:
    """One row of the table.

    Attributes:
        reads: The switches of ``Config`` from the fields, beyond those that ``config`` reads for all.
        layer: How the file calls each weight of a layer.
        outside: How it calls the others.
        layers: What stands before a layer's number.
        turned: Whether its matrices lie as (inputs, outputs).
        gain: What is added to every norm's gain: Gemma keeps gains less 1.
        defaults: What its own code takes where a field is missing from config.json.
    """

    reads: Callable[[Fields, int], dict[str, Any]]
    layer: Names = field(default_factory=lambda: LLAMA)
    outside: Names = field(default_factory=lambda: OUTSIDE)
    layers: str = "layers."
    turned: bool = False
    gain: float = 0.0
    defaults: Mapping[str, Any] = field(default_factory=dict)


def _llama(f: Fields, n_layers: int) -> dict[str, Any]:
    bias = f.flag("attention_bias")
    return {"bias_qkv": bias, "bias_out": bias, "bias_mlp": f.flag("mlp_bias")}


def _mistral(f: Fields, n_layers: int) -> dict[str, Any]:
    width = turning.width(f, on=True)
    return {"windows": (width,) * n_layers if width else ()}


def _smollm3(f: Fields, n_layers: int) -> dict[str, Any]:
    every = f.whole("no_rope_layer_interval", default=4)
    turned = f.each("no_rope_layers", n_layers) or [(n + 1) % every != 0 for n in range(n_layers)]
    ropes = tuple(turning.rope(f) if on else None for on in turned)
    windows = turning.windows(f, n_layers, f.flag("use_sliding_window"), lambda n: not turned[n])
    return {**_llama(f, n_layers), "ropes": ropes, "windows": windows}


def _qwen2(f: Fields, n_layers: int) -> dict[str, Any]:
    first = f.whole("max_window_layers", low=0, default=28)
    windows = turning.windows(f, n_layers, f.flag("use_sliding_window"), lambda n: n >= first)
    return {"bias_qkv": True, "windows": windows}


def _qwen3(f: Fields, n_layers: int) -> dict[str, Any]:
    bias = f.flag("attention_bias")
    return {**_qwen2(f, n_layers), "bias_qkv": bias, "bias_out": bias, "head_norms": True}


def _gpt2(f: Fields, n_layers: int) -> dict[str, Any]:
    for name in ("scale_attn_by_inverse_layer_idx", "add_cross_attention"):
        f.refuse(name, "such a GPT-2 is not computed here")
    f.refuse("scale_attn_weights", "a GPT-2 without the division by √d is not computed here", (True,))
    every = ("bias_qkv", "bias_out", "bias_mlp", "learned_positions")
    return {"norm": "layer", "gated": False, **dict.fromkeys(every, True), "ropes": (None,) * n_layers}


def _gemma(f: Fields, n_layers: int) -> dict[str, Any]:
    return {"bias_qkv": (bias := f.flag("attention_bias")), "bias_out": bias, "embedding_scale": _root(f)}


def _gemma2(f: Fields, n_layers: int) -> dict[str, Any]:
    f.refuse("use_bidirectional_attention", "only models that look back alone are computed here")
    scalar = f.number("query_pre_attn_scalar", low=1e-3, high=1e6, default=256)
    every = f.whole("sliding_window_pattern", default=2)
    return _gemma(f, n_layers) | {
        "post_norms": True,
        "score_scale": math.sqrt(f.whole("head_dim") / scalar),
        "score_cap": f.number("attn_logit_softcapping", low=0, high=1e6, default=0),
        "logit_cap": f.number("final_logit_softcapping", low=0, high=1e6, default=0),
        "windows": turning.windows(f, n_layers, True, lambda n: (n + 1) % every != 0),
    }


def _gemma3(f: Fields, n_layers: int) -> dict[str, Any]:
    found = _gemma2(f, n_layers) | {"head_norms": True}
    near, far = turning.rope(f, "sliding_attention"), turning.rope(f, "full_attention")
    return found | {"ropes": tuple(near if width else far for width in found["windows"])}


def _root(f: Fields) -> float:
    return math.sqrt(f.whole("hidden_size"))


_GEMMA = {
    "tie_word_embeddings": True,
    "head_dim": 256,
    "rms_norm_eps": 1e-6,
    "hidden_act": "gelu_pytorch_tanh",
}
_GEMMA3 = _GEMMA | {
    "vocab_size": 262_208,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "max_position_embeddings": 131_072,
    "sliding_window_pattern": 6,
}
_CAPS = {"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0}

FAMILIES: dict[str, Family] = {
    "llama": Family(_llama),
    "mistral": Family(_mistral),
    "smollm3": Family(_smollm3, defaults={"tie_word_embeddings": True}),
    "qwen2": Family(_qwen2),
    "qwen3": Family(_qwen3, defaults={"head_dim": 128}),
    "phi3": Family(_mistral, PHI),
    "gemma": Family(_gemma, gain=1.0, defaults=_GEMMA),
    "gemma2": Family(_gemma2, GEMMA2, gain=1.0, defaults=_GEMMA | _CAPS),
    "gemma3_text": Family(_gemma3, GEMMA2, gain=1.0, defaults=_GEMMA3),
    "gpt2": Family(_gpt2, GPT2, GPT2_OUTSIDE, "h.", turned=True, defaults={"tie_word_embeddings": True}),
}
WRAPPERS = {"gemma3": "gemma3_text"}  # models for text and pictures; the language model inside is read alone


def named(found: Mapping[str, Any], where: str) -> tuple[Family, Fields, str]:
    """The family that a config.json names, its fields, and its name.

    Raises:
        ValueError: It names none that is computed here, or its weights are stored in a way not read here.
    """
    outer = Fields(found, where)
    kind = outer.word("model_type", of=dict.fromkeys([*FAMILIES, *WRAPPERS]))
    outer.refuse("quantization_config", "weights in fewer than 16 bits are not read here", ())
    fields = outer
    if kind in WRAPPERS:
        kind, inner = WRAPPERS[kind], outer.get("text_config")
        if not isinstance(inner, Mapping):
            raise outer.fault("text_config", "is missing; it describes the language model")
        found, where = inner, f"{where}: text_config"
    fields = Fields(found, where, FAMILIES[kind].defaults)
    fields.refuse("partial_rotary_factor", "only whole queries are turned here", (1,))
    return FAMILIES[kind], fields, kind


def config(family: Family, f: Fields) -> Config:
    """The sizes and switches.

    Raises:
        ValueError: A field is missing, of another type or out of bounds, or asks for what is not computed
            here.
    """
    n_heads = f.whole("num_attention_heads", "n_head", high=4096)
    d_model = f.whole("hidden_size", "n_embd")
    n_layers = f.whole("num_hidden_layers", "n_layer", high=1024)
    if not f.get("head_dim") and d_model % n_heads:
        raise f.fault(
            "hidden_size", f"is {d_model:,}, which {n_heads} heads do not share evenly; head_dim is missing"
        )
    sizes: dict[str, Any] = {
        "vocab_size": f.whole("vocab_size", high=1 << 22),
        "d_model": d_model,
        "n_layers": n_layers,
        "n_heads": n_heads,
        "n_kv_heads": f.whole("num_key_value_heads", high=4096, default=n_heads),
        "d_head": f.whole("head_dim", high=1 << 14, default=max(1, d_model // n_heads)),
        "d_ff": f.whole("intermediate_size", "n_inner", default=4 * d_model if family.turned else None),
        "context": f.whole("max_position_embeddings", "n_positions", high=1 << 30),
        "norm_eps": f.number("rms_norm_eps", "layer_norm_epsilon", low=0, high=1, default=1e-6),
        "activation": ACTIVATIONS[
            f.word("hidden_activation", "hidden_act", "activation_function", of=ACTIVATIONS)
        ],
        "tied": f.flag("tie_word_embeddings"),
    }
    switches = family.reads(f, n_layers)
    if "ropes" not in switches:
        switches["ropes"] = (turning.rope(f),) * n_layers
    try:
        return Config(**sizes, **switches)
    except ValueError as error:
        raise ValueError(f"{f.where}: {_their_words(str(error))}") from None


def _their_words(sentence: str) -> str:
    """Our sizes by the names that config.json gives them."""
    theirs = {"n_heads": "num_attention_heads", "n_kv_heads": "num_key_value_heads", "d_head": "head_dim"}
    for ours, name in theirs.items():
        sentence = sentence.replace(f"{ours}=", f"{name}=")
    return sentence
