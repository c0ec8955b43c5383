"""Which tokens each layer of a model with keys and values keeps: all, a window, a chunk, or a summary.

Every function is the rule of some families and reads the fields that these families have.

Source: the ``configuration_*.py`` and ``modeling_*.py`` files of transformers 5.24.0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from glassbox.costs.fields import (
    MAX_HEAD_DIM,
    MAX_HEADS,
    MAX_LAYERS,
    MAX_WIDTH,
    MAX_WINDOW,
    Fields,
    check_whole,
    from_json,
    shown,
)
from glassbox.costs.layers import Layer, Summary, grouped
from glassbox.costs.shapes import head_shape, layer_count, typed_layers


def attention(f: Fields, kinds: list[str], window: int | None = None) -> list[Layer]:
    """Layers with grouped heads, each full, sliding or chunked as ``kinds`` says."""
    _, kv_heads, head_dim = head_shape(f)
    made = {
        "full": grouped(kv_heads, head_dim, head_dim),
        "sliding": grouped(kv_heads, head_dim, head_dim, window, "sliding"),
        "chunked": grouped(kv_heads, head_dim, head_dim, window, "chunked"),
        "none": Layer("none"),
    }
    return [made[k] for k in kinds]


def full(f: Fields) -> list[Layer]:
    """Every layer sees everything (Llama and its many relatives)."""
    n_layers = layer_count(f)
    window = f.config.get("sliding_window")
    if window is not None and f.config.get("use_sliding_window") is not False:
        raise ValueError(
            f"{f.where}sliding_window is {shown(window)}; no {f.family} layer slides, so it should be null"
        )
    typed_layers(f, n_layers, {"full"})
    return attention(f, ["full"] * n_layers)


def jetmoe(f: Fields) -> list[Layer]:
    """JetMoE: its query heads follow from its KV heads and experts, so only the latter are asked for."""
    head_dim = f.whole("head_dim", MAX_HEAD_DIM)
    return [grouped(f.whole("num_key_value_heads", MAX_HEADS), head_dim, head_dim)] * layer_count(f)


def windowed(f: Fields) -> list[Layer]:
    """Every layer slides if there is a window at all (Mistral, Phi-3)."""
    n_layers = layer_count(f)
    window = f.whole_or_none("sliding_window", MAX_WINDOW)
    kinds = typed_layers(f, n_layers, {"full", "sliding"})
    if kinds is None:
        kinds = ["full" if window is None else "sliding"] * n_layers
    return attention(f, kinds, _needed(f, kinds, window))


def switched(chosen: Callable[[int, int], bool]) -> Callable[[Fields], list[Layer]]:
    """The window counts only where ``use_sliding_window`` is true, and in some layers (the Qwens)."""

    def rule(f: Fields) -> list[Layer]:
        n_layers = layer_count(f)
        on = f.flag("use_sliding_window")
        window = f.whole_or_none("sliding_window", MAX_WINDOW, low=0) if on else None
        last = f.whole("max_window_layers", MAX_LAYERS, low=0) if on and f.family != "qwen3_moe" else 0
        kinds = typed_layers(f, n_layers, {"full", "sliding"})
        if kinds is None:
            kinds = ["sliding" if window and chosen(i, last) else "full" for i in range(n_layers)]
        if "sliding" in kinds and not window:
            window = f.whole("sliding_window", MAX_WINDOW)
        return attention(f, kinds, window)

    return rule


def every(period: int, named: str | None = None) -> Callable[[Fields], list[Layer]]:
    """All layers slide but every ``period``-th one (Gemma, Cohere 2, gpt-oss).

    Args:
        period: What the family's own class takes.
        named: The field in which a config of this family may say otherwise.
    """

    def rule(f: Fields) -> list[Layer]:
        if f.flag("use_bidirectional_attention"):
            raise ValueError(
                f"{f.where}use_bidirectional_attention is true; a model that reads both ways keeps no KV "
                "cache, so it should be false"
            )
        return attention(f, *periodic(f, period, named))

    return rule


def listed(slides: Callable[[Fields, int, int], bool]) -> Callable[[Fields], list[Layer]]:
    """Layers as ``layer_types`` lists them; without a list, those slide for which ``slides`` says so.

    Args:
        slides: From the config, a layer's number from 0, and how many there are.
    """

    def rule(f: Fields) -> list[Layer]:
        n_layers = layer_count(f)
        kinds = typed_layers(f, n_layers, {"full", "sliding"})
        if kinds is None:
            kinds = ["sliding" if slides(f, i, n_layers) else "full" for i in range(n_layers)]
        window = f.whole("sliding_window", MAX_WINDOW) if "sliding" in kinds else None
        return attention(f, kinds, window)

    return rule


def behind_dense(f: Fields, i: int, n_layers: int) -> bool:
    """Cohere 2's mixture: the layers behind the dense ones count anew."""
    dense = f.whole_or_none("first_k_dense_replace", MAX_LAYERS, low=0) or 0
    if i < dense:
        return (i + 1) % f.whole("prefix_dense_sliding_window_pattern", MAX_LAYERS) != 0
    return (i - dense + 1) % f.whole("sliding_window_pattern", MAX_LAYERS) != 0


