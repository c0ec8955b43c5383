"""Layers that take turns: some see everything, others a window or a chunk (Gemma, Cohere 2, Llama 4, MiMo).

Source: the ``configuration_*.py`` and ``modeling_*.py`` files of transformers 5.24.0.
"""

from __future__ import annotations

from collections.abc import Callable

from glassbox.costs.attending import attention, needed
from glassbox.costs.fields import MAX_HEAD_DIM, MAX_LAYERS, MAX_WINDOW, Fields, shown
from glassbox.costs.layers import Layer, grouped
from glassbox.costs.shapes import head_shape, layer_count, typed_layers


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
    return attention(f, kinds, needed(f, kinds, window))


def modernbert(f: Fields) -> list[Layer]:
    """ModernBERT as a decoder: every n-th layer sees everything, the others half of what is stated."""
    n_layers = layer_count(f)
    kinds = typed_layers(f, n_layers, {"full", "sliding"})
    if kinds is None:
        every = f.whole_or_none("global_attn_every_n_layers", MAX_LAYERS) or 3
        kinds = ["sliding" if i % every else "full" for i in range(n_layers)]
    window = f.whole("local_attention", MAX_WINDOW, low=2) // 2 if "sliding" in kinds else None
    return attention(f, kinds, window)


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
    return kinds, needed(f, kinds, window)


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
