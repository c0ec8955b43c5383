"""Trains the shipped model on one CPU thread; deterministic for a given number of steps and seed."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from glassbox.model.config import Config
from glassbox.tokens import bpe
from glassbox.training import corpus, grammar, notes
from glassbox.training.network import Network

Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What a training run does.

    Attributes:
        steps: Optimiser steps of the first phase.
        tokens: About how many tokens a step sees.
        peak_rate: Highest learning rate of the schedule (short warm-up, then a cosine to zero).
        copying_steps: Steps of the second phase, in which much of the text repeats itself.
        copying_rate: Its highest learning rate.
        seed: Of the weights and of the order of texts.
    """

    steps: int = 3300
    tokens: int = 2048
    peak_rate: float = 3e-3
    copying_steps: int = 1200
    copying_rate: float = 1.5e-3
    seed: int = 7


@dataclass(frozen=True)
class Texts:
    """Training and held-out texts that come from books; generated ones are made as they are needed."""

    icd: list[str]
    wordnet: list[str]
    held_icd: list[str]
    held_wordnet: list[str]
    filler: list[str]

    @classmethod
    def load(cls, wordnet_folder: Path) -> Texts:
        """Reads both sources and splits them."""
        icd, wordnet = corpus.icd(), corpus.wordnet(wordnet_folder)
        train_wordnet = [t for t in wordnet if not corpus.held_out(t)]
        return cls(
            icd=[t for t in icd if not corpus.held_out(t)],
            wordnet=train_wordnet,
            held_icd=[t for t in icd if corpus.held_out(t)],
            held_wordnet=[t for t in wordnet if corpus.held_out(t)],
            filler=[t for t in train_wordnet if ":" not in t and 20 < len(t) < 90],
        )


def stream(texts: Texts, tokenizer: bpe.Tokenizer, seed: int) -> Iterator[list[int]]:
    """An endless, seeded stream of encoded training texts: 15 % ICD, 25 % WordNet, 60 % generated."""
    rng = random.Random(seed)
    while True:
        roll = rng.random()
        if roll < 0.15:
            text = rng.choice(texts.icd)
        elif roll < 0.40:
            text = rng.choice(texts.wordnet)
        else:
            text = corpus.generated(rng, texts.filler)
            if corpus.held_out(text):
                continue
        yield tokenizer.encode(text)


def held_out_generated(texts: Texts, count: int, seed: int) -> list[str]:
    """Generated texts that the split keeps from training."""
    rng = random.Random(seed)
    found: list[str] = []
    while len(found) < count:
        text = corpus.generated(rng, texts.filler)
        if corpus.held_out(text):
            found.append(text)
    return found


def copying(texts: Texts, tokenizer: bpe.Tokenizer, seed: int) -> Iterator[list[int]]:
    """The second phase's stream: half as before, half texts that only looking back can predict."""
    rng, before = random.Random(seed), stream(texts, tokenizer, seed + 1)
    while True:
        roll = rng.random()
        if roll < 0.50:
            yield next(before)
            continue
        if roll < 0.70:
            yield notes.repeated_ids(rng, tokenizer.vocab_size - 1)
            continue
        if roll < 0.84:
            text = notes.recall(rng, rng.choice([0, 0, 1, 2, 3, 5, 9, 16, 28]), lambda: grammar.sentence(rng))
        elif roll < 0.91:
            text = notes.repeated_list(rng)
        elif roll < 0.93:
            text = notes.brackets(rng)
        else:
            text = grammar.expand(rng.choice(grammar.KINDS[2]), rng)
        if not corpus.held_out(text):
            yield tokenizer.encode(text)


def rate(step: int, steps: int, peak: float) -> float:
    """Warm-up over the first 2 %, then a cosine down to a fiftieth."""
    warm = max(1, steps // 50)
    if step < warm:
        return peak * (step + 1) / warm
    done = (step - warm) / max(1, steps - warm)
    return peak * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done)))


