"""One state of the figure of the whole machine: what is cut, who is followed, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import subject
from glassbox.figures.machine import cuts, runs, sheet, tour
from glassbox.figures.machine.runs import Alone, Run
from glassbox.figures.machine.tour import Place
from glassbox.model import experiments

ADDS, LEFT = "what each part adds", "what is left when it alone is cut"
LOOK = "each head’s strongest look back, to cut"
BESIDE = (ADDS, LEFT, LOOK)
N_WORDS = 6


@dataclass(frozen=True, eq=False)
class State:
    """What the figure shows.

    Attributes:
        asked: What the controls say.
        place: What is shown: a text, its cuts, who is followed and how far up.
        slid: Which stop of the tour the slider says.
        stop: Which stop is shown, counted from 1; None off the tour.
        whole: The text read by the whole machine.
        now: The text read by what the cuts have left.
        cut: The cuts.
        at: The position that is followed.
        beside: What stands beside each part: one of ``BESIDE``.
        opened: The layers whose parts are shown, all of them where the model is small, counted from 0.
        left: What is left when a part alone is cut, by its key, as far as it is known.
    """

    asked: Place
    place: Place
    slid: int
    stop: int | None
    whole: Run
    now: Run
    cut: tuple[cuts.Cut, ...]
    at: int
    beside: str
    opened: frozenset[int]
    left: Mapping[str, Alone]

    @property
    def text(self) -> str:
        """The text, as the reader typed it."""
        return self.place.text

    @property
    def depth(self) -> int:
        """After how many additions (heads or an MLP) the stream is read."""
        return self.place.depth

    @property
    def stopped(self) -> int:
        """The stop that is shown, or that was left."""
        return self.stop or min(max(self.slid, 1), tour.STOPS)

    @property
    def risen(self) -> bool:
        """Whether the stream is read at the top."""
        return self.depth == tour.top()

    @cached_property
    def before(self) -> Floats:
        """What comes next, as the whole machine has it at the top."""
        found: Floats = self.whole.probs[self.at]
        return found

    @cached_property
    def after(self) -> Floats:
        """What comes next after the cuts, read where the stream has come to."""
        if self.risen:
            found: Floats = self.now.probs[self.at]
            return found
        stream = self.now.flow.streams[self.depth][self.at]
        return experiments.probabilities(subject.model().read_out(stream[None])[0])

    def sets(self, **changes: object) -> dict[str, object]:
        """What a press sets that changes the place that is shown."""
        wanted = replace(self.place, **changes)  # type: ignore[arg-type]
        return tour.sets(self.asked, self.slid, self.stopped, wanted)

    @cached_property
    def written(self) -> str:
        """The cuts as the control writes them, with the layers that are opened."""
        return cuts.listed((*self.cut, *self.opening))

    @cached_property
    def opening(self) -> tuple[cuts.Cut, ...]:
        """The layers that are opened, as the control writes them; none where all are open anyway."""
        shown = sorted(self.opened) if runs.many() else ()
        return tuple(cuts.Cut(cuts.open_key(layer), opens=layer) for layer in shown)

    @cached_property
    def shown(self) -> list[str]:
        """Keys of all parts that have a row: the layers, and what is in the opened ones."""
        return [key for key, part in runs.parts() if part.whole or part.layer in self.opened]

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
        order = np.argsort(-np.maximum(self.before, self.after), kind="stable")
        return [self.top, *(int(w) for w in order if int(w) != self.top)][:N_WORDS]

    @cached_property
    def last_gone(self) -> str | None:
        """The head or MLP that was cut last, if one was."""
        return next((key for key in reversed(self.keys) if key in self.added), None)


def of(asked: Place, beside: str, slid: int) -> State:
    """The state for control values; errors as for ``whole.machine``."""
    asked = replace(asked, depth=min(max(int(asked.depth), 0), tour.top()))
    place, stop = tour.shown(asked, slid)
    found = cuts.parse(place.cut)
    gone = tuple(one for one in found if one.opens is None)
    opened = {one.opens for one in found if one.opens is not None}
    opened |= {one.part.layer for one in gone if one.part is not None and not one.part.whole}
    layers = opened if runs.many() else range(subject.model().config.n_layers)
    whole, now = runs.run(place.text), runs.run(place.text, cuts.listed(gone))
    left = runs.alone(place.text) if runs.quick(place.text) else {}
    at = now.at(place.position)
    return State(asked, place, slid, stop, whole, now, gone, at, beside, frozenset(layers), left)


def after_adding(depth: int) -> str:
    """How far up, in words: ``after the heads of layer 2``."""
    if depth == 0:
        return "after the embedding"
    return f"after the {'heads' if depth % 2 else 'MLP'} of layer {(depth + 1) // 2}"


def _lens(run: Run, position: int) -> list[Floats]:
    return list(experiments.probabilities(experiments.guesses(subject.model(), run.flow, position)))


def written(run: Run, key: str, position: int) -> Floats:
    """What a head or an MLP adds at a position: (d_model,)."""
    part = dict(runs.parts())[key]
    mine = run.flow.mlps[part.layer] if part.head is None else run.flow.heads[part.layer][part.head]
    found: Floats = mine[position]
    return found
