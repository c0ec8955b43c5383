"""Trains the shipped model: one CPU thread, next-token loss and nothing else, the same bytes every time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from glassbox.model.config import Config
from glassbox.tokens import bpe
from glassbox.training.corpus import Texts
from glassbox.training.mixture import Mixture
from glassbox.training.muon import Muon
from glassbox.training.network import Network

Say = Callable[[str], None]
# Steps whose weights are kept, so that what the model could do on its way can be measured afterwards.
EARLY = (0, 20, 50, 100, 150, 200, 300, 400, 500)
LATER = 200


@dataclass(frozen=True)
class Plan:
    """What a training run does.

    Attributes:
        steps: Optimiser steps.
        tokens: About how many tokens a step sees.
        muon_rate: Learning rate of the matrices between the layers.
        muon_decay: Part of a matrix that a step takes away, as a multiple of the rate.
        adam_rate: Learning rate of embedding and gains.
        cap: Largest score that queries and keys may reach; see ``Network.tame``.
        warm: Steps over which both rates rise from zero.
        last: Steps, at the end, over which they fall to zero in a straight line.
        seed: Of the weights and of the order of texts.
    """

    steps: int = 6500
    tokens: int = 2048
    muon_rate: float = 0.02
    muon_decay: float = 0.1
    adam_rate: float = 3e-3
    cap: float = 40.0
    warm: int = 60
    last: int = 2600
    seed: int = 7


def rate(step: int, plan: Plan) -> float:
    """Part of the full rate at a step: it rises, stays, and falls to zero."""
    return max(0.0, min(1.0, (step + 1) / plan.warm, (plan.steps - step - 1) / plan.last))


def kept(step: int, plan: Plan) -> bool:
    """Whether the weights after so many steps are kept."""
    return step in EARLY or step % LATER == 0 or step == plan.steps


class Run:
    """A training run that can be saved after any step and taken up again with the same result."""

    def __init__(self, config: Config, tokenizer: bpe.Tokenizer, texts: Texts, plan: Plan) -> None:
        torch.set_num_threads(1)
        torch.set_flush_denormal(True)  # fading optimiser averages would slow every step
        torch.use_deterministic_algorithms(True)
        self.plan, self.network = plan, Network(config, plan.seed)
        matrices = [p for n, p in self.network.weights.items() if p.ndim > 1 and n != "embedding"]
        others = [p for n, p in self.network.weights.items() if p.ndim == 1 or n == "embedding"]
        self.optimisers: dict[float, torch.optim.Optimizer] = {
            plan.muon_rate: Muon(matrices, lr=plan.muon_rate, weight_decay=plan.muon_decay),
            plan.adam_rate: torch.optim.AdamW(others, lr=plan.adam_rate, betas=(0.9, 0.95), weight_decay=0.0),
        }
        self.source = Mixture(texts, tokenizer, plan.seed, plan.tokens)
        self.done, self.seen, self.learned, self.seconds = 0, 0, 0, 0.0
        self.losses: list[float] = []

    def step(self) -> float:
        """Reads one batch, learns from it; returns its loss in nats a token."""
        began = time.monotonic()
        inputs, targets = (torch.from_numpy(a) for a in next(self.source))
        asked = targets >= 0
        loss = functional.cross_entropy(self.network(inputs, asked), targets[asked])
        self.network.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        for full, optimiser in self.optimisers.items():
            optimiser.param_groups[0]["lr"] = full * rate(self.done, self.plan)
            optimiser.step()
        self.network.tame(self.plan.cap)
        self.done += 1
        self.seen += int((inputs != self.source.start).sum())
        self.learned += int(asked.sum())
        self.losses.append(round(loss.item(), 4))
        self.seconds += time.monotonic() - began
        return self.losses[-1]

    def save(self, folder: Path) -> None:
        """Writes ``resume.pt``, whole or not at all."""
        state = {
            "plan": asdict(self.plan),
            "network": self.network.state_dict(),
            "optimisers": [o.state_dict() for o in self.optimisers.values()],
            "source": self.source.state(),
            "counts": [self.done, self.seen, self.learned, self.seconds],
            "losses": self.losses,
        }
        torch.save(state, folder / "resume.new")
        (folder / "resume.new").replace(folder / "resume.pt")

    def resume(self, folder: Path) -> None:
        """Goes on from ``resume.pt``.

        Raises:
            ValueError: It was made by another plan.
        """
        state: dict[str, Any] = torch.load(folder / "resume.pt")
        if state["plan"] != asdict(self.plan):
            raise ValueError(f"{folder} was begun with {state['plan']}, this plan is {asdict(self.plan)}")
        self.network.load_state_dict(state["network"])
        for optimiser, saved in zip(self.optimisers.values(), state["optimisers"], strict=True):
            optimiser.load_state_dict(saved)
        self.source.restore(state["source"])
        self.done, self.seen, self.learned, self.seconds = state["counts"]
        self.losses = state["losses"]


def train(run: Run, folder: Path, say: Say, until: int | None = None) -> None:
    """Trains to the end of the plan, or ``until`` a step; takes up what ``folder`` holds.

    Leaves ``weights.npz``, ``steps/N.npz`` for the steps that are kept, ``losses.json`` and ``resume.pt``.
    """
    (folder / "steps").mkdir(parents=True, exist_ok=True)
    if (folder / "resume.pt").exists():
        run.resume(folder)
    else:
        _keep(run, folder / "steps" / "0.npz")
    while run.done < (run.plan.steps if until is None else until):
        run.step()
        if run.done % 50 == 0:
            mean = float(np.mean(run.losses[-50:]))
            say(f"step {run.done} loss {mean:.3f} tokens {run.seen:,} seconds {run.seconds:.0f}")
        if kept(run.done, run.plan):
            _keep(run, folder / "steps" / f"{run.done}.npz")
            run.save(folder)
    run.save(folder)
    _keep(run, folder / "weights.npz")
    record = {
        "losses": run.losses,
        "tokens": run.seen,
        "predicted": run.learned,
        "seconds": round(run.seconds),
    }
    (folder / "losses.json").write_text(json.dumps(record), encoding="utf-8")


def _keep(run: Run, path: Path) -> None:
    np.savez(path, **run.network.arrays())  # type: ignore[arg-type]
