"""What comes in, what a step costs, and how long people wait: the nouns of the queue in ``engine``.

Two waits are told apart, as operators do. The *time to first token* runs from a request's arrival to its
first token. The *gap* is the time from one token of an answer to the next. A request's average gap hides
the one long stall that its reader notices, so gaps are counted one by one.

Source: the percentiles follow Dean & Barroso 2013, *The Tail at Scale*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from glassbox.arrays import Floats
from glassbox.costs import catalogue, kv
from glassbox.costs.fields import check_whole, shown

LINK_GB_S = 25.0  # a network card of 200 Gbit/s, between two machines


@dataclass(frozen=True)
class Request:
    """One request: when it comes, in seconds, and how many tokens it brings and gets."""

    arrival: float
    prompt: int
    answer: int


@dataclass(frozen=True)
class Load:
    """What comes in.

    Attributes:
        per_second: Requests a second on average; they come independently of one another.
        requests: How many are simulated.
        prompt: Mean length of a prompt in tokens.
        answer: Mean length of an answer in tokens.
        seed: The same seed gives the same requests.
    """

    per_second: float
    requests: int = 200
    prompt: int = 400
    answer: int = 60
    seed: int = 1

    def __post_init__(self) -> None:
        rate = self.per_second
        if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 < rate <= 1e6:
            raise ValueError(f"per_second is {rate!r:.40}; it should be a number above 0, at most 1,000,000")
        check_whole(self.requests, "requests", 50_000)
        check_whole(self.prompt, "prompt", 100_000)
        check_whole(self.answer, "answer", 10_000)
        check_whole(self.seed, "seed", 2**32)

    def draw(self) -> list[Request]:
        """The requests, in order of arrival."""
        rng = np.random.default_rng(self.seed)
        gaps = rng.exponential(1 / self.per_second, self.requests)
        prompts = 1 + rng.geometric(1 / self.prompt, self.requests)
        # No answer is a word long: a third of the mean is certain, the rest is chance.
        certain = self.answer // 3
        answers = certain + rng.geometric(1 / (self.answer - certain), self.requests)
        drawn = zip(np.cumsum(gaps).tolist(), prompts.tolist(), answers.tolist(), strict=True)
        return [Request(*each) for each in drawn]


@dataclass(frozen=True)
class Server:
    """What a step costs, in seconds. The parts are added up; engines that overlap them are faster.

    Attributes:
        step: Fixed cost of a step: the weights are fetched once for all.
        per_row: Cost of one more row of work in it.
        per_kept: Cost of fetching one kept token of one user's cache.
        hand_over: Cost of sending one kept token to another machine.
        batch: How many requests are worked on at once.
    """

    step: float = 0.010
    per_row: float = 0.00001
    per_kept: float = 0.0
    hand_over: float = 0.0
    batch: int = 16

    def __post_init__(self) -> None:
        for name in ("step", "per_row", "per_kept", "hand_over"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1e6:
                raise ValueError(f"{name} is {value!r:.40}; it should be a number of seconds, 0 to 1,000,000")
        check_whole(self.batch, "batch", 10_000)


def serving(model: catalogue.Model, gpu: catalogue.Gpu, batch: int) -> Server:
    """A model on a GPU at its data sheet's best: a step fetches weights and caches, a row uses each twice."""
    token = kv.plan(model.config, 1).bytes_per_token
    return Server(
        step=model.weight_bytes / (gpu.bandwidth_gb_s * 1e9),
        per_row=2 * model.parameters * 1e9 / (gpu.tflops * 1e12),
        per_kept=token / (gpu.bandwidth_gb_s * 1e9),
        hand_over=token / (LINK_GB_S * 1e9),
        batch=batch,
    )


