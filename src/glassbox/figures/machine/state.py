"""One state of the figure of the whole machine: what is cut, who is followed, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from glassbox import model
from glassbox.arrays import Floats
from glassbox.figures.machine import cuts, runs, sheet
from glassbox.figures.machine.runs import Run
from glassbox.model import experiments

ADDS, LEFT = "what each part adds", "what is left when it alone is cut"
BESIDE = (ADDS, LEFT)
N_WORDS = 6


@dataclass(frozen=True, eq=False)
class State:
    """What the figure shows.

    Attributes:
        text: As the reader typed it.
        whole: The text read by the whole machine.
        now: The text read by what the cuts have left.
        cut: The cuts.
        at: The position that is followed.
        beside: What stands beside each part: one of ``BESIDE``.
    """

    text: str
    whole: Run
    now: Run
    cut: tuple[cuts.Cut, ...]
    at: int
    beside: str

    @property
    def written(self) -> str:
        """The cuts as the control writes them."""
        return cuts.listed(self.cut)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The cuts by their names."""
        return tuple(c.key for c in self.cut)

    @cached_property
    def top(self) -> int:
        """The whole machine's likeliest next token."""
        return int(self.whole.probs[self.at].argmax())

    @cached_property
    def gone(self) -> frozenset[str]:
        """Keys of all parts that add nothing, those of a cut layer too."""
        layers = {part.layer for key, part in runs.parts() if key in self.keys and part.whole}
        return frozenset(key for key, part in runs.parts() if key in self.keys or part.layer in layers)

    @cached_property
    def added(self) -> dict[str, float]:
        """How large what each head and MLP adds is, as a share of the stream."""
        return sheet.added(self.now, self.at)

    @cached_property
    def lens(self) -> list[Floats]:
        """What the stream would say after the embedding and after each layer."""
        return _lens(self.now, self.at)

    @cached_property
    def lens_whole(self) -> list[Floats]:
        """The same in the whole machine."""
        return _lens(self.whole, self.at)

    @cached_property
    def words(self) -> list[int]:
        """The next tokens that are shown: the whole machine's first, then the likeliest before or now."""
        before, after = self.whole.probs[self.at], self.now.probs[self.at]
        order = np.argsort(-np.maximum(before, after), kind="stable")
        return [self.top, *(int(w) for w in order if int(w) != self.top)][:N_WORDS]

    @cached_property
    def last_gone(self) -> str | None:
        """The head or MLP that was cut last, if one was."""
        return next((key for key in reversed(self.keys) if key in self.added), None)


def of(text: str, cut: str, position: int, beside: str) -> State:
    """The state for control values; arguments and errors as for ``whole.machine``."""
    whole, now = runs.run(text), runs.run(text, cut)
    return State(text, whole, now, cuts.parse(cut), now.at(position), beside)


def _lens(run: Run, position: int) -> list[Floats]:
    return list(experiments.probabilities(experiments.guesses(model.load(), run.flow, position)))


def written(run: Run, key: str, position: int) -> Floats:
    """What a head or an MLP adds at a position: (d_model,)."""
    part = dict(runs.parts())[key]
    mine = run.flow.mlps[part.layer] if part.head is None else run.flow.heads[part.layer][part.head]
    found: Floats = mine[position]
    return found