def train(
    config: Config,
    tokenizer: bpe.Tokenizer,
    texts: Texts,
    plan: Plan,
    folder: Path,
    say: Say,
    after_first: Path | None = None,
) -> Network:
    """Trains in two phases; saves a checkpoint every 250 steps, so that a stopped run is not lost.

    Args:
        config: The sizes.
        tokenizer: Text to ids.
        texts: From ``Texts.load``.
        plan: What to do.
        folder: Where checkpoints go.
        say: Takes a progress line.
        after_first: A checkpoint folder that stands for the finished first phase.
    """
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # fading optimiser averages would slow every step
    network = Network(config, plan.seed)
    start = tokenizer.special[corpus.START]
    if after_first is None:
        source = corpus.batches(stream(texts, tokenizer, plan.seed), start, plan.tokens)
        _phase(
            network,
            source,
            plan.steps,
            plan.peak_rate,
            say,
            lambda: save(network, folder / "first"),
        )
    else:
        network.load(dict(np.load(after_first / "weights.npz")))
    source = corpus.batches(copying(texts, tokenizer, plan.seed + 100), start, plan.tokens)
    _phase(
        network,
        source,
        plan.copying_steps,
        plan.copying_rate,
        say,
        lambda: save(network, folder),
        plan.copying_steps // 2,
    )
    return network


# Two heads that the second phase nudges while it begins: (layer, head), counted from 0. The first is shown
# the token before; the second, what followed the same token earlier, or the first token where there is none.
NUDGED = {"previous": (1, 0), "follower": (2, 3)}


def nudge(ids: torch.Tensor, targets: torch.Tensor, patterns: list[torch.Tensor]) -> torch.Tensor:
    """How surprised the nudged heads are by where they should look: (1,)."""
    previous, following = patterns
    n = ids.shape[1]
    real = (targets >= 0)[:, 1:]
    loss = -previous.diagonal(offset=-1, dim1=1, dim2=2)[real].mean()
    # earlier[row, i, j]: token j - 1 is token i, and j <= i
    earlier = torch.zeros(len(ids), n, n, dtype=torch.bool)
    earlier[:, :, 1:] = ids[:, :, None] == ids[:, None, :-1]
    earlier &= torch.ones(n, n, dtype=torch.bool).tril()
    earlier[:, :, 1] = False  # what follows the start token follows it everywhere
    earlier[:, :, 0] = ~earlier.any(dim=2)
    aimed = following.masked_fill(~earlier, float("-inf")).logsumexp(dim=2)
    return loss - aimed[:, 1:][real].mean()


def _phase(
    network: Network,
    source: Iterator[corpus.Batch],
    steps: int,
    peak: float,
    say: Say,
    keep: Callable[[], None],
    nudged_steps: int = 0,
) -> None:
    matrices = [p for p in network.parameters() if p.ndim > 1]
    gains = [p for p in network.parameters() if p.ndim == 1]
    groups = [{"params": matrices, "weight_decay": 0.05}, {"params": gains, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=peak, betas=(0.9, 0.95), fused=True)
    began, mean, seen = time.monotonic(), 0.0, 0
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = rate(step, steps, peak)
        inputs, targets = (torch.from_numpy(a) for a in next(source))
        strength = max(0.0, 1 - step / nudged_steps) if nudged_steps else 0.0
        logits, patterns = network.with_patterns(inputs, tuple(NUDGED.values()) if strength else ())
        loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
        optimiser.zero_grad(set_to_none=True)
        (loss + strength * nudge(inputs, targets, patterns) if strength else loss).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        seen += int((targets >= 0).sum())
        mean = loss.item() if step == 0 else 0.98 * mean + 0.02 * loss.item()
        if (step + 1) % 50 == 0:
            say(f"step {step + 1} loss {mean:.3f} tokens {seen:,} seconds {time.monotonic() - began:.0f}")
        if (step + 1) % 250 == 0 or step + 1 == steps:
            keep()


def save(network: Network, folder: Path) -> None:
    """Writes ``weights.npz`` in single precision."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "weights.npz", **network.arrays())  # type: ignore[arg-type]
