"""What one layer keeps of the past: vectors for each token, and state that never grows.

One layer of Llama 3 8B, whole and with a window:

>>> grouped(n_kv_heads=8, key_dim=128, value_dim=128).token_bytes("fp16")
4096
>>> grouped(8, 128, 128, window=1024).tokens_kept(8000)
1024
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

GROUP = 32  # elements that share one 16-bit scale in the q8_0 and q4_0 formats

# Bytes of one element, or of one group of 32: 32 codes and a 16-bit scale.
# Source: ggml's block_q8_0 and block_q4_0.
ELEMENT_BYTES = {"fp32": 4, "fp16": 2, "bf16": 2, "fp8": 1}
GROUP_BYTES = {"q8_0": 34, "q4_0": 18}
DTYPES = (*ELEMENT_BYTES, *GROUP_BYTES)

KINDS = {
    "full": "keeps every token",
    "sliding": "keeps the last tokens, as many as its window",
    "chunked": "keeps the tokens of the current chunk",
    "latent": "keeps one compressed vector a token",
    "indexed": "keeps one compressed vector a token, and a key by which to choose which of them are read",
    "compressed": "keeps its last tokens, and one compressed vector for every few tokens before",
    "linear": "keeps a state of constant size",
    "hybrid": "keeps every token and a state of constant size",
    "shared": "reads the keys and values of an earlier layer",
    "none": "has no attention and keeps nothing",
}


@dataclass(frozen=True)
class Summary:
    """One vector for every few tokens.

    Attributes:
        length: Its numbers.
        every: How many tokens it stands for.
        waiting: Numbers that each token keeps until its group is full.
        carried: Numbers that are kept of the last full group, and as many weights of theirs at 32 bits.
    """

    length: int
    every: int
    waiting: int
    carried: int = 0

    def bytes(self, context: int, dtype: str) -> int:
        """What it takes after ``context`` tokens."""
        full, rest = divmod(context, self.every)
        wide = 4 if dtype == "fp32" else 2
        beside = rest * self.waiting * wide + (self.carried * (wide + 4) if full else 0)
        return full * vector_bytes(self.length, dtype) + beside


@dataclass(frozen=True)
class Layer:
    """What one layer keeps.

    Attributes:
        kind: One of ``KINDS``.
        vectors: (how many, how long) of the vectors kept for each token.
        window: The most tokens it keeps; None for all.
        summaries: Vectors that stand for several tokens each.
        recent: Numbers of the last inputs of a short convolution, and of sums that are stored as they are.
        sums: Numbers of the sums that are stored at 32 bits.
    """

    kind: str
    vectors: tuple[tuple[int, int], ...] = ()
    window: int | None = None
    summaries: tuple[Summary, ...] = ()
    recent: int = 0
    sums: int = 0

    def fixed_bytes(self, dtype: str) -> int:
        """Bytes of state that does not grow; last inputs take 16 bits a number, or 32 where all do."""
        return self.recent * (4 if dtype == "fp32" else 2) + self.sums * 4

    def token_bytes(self, dtype: str) -> int:
        """Bytes that one more token takes while the window is not full."""
        return sum(count * vector_bytes(length, dtype) for count, length in self.vectors)

    def tokens_kept(self, context: int) -> int:
        """How many of ``context`` tokens it still holds."""
        if not self.vectors:
            return 0
        return context if self.window is None else min(context, self.window)

    def summary_bytes(self, context: int, dtype: str) -> int:
        """Bytes of the vectors that stand for several tokens, and of what waits to become one."""
        return sum(s.bytes(context, dtype) for s in self.summaries)

    def state_bytes(self, context: int, dtype: str) -> int:
        """Bytes it needs after ``context`` tokens."""
        own = self.fixed_bytes(dtype) + self.summary_bytes(context, dtype)
        return self.tokens_kept(context) * self.token_bytes(dtype) + own

    def reserved_bytes(self, context: int, dtype: str) -> int:
        """Bytes an engine takes that reserves the full context in every layer."""
        own = self.fixed_bytes(dtype) + self.summary_bytes(context, dtype)
        return context * self.token_bytes(dtype) + own


def grouped(
    n_kv_heads: int, key_dim: int, value_dim: int, window: int | None = None, kind: str = ""
) -> Layer:
    """A layer that keeps one key and one value for each KV head."""
    vectors = ((n_kv_heads, key_dim), (n_kv_heads, value_dim))
    return Layer(kind or ("full" if window is None else "sliding"), vectors, window)


def vector_bytes(length: int, dtype: str) -> int:
    """Bytes of one stored vector; in groups its length is a multiple of ``GROUP``, which ``kv.plan`` checks.

    >>> [vector_bytes(128, d) for d in ("fp16", "q8_0", "q4_0")]
    [256, 136, 72]
    """
    if dtype in GROUP_BYTES:
        return length // GROUP * GROUP_BYTES[dtype]
    return length * ELEMENT_BYTES[dtype]


def element_bytes(dtype: str) -> Fraction:
    """Bytes of one element with its share of the scale: 17/16 for q8_0."""
    return Fraction(GROUP_BYTES[dtype], GROUP) if dtype in GROUP_BYTES else Fraction(ELEMENT_BYTES[dtype])
