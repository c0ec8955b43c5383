"""The whole machine: every head and MLP of the model on one text, each of which can be cut."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from glassbox.figures import subject
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table, Work
from glassbox.figures.machine import answers, board, cuts, guide, runs, sheet, state
from glassbox.figures.machine.runs import Alone
from glassbox.figures.machine.state import ADDS, BESIDE, LEFT, State, after_adding
from glassbox.figures.machine.tour import Place
from glassbox.figures.markup import Kept, el

TITLE = "The whole machine"


def machine(
    text: str, cut: str = "", position: int = 99, beside: str = ADDS, depth: int = 99, tour: int = 1
) -> Figure | Work:
    """The whole path of one text: every part can be cut, and the next word stands there before and after.

    Args:
        text: The text; its last seven tokens are read.
        cut: What is cut, as ``cuts.parse`` reads it.
        position: The word that is followed; beyond the end, the last one.
        beside: What stands beside each part: one of ``BESIDE``.
        depth: After how many additions the stream is read: 0 the embedding, 1 the first heads, 2 the first MLP …
        tour: A stop of the tour, from 1; it decides while the first three and ``depth`` stand at their defaults
            or at one of its stops.
    """
    one_of("beside", beside, BESIDE)
    shown = state.of(Place(text, cut, position, depth), beside, tour)
    if beside == LEFT and not shown.left:
        return Work(lambda: _cutting(shown))
    return _figure(shown)


def _cutting(shown: State) -> Iterator[Figure]:
    """Cuts the parts that have a row one after the other: a large model takes its time for each."""
    left: dict[str, Alone] = {}
    for key in shown.shown:
        left[key] = runs.one(shown.text, key)
        yield _figure(dataclasses.replace(shown, left=left))


def _figure(shown: State) -> Figure:
    picture = el(
        "div",
        guide.guide(shown),
        el("div", answers.next_words(shown), class_="mc-out"),
        board.board(shown),
        el("div", answers.numbers(shown), class_="mc-strip"),
        class_="mc mc-many" if runs.many() else "mc",
    )
    return Figure(TITLE, _sentence(shown), picture, _table(shown), note=shown.now.note)


def _sentence(state: State) -> str:
    """What the answer was and what the cuts made of it."""
    before, after = state.before, state.after
    said = f"After “{' '.join(state.whole.labels[1 : state.at + 1]) or state.whole.labels[0]}”"
    answer = f"“{runs.word(state.top)}”"
    if not state.risen:
        now = int(after.argmax())
        gone = f", without {cuts.in_words(state.cut, state.now.labels)}" if state.cut else ""
        return (
            f"{said}{gone}, read {after_adding(state.depth)}, the stream says “{runs.word(now)}” "
            f"{runs.percent(after[now])}; at the top of the whole machine it says {answer} {runs.percent(before[state.top])}."
        )
    if not state.cut and not runs.quick(state.text):
        return f"{said} {subject.name()} gives {answer} {runs.percent(before[state.top])}. {_largest(state)}"
    if not state.cut:
        head = runs.heaviest(state.text, "head", state.at)
        mlp = runs.heaviest(state.text, "MLP", state.at)
        return (
            f"{said} the whole machine gives {answer} {runs.percent(before[state.top])}. Of all heads {head.key} "
            f"matters most when it alone is cut ({runs.percent(head.left[state.at])} left), of the MLPs "
            f"{mlp.key} ({runs.percent(mlp.left[state.at])} left)."
        )
    likeliest = int(after.argmax())
    then = (
        "it stays the likeliest"
        if likeliest == state.top
        else f"the likeliest is now “{runs.word(likeliest)}” with {runs.percent(after[likeliest])}"
    )
    gone = cuts.in_words(state.cut, state.now.labels)
    return f"{said}, without {gone}, {answer} {runs.moved(before[state.top], after[state.top])}; {then}."


def _largest(state: State) -> str:
    """Which head and which MLP add most to the stream: known at once of every model."""
    heads = max((k for k in state.added if "MLP" not in k), key=state.added.__getitem__)
    mlps = max((k for k in state.added if "MLP" in k), key=state.added.__getitem__)
    shares = [runs.percent(state.added[k]) for k in (heads, mlps)]
    return (
        f"Of all heads {heads} adds most to the stream ({shares[0]} of it), of the MLPs {mlps} ({shares[1]})."
    )


def _table(state: State) -> Table:
    """Next words before and after, then every part."""
    answer = runs.word(state.top)
    rows: list[tuple[Cell, ...]] = [
        (
            Kept(f"next word: {runs.word(w)}"),
            _hundred(state.before[w]),
            _hundred(state.after[w]),
            "",
        )
        for w in state.words
    ]
    before = sheet.added(state.whole, state.at)
    for key, part in runs.parts():
        name = cuts.named(cuts.Cut(key, part), state.now.labels)
        adds: tuple[Cell, Cell] = ("", "")
        if key in before:
            adds = (round(100 * before[key], 1), round(100 * state.added[key], 1))
        known = state.left.get(key)
        rows.append((name, *adds, "" if known is None else _hundred(known.left[state.at])))
    columns = (
        "word, or part and how large what it adds is",
        "whole (%)",
        "with the cuts (%)" if state.risen else f"read {after_adding(state.depth)} (%)",
        f"{answer} when it alone is cut (%)",
    )
    return Table(columns, tuple(rows))


def _hundred(share: float) -> float:
    return round(100 * float(share), 2)
