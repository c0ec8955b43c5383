"""The numbers that Chapter 2 says in its prose, each computed from the model, its card or a formula."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassbox import examples, model
from glassbox.arrays import Floats
from glassbox.costs import catalogue, roofline, scores
from glassbox.figures import written
from glassbox.figures.attention import (
    mask,
    matrix,
    next_word,
    order,
    paint,
    quadratic,
    reading,
    reasons,
    trained,
)
from glassbox.figures.attention.head_map import habit as habit_at
from glassbox.figures.attention.head_map import short
from glassbox.model import attention, experiments

CLINICAL, HOUSEHOLD = "Patient has severe chest", "She opened a wooden chest of"
WOODEN = "She opened a wooden chest"  # before its “of”
OTHER_WORD, MILD = "Patient has wooden chest", "Patient has mild chest"  # one word of CLINICAL is another
NAMED = "The patient's name is Ada. The patient's name is"


@dataclass(frozen=True)
class Habit:
    """The head that does one thing best: its name, and the share of its weight in percent."""

    name: str
    percent: int


@functools.lru_cache(maxsize=1)
def card() -> dict[str, Any]:
    """The model's card."""
    return model.card()


def million(n: int) -> str:
    """1_049_728 -> ``1.05 million``."""
    return f"{n / 1e6:.2f} million"


def habit(name: str) -> Habit:
    """The best head for a habit, measured on held-out texts."""
    index = reading.best_head(name)
    return Habit(reading.head_names()[index], round(100 * reading.habits()[name][index]))


@dataclass(frozen=True)
class Training:
    """What is said of the training: how often it was measured, and the steps between which copying came."""

    measured: int
    before: int
    after: int
    low: str
    high: str


@functools.lru_cache(maxsize=1)
def training() -> Training:
    """The two neighbouring measurements between which the repeats rise most."""
    rows = trained.rows()
    at = max(range(1, len(rows)), key=lambda n: rows[n]["repeats"] - rows[n - 1]["repeats"])
    one, other = rows[at - 1], rows[at]
    return Training(
        len(rows), one["step"], other["step"], _percent(one["repeats"]), _percent(other["repeats"])
    )


def said_at(step: int, beginning: int, word: str) -> str:
    """What one of the beginnings watched in training gave a next word at a step, as written."""
    return _percent({str(said): share for said, share in trained.guesses(step)[beginning]}[word])


def skill_at(step: int, skill: str) -> str:
    """How much of one of ``trained.SKILLS`` was right at a step, as written."""
    return _percent(next(row for row in trained.rows() if row["step"] == step)[skill])


def resting() -> str:
    """The heads that spend most of their weight on the first token, in words: a whole layer, or each by name."""
    c = model.load().config
    found = [n for n in range(c.n_layers * c.n_heads) if habit_at(n) == "first"]
    layers = [a for a in range(c.n_layers) if all(a * c.n_heads + b in found for b in range(c.n_heads))]
    if len(layers) == 1 and len(found) == c.n_heads:
        return f"all of layer {layers[0] + 1}"
    return "heads " + ", ".join(map(short, found))


def recalled() -> str:
    """How often the model says a name it was told, at its worst distance."""
    return _percent(min(row["right"] for row in card()["recall"]))


@dataclass(frozen=True)
class Told:
    """How much of a head's weight lies at most on a name, told so many tokens ago."""

    tokens: int
    share: str


def told(which: int) -> Told:
    """The nearest (0) or the furthest (-1) distance at which names were asked for."""
    row = card()["recall"][which]
    return Told(round(row["tokens"]), _percent(row["weight"]))


@dataclass(frozen=True)
class Copying:
    """What was found by cutting about text that is said again; shares as written.

    Attributes:
        whole: How often the token is right.
        linker: The head whose looks one token back are needed most.
        unlinked: How often it is right without them.
        readers: The heads that read what followed last time; enough of them to matter.
        alone: How often it is right without such looks of the one that is needed most.
        unread: How often without such looks of all of them.
    """

    whole: str
    linker: str
    unlinked: str
    readers: str
    alone: str
    unread: str


