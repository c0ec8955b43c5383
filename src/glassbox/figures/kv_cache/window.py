"""A sliding window: a fact leaves a layer's cache, and stacked layers still relay some of it."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from glassbox import model
from glassbox.arrays import Floats
from glassbox.figures import chart, subject, written
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table
from glassbox.figures.kv_cache import runs
from glassbox.figures.markup import Markup, el
from glassbox.model import experiments

TITLE = "A fact leaves the window"


@dataclass(frozen=True)
class Story:
    """Two texts that differ in one fact."""

    told: str
    instead: str


STORIES = {
    "who is tired": Story("The nurses were tired, so", "The patient was tired, so"),
    "what Emma did": Story("Emma put the lamp and the cup in the", "Emma lost the lamp and the cup in the"),
}
MOST = 11


@functools.lru_cache(maxsize=64)
def read(text: str, width: int) -> experiments.Windowed:
    """Reads a text through a window."""
    return experiments.through_window(model.load(), runs.encoded(text), width)


def spread(story: Story, width: int) -> list[list[float]]:
    """How different the two texts look at each level and word; see ``experiments.traces``."""
    return experiments.traces(read(story.told, width), read(story.instead, width))


@subject.stays("Its two stories fall into the same places, token by token, only where ours cuts them.")
def window(width: int = 5, story: str = "who is tired") -> Figure:
    """What the last word still knows of the fact.

    Args:
        width: How many tokens each layer keeps, the current one among them.
        story: A key of ``STORIES``.
    """
    told = STORIES[one_of("story", story, STORIES)]
    ids, others = runs.encoded(told.told), runs.encoded(told.instead)
    width = min(max(int(width), 1), MOST)
    fact = [n for n, (a, b) in enumerate(zip(ids, others, strict=True)) if a != b]
    rows = spread(told, width)
    one, other = (read(t, width).logits for t in (told.told, told.instead))
    here, there = experiments.probabilities(one), experiments.probabilities(other)
    left = float(experiments.probability_moved(one, other))
    words = runs.shown(ids)
    c = model.load().config
    back = {str(words[n].strip()): len(ids) - 1 - n for n in fact}
    sentence = _sentence(back, width, left, c.n_layers)
    picture = el("div", _grid(words, rows, width, fact), _answers(told, here, there), class_="window")
    levels = [*(f"layer {n} reads" for n in range(1, c.n_layers + 1)), "the output"]
    table = Table(
        ("level", *(f"{n} {w.strip()}" for n, w in enumerate(words))),
        tuple((name, *(round(x, 4) for x in row)) for name, row in zip(levels, rows, strict=True)),
    )
    note = (
        f"The same text is read once with “{told.told}” and once with “{told.instead}”. A cell shows how far "
        "the two are apart there: 0 % for not at all, 100 % for as far as each is long."
    )
    return Figure(TITLE, sentence, picture, table, note=note)


def _sentence(back: Mapping[str, int], width: int, left: float, n_layers: int) -> str:
    """Says which of the fact's words the last word still reaches; ``back``: how many tokens back each stands."""
    share = f"{100 * left:.0f}" if left >= 0.005 or left == 0 else "less than 1"
    apart = f"swapping the fact moves {share}\u00a0% of the next word’s probability"
    near = [f"“{word}”" for word, n in back.items() if width > n]
    gone = [f"“{word}”" for word, n in back.items() if width <= n]
    if near:
        lost = f", but no longer {' and '.join(gone)}" if gone else ""
        return f"A window of {width} still reaches {' and '.join(near)}, {_back(back, width)}{lost}: {apart}."
    verb = "do" if len(gone) > 1 else "does"
    if n_layers * (width - 1) < min(back.values()):
        whole = " and ".join(gone)
        return f"A window of {width} is too short for {n_layers} relays: {whole} {verb} not arrive; {apart}."
    verb = "have" if len(gone) > 1 else "has"
    return (
        f"With a window of {width}, {' and '.join(gone)}, {_back(back)}, {verb} left the last word’s cache, but "
        f"stacked layers relay the fact: {apart}."
    )


def _back(back: Mapping[str, int], width: int = MOST) -> str:
    """How many tokens back the words stand that a window of this width reaches."""
    far = [n for n in back.values() if n < width]
    return " and ".join(map(str, far)) + (" token" if far == [1] else " tokens") + " back"


def _grid(words: tuple[str, ...], rows: list[list[float]], width: int, fact: Collection[int]) -> Markup:
    last = len(words) - 1
    lines = []
    for level in range(len(rows) - 1, -1, -1):
        name = "output" if level == len(rows) - 1 else f"layer {level + 1} reads"
        cells = []
        for n, share in enumerate(rows[level]):
            seen = level < len(rows) - 1 and last - width < n <= last
            percent = round(100 * share)
            text = f"{percent}\u00a0%" if percent else ("0" if share < 1e-7 else "‹1 %")
            kind = "heat seen" if seen else "heat"
            detail = f"{name}, “{words[n].strip()}”: the two texts are {100 * share:.3g}\u00a0% apart."
            cells.append(el("td", text, class_=kind, style=f"--w:{min(percent, 100)}%", data_detail=detail))
        lines.append(el("tr", el("th", name, scope="row"), cells))
    head = [
        el("th", w.strip(), scope="col", class_="fact" if n in fact else None) for n, w in enumerate(words)
    ]
    table = el("table", el("tbody", lines), el("tfoot", el("tr", el("td"), head)), class_="chart-cells")
    key = el("p", el("i"), "framed: what the last word’s cache still holds", class_="small soft window-key")
    return el(
        "div",
        el("div", table, class_="scroll", tabindex="0", role="group", aria_label="Spread of the fact"),
        key,
    )


def _fact(text: str, told: Story) -> str:
    """The words of one text that the other does not have."""
    pairs = zip(text.split(), told.told.split(), told.instead.split(), strict=True)
    return " ".join(word for word, a, b in pairs if a != b)


def _candidates(told: Story, here: Floats) -> list[int]:
    """The tokens worth comparing: the likeliest after each whole text, and the one that the window leaves."""
    whole = [read(text, MOST).logits for text in (told.told, told.instead)]
    first, second = np.argsort(-whole[0])[:2]
    return list(dict.fromkeys(int(i) for i in (first, second, np.argmax(whole[1]), np.argmax(here))))


def _answers(told: Story, here: Floats, there: Floats) -> Markup:
    rows = []
    for token in _candidates(told, here):
        for text, probs, tone in ((told.told, here, "severe"), (told.instead, there, "cat-3")):
            p = float(probs[token])
            rows.append(
                (
                    f"{_fact(text, told)} → {runs.shown((token,))[0].strip()}",
                    p,
                    written.percent(p),
                    tone,
                )
            )
    return chart.bars(rows, 1.0, "Probability of the likeliest next words after each of the two texts.")
