"""The whole decoder, one forward pass to a screen, with everything it computed on the way kept to look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from glassbox.arrays import Bools, Floats, Ints
from glassbox.model import attention, layers
from glassbox.model.cache import Cache, Growing
from glassbox.model.config import Config
from glassbox.tokens import bpe

# What an experiment may do at a station of the forward pass: given the station's name, the layer and what was
# computed there, it returns what goes on from there. The stations, in the order in which they are passed:
# "embedding" (n, d_model), layer 0; then in each layer "scores" (n_heads, n_queries, n_keys) before the mask,
# "weights" of the same shape, "heads" (n_heads, n_queries, d_head), "mlp" (n, d_model), and "stream"
# (n, d_model) after both were added.
Station = Callable[[str, int, Floats], Floats]


def untouched(name: str, layer: int, value: Floats) -> Floats:
    """The station that changes nothing."""
    return value


@dataclass(frozen=True)
class Head:
    """One head's arithmetic, with the key and value of the group it belongs to.

    Attributes:
        q: (n_queries, d_head), rotated.
        k: (n_keys, d_head), rotated.
        v: (n_keys, d_head).
        scores: (n_queries, n_keys), before mask and softmax.
        weights: (n_queries, n_keys), rows sum to 1.
    """

    q: Floats
    k: Floats
    v: Floats
    scores: Floats
    weights: Floats


@dataclass
class Forward:
    """What one forward pass computed; lists have one entry per layer.

    Attributes:
        logits: (n_queries, vocab_size), or (1, vocab_size) with ``last_only``.
        hidden: (n_queries, d_model), the last layer's output after its norm.
        weights: (n_heads, n_queries, n_keys), rows sum to 1.
        scores: The same shape, before mask and softmax.
        q: (n_heads, n_queries, d_head), rotated.
        k: (n_kv_heads, n_keys, d_head), rotated.
        v: (n_kv_heads, n_keys, d_head).
        multiply_adds: Multiplications this pass made in its matrix products.
    """

    logits: Floats = field(default_factory=lambda: np.empty((0, 0)))
    hidden: Floats = field(default_factory=lambda: np.empty((0, 0)))
    weights: list[Floats] = field(default_factory=list)
    scores: list[Floats] = field(default_factory=list)
    q: list[Floats] = field(default_factory=list)
    k: list[Floats] = field(default_factory=list)
    v: list[Floats] = field(default_factory=list)
    multiply_adds: int = 0

    def head(self, layer: int, head: int) -> Head:
        """One query head, counted from 0, with the keys and values that it shares with its group."""
        group = head // (len(self.q[layer]) // len(self.k[layer]))
        return Head(
            self.q[layer][head],
            self.k[layer][group],
            self.v[layer][group],
            self.scores[layer][head],
            self.weights[layer][head],
        )


@dataclass(frozen=True)
class Switches:
    """Parts of the model that a lesson takes away.

    Attributes:
        mask: False lets every position read every other.
        scaling: False leaves out the division by √d_head.
        positions: False leaves out the rotation, so that order is gone.
    """

    mask: bool = True
    scaling: bool = True
    positions: bool = True


ON = Switches()


@dataclass(frozen=True, eq=False)
class Model:
    """Immutable sizes, weights and tokenizer.

    Attributes:
        config: The sizes.
        params: Name to weights in float32: matrices as (outputs, inputs), gains as (features,).
        tokenizer: Text to ids; ``start`` is its control token that begins every text.
    """

    config: Config
    params: Mapping[str, Floats]
    tokenizer: bpe.Tokenizer

    @property
    def start(self) -> int:
        """The id that stands before every text."""
        return self.tokenizer.special["<|endoftext|>"]

    def encode(self, text: str) -> list[int]:
        """The start token, then the text's ids: what the model was trained to read."""
        return [self.start, *self.tokenizer.encode(text)]

    def new_cache(self) -> Growing:
        """An empty exact cache of the right sizes."""
        c = self.config
        return Growing(c.n_layers, c.n_kv_heads, c.d_head)

    def forward(
        self,
        ids: Sequence[int],
        cache: Cache | None = None,
        *,
        switches: Switches = ON,
        station: Station = untouched,
        last_only: bool = False,
    ) -> Forward:
        """Reads tokens and predicts the next one after each of them.

        Args:
            ids: New tokens; with a cache, those that follow what it holds.
            cache: What earlier calls have read; it is extended.
            switches: Parts to leave out.
            station: Sees what each part computed and returns what goes on instead; see ``experiments``.
            last_only: Compute the logits of the last position only.

        Raises:
            ValueError: No token, an unknown id, or more positions than the model was trained for.
        """
        start = cache.length if cache is not None else 0
        self._check(ids, start, cache)
        c, p, out = self.config, self.params, Forward()
        x = station("embedding", 0, p["embedding"][np.asarray(ids)])
        positions = np.arange(start, start + len(ids))
        for layer in range(c.n_layers):
            h = layers.rms_norm(x, p[f"{layer}.norm_attention"], c.norm_eps)
            mixed = self._attend(layer, h, positions, cache, switches, station, out)
            x = x + layers.linear(mixed, p[f"{layer}.w_o"])
            h = layers.rms_norm(x, p[f"{layer}.norm_mlp"], c.norm_eps)
            x = x + station("mlp", layer, layers.gated_mlp(h, p[f"{layer}.w_gate_up"], p[f"{layer}.w_down"]))
            x = station("stream", layer, x)
        out.hidden = layers.rms_norm(x, p["norm_out"], c.norm_eps)
        read_out = out.hidden[-1:] if last_only else out.hidden
        out.logits = layers.linear(read_out, p["embedding"])
        out.multiply_adds += len(ids) * self.layer_products + read_out.shape[0] * c.vocab_size * c.d_model
        return out

    def _attend(
        self,
        layer: int,
        h: Floats,
        positions: Ints,
        cache: Cache | None,
        switches: Switches,
        station: Station,
        out: Forward,
    ) -> Floats:
        """One layer's attention: (n_queries, d_model) in, (n_queries, n_heads * d_head) out."""
        c = self.config
        qk, v = _heads(layers.linear(h, self.params[f"{layer}.w_qkv"]), c)
        if switches.positions:
            qk = layers.rotate(qk, *self._rotation(positions))
        q, k = qk[: c.n_heads], qk[c.n_heads :]
        key_positions = positions
        if cache is not None:
            k, v, key_positions = cache.update(layer, k, v)
        scores = attention.scores(q, k, switches.scaling)
        mask = _mask(cache, positions, key_positions) if switches.mask else None
        weights = station("weights", layer, attention.weights(station("scores", layer, scores), mask))
        out.weights.append(weights)
        out.scores.append(scores)
        out.q.append(q)
        out.k.append(k)
        out.v.append(v)
        out.multiply_adds += 2 * scores.size * c.d_head
        mixed = station("heads", layer, attention.mix(weights, v))
        return mixed.transpose(1, 0, 2).reshape(len(positions), c.n_heads * c.d_head)

    @cached_property
    def layer_products(self) -> int:
        """Multiplications that one position makes with the weights of all layers."""
        return sum(w.size for name, w in self.params.items() if w.ndim == 2 and name != "embedding")

    @cached_property
    def _tables(self) -> tuple[Floats, Floats]:
        return layers.rotation(np.arange(2 * self.config.context), self.config.d_head, self.config.rope_base)

    def _rotation(self, positions: Ints) -> tuple[Floats, Floats]:
        cos, sin = self._tables
        if positions[-1] >= len(cos):  # only a sliding window gets this far
            return layers.rotation(positions, self.config.d_head, self.config.rope_base)
        return cos[positions[0] : positions[-1] + 1], sin[positions[0] : positions[-1] + 1]

    def _check(self, ids: Sequence[int], start: int, cache: Cache | None) -> None:
        if not len(ids):
            raise ValueError("forward needs at least one token")
        if min(ids) < 0 or max(ids) >= self.config.vocab_size:
            raise ValueError(
                f"ids must lie between 0 and {self.config.vocab_size - 1}, not {min(ids)}..{max(ids)}"
            )
        windowed = cache is not None and cache.window is not None
        if start + len(ids) > self.config.context and not windowed:
            raise ValueError(
                f"{start + len(ids)} tokens are more than the model's context of {self.config.context}"
            )


def _heads(qkv: Floats, config: Config) -> tuple[Floats, Floats]:
    """Cuts (n, (n_heads + 2 n_kv_heads) * d_head) into q above k, and v, both (heads, n, d_head)."""
    n = qkv.shape[0]
    heads = qkv.reshape(n, config.n_heads + 2 * config.n_kv_heads, config.d_head).transpose(1, 0, 2)
    turned = config.n_heads + config.n_kv_heads
    return heads[:turned], heads[turned:]


def _mask(cache: Cache | None, positions: Ints, key_positions: Ints) -> Bools | None:
    if len(positions) == 1 and (cache is None or cache.window is None):
        return None  # a single last query may see all that is stored
    if cache is None:
        return attention.causal_mask(len(positions), len(positions))
    return cache.visible(positions, key_positions)
