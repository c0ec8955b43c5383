"""Layers that see everything, and layers with one window for all (Llama, Mistral, the Qwens).

Every function is the rule of some families and reads the fields that these families have.

Source: the ``configuration_*.py`` and ``modeling_*.py`` files of transformers 5.24.0.
"""

from __future__ import annotations

from collections.abc import Callable

from glassbox.costs.fields import MAX_HEAD_DIM, MAX_HEADS, MAX_LAYERS, MAX_WINDOW, Fields, shown
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
    return attention(f, kinds, needed(f, kinds, window))


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


def needed(f: Fields, kinds: list[str], window: int | None) -> int | None:
    """The window, which layers that slide cannot do without."""
    if "sliding" in kinds and window is None:
        raise ValueError(
            f"{f.where}sliding_window is null or missing and layer_types has sliding layers; it should be "
            "their window in tokens"
        )
    return window