def copying(what: str) -> Copying:
    """The heads that copy ``"names"`` or ``"random tokens"``."""
    found = card()["copying"][what]
    (layer, head, unlinked), readers = found["linkers"][0], found["readers"]
    return Copying(
        _percent(found["whole"]),
        f"layer {layer}, head {head}",
        _percent(unlinked),
        heads_of([(int(a), int(b)) for a, b, _ in readers]),
        _percent(float(np.min(found["without its look at the source"]))),
        _percent(readers[-1][2]),
    )


def heads_of(heads: list[tuple[int, int]]) -> str:
    """Layers and heads, counted from 1, as one says them: ``heads 2 and 4 of layer 3`` where they share it."""
    if len(heads) == 1 or len({layer for layer, _ in heads}) > 1:
        return joined([f"layer {layer}, head {head}" for layer, head in heads])
    return f"heads {joined([str(head) for _, head in sorted(heads)])} of layer {heads[0][0]}"


def joined(names: list[str]) -> str:
    """One name after the other, *and* before the last."""
    return " and ".join([", ".join(names[:-1])] * bool(names[:-1]) + names[-1:])


def parked() -> list[Habit]:
    """The heads that rest on the first token, the one that rests there most before the others."""
    heads = sorted(card()["sink"]["heads"], key=lambda head: -head[2])
    return [Habit(f"layer {a}, head {b}", round(100 * share)) for a, b, share in heads]


def reader(text: str, word: str) -> str:
    """The head that looks most from the last position at a word."""
    read = reading.read(text, 12)
    at = read.labels.index(word)
    rows = np.array([w[:, -1, at] for w in read.forward.weights])
    return reading.head_names()[int(rows.argmax())]


def cut(text: str, word: str, *sources: str) -> str:
    """The probability of a next word when the last position cannot look at some words, in any head."""
    read = reading.read(text, 12)
    edges = [experiments.Edge(len(read.ids) - 1, read.labels.index(source)) for source in sources]
    logits = experiments.cut(model.load(), read.ids, edges).logits[-1]
    return _percent(experiments.probabilities(logits)[_token(word)])


def cut_in(text: str, word: str, source: str, heads: tuple[int, ...]) -> str:
    """The same when some heads cannot look at one word; heads as ``reading.head_at`` counts them."""
    read = reading.read(text, 12)
    last, at = len(read.ids) - 1, read.labels.index(source)
    edges = [experiments.Edge(last, at, *reading.head_at(i)) for i in heads]
    logits = experiments.cut(model.load(), read.ids, edges).logits[-1]
    return _percent(experiments.probabilities(logits)[_token(word)])


@dataclass(frozen=True)
class Needed:
    """A head by number and name, and the probability that is left of a word when its look is cut."""

    at: int
    name: str
    left: str


@functools.lru_cache(maxsize=8)
def _alone(text: str, word: str, source: str) -> tuple[float, ...]:
    """The probability of a next word when one head cannot look from the end at one word; head by head."""
    m, read = model.load(), reading.read(text, 12)
    last, at, token = len(read.ids) - 1, read.labels.index(source), _token(word)
    edges = [experiments.Edge(last, at, *reading.head_at(i)) for i in range(len(reading.head_names()))]
    return tuple(
        float(experiments.probabilities(experiments.cut(m, read.ids, [e]).logits[-1])[token]) for e in edges
    )


def cut_alone(text: str, word: str, source: str) -> tuple[str, ...]:
    """The same, as written."""
    return tuple(_percent(left) for left in _alone(text, word, source))


def needed(text: str, word: str, source: str) -> Needed:
    """The head whose look from the end at one word costs the next word most."""
    left = _alone(text, word, source)
    worst = min(range(len(left)), key=left.__getitem__)
    return Needed(worst, reading.head_names()[worst], _percent(left[worst]))


def _percent(share: float) -> str:
    return written.percent(share)


def _token(word: str) -> int:
    return [str(reading.label(i, next_word=True)) for i in range(len(probabilities("The")))].index(word)


@functools.lru_cache(maxsize=8)
def probabilities(text: str) -> Floats:
    """The distribution of the next token."""
    return attention.softmax(reading.read(text, 512).forward.logits[-1].astype(np.float64))


