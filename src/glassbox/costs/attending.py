"""Which tokens each layer of a model with keys and values keeps: all, a window, a chunk, or a summary.

Every function is the rule of some families and reads the fields that these families have.

Source: the ``configuration_*.py`` and ``modeling_*.py`` files of transformers 5.24.0.
"""

from __future__ import annotations

from collections.abc import Callable

from glassbox.costs.fields import MAX_HEAD_DIM, MAX_HEADS, MAX_LAYERS, MAX_WIDTH, MAX_WINDOW, Fields, shown
from glassbox.costs.layers import Layer, grouped
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


def every(period: int) -> Callable[[Fields], list[Layer]]:
    """All layers slide but every ``period``-th one (Gemma, Cohere 2, gpt-oss)."""

    def rule(f: Fields) -> list[Layer]:
        if f.flag("use_bidirectional_attention"):
            raise ValueError(
                f"{f.where}use_bidirectional_attention is true; a model that reads both ways keeps no KV "
                "cache, so it should be false"
            )
        return attention(f, *periodic(f, period))

    return rule


def periodic(f: Fields, period: int) -> tuple[list[str], int | None]:
    """The layers' kinds and the window of a family that alternates."""
    n_layers = layer_count(f)
    window = f.whole_or_none("sliding_window", MAX_WINDOW)
    kinds = typed_layers(f, n_layers, {"full", "sliding"})
    if kinds is None:
        if window is None:
            kinds = ["full"] * n_layers
        else:
            name = f.given("sliding_window_pattern", "_sliding_window_pattern")
            given = f.whole_or_none(name, MAX_LAYERS) if isinstance(f.config.get(name), int) else None
            if f.config.get(name) is not None and given is None:
                raise ValueError(
                    f"{f.where}{name} is {shown(f.config[name])}; it should be a whole number: every how "
                    "many layers one sees everything"
                )
            period = given or period
            kinds = ["sliding" if (i + 1) % period else "full" for i in range(n_layers)]
    return kinds, _needed(f, kinds, window)


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
    """Gemma 4: full layers have their own head dimension, and may have their own number of KV heads."""
    if f.config.get("per_layer_config") is not None:
        raise ValueError(
            f"{f.where}per_layer_config is given; only Gemma 4 configs without it are known here"
        )
    if f.config.get("use_bidirectional_attention") == "all":
        raise ValueError(
            f"{f.where}use_bidirectional_attention is 'all'; it should be null in a model that writes"
        )
    kinds, window = periodic(f, 6)
    kinds[-1] = "full"
    _, kv_heads, head_dim = head_shape(f)
    global_dim = f.whole_or_none("global_head_dim", MAX_HEAD_DIM) or 512
    global_heads = f.whole_or_none("num_global_key_value_heads", MAX_HEADS)
    wide = global_heads if f.flag("attention_k_eq_v") and global_heads else kv_heads
    layers = [
        grouped(wide, global_dim, global_dim)
        if k == "full"
        else grouped(kv_heads, head_dim, head_dim, window)
        for k in kinds
    ]
    return _share(f, layers)


def chunked(f: Fields) -> list[Layer]:
    """Llama 4: layers with rotary positions look back within their chunk, the others at everything."""
    n_layers = layer_count(f)
    chunk = f.whole_or_none("attention_chunk_size", MAX_WINDOW)
    kinds = typed_layers(f, n_layers, {"full", "chunked"})
    if kinds is None:
        rope = f.numbers("no_rope_layers", 1)
        if not rope:
            interval = f.whole("no_rope_layer_interval", MAX_LAYERS)
            rope = [int((i + 1) % interval != 0) for i in range(n_layers)]
        if len(rope) != n_layers:
            raise ValueError(
                f"{f.where}no_rope_layers has {len(rope)} entries; it should have one for each of the "
                f"{n_layers} layers"
            )
        kinds = ["chunked" if r and chunk else "full" for r in rope]
    if "chunked" in kinds and chunk is None:
        raise ValueError(f"{f.where}attention_chunk_size is missing; chunked layers need it, in tokens")
    return attention(f, kinds, chunk)


def latent(f: Fields) -> list[Layer]:
    """DeepSeek's multi-head latent attention: one compressed vector and one rotary key a token."""
    rank = f.whole("kv_lora_rank", MAX_WIDTH)
    rope = f.whole("qk_rope_head_dim", MAX_HEAD_DIM)
    return [Layer("latent", ((1, rank), (1, rope)))] * layer_count(f)
