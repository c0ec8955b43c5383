"""The whole decoder, one forward pass to a screen, with everything it computed on the way kept to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from glassbox.arrays import Bools, Floats, Ints
from glassbox.model import attention, layers
from glassbox.model.cache import Cache, Growing
from glassbox.model.config import Config
from glassbox.model.rope import Rope

# What an experiment may do at a station of the forward pass: given the station's name, the layer and what was
# computed there, it returns what goes on from there. The stations, in the order in which they are passed:
# "embedding" (n, d_model), layer 0; then in each layer "scores" (n_heads, n_queries, n_keys) before the mask,
# "weights" of the same shape, "heads" (n_heads, n_queries, d_head), "mlp" (n, d_model), and "stream"
# (n, d_model) after both were added.
Station = Callable[[str, int, Floats], Floats]


class Tokenizer(Protocol):
    """What a model asks of its tokenizer; ``tokens.bpe.Tokenizer`` is one."""

    special: dict[str, int]
    vocab_size: int

    def data(self, token: int) -> bytes:
        """The bytes of one token; ``ValueError`` where it stands for none."""

    def encode(self, text: str) -> list[int]:
        """Text to ids."""

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Ids to bytes."""


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
        positions: False leaves out the rotation (or learned positions), so that order is gone.
    """

    mask: bool = True
    scaling: bool = True
    positions: bool = True


ON = Switches()
TABLE = 4096  # positions whose cosines and sines are worked out once


@dataclass(frozen=True, eq=False)
class _Turn:
    """One way of turning, with the cosines and sines of the first positions, (n, d_head / 2)."""

    rope: Rope
    cos: Floats
    sin: Floats

    def at(self, positions: Ints, d_head: int) -> tuple[Floats, Floats]:
        """Cosines and sines of some positions that follow one another."""
        if positions[-1] >= len(self.cos):  # a sliding window, or a text longer than the table
            return layers.rotation(positions, d_head, self.rope)
        cut = slice(positions[0], positions[-1] + 1)
        return self.cos[cut], self.sin[cut]


@dataclass(frozen=True, eq=False)
class Model:
    """Immutable sizes, weights and tokenizer.

    Attributes:
        config: The sizes.
        params: Name to weights, as ``config.laid`` lists them: float32, or ``narrow.Kept``.
        tokenizer: Text to ids.
        name: What pages call the model; empty for the one that they ship.
        prefix: The tokens that stand before every text; None for the tokenizer's ``<|endoftext|>``.
        ends: The tokens that end a text; None for the same.
        described: The content of its config.json; empty for the model that pages ship.
    """

    config: Config
    params: Mapping[str, Any]
    tokenizer: Tokenizer
    name: str = ""
    prefix: tuple[int, ...] | None = None
    ends: frozenset[int] | None = None
    described: Mapping[str, Any] = field(default_factory=dict)

    @property
    def start(self) -> int:
        """The id that stands before every text.

        Raises:
            ValueError: This model's texts begin with none.
        """
        if self.prefix is None:
            return self.tokenizer.special["<|endoftext|>"]
        if not self.prefix:
            raise ValueError(f"texts of {self.name} begin with no token of their own")
        return self.prefix[0]

    def encode(self, text: str) -> list[int]:
        """The start token, then the text's ids: what the model was trained to read."""
        return [*self.begins, *self.tokenizer.encode(text)]

    @property
    def begins(self) -> tuple[int, ...]:
        """The ids that stand before every text; of some readers' models none."""
        return (self.start,) if self.prefix is None else self.prefix

    @property
    def stops(self) -> frozenset[int]:
        """The ids that end a text."""
        return frozenset((self.start,)) if self.ends is None else self.ends

    def piece(self, token: int) -> bytes:
        """The bytes of one token; its number where the tokenizer knows none (a vocabulary may be padded)."""
        try:
            return self.tokenizer.data(token)
        except ValueError:
            return f"⟨{token}⟩".encode()

    def write(self, ids: Sequence[int]) -> bytes:
        """The bytes of a text's tokens; where the tokenizer knows one not, its number, as in ``piece``."""
        try:
            return self.tokenizer.decode_bytes(ids)
        except ValueError:
            return b"".join(map(self.piece, ids))

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
        keep: bool = True,
    ) -> Forward:
        """Reads tokens and predicts the next one after each of them.

        Args:
            ids: New tokens; with a cache, those that follow what it holds.
            cache: What earlier calls have read; it is extended.
            switches: Parts to leave out.
            station: Sees what each part computed and returns what goes on instead; see ``experiments``.
            last_only: Compute the logits of the last position only.
            keep: False lets scores, weights, queries, keys and values go as soon as they are used; over long
                texts they would take far more memory than the model.

        Raises:
            ValueError: No token, an unknown id, or more positions than the model was trained for.
        """
        start = cache.length if cache is not None else 0
        self._check(ids, start, cache)
        c, p, out = self.config, self.params, Forward()
        positions = np.arange(start, start + len(ids))
        x = station("embedding", 0, self._embed(ids, positions if switches.positions else None))
        for layer in range(c.n_layers):
            h = self.normed(x, f"{layer}.norm_attention")
            mixed = self._attend(layer, h, positions, cache, switches, station, out, keep)
            mixed = layers.linear(mixed, p[f"{layer}.w_o"], p.get(f"{layer}.b_o"))
            x = x + self.normed(mixed, f"{layer}.norm_attended")
            h = self.normed(x, f"{layer}.norm_mlp")
            x = x + station("mlp", layer, self.normed(self._mlp(layer, h), f"{layer}.norm_fed"))
            x = station("stream", layer, x)
        out.hidden = self.normed(x, "norm_out")
        read_out = out.hidden[-1:] if last_only else out.hidden
        out.logits = self._logits(read_out)
        out.multiply_adds += len(ids) * self.layer_products + read_out.shape[0] * c.vocab_size * c.d_model
        return out

    def read_out(self, stream: Floats) -> Floats:
        """What a stream says of the next token, (n, d_model) to logits (n, vocab_size)."""
        return self._logits(self.normed(stream, "norm_out"))

    def _logits(self, hidden: Floats) -> Floats:
        head = self.params.get("head", self.params["embedding"])
        return layers.capped(layers.linear(hidden, head), self.config.logit_cap)

    def _embed(self, ids: Sequence[int], positions: Ints | None) -> Floats:
        """What the tokens begin as, (n, d_model), with their learned positions where a family has some."""
        x: Floats = self.params["embedding"][np.asarray(ids)]
        if self.config.embedding_scale != 1:
            x = x * np.float32(self.config.embedding_scale)
        learned = self.params.get("positions")
        return x if learned is None or positions is None else x + learned[positions]

    def normed(self, x: Floats, name: str) -> Floats:
        """The norm of that name; a family that has none leaves the rows as they are."""
        gain, eps = self.params.get(name), self.config.norm_eps
        if gain is None:
            return x
        if self.config.norm == "layer":
            return layers.layer_norm(x, gain, self.params[f"{name}_bias"], eps)
        return layers.rms_norm(x, gain, eps)

    def _mlp(self, layer: int, h: Floats) -> Floats:
        """One layer's MLP: (n, d_model) in and out."""
        gated, act = self.config.gated, layers.ACTIVATIONS[self.config.activation]
        mlp, up = (layers.gated_mlp, "gate_up") if gated else (layers.plain_mlp, "up")
        w_up, w_down = (self.params[f"{layer}.w_{name}"] for name in (up, "down"))
        b_up, b_down = (self.params.get(f"{layer}.b_{name}") for name in (up, "down"))
        return mlp(h, w_up, w_down, b_up, b_down, act)

    def _attend(
        self,
        layer: int,
        h: Floats,
        positions: Ints,
        cache: Cache | None,
        switches: Switches,
        station: Station,
        out: Forward,
        keep: bool,
    ) -> Floats:
        """One layer's attention: (n_queries, d_model) in, (n_queries, n_heads * d_head) out."""
        c, p = self.config, self.params
        qk, v = _heads(layers.linear(h, p[f"{layer}.w_qkv"], p.get(f"{layer}.b_qkv")), c)
        if c.head_norms:
            qk = self._norm_heads(layer, qk)
        if switches.positions and (turn := self._turns[layer]):
            qk = layers.rotate(qk, *turn.at(positions, c.d_head))
        q, k = qk[: c.n_heads], qk[c.n_heads :]
        key_positions = positions
        if cache is not None:
            k, v, key_positions = cache.update(layer, k, v)
        scores = attention.scores(q, k, switches.scaling)
        if c.score_scale != 1 and switches.scaling:
            scores = scores * np.float32(c.score_scale)
        scores = layers.capped(scores, c.score_cap)
        mask = _mask(cache, positions, key_positions, c.window(layer)) if switches.mask else None
        weights = station("weights", layer, attention.weights(station("scores", layer, scores), mask))
        if keep:
            out.weights.append(weights)
            out.scores.append(scores)
            out.q.append(q)
            out.k.append(k)
            out.v.append(v)
        out.multiply_adds += 2 * scores.size * c.d_head
        mixed = station("heads", layer, attention.mix(weights, v))
        return mixed.transpose(1, 0, 2).reshape(len(positions), c.n_heads * c.d_head)

    def _norm_heads(self, layer: int, qk: Floats) -> Floats:
        """Queries above keys, (heads, n, d_head), each row normed with its own kind's gain."""
        q, k = (self.params[f"{layer}.norm_{name}"] for name in "qk")
        n_heads, eps = self.config.n_heads, self.config.norm_eps
        out = np.empty_like(qk)
        for heads, gain in ((slice(n_heads), q), (slice(n_heads, None), k)):
            out[heads] = layers.rms_norm(qk[heads].reshape(-1, len(gain)), gain, eps).reshape(qk[heads].shape)
        return out

    @cached_property
    def layer_products(self) -> int:
        """Multiplications that one position makes with the weights of all layers."""
        outside = ("embedding", "positions", "head")
        return sum(w.size for name, w in self.params.items() if w.ndim == 2 and name not in outside)

    @cached_property
    def _turns(self) -> list[_Turn | None]:
        """How each layer turns queries and keys; layers that turn alike share one table."""
        c, known = self.config, np.arange(min(2 * self.config.context, TABLE))
        made: dict[Rope | None, _Turn | None] = {None: None}
        for rope in {c.rope(layer) for layer in range(c.n_layers)} - {None}:
            if rope:
                made[rope] = _Turn(rope, *layers.rotation(known, c.d_head, rope))
        return [made[c.rope(layer)] for layer in range(c.n_layers)]

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


def _mask(cache: Cache | None, positions: Ints, key_positions: Ints, window: int | None) -> Bools | None:
    if window is not None and len(key_positions) <= window:
        window = None  # the text is shorter than what the layer may read
    if len(positions) == 1 and (cache is None or cache.window is None) and window is None:
        return None  # a single last query may see all that is stored
    if cache is not None:
        mask = cache.visible(positions, key_positions)
    else:
        mask = attention.causal_mask(len(positions), len(positions))
    if window is not None:
        mask &= key_positions > positions[:, None] - window
    return mask
