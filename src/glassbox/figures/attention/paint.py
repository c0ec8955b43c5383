"""Mixing paint: the word *chest* takes on the colour of the words it attends to.

The colours are the metaphor, and ours: a meaning of three numbers (red, green, blue) instead of the model's
128. The arithmetic is the real one: ``attention.mix`` adds the values in the shares of attention.
"""

from __future__ import annotations

import functools
import json

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Kept, Markup, el
from glassbox.model import attention

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
NOTE = "The colours and the six words are ours, to have something to look at. The mixing is the model’s own function."
STEP = 10  # the map shows a mix every ten percent


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
    mixed: Floats = attention.mix(weights.reshape(1, -1, 3), values[None])[0]
    return mixed[0] if weights.ndim == 1 else mixed


def distances(colour: Floats) -> dict[str, float]:
    """How far each possible next word's meaning lies from ``colour``, nearest first.

    Half way between two words the one named first wins, whatever the last bit of a distance says.
    """
    far = {
        w: round(float(np.linalg.norm(colour - mixed_colour(np.array(m)))), 9) for w, m in NEXT_WORDS.items()
    }
    return dict(sorted(far.items(), key=lambda item: item[1]))


def paint(severe_percent: float, drawers_percent: float = 0) -> Figure:
    """The mixer: three words, three shares, one mixed colour, and the next word nearest to it."""
    weights = shares(severe_percent, drawers_percent)
    colour = mixed_colour(weights)
    far = distances(colour)
    nearest = next(iter(far))
    percent = {word: round(100 * float(w)) for word, w in zip(VALUES, weights, strict=True)}
    sentence = (
        f"With {percent['severe']} % of its attention on severe, {percent['drawers']} % on drawers and "
        f"{percent['chest']} % on itself, the next word nearest in colour is “{nearest}”."
    )
    picture = el("div", _pots(percent), _chest(colour, nearest), _map(weights, nearest), class_="paint")
    rows: list[tuple[Cell, ...]] = [
        (Kept(word), percent[word], _hex(np.array(VALUES[word]))) for word in VALUES
    ]
    rows.append(("chest, mixed", 100, _hex(colour)))
    note = NOTE
    if drawers_percent > 100 - severe_percent:
        note = f"Shares add up to 100 %, so drawers gets what severe leaves: {percent['drawers']} %. {NOTE}"
    table = Table(("word", "share (%)", "colour"), tuple(rows))
    return Figure("Mixing paint", sentence, picture, table, note=note)


def paint_reverse(word: str) -> Figure:
    """The mixer backwards: from the next word to the mixes that lead to it."""
    one_of("word", word, NEXT_WORDS)
    mixes, nearest = _lattice(1)
    leading = np.array([n == word for n in nearest])
    best = np.array(NEXT_WORDS[word])
    part = 100 * float(leading.mean())
    low, high = (np.round(100 * f(mixes[leading], axis=0)).astype(int) for f in (np.min, np.max))
    sentence = (
        f"{part:.0f} % of all mixes make “{word}” the nearest next word; the surest is "
        f"{best[0] * 100:.0f} % severe, {best[2] * 100:.0f} % drawers and {best[1] * 100:.0f} % itself."
    )
    rows = [
        (Kept(name), int(low[i]), round(100 * float(best[i])), int(high[i])) for i, name in enumerate(VALUES)
    ]
    table = Table(("word", "least share (%)", "surest share (%)", "most share (%)"), tuple(rows))
    ranges = [
        el(
            "li",
            _drop(np.array(VALUES[name])),
            _named(name),
            el("span", el("i", style=f"--from:{least}%;--to:{most}%"), class_="paint-range"),
            el("span", f"{least} to {most} %", class_="number"),
        )
        for name, least, _, most in rows
    ]
    picture = el(
        "div",
        el("ul", ranges, class_="paint-pots"),
        _chest(mixed_colour(best), word),
        _map(best, word, only=True),
        class_="paint",
    )
    return Figure("The mixer backwards", sentence, picture, table, note=NOTE)


