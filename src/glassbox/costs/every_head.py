"""Models with older configs: a key and a value for each head, or one for all.

Source: the ``configuration_*.py`` and ``modeling_*.py`` files of transformers 5.24.0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from glassbox.costs.fields import MAX_HEADS, Fields
from glassbox.costs.layers import Layer, grouped
from glassbox.costs.shapes import divided_width, layer_count


def every_head(layers: str, heads: str, width: str) -> Callable[[Fields], list[Layer]]:
    """Multi-head attention without sharing, by the names of the older configs (GPT-2, MPT, BLOOM)."""

    def rule(f: Fields) -> list[Layer]:
        n_heads = f.whole(heads, MAX_HEADS, required=True)
        wide = f.given(width, "n_embed") if f.family == "bloom" else width
        head_dim = divided_width(f, n_heads, wide, heads)
        return [grouped(n_heads, head_dim, head_dim)] * layer_count(f, layers)

    return rule


def gpt_neo(f: Fields) -> list[Layer]:
    """GPT-Neo: its local layers mask what they do not see and keep it all the same."""
    return every_head("num_layers", "num_heads", "hidden_size")(f)


def mpt(f: Fields) -> list[Layer]:
    """MPT; its grouped variant is another model's code and is refused."""
    inner = f.config.get("attn_config")
    if isinstance(inner, Mapping) and inner.get("kv_n_heads") is not None:
        raise ValueError("attn_config.kv_n_heads is given; an mpt layer has one key and value for each head")
    return every_head("n_layers", "n_heads", "d_model")(f)


def bigcode(f: Fields) -> list[Layer]:
    """GPT-BigCode (StarCoder): one KV head for all where ``multi_query`` is true."""
    heads = f.whole("n_head", MAX_HEADS, required=True)
    head_dim = divided_width(f, heads, "n_embd", "n_head")
    return [grouped(1 if f.flag("multi_query") else heads, head_dim, head_dim)] * layer_count(f, "n_layer")


def falcon(f: Fields) -> list[Layer]:
    """Falcon: grouped in the new architecture, else one KV head where ``multi_query`` is true."""
    heads = f.whole("num_attention_heads", MAX_HEADS, required=True)
    head_dim = divided_width(f, heads, f.given("hidden_size", "n_embed"))
    if not f.flag("new_decoder_architecture") and f.flag("multi_query"):
        kv_heads = 1
    else:
        kv_heads = f.whole_or_none("num_kv_heads", MAX_HEADS) or heads
    if 1 < kv_heads < heads:
        f.notes.append(
            f"{kv_heads} keys and values are counted for {heads} heads, as engines keep them; transformers "
            "stores each of them once for every head of its group"
        )
    return [grouped(kv_heads, head_dim, head_dim)] * layer_count(f)
