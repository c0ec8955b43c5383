"""The head of the whole machine: where on the tour a reader is, what is to be seen there, and the way on."""

from __future__ import annotations

import json
import re

from glassbox.figures import subject
from glassbox.figures.machine import tour
from glassbox.figures.machine.state import State
from glassbox.figures.markup import Child, Kept, Markup, el


def guide(state: State) -> Markup | None:
    """The stop's sentences and the buttons that lead to the others; ``js/tour.js`` plays them."""
    if not subject.is_ours():
        return None  # what the tour says was found out about ours
    stops = tour.stops()
    at = state.stopped
    stop = stops[at - 1]
    if state.stop is None:
        said: list[Child] = [
            el("b", "Your own way."),
            f" Stop {at} of the tour, {stop.title}, is where you left it.",
        ]
    else:
        said = [el("b", f"{at} of {len(stops)}. {stop.title}."), " ", *starred(stop.says())]
    turns = [
        _button(state, (at - 2) % len(stops), "‹ Back", "‹ Back: the stop before", "mc-turn"),
        el(
            "span",
            [
                _button(state, n, str(n + 1), f"{n + 1}: {s.title}", _dot(n + 1, state.stop))
                for n, s in enumerate(stops)
            ],
            class_="mc-dots",
        ),
        _next(state, at),
        el(
            "button",
            el("span", "Play"),
            el("span", "Stop"),
            type="button",
            aria_label="Play or stop the tour",
            aria_pressed="false",
            class_="mc-turn mc-play",
        ),
    ]
    return el(
        "div",
        el("p", said, class_="mc-said"),
        el("div", turns, role="group", aria_label="the tour", class_="mc-turns"),
        class_="mc-tour",
    )


def _next(state: State, at: int) -> Markup:
    """The button that is pressed most: on the tour the next stop, off it the stop that was left."""
    if state.stop is None:
        return _button(state, at - 1, "Back to it", "Back to it: to the tour", "mc-turn mc-next")
    return _button(state, at % len(tour.stops()), "Next ›", "Next ›: the next stop", "mc-turn mc-next")


def _dot(number: int, at: int | None) -> str:
    return "mc-stop mc-on" if number == at else "mc-stop"


def _button(state: State, index: int, words: str, name: str, kind: str) -> Markup:
    place = tour.stops()[index].place
    wanted = tour.sets(state.asked, state.slid, state.stopped, place)
    return el(
        "span",
        words,
        role="button",
        tabindex=0,
        aria_label=name,
        aria_current="step" if kind.endswith("mc-on") else None,
        data_set=json.dumps(wanted),
        data_ahead=True,
        class_=kind,
    )


def starred(text: str) -> list[Child]:
    """Text in which words of the model stand between stars, as the prose writes them."""
    return [
        el("i", Kept(piece)) if n % 2 else piece for n, piece in enumerate(re.split(r"\*([^*\n]+)\*", text))
    ]
