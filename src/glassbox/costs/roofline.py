"""How long reading a prompt and writing a token take on a GPU, from three numbers on its data sheet.

A GPU can be short of arithmetic or of bandwidth. Reading a prompt (prefill) uses each weight for every token
of it, so arithmetic is short. Writing one token (decode) fetches all the weights and the whole cache for a
single token, so bandwidth is short, until enough sequences share one fetch.

    >>> llama = Shape(weights=8e9, layers=32, heads=32, head_dim=128, cache_bytes_per_token=131_072)
    >>> a100 = Machine(tflops=312, bandwidth_gb_s=2039)
    >>> decode(llama, a100, context=8192, batch=1).bound
    'bandwidth'
    >>> prefill(llama, a100, tokens=8192).bound
    'compute'

These are the best times that the data sheet allows. Real engines reach half to nine tenths of them.

Source: Williams, Waterman & Patterson 2009, *Roofline*; Pope et al. 2022, *Efficiently Scaling Transformer
Inference*, for the counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from glassbox.costs.fields import check_whole

WEIGHT_BYTES = 2  # 16 bits a weight


@dataclass(frozen=True)
class Shape:
    """What a roofline needs to know of a model.

    Attributes:
        weights: How many weights there are.
        layers: How many layers attend.
        heads: Query heads in each of them.
        head_dim: Length of one query.
        cache_bytes_per_token: What a decode step reads for every token of the past.
        active: How many weights one token uses; all of them if left out.
        experts: How many experts each layer of a mixture chooses from; 1 where there is none.
        chosen: How many of them one token uses; fewer than ``experts`` exactly where ``active`` is given.
    """

    weights: float
    layers: int
    heads: int
    head_dim: int
    cache_bytes_per_token: float
    active: float | None = None
    experts: int = 1
    chosen: int = 1

    def __post_init__(self) -> None:
        for name in ("weights", "layers", "heads", "head_dim", "active"):
            value = getattr(self, name)
            if name != "active" or value is not None:
                _positive(value, name)
        _positive(self.cache_bytes_per_token, "cache_bytes_per_token", zero=True)
        check_whole(self.experts, "experts", 1_000_000)
        check_whole(self.chosen, "chosen", self.experts)
        if (self.used < self.weights) != (self.chosen < self.experts):
            raise ValueError(
                f"chosen is {self.chosen} of {self.experts} experts and active is {self.used:g} of "
                f"{self.weights:g} weights; both should be fewer, or neither"
            )

    @property
    def expert_weights(self) -> float:
        """Weights of all experts together, from what one token leaves out; 0 without a mixture."""
        return (
            (self.weights - self.used) / (1 - self.chosen / self.experts)
            if self.experts > self.chosen
            else 0.0
        )

    def touched(self, tokens: float) -> float:
        """The share of a layer's experts that ``tokens`` tokens use together, if each chooses by chance."""
        if self.chosen == self.experts:
            return 1.0
        return -math.expm1(tokens * math.log1p(-self.chosen / self.experts))

    @property
    def used(self) -> float:
        """Weights that one token uses."""
        return self.weights if self.active is None else self.active


@dataclass(frozen=True)
class Machine:
    """A GPU's dense 16-bit peak in TFLOP/s and its memory bandwidth in GB/s (10**9 bytes)."""

    tflops: float
    bandwidth_gb_s: float

    def __post_init__(self) -> None:
        _positive(self.tflops, "tflops")
        _positive(self.bandwidth_gb_s, "bandwidth_gb_s")

    @property
    def ridge(self) -> float:
        """Operations for each byte at which neither is short: the roof's corner."""
        return self.tflops * 1e12 / (self.bandwidth_gb_s * 1e9)


@dataclass(frozen=True)
class Phase:
    """One pass through the model.

    Attributes:
        flops: Floating-point operations (a multiply-add is two).
        bytes_moved: Bytes fetched from the GPU's memory.
        compute_seconds: Time the arithmetic alone takes at the peak.
        memory_seconds: Time the fetching alone takes at full bandwidth.
    """

    flops: float
    bytes_moved: float
    compute_seconds: float
    memory_seconds: float

    @property
    def seconds(self) -> float:
        """The longer of the two: they overlap."""
        return max(self.compute_seconds, self.memory_seconds)

    @property
    def intensity(self) -> float:
        """Operations for each byte fetched."""
        return self.flops / self.bytes_moved

    @property
    def flops_per_second(self) -> float:
        """The rate reached: on the roof."""
        return self.flops / self.seconds

    @property
    def bound(self) -> str:
        """What is short: ``compute`` or ``bandwidth``."""
        return "compute" if self.compute_seconds >= self.memory_seconds else "bandwidth"


