"""The tour of the whole machine: twelve states that a reader walks through, each with what is to be seen there.

A tour's stop is a place, the values of four controls. The picture's own buttons set these, so that the controls say
what is shown. A slider of the tour's stops serves addresses and notebooks: while the four stand at their defaults or
at a place of the tour, it decides; where the reader has set something else, that counts, and it says which stop was
left.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

from glassbox.figures import subject
from glassbox.figures.machine import cuts, facts, runs
from glassbox.figures.machine.runs import CLINICAL, HOUSEHOLD

KEYS = "red key, blue box, red"  # what follows was said before: to find it takes order
PAIR = ("1.2", "2.1")  # heads that can go alone
LAST = runs.LIMIT - 1
STOPS = 12


@dataclass(frozen=True)
class Place:
    """What four controls say: a text, what is cut, who is followed, and how far up.

    Attributes:
        text: The text.
        cut: As ``cuts`` writes it.
        position: Who is followed; ``LAST`` is the last token of any text.
        depth: After how many additions the stream is read: 0 the embedding, then heads and MLP of each layer.
    """

    text: str = CLINICAL
    cut: str = ""
    position: int = LAST
    depth: int = 99

    def shows(self) -> tuple[object, ...]:
        """What is shown, the same however it is written."""
        keys = frozenset(cut.key for cut in cuts.parse(self.cut))
        return self.text, keys, runs.run(self.text).at(self.position), min(self.depth, top())


@dataclass(frozen=True)
class Stop:
    """One state of the tour.

    Attributes:
        title: A few words.
        place: What is shown.
        says: What is to be seen, worked out when it is asked for; words of the model between stars.
    """

    title: str
    place: Place
    says: Callable[[], str]


def top() -> int:
    """The depth at which nothing more is added: heads and MLP of each layer have."""
    return 2 * subject.model().config.n_layers


@functools.lru_cache(maxsize=1)
def stops() -> tuple[Stop, ...]:
    """The twelve stops."""
    head, mlp = facts.heaviest(CLINICAL, "head").key, facts.heaviest(CLINICAL, "MLP").key
    light, hidden = facts.lightest(CLINICAL), facts.hidden(CLINICAL, "severe")
    before = facts.place(CLINICAL, "severe")
    start = Place(depth=top())

    def cut(key: str) -> Place:
        return replace(start, cut=key)

    return (
        Stop("The whole machine", start, _whole),
        Stop("A token takes its row", replace(start, depth=0), lambda: _reads(0)),
        Stop("The heads have read", replace(start, depth=1), lambda: _reads(1)),
        Stop("Layer on layer", replace(start, depth=top() - 2), lambda: _reads(top() - 2)),
        Stop("Every token guesses", replace(start, position=before), _each),
        Stop("The head that matters most", cut(head), lambda: f"{_without(head)} {_ADDS}"),
        Stop("The head that matters least", cut(light), lambda: f"{_without(light)} {_spared()}"),
        Stop("Two at once", cut(" ".join(PAIR)), _pair),
        Stop("The MLP that matters most", cut(mlp), lambda: f"{_without(mlp)} {_ALONE}"),
        Stop("A hidden word", cut(hidden), _hidden),
        Stop("The same word elsewhere", replace(start, text=HOUSEHOLD), _household),
        Stop("Without order", replace(start, text=KEYS, cut=cuts.ROTATION), _order),
    )


_ADDS = "It is not gone from the drawing: it adds nothing, and what stands above has to do without."
_ALONE = "An MLP moves nothing between tokens; it changes what a stream says."


def _whole() -> str:
    c = facts.config()
    return (
        f"{facts.counted(len(runs.run(CLINICAL).ids) - 1).capitalize()} tokens and the start, {c.n_layers} layers of {c.n_heads} heads and an MLP. After *{CLINICAL}* the last token’s "
        f"stream says *{facts.likeliest(CLINICAL)}*, {facts.chance(CLINICAL)}. Go on, or press any part to cut it."
    )


def _reads(depth: int) -> str:
    word, share = facts.said(CLINICAL, depth)
    reading = f"Read now, it would say *{word}*, {share}."
    if depth == 0:
        return f"Before any layer the stream of *chest* is its row of a table of learned numbers, {facts.config().d_model} of them. {reading}"
    if depth == 1:
        return f"The heads of layer 1 have read this stream and those before it, and what they added is all that was added so far. {reading}"
    return f"{facts.counted(depth // 2).capitalize()} of {facts.counted(facts.config().n_layers)} layers have added to the stream. {reading} At the top it is {facts.chance(CLINICAL)}."


def _each() -> str:
    word, share = facts.said(CLINICAL, top(), facts.place(CLINICAL, "severe"))
    return (
        f"Followed here is *severe*, one token earlier. It may not see *chest*, and it guesses too: *{word}*, {share}. "
        "All streams run side by side."
    )


def _without(key: str) -> str:
    return f"Without {key}, {facts.outcome(CLINICAL, key)}."


def _spared() -> str:
    alone = facts.spared_heads(CLINICAL)
    return f"{alone} can go like this, one at a time, and *{facts.likeliest(CLINICAL)}* stays in front."


def _pair() -> str:
    one, two = PAIR
    return (
        f"Without {one}, {facts.outcome(CLINICAL, one)}; without {two}, {facts.outcome(CLINICAL, two)}. "
        f"Without both, {facts.outcome(CLINICAL, f'{one} {two}')}. Parts can stand in for each other."
    )


def _hidden() -> str:
    severe, has = (facts.hidden(CLINICAL, word) for word in ("severe", "has"))
    return f"No later token may look at *severe*, in any head: {facts.outcome(CLINICAL, severe)}. With *has* hidden instead, {facts.outcome(CLINICAL, has)}."


def _household() -> str:
    wooden = facts.hidden(HOUSEHOLD, "wooden")
    return (
        f"The last token is *chest* again, with the same row; yet here *{facts.likeliest(HOUSEHOLD)}* has {facts.chance(HOUSEHOLD)}. "
        f"With *wooden* hidden, {facts.outcome(HOUSEHOLD, wooden)}."
    )


def _order() -> str:
    return (
        f"No head is told any more how far away a word stands (queries and keys are no longer turned by their places). After *{KEYS}*, "
        f"{facts.outcome(KEYS, cuts.ROTATION)}. In *{CLINICAL}* the same cut does little: {facts.outcome(CLINICAL, cuts.ROTATION)}."
    )


def shown(asked: Place, stop: int) -> tuple[Place, int | None]:
    """The place that is shown, and which stop it is, counted from 1; None where the reader has left the tour.

    Args:
        asked: What the four controls say.
        stop: What the slider of the tour says; the first stop leaves it to the others.
    """
    found = find(asked)
    if stop > 1 and found is not None:
        at = min(int(stop), len(stops()))
        return stops()[at - 1].place, at
    return asked, found


def find(place: Place) -> int | None:
    """Which stop a place is, counted from 1; None if none, and with a reader's model, which the tour does not know."""
    if not subject.is_ours():
        return None
    return _found().get(place.shows())


@functools.lru_cache(maxsize=1)
def _found() -> dict[tuple[object, ...], int]:
    """What each stop shows, and which it is."""
    return {stop.place.shows(): n for n, stop in enumerate(stops(), 1)}


def sets(asked: Place, slid: int, left: int, wanted: Place) -> dict[str, object]:
    """What a press sets to get from what the controls say to a place: the controls that have to move.

    Args:
        asked: What the four controls say.
        slid: What the slider of the tour says.
        left: The stop that the reader leaves, or has left, should the place be none of the tour's.
        wanted: The place.
    """
    moves: dict[str, object] = {}
    if (stop := 1 if find(wanted) else left) != slid:
        moves["tour"] = stop
    for name in ("text", "cut", "position", "depth"):
        if (value := getattr(wanted, name)) != getattr(asked, name):
            moves[name] = value
    return moves
