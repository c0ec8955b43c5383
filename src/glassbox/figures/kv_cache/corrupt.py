"""Damage one stored key or value: the cached run carries it on, a run that starts over does not."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

import numpy as np

from glassbox import model
from glassbox.arrays import Floats
from glassbox.figures import chart, subject
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table
from glassbox.figures.kv_cache import runs
from glassbox.figures.markup import Markup, el, grid
from glassbox.model import experiments

TITLE = "One damaged note"
PROMPT = "She opened the old wooden chest of"
LENGTH = 10
TOP = 100.0  # of the drift axis, in percent of probability moved


@dataclass(frozen=True)
class Damage:
    """What one damaged entry does.

    Attributes:
        drift: For each later token, the share of its probability that moved, 0 to 1.
        ids: What the damaged cache goes on to write.
    """

    drift: tuple[float, ...]
    ids: tuple[int, ...]


def prompt_words() -> tuple[str, ...]:
    """The prompt's tokens, start token first."""
    return runs.shown(runs.encoded(PROMPT))


@functools.lru_cache(maxsize=256)
def damage(layer: int, position: int, part: model.cache.Part) -> Damage:
    """Damages an entry after the prompt was read and follows the consequences.

    Args:
        layer: From 0.
        position: From 0, one of the prompt's tokens but the last.
        part: ``key`` or ``value``.
    """
    unread, clean = runs.encoded(PROMPT)[-1:], runs.written(PROMPT, LENGTH)
    at, seed = (layer, position, part), 1000 * layer + position
    found = experiments.damage(model.load(), _read_prompt(), unread, clean, at, seed)
    moved = experiments.probability_moved(found.logits, _clean())
    return Damage(tuple(float(x) for x in moved), found.ids)


@functools.lru_cache(maxsize=1)
def _read_prompt() -> model.Growing:
    """A cache that has read the prompt but for its last token."""
    cache = model.Growing(*runs.sizes())
    model.load().forward(runs.encoded(PROMPT)[:-1], cache)
    return cache


@functools.lru_cache(maxsize=1)
def _clean() -> Floats:
    return runs.exact_logits(PROMPT, LENGTH)


@dataclass(frozen=True)
class Survey:
    """Every entry of the prompt damaged in turn.

    Attributes:
        entries: How many there are: layers, tokens, key and value.
        changed: How many of them change the text.
        layer: The layer, from 1, of the key whose harm is largest in the second half of the text.
        position: Its token, 0 for the start token.
    """

    entries: int
    changed: int
    layer: int
    position: int


