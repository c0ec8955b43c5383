"""The same text written twice, with and without a cache, in the reader's own browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from glassbox import examples, model
from glassbox.figures import subject, vega
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table, Work
from glassbox.figures.kv_cache import runs
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import seconds, si
from glassbox.model import experiments

TITLE = "The race"
PROMPT = "The patient has"
LENGTHS = (16, 32, 64, 128, 256)
WORK, TIMED = "multiply-adds", "seconds, here"  # the chart's two lines
MOST = 120  # times: where its axis ends
CHECKED = 64  # tokens that are compared before the race: this many take no time to write
SLICE_SECONDS = 0.05  # work between two pictures: short enough to stop, long enough not to draw all the time


@dataclass
class Lane:
    """One of the two runs as far as it has come."""

    name: str
    tone: str
    steps: list[model.generate.Step] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Time its own steps took."""
        return sum(s.seconds for s in self.steps)

    @property
    def ids(self) -> list[int]:
        """The tokens it has written."""
        return [s.id for s in self.steps]


@subject.kept(maxsize=16)
def multiply_adds(n_new: int, use_cache: bool) -> int:
    """Multiplications for writing ``n_new`` tokens after the prompt."""
    return model.generate.multiply_adds(subject.model(), len(runs.encoded(PROMPT)), n_new, use_cache)


def checked(n_new: int) -> tuple[tuple[int, ...], bool, float]:
    """What the cached run writes, and whether one pass over all of it without a cache agrees.

    A reader's model is larger, and is compared while it races: nothing is written before.

    Args:
        n_new: How many tokens, at most ``CHECKED``.

    Returns:
        The ids, whether they are identical, and the largest difference of a logit.
    """
    if not subject.is_ours():
        return (), True, 0.0
    found = _compared()
    return found.ids[:n_new], all(found.same[:n_new]), max(found.gaps[:n_new])


@subject.kept(maxsize=1)
def _compared() -> experiments.Rechecked:
    """The first ``CHECKED`` tokens; a shorter text is the beginning of a longer one, so one serves every length."""
    return experiments.recheck(subject.model(), runs.encoded(PROMPT), CHECKED)


def race(length: int = 64, presses: int = 0) -> Figure | Work:
    """Before the start: what can be counted. After it: the race itself, step by step.

    Args:
        length: How many tokens to write.
        presses: How often the start button was pressed.
    """
    one_of("length", length, LENGTHS)
    return Work(lambda: run(length)) if presses else counted(length)


def counted(length: int) -> Figure:
    """The part of the race that is the same on every machine."""
    ids, same, gap = checked(min(length, CHECKED))
    without, with_cache = multiply_adds(length, False), multiply_adds(length, True)
    sentence = (
        f"{length} tokens take {si(without)} multiply-adds without a cache and {si(with_cache)} "
        f"with one, {without / with_cache:.0f} times fewer"
    )
    ours = subject.is_ours()
    sentence += f", and {_which(length)} {_same(same)}; " if ours else f" in {subject.name()}; "
    sentence += "press start for the seconds."
    lanes = [Lane("without a cache", "severe"), Lane("with a cache", "value")]
    picture = _picture(lanes, length, ids, gap, sentence)
    return Figure(TITLE, sentence, picture, _table(length, same, gap, None), note=_reported())


def _which(length: int) -> str:
    return "the tokens are" if length <= CHECKED else f"the first {CHECKED} tokens, checked here, are"


def _same(same: bool) -> str:
    return "identical" if same else "not identical"


def run(length: int) -> Iterator[Figure]:
    """Races: whichever lane has used less time makes the next step, so both clocks run evenly."""
    m, ids = subject.model(), runs.encoded(PROMPT)
    lanes = [Lane("without a cache", "severe"), Lane("with a cache", "value")]
    streams = [
        model.generate.stream(m, ids, length, model.generate.likeliest, use_cache=use)
        for use in (False, True)
    ]
    unseen = 0.0
    while any(len(lane.steps) < length for lane in lanes):
        open_ = [n for n in (0, 1) if len(lanes[n].steps) < length]
        n = min(open_, key=lambda i: lanes[i].seconds)
        lanes[n].steps.append(next(streams[n]))
        unseen += lanes[n].steps[-1].seconds
        if unseen >= SLICE_SECONDS:
            unseen = 0.0
            yield _state(lanes, length)
    yield _state(lanes, length)