def last_layers(f: Fields, i: int, n_layers: int) -> bool:
    """Dots 1: those from ``max_window_layers`` on, if there is a window."""
    window = f.whole_or_none("sliding_window", MAX_WINDOW)
    return window is not None and i >= f.whole("max_window_layers", MAX_LAYERS, low=0)


def smollm3(f: Fields) -> list[Layer]:
    """SmolLM 3: a window, where it is used at all, in the layers without rotary positions."""
    n_layers = layer_count(f)
    kinds = typed_layers(f, n_layers, {"full", "sliding"})
    on = f.flag("use_sliding_window")
    window = f.whole_or_none("sliding_window", MAX_WINDOW) if on else None
    if kinds is None and window is None:
        kinds = ["full"] * n_layers
    elif kinds is None:
        kinds = ["full" if rope else "sliding" for rope in _rope(f, n_layers)]
    return attention(f, kinds, _needed(f, kinds, window))


def mimo(f: Fields) -> list[Layer]:
    """MiMo-V2: values shorter than keys, and twice the KV heads where a layer slides."""
    n_layers = layer_count(f)
    kinds = typed_layers(f, n_layers, {"full", "sliding"})
    if kinds is None:
        kinds = ["sliding" if i and (i + 1) % 6 else "full" for i in range(n_layers)]
    _, kv_heads, key_dim = head_shape(f)
    value_dim = f.whole_or_none("v_head_dim", MAX_HEAD_DIM) or key_dim
    wide = f.whole_or_none("sliding_window_size", MAX_WINDOW)
    window = (wide + 1 if wide else f.whole("sliding_window", MAX_WINDOW)) if "sliding" in kinds else None
    sliding = grouped(2 * kv_heads, key_dim, value_dim, window, "sliding")
    full = grouped(kv_heads, key_dim, value_dim)
    return [sliding if k == "sliding" else full for k in kinds]


def periodic(f: Fields, period: int, named: str | None = None) -> tuple[list[str], int | None]:
    """The layers' kinds and the window of a family that alternates."""
    n_layers = layer_count(f)
    window = f.whole_or_none("sliding_window", MAX_WINDOW)
    kinds = typed_layers(f, n_layers, {"full", "sliding"})
    if kinds is None:
        if window is None:
            kinds = ["full"] * n_layers
        else:
            kinds = _by_pattern(f, n_layers, period, f.given(named, "_" + named) if named else None)
    return kinds, _needed(f, kinds, window)


def _by_pattern(f: Fields, n_layers: int, period: int, name: str | None) -> list[str]:
    """Kinds by a period, or by letters: ``LLLG`` is three local layers and a global one, again and again."""
    given = f.config.get(name) if name else None
    if isinstance(given, str) and given and not set(given) - set("LG"):
        return ["full" if given[i % len(given)] == "G" else "sliding" for i in range(n_layers)]
    if given is not None:
        if not isinstance(given, (int, float)) or isinstance(given, bool):
            raise ValueError(
                f"{f.where}{name} is {shown(given)}; it should be a whole number, every how many layers one "
                "sees everything, or letters such as 'LLLG'"
            )
        if not given:  # written by the library where there is no window
            return ["full"] * n_layers
        period = f.whole(str(name), MAX_LAYERS)
    return ["sliding" if (i + 1) % period else "full" for i in range(n_layers)]


def _needed(f: Fields, kinds: list[str], window: int | None) -> int | None:
    if "sliding" in kinds and window is None:
        raise ValueError(
            f"{f.where}sliding_window is null or missing and layer_types has sliding layers; it should be "
            "their window in tokens"
        )
    return window


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


def chunked(f: Fields) -> list[Layer]:
    """Llama 4: layers with rotary positions look back within their chunk, the others at everything."""
    n_layers = layer_count(f)
    chunk = f.whole_or_none("attention_chunk_size", MAX_WINDOW)
    kinds = typed_layers(f, n_layers, {"full", "chunked"})
    if kinds is None:
        rope = _rope(f, n_layers)
        kinds = ["chunked" if r and chunk else "full" for r in rope]
    if "chunked" in kinds and chunk is None:
        raise ValueError(f"{f.where}attention_chunk_size is missing; chunked layers need it, in tokens")
    return attention(f, kinds, chunk)


def _rope(f: Fields, n_layers: int) -> list[int]:
    """Which layers have rotary positions: 1 or 0 for each."""
    rope = f.numbers("no_rope_layers", 1)
    if not rope:
        interval = f.whole("no_rope_layer_interval", MAX_LAYERS)
        return [int((i + 1) % interval != 0) for i in range(n_layers)]
    if len(rope) != n_layers:
        raise ValueError(
            f"{f.where}no_rope_layers has {len(rope)} entries; it should have one for each of the "
            f"{n_layers} layers"
        )
    return rope


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
    if f.family == "hy_v4":
        return [i == 0 or i % 4 == 1 for i in range(n_layers)]
    every = f.whole_or_none("index_topk_freq", MAX_LAYERS) if f.family == "glm_moe_dsa" else None
    if every is None:
        return [True] * n_layers
    offset = f.whole_or_none("index_skip_topk_offset", MAX_LAYERS, low=0)
    first = 2 if offset is None else offset
    return [max(i - first + 1, 0) % every == 0 for i in range(n_layers)]
