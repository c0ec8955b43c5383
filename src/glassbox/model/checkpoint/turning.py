"""What a ``config.json`` says of positions: how they turn queries and keys, how far a layer looks back."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from glassbox.model.checkpoint.fields import Fields
from glassbox.model.checkpoint.safetensors import shown
from glassbox.model.rope import KINDS, Rope

_LOCAL = {"full_attention": 1_000_000.0, "sliding_attention": 10_000.0}  # Gemma 3's own defaults
_KINDS: dict[str, Any] = dict.fromkeys(KINDS)


def rope(f: Fields, kind: str = "") -> Rope:
    """The rule of turning, in the words of transformers 5 (``rope_parameters``) or of earlier files.

    Args:
        f: The fields.
        kind: Which of Gemma 3's two kinds of layers; empty where all layers are alike.
    """
    base = _LOCAL.get(kind, 10_000.0)
    new = f.inner("rope_parameters")
    if new is not None and kind and new.get(kind) is not None:
        new = new.inner(kind)
    if new is not None:
        return _rule(f, new, new.number("rope_theta", low=1, high=1e12, default=base))
    if kind == "sliding_attention":
        return Rope(f.number("rope_local_base_freq", low=1, high=1e12, default=base))
    return _rule(f, f.inner("rope_scaling"), f.number("rope_theta", low=1, high=1e12, default=base))


def _rule(f: Fields, found: Fields | None, base: float) -> Rope:
    if found is None:
        return Rope(base)
    kind = found.word("rope_type", "type", of=_KINDS, default="default")
    found.refuse("partial_rotary_factor", "only whole queries are turned here", (1,))
    if kind == "default":
        return Rope(base)
    factor = found.number("factor", low=1, high=1e6)
    if kind == "linear":
        return Rope(base, "linear", factor)
    context = f.whole("max_position_embeddings", high=1 << 30)
    original = found.whole("original_max_position_embeddings", high=1 << 30, default=context)
    if kind == "llama3":
        low = found.number("low_freq_factor", low=1e-3, high=1e6)
        high = found.number("high_freq_factor", low=1e-3, high=1e6)
        if low >= high:
            raise found.fault("low_freq_factor", f"is {low:g}; it is below high_freq_factor, {high:g}")
        return Rope(base, "llama3", factor, original, low, high)
    slow = found.number("beta_slow", low=1e-3, high=1e6, default=1)
    fast = found.number("beta_fast", low=1e-3, high=1e6, default=32)
    if base <= 1:
        raise found.fault("rope_theta", f"is {base:g}; it is above 1")
    whole, gain = found.flag("truncate", True), _gain(found, factor)
    return Rope(base, "yarn", factor, original, slow=slow, fast=fast, whole=whole, gain=gain)


def _gain(found: Fields, factor: float) -> float:
    """How much larger YaRN makes what is turned; Peng et al. 2023, equation 22."""

    def grown(by: float) -> float:
        return 0.1 * by * math.log(factor) + 1

    over, under = (found.number(n, low=0, high=1e3, default=0) for n in ("mscale", "mscale_all_dim"))
    usual = grown(over) / grown(under) if over and under else grown(1)
    return found.number("attention_factor", low=1e-3, high=1e3, default=usual)


def width(f: Fields, on: bool) -> int | None:
    """How far a layer with a window looks back, itself counted; None for as far as the text goes."""
    return f.whole("sliding_window", high=1 << 30) if on and f.get("sliding_window") is not None else None


def windows(f: Fields, n_layers: int, on: bool, slides: Callable[[int], bool]) -> tuple[int | None, ...]:
    """Each layer's window: by ``layer_types`` where the file has them, else by the family's own rule."""
    wide, kinds = width(f, on), f.each("layer_types", n_layers)
    known = {"full_attention": False, "sliding_attention": True}
    for kind in kinds or ():
        if kind not in known:
            raise f.fault("layer_types", f"holds {shown(kind)}; only {' and '.join(known)} are computed here")
    sliding = [known[k] for k in kinds] if kinds is not None else [slides(n) for n in range(n_layers)]
    return tuple(wide if s else None for s in sliding) if wide and any(sliding) else ()
