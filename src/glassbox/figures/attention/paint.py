"""Mixing paint: the word *chest* takes on the colour of the words it attends to.

The colours are the metaphor, and ours: a "meaning" with three numbers (red, green, blue) instead of the
model's 128. The arithmetic is the real one: ``attention.mix`` adds the values in the shares of attention.
"""

from __future__ import annotations

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.model import attention

TITLE = "Mixing paint"

# The values: what each word would pass on. Red, green and blue from 0 to 1.
VALUES: dict[str, tuple[float, float, float]] = {
    "severe": (0.84, 0.12, 0.14),
    "chest": (0.76, 0.76, 0.76),
    "drawers": (0.40, 0.24, 0.06),
}

# Possible next words, each the mix (severe, chest, drawers) whose colour is its meaning.
NEXT_WORDS: dict[str, tuple[float, float, float]] = {
    "pain": (1.0, 0.0, 0.0),
    "tightness": (0.5, 0.5, 0.0),
    "X-ray": (0.0, 1.0, 0.0),
    "lid": (0.0, 0.5, 0.5),
    "handle": (0.0, 0.0, 1.0),
    "damage": (0.5, 0.0, 0.5),
}


def shares(severe_percent: float, drawers_percent: float) -> Floats:
    """Shares of severe, chest and drawers that always sum to 1; *severe* is served first.

    Args:
        severe_percent: Attention paid to *severe*, 0 to 100.
        drawers_percent: Attention asked for *drawers*; it gets at most what *severe* leaves.

    Returns:
        (3,) in the order of ``VALUES``.
    """
    severe = min(max(severe_percent, 0.0), 100.0)
    drawers = min(max(drawers_percent, 0.0), 100.0 - severe)
    return np.array([severe, 100.0 - severe - drawers, drawers]) / 100


def mixed_colour(weights: Floats) -> Floats:
    """The colour *chest* takes: weights times values, with the function the model itself uses."""
    values = np.array(list(VALUES.values()))
    mixed: Floats = attention.mix(weights.reshape(1, 1, 3), values[None])[0, 0]
    return mixed


def distances(colour: Floats) -> dict[str, float]:
    """How far each possible next word's meaning lies from ``colour``, nearest first."""
    far = {w: float(np.linalg.norm(colour - mixed_colour(np.array(m)))) for w, m in NEXT_WORDS.items()}
    return dict(sorted(far.items(), key=lambda item: item[1]))


def paint(severe_percent: float, drawers_percent: float = 0) -> Figure:
    """The mixer: three words, three shares, one mixed colour, and the next word nearest to it."""
    weights = shares(severe_percent, drawers_percent)
    colour = mixed_colour(weights)
    far = distances(colour)
    nearest = next(iter(far))
    percent = {word: round(100 * float(w)) for word, w in zip(VALUES, weights, strict=True)}
    rows: list[tuple[Cell, ...]] = [
        (word, f"{percent[word]} %", _hex(np.array(VALUES[word]))) for word in VALUES
    ]
    rows.append(("chest, mixed", "100 %", _hex(colour)))
    sentence = (
        f"With {percent['severe']} % of its attention on severe, {percent['drawers']} % on drawers and "
        f"{percent['chest']} % on itself, chest is nearest in meaning to “{nearest}”."
    )
    picture = el("div", _pots(percent), _chest(colour), _next(far), class_="paint")
    return Figure(TITLE, sentence, picture, Table(("word", "share", "colour"), tuple(rows)))


def _hex(colour: Floats) -> str:
    return "#" + "".join(f"{round(255 * float(c)):02x}" for c in colour)


def _pots(percent: dict[str, int]) -> Markup:
    pots = [
        el(
            "li",
            el("i", class_="paint-drop", style=f"--paint:{_hex(np.array(VALUES[word]))}"),
            el("b", word if word != "chest" else "chest itself"),
            el("span", el("i", style=f"--share:{share}%"), class_="paint-bar"),
            el("span", f"{share} %", class_="paint-percent"),
        )
        for word, share in percent.items()
    ]
    return el("ul", pots, class_="paint-pots")


def _chest(colour: Floats) -> Markup:
    return el(
        "div",
        el("i", class_="paint-mixed", style=f"--paint:{_hex(colour)}"),
        el("b", "chest"),
        class_="paint-chest",
    )


def _next(far: dict[str, float]) -> Markup:
    words = [
        el(
            "li",
            el("i", class_="paint-drop", style=f"--paint:{_hex(mixed_colour(np.array(NEXT_WORDS[word])))}"),
            el("b", word),
            el("span", f"{distance:.2f} away", class_="paint-percent"),
            class_="paint-nearest" if word == next(iter(far)) else None,
        )
        for word, distance in far.items()
    ]
    return el("ol", words, class_="paint-next")
