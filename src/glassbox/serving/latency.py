"""A queue in front of one server: how long the unlucky wait.

Requests come at random. Each asks for some tokens; the server works on one step for all requests at once,
and a step takes longer the more there are and, without a cache, the longer each text already is. The time
per token of a request is its whole time, waiting included, over its tokens.

Source: the percentiles follow Dean & Barroso 2013, *The Tail at Scale*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from glassbox.costs import catalogue
from glassbox.costs.fields import check_whole


@dataclass(frozen=True)
class Load:
    """What comes in.

    Attributes:
        per_second: Requests a second on average.
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
        check_whole(self.requests, "requests", 20_000)
        check_whole(self.prompt, "prompt", 100_000)
        check_whole(self.answer, "answer", 10_000)
        check_whole(self.seed, "seed", 2**32)


@dataclass(frozen=True)
class Server:
    """What a step costs, in seconds.

    Attributes:
        step: Fixed cost of a step: the weights are read once for all.
        per_row: Cost of one more row of work in it.
        batch: How many requests are worked on at once.
    """

    step: float = 0.010
    per_row: float = 0.00001
    batch: int = 16

    def __post_init__(self) -> None:
        for name in ("step", "per_row"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1e6:
                raise ValueError(f"{name} is {value!r:.40}; it should be a number of seconds, 0 to 1,000,000")
        check_whole(self.batch, "batch", 10_000)


def serving(model: catalogue.Model, gpu: catalogue.Gpu, batch: int) -> Server:
    """A model on a GPU at its data sheet's best: weights are read once a step, a row uses each twice.

    Fetching the caches is left out.
    """
    flops_a_row = 2 * model.parameters * 1e9
    return Server(
        step=model.weight_bytes / (gpu.bandwidth_gb_s * 1e9),
        per_row=flops_a_row / (gpu.tflops * 1e12),
        batch=batch,
    )


@dataclass(frozen=True)
class Times:
    """Seconds per token of each request, in order of arrival."""

    seconds: tuple[float, ...]

    def percentile(self, percent: float) -> float:
        """The time that ``percent`` of the requests stay within (nearest rank)."""
        if not 0 < percent <= 100:
            raise ValueError(f"percent is {percent}; it should be above 0 and at most 100")
        ordered = sorted(self.seconds)
        return ordered[math.ceil(percent / 100 * len(ordered)) - 1]


def simulate(load: Load, server: Server, cache: bool, shared: float = 0.0) -> Times:
    """Runs all requests of ``load`` through ``server``, each step with a batch of those that have come.

    Args:
        load: What comes in.
        server: What a step costs.
        cache: Whether a step works on one row of each request, or on its whole text.
        shared: The share of each prompt that is already cached from other requests, 0 to 1.
    """
    if isinstance(shared, bool) or not isinstance(shared, (int, float)) or not 0 <= shared <= 1:
        raise ValueError(f"shared is {shared!r:.40}; it should be a number from 0 to 1")
    arrivals, prompts, answers = _draw(load)
    first = [max(1, round(p * (1 - shared))) if cache else p for p in prompts]
    waiting = list(range(load.requests))[::-1]
    running: dict[int, int] = {}  # request: tokens written
    finished = [0.0] * load.requests
    now = 0.0
    while waiting or running:
        if not running:
            now = max(now, arrivals[waiting[-1]])
        while waiting and len(running) < server.batch and arrivals[waiting[-1]] <= now:
            running[waiting.pop()] = 0
        rows = sum(first[r] if n == 0 else 1 if cache else prompts[r] + n for r, n in running.items())
        steps = 1 if 0 in running.values() else min(answers[r] - n for r, n in running.items())
        next_in = arrivals[waiting[-1]] if waiting and len(running) < server.batch else math.inf
        # Until somebody comes or goes, every step is like the last, or longer by a row for each text.
        done = 0
        while done < steps and (now < next_in or not done):
            now += server.step + server.per_row * rows
            rows += 0 if cache else len(running)
            done += 1
        for r in list(running):
            running[r] += done
            if running[r] == answers[r]:
                finished[r] = now
                del running[r]
    per_token = ((end - start) / n for end, start, n in zip(finished, arrivals, answers, strict=True))
    return Times(tuple(per_token))


def _draw(load: Load) -> tuple[list[float], list[int], list[int]]:
    rng = np.random.default_rng(load.seed)
    gaps = rng.exponential(1 / load.per_second, load.requests)
    prompts = 1 + rng.geometric(1 / load.prompt, load.requests)
    # No answer is a word long: a third of the mean is certain, the rest is chance.
    certain = load.answer // 3
    answers = certain + rng.geometric(1 / (load.answer - certain), load.requests)
    return np.cumsum(gaps).tolist(), prompts.tolist(), answers.tolist()
