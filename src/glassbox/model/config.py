"""The sizes of a decoder, checked once, and the shape of every weight that follows from them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    """Sizes of a decoder-only transformer.

    Attributes:
        vocab_size: Entries of the tokenizer, the start token included.
        d_model: Numbers per position between the layers.
        n_layers: Layers.
        n_heads: Query heads per layer.
        n_kv_heads: Key/value heads per layer: equal to ``n_heads`` for plain multi-head attention, 1 for
            multi-query, anything that divides ``n_heads`` for grouped-query.
        d_head: Numbers per query, key or value; even, because rotary positions turn pairs.
        d_ff: Width of the gated MLP.
        context: Most positions the model was trained for.
        rope_base: Base of the rotary frequencies.
        norm_eps: Added under the root in RMSNorm.
    """

    vocab_size: int
    d_model: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    d_head: int
    d_ff: int
    context: int
    rope_base: float = 10_000.0
    norm_eps: float = 1e-5

    def __post_init__(self) -> None:
        for name in (
            "vocab_size",
            "d_model",
            "n_layers",
            "n_heads",
            "n_kv_heads",
            "d_head",
            "d_ff",
            "context",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} must be at least 1")
        if self.n_heads % self.n_kv_heads:
            raise ValueError(
                f"n_heads={self.n_heads} is not divisible by n_kv_heads={self.n_kv_heads}; groups are equal"
            )
        if self.d_head % 2:
            raise ValueError(f"d_head={self.d_head} must be even; rotary positions turn pairs of numbers")

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every weight: (inputs, outputs), or one gain per feature."""
        d, d_kv = self.d_model, self.n_kv_heads * self.d_head
        shapes: dict[str, tuple[int, ...]] = {"embedding": (self.vocab_size, d)}
        for layer in range(self.n_layers):
            shapes |= {
                f"{layer}.norm_attention": (d,),
                f"{layer}.w_q": (d, self.n_heads * self.d_head),
                f"{layer}.w_k": (d, d_kv),
                f"{layer}.w_v": (d, d_kv),
                f"{layer}.w_o": (self.n_heads * self.d_head, d),
                f"{layer}.norm_mlp": (d,),
                f"{layer}.w_gate": (d, self.d_ff),
                f"{layer}.w_up": (d, self.d_ff),
                f"{layer}.w_down": (self.d_ff, d),
            }
        return shapes | {"norm_out": (d,)}

    def n_params(self) -> int:
        """How many numbers the model has learned."""
        total = 0
        for shape in self.shapes().values():
            total += shape[0] * (shape[1] if len(shape) > 1 else 1)
        return total