def _state(lanes: list[Lane], length: int) -> Figure:
    plain, cached = lanes
    done = len(plain.steps) == len(cached.steps) == length
    both = min(len(plain.steps), len(cached.steps))
    pairs = zip(plain.steps[:both], cached.steps[:both], strict=True)
    gap = max((float(np.abs(a.logits - b.logits).max()) for a, b in pairs), default=0.0)
    same = plain.ids[:both] == cached.ids[:both]
    if done:
        ratio = plain.seconds / cached.seconds if cached.seconds else float("inf")
        sentence = (
            f"{length} tokens took {seconds(plain.seconds)} without a cache and {seconds(cached.seconds)} "
            f"with one, {ratio:.1f} times longer, here in this browser; the tokens are "
            f"{_same(same)}, and no logit differs by more than {gap:.7f}."
        )
    else:
        sentence = f"With a cache {len(cached.steps)} of {length} tokens, without one {len(plain.steps)}."
    longest = max(lanes, key=lambda lane: len(lane.steps)).ids
    picture = _picture(lanes, length, tuple(longest), gap, sentence)
    return Figure(TITLE, sentence, picture, _table(length, same, gap, lanes), "measured", _reported())


def _picture(lanes: list[Lane], length: int, ids: tuple[int, ...], gap: float, sentence: str) -> Markup:
    text = "".join(" ¶" if i in subject.model().stops else runs.shown((i,))[0] for i in ids)
    return el(
        "div",
        [_lane(lane, length) for lane in lanes],
        el("p", el("b", PROMPT), text, " …" if len(ids) < length else "", class_="race-text"),
        _ratio(lanes, length, sentence),
        class_="race",
    )


def _lane(lane: Lane, length: int) -> Markup:
    cached = lane.tone == "value"
    work = multiply_adds(length, cached)
    time = seconds(lane.seconds) if lane.steps else "not timed yet"
    return el(
        "div",
        el(
            "p",
            el("b", lane.name),
            el("span", f"{len(lane.steps)} of {length} tokens" if lane.steps else "", class_="soft small"),
        ),
        el(
            "span",
            class_="meter",
            style=f"--share:{100 * len(lane.steps) / length:.3g}%;--tone:var(--{lane.tone})",
        ),
        el("p", el("b", time), el("span", f"{si(work)} multiply-adds in all", class_="soft small")),
        class_="race-lane",
    )


def _ratio(lanes: list[Lane], length: int, sentence: str) -> Markup:
    lengths = sorted({1, 2, 4, 8, *range(16, LENGTHS[-1] + 1, 16)})
    ratios = [(float(n), multiply_adds(n, False) / multiply_adds(n, True)) for n in lengths]
    rows = [{"tokens": n, "times": times, "series": WORK} for n, times in ratios]
    rows += [{"tokens": n, "times": times, "series": TIMED} for n, times in _timed(lanes) if times <= MOST]
    here = [{"tokens": length, "text": f"{length} tokens"}]
    return vega.drawn("kv_cache.race", {"lines": rows, "here": here}, sentence)


def _timed(lanes: list[Lane]) -> list[tuple[float, float]]:
    """Seconds without over seconds with, so far, every eight tokens."""
    both = min(len(lane.steps) for lane in lanes)
    times = [np.cumsum([s.seconds for s in lane.steps[:both]]) for lane in lanes]
    return [
        (float(n), float(times[0][n - 1] / times[1][n - 1]))
        for n in range(8, both + 1, 8)
        if times[1][n - 1] > 0
    ]


def _table(length: int, same: bool, gap: float, lanes: list[Lane] | None) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for n, name in enumerate(("without a cache", "with a cache")):
        time = f"{lanes[n].seconds:.3f}" if lanes and len(lanes[n].steps) == length else "not timed yet"
        rows.append((name, length, multiply_adds(length, bool(n)), time))
    if lanes or subject.is_ours():
        alike = "yes" if same else "no"
        rows.append(("ids identical", alike, "largest difference of a logit", f"{gap:.1e}"))
    plain, cached = examples.example("generation-seconds").text.split(",")[0].split(" and ")
    rows.append(("reported elsewhere, another model", "", "", f"{plain} without, {cached} with"))
    return Table(("run", "tokens", "multiply-adds", "seconds"), tuple(rows))


def _reported() -> str:
    times, ratio = examples.example("generation-seconds"), examples.example("generation-ratio")
    return (
        f"Reported for a model, unnamed, on other hardware, without and with a cache: {times.text} ({ratio.text}). The logits agree to "
        "rounding, not bit for bit: the same sums are made in another order."
    )