def attention_flops(shape: Shape, tokens: int) -> float:
    """Operations of attention's two products while a prompt is read, each token seeing those before it."""
    return tokens * 2 * 2 * shape.layers * shape.heads * shape.head_dim * (tokens + 1) / 2


def weight_flops(shape: Shape, tokens: int) -> float:
    """Operations of everything else: every weight multiplies and adds once for each token."""
    return tokens * 2 * shape.used


def attention_share(shape: Shape, tokens: int) -> float:
    """What part of the arithmetic of reading a prompt is attention's: it grows with the length.

    >>> llama = Shape(weights=8.03e9, layers=32, heads=32, head_dim=128, cache_bytes_per_token=131_072)
    >>> [round(attention_share(llama, tokens), 2) for tokens in (1_000, 10_000, 61_000)]
    [0.02, 0.14, 0.5]
    """
    _positive(tokens, "tokens")
    attention = attention_flops(shape, tokens)
    return attention / (attention + weight_flops(shape, tokens))


def even_length(shape: Shape) -> int:
    """The length at which attention takes as many operations as everything else."""
    return round(weight_flops(shape, 1) / (2 * 2 * shape.layers * shape.heads * shape.head_dim / 2))


def prefill(shape: Shape, machine: Machine, tokens: int, batch: int = 1) -> Phase:
    """Reading prompts of ``tokens`` tokens: the time to the first token.

    Every weight is used twice (multiply, add) for every token; attention compares each token with the half
    of the others that comes before it, and reads as many values.
    """
    _positive(tokens, "tokens")
    _positive(batch, "batch")
    n = tokens * batch
    flops = batch * (weight_flops(shape, tokens) + attention_flops(shape, tokens))
    moved = _weights_read(shape, n) + n * shape.cache_bytes_per_token
    return _phase(flops, moved, machine)


def decode(shape: Shape, machine: Machine, context: int, batch: int = 1) -> Phase:
    """Writing one token for each of ``batch`` sequences, each with ``context`` tokens behind it."""
    _positive(context, "context", zero=True)
    _positive(batch, "batch")
    attention = 2 * 2 * shape.layers * shape.heads * shape.head_dim * context
    flops = batch * (2 * shape.used + attention)
    moved = _weights_read(shape, batch) + batch * context * shape.cache_bytes_per_token
    return _phase(flops, moved, machine)


def compute_bound_batch(shape: Shape, machine: Machine, context: int) -> int | None:
    """The smallest batch at which decode is short of arithmetic, or None where no batch gets there.

    Weights are fetched once for the whole batch, but each sequence brings its own cache. If reading that
    takes longer than computing with it, more sequences do not help.
    """
    low, high = 1, 2**24
    if decode(shape, machine, context, high).bound != "compute":
        return None
    while low < high:
        middle = (low + high) // 2
        if decode(shape, machine, context, middle).bound == "compute":
            high = middle
        else:
            low = middle + 1
    return low


def _weights_read(shape: Shape, tokens: float) -> float:
    """Bytes of weights fetched for ``tokens`` tokens at once.

    In a mixture each token chooses a few experts of every layer; together they leave out less and less. All
    other weights are fetched whatever happens.
    """
    left_out = shape.expert_weights * (1 - shape.touched(tokens))
    return max(shape.weights - left_out, shape.used) * WEIGHT_BYTES


def _phase(flops: float, moved: float, machine: Machine) -> Phase:
    return Phase(flops, moved, flops / (machine.tflops * 1e12), moved / (machine.bandwidth_gb_s * 1e9))


def _positive(value: object, name: str, zero: bool = False) -> None:
    should = "0 or more" if zero else "more than 0"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{name} is a {type(value).__name__}; it should be a number, {should}")
    if not (1e-30 <= value <= 1e30 or (value == 0 and zero)):
        written = f"{value:.6g}" if abs(value) <= 1e300 else "too large"
        raise ValueError(f"{name} is {written}; it should be a number, {should} and at most 1e30")
