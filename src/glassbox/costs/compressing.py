"""Layers that keep a summary: one compressed vector a token, or one for several tokens (the DeepSeeks).

Source: the ``configuration_*.py`` and ``modeling_*.py`` files of transformers 5.24.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from glassbox.costs.fields import (
    MAX_HEAD_DIM,
    MAX_LAYERS,
    MAX_WIDTH,
    MAX_WINDOW,
    Fields,
    check_whole,
    from_json,
    shown,
)
from glassbox.costs.layers import Layer, Summary
from glassbox.costs.shapes import layer_count, typed_layers


def compressed(f: Fields) -> tuple[tuple[int, int], ...]:
    """The vectors of multi-head latent attention: one compressed and one rotary key a token."""
    return (1, f.whole("kv_lora_rank", MAX_WIDTH)), (1, f.whole("qk_rope_head_dim", MAX_HEAD_DIM))


def latent(f: Fields) -> list[Layer]:
    """DeepSeek's multi-head latent attention in every layer."""
    return [Layer("latent", compressed(f))] * layer_count(f)


def twice_latent(f: Fields) -> list[Layer]:
    """LongCat Flash: two latent attentions in each of its layers."""
    return [Layer("latent", compressed(f))] * (2 * layer_count(f, "num_layers"))


def indexed(f: Fields) -> list[Layer]:
    """DeepSeek V3.2 and its relatives: latent attention to the tokens that an index picks.

    An index key is kept for every token, in layers that pick for themselves; some reuse an earlier layer's
    choice and keep none.
    """
    n_layers = layer_count(f)
    typed_layers(f, n_layers, {"full", "indexed"})
    vectors = compressed(f)
    own = Layer("indexed", (*vectors, (1, f.whole("index_head_dim", MAX_HEAD_DIM))))
    return [own if chooses else Layer("latent", vectors) for chooses in _choosers(f, n_layers)]


def _choosers(f: Fields, n_layers: int) -> list[bool]:
    """Which layers pick tokens for themselves: as listed, else by the rule of the family's own class."""
    words = f.words("indexer_types", n_layers)
    pattern = f.config.get("index_topk_pattern") if f.family == "glm_moe_dsa" else None
    if words is None and pattern is not None:
        if not isinstance(pattern, str) or len(pattern) != n_layers or set(pattern) - set("FS"):
            raise ValueError(
                f"{f.where}index_topk_pattern is {shown(pattern)}; it should have an F or an S for "
                f"each of the {n_layers} layers"
            )
        words = ["full" if c == "F" else "shared" for c in pattern]
    if words is not None:
        if set(words) - {"full", "shared"}:
            raise ValueError(f"{f.where}indexer_types is {shown(words)}; it should hold only full and shared")
        return [w == "full" for w in words]
    if f.family.startswith("hy_v4"):
        return [i == 0 or i % 4 == 1 for i in range(n_layers)]
    every = f.whole_or_none("index_topk_freq", MAX_LAYERS) if f.family == "glm_moe_dsa" else None
    if every is None:
        return [True] * n_layers
    offset = f.whole_or_none("index_skip_topk_offset", MAX_LAYERS, low=0)
    first = 2 if offset is None else offset
    return [max(i - first + 1, 0) % every == 0 for i in range(n_layers)]


_EVERY = {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128}


_SPARSE, _HEAVY = _EVERY


def few(f: Fields) -> list[Layer]:
    """DeepSeek V4: a short window of one shared vector a token, and one vector for 4 or 128 tokens before.

    Where it stands for 4 the groups overlap, and an index key for each says which are read. Published configs
    list the layers in ``compress_ratios``: 0, 4 or 128 for each.
    """
    n_layers = layer_count(f)
    dim, window = f.whole("head_dim", MAX_HEAD_DIM), f.whole("sliding_window", MAX_WINDOW)
    index = f.whole("index_head_dim", MAX_HEAD_DIM)
    rates = {name: _rate(f, name, usual) for name, usual in _EVERY.items()}
    own = Layer("sliding", ((1, dim),), window)
    heavy = Summary(dim, rates[_HEAVY], 2 * dim)
    pairs = [(dim, rates[_SPARSE]), (index, rates[_SPARSE])]
    sparse = tuple(Summary(n, every, 4 * n, n * every) for n, every in pairs)
    made = {
        "sliding_attention": own,
        _HEAVY: replace(own, kind="compressed", summaries=(heavy,)),
        _SPARSE: replace(own, kind="compressed", summaries=sparse),
    }
    return [made[kind] for kind in _few_kinds(f, n_layers, set(made))]


def _rate(f: Fields, name: str, usual: int) -> int:
    given = f.config.get("compress_rates")
    if given is None:
        return usual
    if not isinstance(given, Mapping):
        raise ValueError(
            f"{f.where}compress_rates is {shown(given)}; it should map kinds of layers to numbers"
        )
    return check_whole(from_json(given.get(name, usual)), f"{f.where}compress_rates.{name}", MAX_WINDOW)


def _few_kinds(f: Fields, n_layers: int, known: set[str]) -> list[str]:
    words, ratios = f.config.get("layer_types"), f.numbers("compress_ratios", MAX_WINDOW)
    if words is None and ratios is not None:
        names = {0: "sliding_attention", **{every: name for name, every in _EVERY.items()}}
        if set(ratios) - set(names) or len(ratios) < n_layers:
            raise ValueError(
                f"{f.where}compress_ratios is {shown(ratios)}; it should have 0, 4 or 128 for each of the "
                f"{n_layers} layers"
            )
        return [names[r] for r in ratios[:n_layers]]
    listed = f.words("layer_types", n_layers)
    if listed is None:
        return [_HEAVY] * min(n_layers, 2) + [
            _SPARSE if i % 2 else _HEAVY for i in range(max(n_layers - 2, 0))
        ]
    if set(listed) - known:
        raise ValueError(
            f"{f.where}layer_types holds {shown(sorted(set(listed) - known)[0])}; in a {f.family} config it "
            f"should hold only {', '.join(sorted(known))}"
        )
    return listed
