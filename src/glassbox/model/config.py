"""The sizes of a decoder, checked once, and the shape of every weight that follows from them.

The shipped model is plain: every field below ``norm_eps`` stays as it is. The families that ``checkpoint``
reads differ from it in those fields alone, never in a class of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from glassbox.model.rope import Rope

Norm = Literal["rms", "layer"]
Activation = Literal["silu", "gelu", "gelu_tanh"]


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
        norm_eps: Added under the root in a norm.
        norm: RMSNorm, or LayerNorm with a bias (GPT-2).
        post_norms: Whether what attention and MLP give is normed before it is added (Gemma 2 and 3).
        head_norms: Whether each query and key is normed before it is turned (Qwen 3, Gemma 3).
        activation: Of the MLP.
        gated: Whether the MLP has a gate; GPT-2's has none.
        bias_qkv: Whether queries, keys and values add a bias (Qwen 2, GPT-2).
        bias_out: Whether the map behind the heads adds one (GPT-2).
        bias_mlp: Whether the MLP's maps add one (GPT-2).
        learned_positions: Whether a vector for each position is added to the embedding (GPT-2).
        tied: Whether logits are read with the embedding; else with a matrix of their own, ``head``.
        embedding_scale: Multiplies every embedding (Gemma: √d_model).
        score_scale: Multiplies scores, beside the division by √d_head (Gemma 2 and 3 divide by another root).
        score_cap: Scores are bent to lie below this: cap · tanh(score / cap); 0 for no cap (Gemma 2).
        logit_cap: The same for logits.
        ropes: How positions turn queries and keys, one entry a layer, None where they do not (SmolLM 3);
            empty for plain rotation with ``rope_base`` everywhere.
        windows: The most positions that a query may read in each layer, itself among them, None for all;
            empty for all everywhere.
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
    norm: Norm = "rms"
    post_norms: bool = False
    head_norms: bool = False
    activation: Activation = "silu"
    gated: bool = True
    bias_qkv: bool = False
    bias_out: bool = False
    bias_mlp: bool = False
    learned_positions: bool = False
    tied: bool = True
    embedding_scale: float = 1.0
    score_scale: float = 1.0
    score_cap: float = 0.0
    logit_cap: float = 0.0
    ropes: tuple[Rope | None, ...] = ()
    windows: tuple[int | None, ...] = ()

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
        for name in ("ropes", "windows"):
            given = len(getattr(self, name))
            if given not in (0, self.n_layers):
                raise ValueError(
                    f"{name} has {given} entries for {self.n_layers} layers; one a layer, or none"
                )

    def rope(self, layer: int) -> Rope | None:
        """How positions turn a layer's queries and keys; None where they do not."""
        return self.ropes[layer] if self.ropes else Rope(self.rope_base)

    def window(self, layer: int) -> int | None:
        """The most positions that a query of a layer may read, itself among them; None for all."""
        return self.windows[layer] if self.windows else None

    def laid(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every weight as ``Model`` uses it: (outputs, inputs), or one number a feature."""
        d, heads = self.d_model, self.n_heads * self.d_head
        shapes: dict[str, tuple[int, ...]] = {"embedding": (self.vocab_size, d)}
        if self.learned_positions:
            shapes["positions"] = (self.context, d)
        for layer in range(self.n_layers):
            shapes |= {f"{layer}.{name}": shape for name, shape in self._laid_layer(d, heads).items()}
        shapes |= self._laid_norm("norm_out", d)
        return shapes if self.tied else shapes | {"head": (self.vocab_size, d)}

    def _laid_layer(self, d: int, heads: int) -> dict[str, tuple[int, ...]]:
        qkv, first = heads + 2 * self.n_kv_heads * self.d_head, self.d_ff * (2 if self.gated else 1)
        up = "w_gate_up" if self.gated else "w_up"
        shapes: dict[str, tuple[int, ...]] = {
            "w_qkv": (qkv, d),
            "w_o": (d, heads),
            up: (first, d),
            "w_down": (d, self.d_ff),
        }
        shapes |= self._laid_norm("norm_attention", d) | self._laid_norm("norm_mlp", d)
        if self.post_norms:
            shapes |= {"norm_attended": (d,), "norm_fed": (d,)}
        if self.head_norms:
            shapes |= {"norm_q": (self.d_head,), "norm_k": (self.d_head,)}
        if self.bias_qkv:
            shapes["b_qkv"] = (qkv,)
        if self.bias_out:
            shapes["b_o"] = (d,)
        if self.bias_mlp:
            shapes |= {up.replace("w", "b", 1): (first,), "b_down": (d,)}
        return shapes

    def _laid_norm(self, name: str, d: int) -> dict[str, tuple[int, ...]]:
        return {name: (d,), f"{name}_bias": (d,)} if self.norm == "layer" else {name: (d,)}

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of a plain model's weights as training stores them: (inputs, outputs), or gains."""
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
        return sum(math.prod(shape) for shape in self.laid().values())