def likeliest(text: str, count: int = 1) -> list[tuple[str, str]]:
    """The likeliest next tokens and their probabilities in percent, as written."""
    probs = probabilities(text)
    return [
        (reading.label(int(i), next_word=True), _percent(float(probs[i]))) for i in np.argsort(-probs)[:count]
    ]


def probability(text: str, word: str) -> str:
    """The probability of one next token, in percent."""
    return _percent(probabilities(text)[_token(word)])


def turned(text: str) -> str:
    """The likeliest next token's probability once the adjective-reading head's last row is turned round."""
    swap = reasons.deciding(text)
    return _percent(float(swap.turn.new_probs[int(swap.turn.probs.argmax())]))


def after_turning(text: str) -> str:
    """What that did to it, as a sentence goes on: ``goes from 90 % to 89 %``."""
    swap = reasons.deciding(text).turn
    was, now = _percent(float(swap.probs.max())), turned(text)
    return f"stays at {now}" if was == now else f"goes from {was} to {now}"


def shared_next_words() -> int:
    """How many of the five words published in the article are among this model's ten likeliest."""
    ours = {word for word, _ in likeliest("The patient has", 10)}
    return len(ours & set(next_word.LARGE))


def peak(name: str) -> str:
    """The distance at which the best head for a habit scores the same words highest."""
    return order.back(int(order.distance_scores(reading.best_head(name)).argmax()))


def weight_on(text: str, word: str, head: int) -> int:
    """Percent that a head's last position gives to a word of the text, rounded as the figure rounds its row."""
    read = reading.read(text, 12)
    layer, h = reading.head_at(head)
    return matrix.shares(read.forward.weights[layer][h, -1])[read.labels.index(word)]


def reported_attention() -> str:
    """The published shares over *Patient has severe chest*."""
    return examples.example("severe-attention").text


def pain_from() -> int:
    """The smallest percentage poured from *severe*, with none from *drawers*, that makes *pain* the next word."""
    mixes = ((s, paint.distances(paint.mixed_colour(paint.shares(s, 0)))) for s in range(101))
    return next(s for s, far in mixes if next(iter(far)) == "pain")


def two_scores_percent() -> float:
    """Share of the second of two scores, 0 and ln 3, in percent."""
    return float(100 * attention.softmax(np.array([0.0, np.log(3.0)]))[1])


def first_row_percent() -> float:
    """What the first row of a masked matrix gives to the first key, whatever the scores."""
    scores = np.random.default_rng(0).normal(size=(1, 5, 5))
    return float(100 * attention.weights(scores, attention.causal_mask(5, 5))[0, 0, 0])


def config() -> model.Config:
    """The model's sizes."""
    return model.load().config


def reach(window: int) -> int:
    """How many tokens back a stack of layers could reach, each with a window: itself and window - 1 more, each time."""
    return config().n_layers * (window - 1)


def half_length() -> int:
    """At how many tokens attention takes half of the arithmetic of reading, to the thousand."""
    return round(roofline.even_length(quadratic.shape()), -3)


def small_score() -> float:
    """The scaled score of the query and key of the whiteboard check."""
    q, k = np.array([[[1.0, 2.0, 0.0, 1.0]]]), np.array([[[3.0, 0.0, 5.0, 1.0]]])
    return float(attention.scores(q, k)[0, 0, 0])


__all__ = [
    "CLINICAL",
    "HOUSEHOLD",
    "MILD",
    "NAMED",
    "OTHER_WORD",
    "WOODEN",
    "Copying",
    "Habit",
    "Needed",
    "Told",
    "after_turning",
    "card",
    "catalogue",
    "config",
    "copying",
    "cut",
    "cut_alone",
    "experiments",
    "first_row_percent",
    "habit",
    "half_length",
    "heads_of",
    "joined",
    "likeliest",
    "mask",
    "million",
    "needed",
    "next_word",
    "order",
    "paint",
    "parked",
    "peak",
    "probabilities",
    "probability",
    "quadratic",
    "reach",
    "reader",
    "reasons",
    "recalled",
    "reported_attention",
    "scores",
    "shared_next_words",
    "small_score",
    "told",
    "turned",
    "two_scores_percent",
    "weight_on",
]