@functools.lru_cache(maxsize=2)
def _lattice(step: int) -> tuple[Floats, list[str]]:
    """All mixes in steps of so many percent, (n, 3), and the next word nearest to each."""
    mixes = (
        np.array([(s, 100 - s - d, d) for s in range(0, 101, step) for d in range(0, 101 - s, step)]) / 100
    )
    meanings = mixed_colour(np.array(list(NEXT_WORDS.values())))
    far = np.linalg.norm(mixed_colour(mixes)[:, None] - meanings, axis=2)
    words = list(NEXT_WORDS)
    return mixes, [words[i] for i in far.round(9).argmin(axis=1)]


def _hex(colour: Floats) -> str:
    return "#" + "".join(f"{round(255 * float(c)):02x}" for c in colour)


def _drop(colour: Floats) -> Markup:
    return el("i", class_="paint-drop", style=f"--paint:{_hex(colour)}")


def _pots(percent: dict[str, int]) -> Markup:
    pots = [
        el(
            "li",
            _drop(np.array(VALUES[word])),
            _named(word),
            el("span", class_="meter", style=f"--share:{share}%;--tone:{_hex(np.array(VALUES[word]))}"),
            el("span", f"{share} %", class_="number"),
        )
        for word, share in percent.items()
    ]
    return el("ul", pots, class_="paint-pots")


def _named(word: str) -> Markup:
    """A word of the sentence; *chest* reads itself."""
    return el("b", el("span", Kept(word)), " itself" if word == "chest" else None)


def _chest(colour: Floats, nearest: str) -> Markup:
    return el(
        "div",
        el("i", class_="paint-mixed", style=f"--paint:{_hex(colour)}"),
        el("p", el("span", "chest → ", el("b", nearest), translate="no")),
        class_="paint-chest",
    )


def _map(weights: Floats, nearest: str, only: bool = False) -> Markup:
    """All mixes as a triangle of dots: severe on top, chest at the left, drawers at the right.

    Args:
        weights: The mix to mark.
        nearest: The next word whose dots stand out.
        only: Fade all other dots.
    """
    mixes, words = _lattice(STEP)
    dots = []
    for mix, colour, word in zip(mixes, mixed_colour(mixes), words, strict=True):
        x, y = _place(mix)
        severe, _, drawers = (round(100 * float(m)) for m in mix)
        detail = f"{severe} % severe, {drawers} % drawers: {word}"
        sets = None if only else json.dumps({"severe": severe, "drawers": drawers})
        dots.append(
            el(
                "circle",
                el("title", detail),
                cx=x,
                cy=y,
                r=3.6 if word == nearest else 2.4,
                fill=_hex(colour),
                opacity=0.25 if only and word != nearest else None,
                data_set=sets,
                data_detail=detail,
            )
        )
    x, y = _place(weights)
    words_at = [
        _word("severe", 50, 5, "middle"),
        _word("chest", 4, 97, "start"),
        _word("drawers", 96, 97, "end"),
    ]
    svg = el(
        "svg",
        words_at,
        dots,
        el("circle", cx=x, cy=y, r=5.4, class_="paint-here"),
        viewBox="0 0 100 100",
        class_="paint-map",
        role="img",
        aria_label=f"A map of all mixes; the ring marks this one, the large dots lead to {nearest}.",
    )
    return el(
        "div",
        svg,
        el(
            "p",
            "Every mix. Large dots lead to ",
            el("b", Kept(nearest)),
            ".",
            class_="soft small",
            translate="yes",
        ),
        class_="paint-all",
        translate="no",
    )


def _word(word: str, x: float, y: float, anchor: str) -> Markup:
    return el("text", word, x=x, y=y, text_anchor=anchor, class_="paint-word")


def _place(mix: Floats) -> tuple[float, float]:
    severe, _, drawers = (float(m) for m in mix)
    return round(10 + 80 * (drawers + severe / 2), 1), round(86 - 74 * severe, 1)
