"""Unigram: every entry has a probability, and a part is cut into the entries whose product is largest.

No merges are replayed. All ways to cut are weighed at once, from left to right: the best way to reach a place
is the best way to reach an earlier one, and one entry more (Viterbi's algorithm).

    >>> Unigram([("a", -1.0), ("b", -1.0), ("ab", -1.5)]).cut("aab")
    [(0, 0, 1), (2, 1, 3)]

Source: Kudo 2018, "Subword Regularization", arXiv:1804.10959.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import NamedTuple

from glassbox.tokens.foreign import fields
from glassbox.tokens.foreign.fields import Json
from glassbox.tokens.foreign.merging import Token

Found = tuple[int | None, int, int]  # id, start, end; no id where no entry covers the characters

_PENALTY = 10.0  # by how much an unknown character is worse than the worst entry


class Way(NamedTuple):
    """One way to cut a part.

    Attributes:
        tokens: (id, start, end) of each piece.
        score: The sum of their log probabilities (natural logarithm).
    """

    tokens: list[Token]
    score: float


class Unigram:
    """Turns parts into ids by probabilities.

    Attributes:
        vocab: Entry to id.
        scores: Log probability of each id.
    """

    def __init__(
        self, entries: Sequence[tuple[str, float]], unknown: int | None = None, byte_fallback: bool = False
    ) -> None:
        """Keeps the entries.

        Args:
            entries: Entry and log probability; its place is its id.
            unknown: The id of the entry for what no entry covers.
            byte_fallback: Spell such characters in ``<0x00>`` to ``<0xFF>`` instead.
        """
        self.vocab = {entry: token for token, (entry, _) in enumerate(entries)}
        self.scores = [score for _, score in entries]
        self._unknown = unknown
        self._worst = min(self.scores, default=0.0) - _PENALTY
        self._longest = max((len(entry) for entry, _ in entries), default=0)
        self._bytes = [self.vocab.get(f"<0x{b:02X}>") for b in range(256)] if byte_fallback else []

    def cut(self, part: str) -> list[Token]:
        """Cuts one part into (id, start, end), the likeliest way."""
        best = [-math.inf] * (len(part) + 1)
        came: list[tuple[int, int | None]] = [(0, None)] * (len(part) + 1)
        best[0] = 0.0
        for start in range(len(part)):
            for token, end, score in self._from(part, start):
                if best[start] + score > best[end]:
                    best[end], came[end] = best[start] + score, (start, token)
        out: list[Found] = []
        end = len(part)
        while end > 0:
            start, token = came[end]
            if token is None and out and out[-1][0] is None:
                out[-1] = (None, start, out[-1][2])  # a run of unknown characters is one
            else:
                out.append((token, start, end))
            end = start
        return [found for token in out[::-1] for found in self._known(part, *token)]

    def _from(self, part: str, start: int) -> list[tuple[int | None, int, float]]:
        """Entries that begin at a place: id, end, score; and the character alone where no entry is that."""
        found: list[tuple[int | None, int, float]] = []
        alone = False
        for end in range(start + 1, min(len(part), start + self._longest) + 1):
            token = self.vocab.get(part[start:end])
            if token is not None:
                found.append((token, end, self.scores[token]))
                alone = alone or end == start + 1
        return found if alone else [*found, (None, start + 1, self._worst)]

    def _known(self, part: str, token: int | None, start: int, end: int) -> list[Token]:
        """Writes what no entry covers in bytes, or as the unknown entry."""
        if token is not None:
            return [(token, start, end)]
        if self._bytes:
            spelled = [(self._bytes[b], at, at + 1) for at in range(start, end) for b in part[at].encode()]
            if all(b is not None for b, _, _ in spelled):
                return [(b, at, to) for b, at, to in spelled if b is not None]
        if self._unknown is None:
            raise ValueError(
                f"no entry covers {part[start:end]!r}, and the file has none for what is unknown"
            )
        return [(self._unknown, start, end)]

    def total(self, part: str) -> float:
        """The logarithm of the probability of a part: of all ways to cut it together."""
        reached = [-math.inf] * (len(part) + 1)
        reached[0] = 0.0
        for start in range(len(part)):
            for _, end, score in self._from(part, start):
                reached[end] = _added(reached[end], reached[start] + score)
        return reached[-1]

    def ways(self, part: str, n: int) -> list[Way]:
        """The likeliest ways to cut a part, the best first.

        Args:
            part: What to cut.
            n: How many ways at most.
        """
        reached: list[list[tuple[float, list[Found]]]] = [[] for _ in range(len(part) + 1)]
        reached[0] = [(0.0, [])]
        for start in range(len(part)):
            reached[start] = heapq.nlargest(n, reached[start], key=lambda way: way[0])
            for token, end, score in self._from(part, start):
                reached[end] += [(s + score, [*way, (token, start, end)]) for s, way in reached[start]]
        last = heapq.nlargest(n, reached[-1], key=lambda way: way[0])
        return [Way([k for token in way for k in self._known(part, *token)], score) for score, way in last]


def _added(a: float, b: float) -> float:
    """The logarithm of the sum of two numbers, from theirs."""
    high, low = max(a, b), min(a, b)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def make(step: Json) -> Unigram:
    """A ``Unigram`` model as a file describes it.

    Raises:
        UnknownError: It has a field that is not known here.
        ValueError: A field has a value that it cannot have.
    """
    fields.only(step, "vocab unk_id byte_fallback")
    entries = []
    for place, pair in enumerate(fields.need(step, "vocab", list)):
        what = f"entry {place:,} of the vocabulary is {str(pair)[:60]}"
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise ValueError(f"{what}; it should be a text and a score")
        entry, score = pair
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not math.isfinite(score):
            raise ValueError(f"{what}; its score should be a number")
        entries.append((entry, float(score)))
    unknown = fields.get(step, "unk_id", int)
    if unknown is not None and not 0 <= unknown < len(entries):
        raise ValueError(f"unk_id is {unknown}, and there are {len(entries):,} entries")
    return Unigram(entries, unknown, fields.get(step, "byte_fallback", bool, False))