@dataclass(frozen=True)
class Policy:
    """How an engine decides who is worked on.

    Attributes:
        cache: False works through every whole text at every step. Nothing is kept then, so there is nothing
            to share, to hand over, or to read a prompt onto piece by piece.
        continuous: True lets requests join and leave at every step; False starts a batch with those who are
            there and takes nobody in until its last answer is written.
        chunk: The most prompt tokens of one step; None reads prompts whole.
        apart: True reads prompts on one machine and writes answers on another, which gets the caches sent.
        shared: The share of each prompt that is already cached from other requests, 0 to 1.
        machines: How many alike serve, each taking every so-manieth request; not together with ``apart``.
    """

    cache: bool = True
    continuous: bool = True
    chunk: int | None = None
    apart: bool = False
    shared: float = 0.0
    machines: int = 1

    def __post_init__(self) -> None:
        for name in ("cache", "continuous", "apart"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} is {shown(getattr(self, name))}; it should be true or false")
        if self.chunk is not None:
            check_whole(self.chunk, "chunk", 1_000_000)
        share = self.shared
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise ValueError(f"shared is {share!r:.40}; it should be a number from 0 to 1")
        check_whole(self.machines, "machines", 100)
        if not self.cache and (self.chunk is not None or self.apart or self.shared):
            raise ValueError("cache is false; chunk, apart and shared should be left out, for they need one")
        if self.apart and self.machines > 1:
            raise ValueError(
                f"machines is {self.machines}; with apart it should be 1, which makes two in all"
            )


@dataclass(frozen=True, eq=False)
class Times:
    """Many waits, each with how many people had it.

    Attributes:
        seconds: (n,) waits in ascending order.
        counts: (n,) how often each occurred.
    """

    seconds: Floats
    counts: Floats

    @classmethod
    def of(cls, seconds: Sequence[float] | Floats, counts: Sequence[float] | Floats | None = None) -> Times:
        """Sorts waits; each counts once where ``counts`` is left out."""
        values = np.asarray(seconds, dtype=np.float64)
        often = np.ones(len(values)) if counts is None else np.asarray(counts, dtype=np.float64)
        order = np.argsort(values, kind="stable")
        return cls(values[order], often[order])

    @cached_property
    def _up_to(self) -> Floats:
        return np.cumsum(self.counts)

    @property
    def count(self) -> int:
        """How many waits there are in all."""
        return int(self._up_to[-1]) if len(self._up_to) else 0

    @property
    def longest(self) -> float:
        """The worst of all; 0 where nobody waited."""
        return float(self.seconds[-1]) if len(self.seconds) else 0.0

    @property
    def mean(self) -> float:
        """The average; 0 where nobody waited."""
        return float(self.seconds @ self.counts) / self.count if self.count else 0.0

    def tail(self, points: int = 60) -> list[tuple[float, float]]:
        """The curve of the slow ones, made to be drawn: (seconds, n) where one wait in n is longer.

        Args:
            points: At how many n, from 1 to all waits in equal ratios; the longest wait ends the curve.
        """
        if not self.count:
            return []
        one_in = np.geomspace(1, self.count, points)
        ranks = np.maximum(1, np.ceil(self.count * (1 - 1 / one_in) * (1 - 1e-12)))
        at = self.seconds[np.searchsorted(self._up_to, ranks)]
        drawn = list(zip(at.tolist(), one_in.tolist(), strict=True))
        return [*drawn, (self.longest, float(self.count))]

    def percentile(self, percent: float) -> float:
        """The time that ``percent`` of the waits stay within (nearest rank); 0 where nobody waited.

        Raises:
            ValueError: ``percent`` is not above 0 and at most 100.
        """
        if not 0 < percent <= 100:
            raise ValueError(f"percent is {percent}; it should be above 0 and at most 100")
        if not self.count:
            return 0.0
        rank = percent / 100 * self.count
        return float(self.seconds[int(np.searchsorted(self._up_to, rank * (1 - 1e-12)))])


@dataclass(frozen=True)
class Waits:
    """How long the requests of a load waited.

    Attributes:
        first: Time to first token, one a request.
        gaps: Time from each token to the next, one for every token but the first.
        averages: Each request's average gap, for those with more than one token.
        finished: When each request had its last token, in seconds, in order of arrival.
    """

    first: Times
    gaps: Times
    averages: Times
    finished: tuple[float, ...]