@functools.lru_cache(maxsize=1)
def survey() -> Survey:
    """Damages them all; for the notebook's prose and its first state, not for a figure's answer."""
    places = list(itertools.product(range(model.load().config.n_layers), range(len(prompt_words()) - 1)))
    clean = runs.written(PROMPT, LENGTH)
    found = {(at, part): damage(*at, part) for at in places for part in model.cache.PARTS}
    layer, position = max(places, key=lambda at: sum(found[at, "key"].drift[LENGTH // 2 :]))
    changed = sum(d.ids != clean for d in found.values())
    return Survey(len(found), changed, layer + 1, position)


@functools.lru_cache(maxsize=1)
def _again() -> tuple[tuple[int, ...], tuple[float, ...]]:
    """A run without any cache: what it writes, and the probability by which it differs from the cached one."""
    steps = list(
        model.generate.stream(
            model.load(), runs.encoded(PROMPT), LENGTH, model.generate.likeliest, use_cache=False
        )
    )
    moved = experiments.probability_moved(np.stack([s.logits for s in steps]), _clean())
    return tuple(s.id for s in steps), tuple(float(x) for x in moved)


@subject.stays("It has damaged every entry of a small cache in turn, to know which matter: of ours.")
def corrupt(layer: int = 1, position: int = 6, part: model.cache.Part = "key") -> Figure:
    """The damage, the drift of every later token, and the three texts.

    Args:
        layer: From 1, as readers count.
        position: The token whose entry is damaged, 0 for the start token.
        part: ``key`` or ``value``.
    """
    words = prompt_words()
    layer = min(max(int(layer), 1), model.load().config.n_layers)
    position = min(max(int(position), 0), len(words) - 2)
    one_of("part", part, model.cache.PARTS)
    found = damage(layer - 1, position, part)
    again, moved = _again()
    clean = runs.written(PROMPT, LENGTH)
    changed = _first_change(found.ids, clean)
    ends = "the text stays the same" if changed is None else f"the text changes at token {changed + 1}"
    sentence = (
        f"The damaged {part}s of “{words[position].strip()}” in layer {layer} move up to "
        f"{100 * max(found.drift):.0f}\u00a0% of a later token’s probability, on average "
        f"{100 * float(np.mean(found.drift)):.1f}\u00a0%, and {ends}; without a cache nothing is stored, so "
        "nothing is damaged."
    )
    picture = el(
        "div",
        _notes(words, layer, position, part),
        _drift(found, clean, sentence),
        _strip("undamaged", clean, None),
        _strip("damaged cache", found.ids, changed),
        _strip("no cache: read again from the text", again, _first_change(again, clean)),
        class_="corrupt",
    )
    rows = tuple(
        (n + 1, w.strip(), own.strip(), round(100 * d, 3), round(100 * none, 3))
        for n, (w, own, d, none) in enumerate(
            zip(runs.shown(clean), runs.shown(found.ids), found.drift, moved, strict=True)
        )
    )
    columns = (
        "token",
        "undamaged",
        "damaged cache",
        "probability moved with the cache (%)",
        "without a cache (%)",
    )
    note = (
        "The drift compares both while they read the same, undamaged text; the noise is as large as the "
        "entries around it. An entry is one token’s keys, or its values, in one layer, for all heads."
    )
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=note)


def _first_change(ids: tuple[int, ...], clean: tuple[int, ...]) -> int | None:
    return next((n for n, (a, b) in enumerate(zip(ids, clean, strict=True)) if a != b), None)


def _notes(words: tuple[str, ...], layer: int, position: int, part: str) -> Markup:
    n_layers = model.load().config.n_layers
    lines = []
    for n in range(1, n_layers + 1):
        cells = []
        for at, word in enumerate(words[:-1]):
            hit = n == layer and at == position
            sets = f'{{"layer": {n}, "position": {at}}}'
            label = f"Damage layer {n}, {word.strip()}"
            mark = ("K" if part == "key" else "V") + "✗" if hit else ""
            if hit:
                label = f"{mark} damaged: layer {n}, {word.strip()}"
            focus = "0" if hit else "-1"
            cells.append(
                el(
                    "td",
                    mark,
                    class_="hit" if hit else None,
                    role="gridcell",
                    tabindex=focus,
                    data_set=sets,
                    aria_label=label,
                )
            )
        lines.append(el("tr", el("th", f"layer {n}", scope="row", role="rowheader"), cells, role="row"))
    names = [el("th", w.strip(), scope="col", role="columnheader") for w in words[:-1]]
    table = grid(el("tr", el("td"), names, role="row"), lines, "Which entry is damaged")
    return el("div", table, class_="scroll", tabindex="-1")


def _drift(found: Damage, clean: tuple[int, ...], sentence: str) -> Markup:
    rows = [
        (w.strip().replace("⟨start⟩", "¶") or "␣", 100 * d, f"{100 * d:.0f}", "severe")
        for w, d in zip(runs.shown(clean), found.drift, strict=True)
    ]
    title = el("p", "probability moved at each later token (%)", class_="small soft")
    bars = chart.columns(rows, TOP, sentence, height=6)
    return el("div", title, el("div", bars, class_="scroll", tabindex="0", role="group", aria_label="Drift"))


def _strip(name: str, ids: tuple[int, ...], changed: int | None) -> Markup:
    words = [w.replace("⟨start⟩", " ¶") for w in runs.shown(ids)]
    rest = el("mark", "".join(words[changed:])) if changed is not None else None
    text = el("span", el("span", "… chest of", class_="soft"), "".join(words[:changed]), rest, translate="no")
    return el("p", el("b", name, class_="small"), text, class_="precision-text")
