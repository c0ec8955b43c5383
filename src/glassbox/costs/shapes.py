"""What most families write the same way: how many layers and heads there are, and each layer's kind.

Source: the ``configuration_*.py`` files of transformers 5.24.0.
"""

from __future__ import annotations

from glassbox.costs.fields import MAX_EXPERTS, MAX_HEAD_DIM, MAX_HEADS, MAX_LAYERS, MAX_WIDTH, Fields, shown

# The words transformers uses in layer_types, old and new.
LAYER_TYPES = {
    "full_attention": "full",
    "attention": "full",
    "sliding_attention": "sliding",
    "chunked_attention": "chunked",
    "indexed_attention": "indexed",
    "minimax_m3_sparse": "full",
    "linear_attention": "linear",
    "mamba": "linear",
    "recurrent": "linear",
    "conv": "linear",
    "hybrid": "hybrid",
    "hybrid_sliding": "hybrid sliding",
    "moe": "none",
    "mlp": "none",
}


def head_shape(f: Fields) -> tuple[int, int, int]:
    """Query heads, KV heads and head dimension: ``head_dim`` if it is there, else width over heads."""
    heads = f.whole("num_attention_heads", MAX_HEADS, required=not f.where)
    kv_heads = f.whole_or_none("num_key_value_heads", MAX_HEADS)
    if kv_heads is None:
        kv_heads = heads
    if heads % kv_heads:
        raise ValueError(
            f"{f.where}num_key_value_heads is {kv_heads}; it should divide num_attention_heads, {heads}, "
            "because every KV head serves equally many query heads"
        )
    head_dim = f.whole_or_none("head_dim", MAX_HEAD_DIM)
    return heads, kv_heads, head_dim if head_dim is not None else divided_width(f, heads)


def divided_width(f: Fields, heads: int, width_name: str = "hidden_size", heads_name: str = "") -> int:
    """The head dimension of a config without ``head_dim``."""
    width = f.whole(width_name, MAX_WIDTH, required=not f.where)
    if width % heads:
        raise ValueError(
            f"{f.where}{width_name} is {width}; without head_dim it should be a multiple of "
            f"{heads_name or 'num_attention_heads'}, {heads}"
        )
    return width // heads


def experts(f: Fields) -> tuple[int, int]:
    """How many experts a layer has to choose from, and how many one token uses; (1, 1) without a mixture.

    Experts that every token uses are not counted: they are no choice.
    """
    of = f.given("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
    if f.config.get(of) is None:
        return 1, 1
    count = f.whole(of, MAX_EXPERTS)
    chosen = f.given("num_experts_per_tok", "experts_per_token", "moe_topk", "moe_k")
    return count, f.whole(chosen, count, required=True)


def layer_count(f: Fields, name: str = "num_hidden_layers") -> int:
    """How many layers there are: as stated, else as many as a list of them names."""
    if f.config.get(name) is None:
        lists = (f.config.get(k) for k in ("layer_types", "layers_block_type", "hybrid_override_pattern"))
        listed = next((len(v) for v in lists if isinstance(v, (list, tuple, str))), 0)
        if 0 < listed <= MAX_LAYERS:
            return listed
    return f.whole(name, MAX_LAYERS, required=not f.where)


def typed_layers(f: Fields, n_layers: int, allowed: set[str], name: str = "layer_types") -> list[str] | None:
    """The kinds that ``layer_types`` lists, where it is given."""
    words = f.words(name, n_layers)
    if words is None:
        return None
    for word in words:
        if LAYER_TYPES.get(word) not in allowed:
            known = ", ".join(w for w, k in LAYER_TYPES.items() if k in allowed)
            raise ValueError(
                f"{f.where}{name} holds {shown(word)}; in a {f.family} config it should hold only {known}"
            )
    return [LAYER_TYPES[w] for w in words]
