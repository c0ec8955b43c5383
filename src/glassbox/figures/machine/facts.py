"""The numbers that Chapter 4 says in its prose, each computed from the model; another model changes them all."""

from __future__ import annotations

from glassbox import model
from glassbox.figures.attention.facts import card, million
from glassbox.figures.machine import cuts, runs
from glassbox.figures.machine.runs import CLINICAL, HOUSEHOLD, heaviest
from glassbox.model import experiments


def config() -> model.Config:
    """The model's sizes."""
    return model.load().config


def counted(number: int) -> str:
    """A small number in words: ``four``."""
    words = [
        "no",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    ]
    return words[number] if number < len(words) else f"{number:,}"


def place(text: str, word: str) -> int:
    """At which position a word of a text stands; the start is position 0.

    Raises:
        ValueError: The text, cut into tokens, has no such word.
    """
    labels = [str(label) for label in runs.run(text).labels]
    if word not in labels:
        raise ValueError(f"{text!r} is read as {labels}, without a token {word!r}")
    return labels.index(word)


def hidden(text: str, word: str) -> str:
    """The cut that takes away every look at a word."""
    return cuts.looks_key(place(text, word))


def likeliest(text: str, cut: str = "") -> str:
    """The likeliest next word while something is cut."""
    return runs.word(int(runs.run(text, cut).probs[-1].argmax()))


def chance(text: str, cut: str = "", word: str = "") -> str:
    """The probability of a next word while something is cut; of the whole machine's own answer, if none is named."""
    probs = runs.run(text, cut).probs[-1]
    token = _token(word) if word else int(runs.run(text).probs[-1].argmax())
    return runs.percent(float(probs[token]))


def _token(word: str) -> int:
    return [str(runs.word(i)) for i in range(config().vocab_size)].index(word)


def outcome(text: str, cut: str) -> str:
    """What a cut does to the answer, as a sentence goes on: ``*pain* falls from 87 % to 62 %``."""
    before, after = runs.run(text).probs[-1], runs.run(text, cut).probs[-1]
    top, new = int(before.argmax()), int(after.argmax())
    change = float(after[top] - before[top])
    moves = "falls" if change < -0.005 else "rises" if change > 0.005 else "stays"
    said = f"*{runs.word(top)}* {moves} "
    said += (
        f"at {runs.percent(after[top])}"
        if moves == "stays"
        else f"from {runs.percent(before[top])} to {runs.percent(after[top])}"
    )
    return said if new == top else f"{said}, and *{runs.word(new)}* leads with {runs.percent(after[new])}"


def lightest(text: str) -> str:
    """The head whose cut moves least."""
    by_key = runs.alone(text)
    heads = [key for key, part in runs.parts() if part.head is not None]
    return min(heads, key=lambda key: float(by_key[key].moved[-1]))


def spared(text: str) -> int:
    """How many heads can be cut, one at a time, while the likeliest next word stays the likeliest."""
    m, whole = model.load(), runs.run(text)
    top, kept = int(whole.probs[-1].argmax()), 0
    for _, part in runs.parts():
        if part.head is not None:
            kept += int(experiments.without(m, whole.ids, [part]).logits[-1].argmax()) == top
    return kept


def n_heads() -> int:
    """Heads of the whole model."""
    return config().n_layers * config().n_heads


def n_parts() -> int:
    """Heads and MLPs: all that adds to a stream."""
    return n_heads() + config().n_layers


__all__ = [
    "CLINICAL",
    "HOUSEHOLD",
    "card",
    "chance",
    "config",
    "counted",
    "heaviest",
    "hidden",
    "lightest",
    "likeliest",
    "million",
    "n_heads",
    "n_parts",
    "outcome",
    "place",
    "spared",
]
