"""Where attention breaks, and where its pictures mislead: dilution, weights that explain nothing, the sink."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from glassbox import model
from glassbox.arrays import Floats
from glassbox.figures import chart
from glassbox.figures.attention import matrix, reading
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.marks import Mark
from glassbox.figures.markup import Markup, el
from glassbox.model import attention

LENGTHS = tuple(sorted({round(2 * 10 ** (i / 8)) for i in range(46)}))
FAR = 1_000_000


def best_share(advantage: float, n_keys: int) -> float:
    """Share of one key whose score lies ``advantage`` above all the other ``n_keys - 1``."""
    return 1.0 / (1.0 + (n_keys - 1) * math.exp(-advantage))


def half_length(advantage: float) -> int:
    """How many keys there may be before the best one falls below half."""
    return 1 + math.floor(math.exp(advantage))


def dilution(advantage: float) -> Figure:
    """The best word's share against the length of the context; with what the shipped model really does."""
    half = half_length(advantage)
    measured = [(row["tokens"], row["weight"]) for row in model.card()["recall"]]
    sentence = (
        f"A score {advantage:g} above all others is worth {100 * best_share(advantage, 10):.0f} % among 10 keys, "
        f"{100 * best_share(advantage, 1000):.1f} % among 1,000, and falls below half after {half:,} keys."
    )
    marks: list[Mark] = [
        chart.Rule(y=0.5, text="half"),
        chart.Line(
            [(n, best_share(advantage, n)) for n in LENGTHS], f"{advantage:g} points ahead", tone="severe"
        ),
        chart.Dots(measured, tone="query", hollow=True),
    ]
    picture = el(
        "div",
        chart.plot(
            marks,
            x=chart.Axis(2, FAR, "keys in the context", log=True, si=True, at=(10, 100, 1e3, 1e4, 1e5, 1e6)),
            y=chart.Axis(0, 1, "share of the best key", at=(0, 0.25, 0.5, 0.75, 1)),
            sentence=sentence,
            height=14,
        ),
        el(
            "p",
            el("b", "○ "),
            "our model, asked for a name it read that many tokens ago: the most attention any head gives it",
            class_="soft small dl-key",
        ),
    )
    rows: list[tuple[Cell, ...]] = [
        (f"{n:,} keys", round(100 * best_share(advantage, n), 3))
        for n in (2, 10, 100, 1000, 10_000, 100_000, FAR)
    ]
    rows += [(f"our model, {tokens:.0f} tokens", round(100 * weight, 1)) for tokens, weight in measured]
    note = "The line follows the formula with all other scores alike; the circles were measured when the model was trained."
    return Figure(
        "Dilution",
        sentence,
        picture,
        Table(("context", "share of the best key (%)"), tuple(rows)),
        "computed",
        note,
    )


@dataclass(frozen=True)
class Swap:
    """A head whose last row was turned round: its index, both rows, and the distributions before and after."""

    head: int
    before: Floats
    after: Floats
    probs: Floats
    new_probs: Floats

    @property
    def moved(self) -> float:
        """How much attention changed hands, 0 to 1."""
        return float(np.abs(self.before - self.after).sum() / 2)

    @property
    def change(self) -> float:
        """How much probability changed hands, 0 to 1."""
        return float(np.abs(self.probs - self.new_probs).sum() / 2)


@functools.lru_cache(maxsize=32)
def find_swap(text: str) -> tuple[Swap, Swap]:
    """Turns round the last row of each head in turn: (the swap that matters least, the one that matters most).

    The largest share goes to where the smallest was, and so on. Only swaps that move at least half of the
    attention count; if there is none, all do.
    """
    m = model.load()
    read = reading.read(text, 10)
    probs = attention.softmax(read.forward.logits[-1].astype(np.float64))
    found = []
    for index in range(m.config.n_layers * m.config.n_heads):
        layer, h = reading.head_at(index)
        weights = read.forward.weights[layer].copy()
        row = weights[h, -1].copy()
        ranks = np.argsort(np.argsort(row, kind="stable"), kind="stable")
        weights[h, -1] = np.sort(row)[::-1][ranks]
        new = m.forward(read.ids, replaced={layer: weights}, last_only=True)
        found.append(
            Swap(index, row, weights[h, -1], probs, attention.softmax(new.logits[-1].astype(np.float64)))
        )
    large = [s for s in found if s.moved >= 0.5] or found
    return min(large, key=lambda s: s.change), max(large, key=lambda s: s.change)


def not_explanation(text: str) -> Figure:
    """Two different weightings with the same prediction, found on the shipped model; and one that matters."""
    read = reading.read(text, 10)
    same, other = find_swap(text)
    top = int(same.probs.argmax())
    word = reading.label(top, next_word=True)
    kept = (
        "the likeliest next word stays"
        if int(same.new_probs.argmax()) == top
        else "the likeliest next word changes to"
    )
    kept += f" “{reading.label(int(same.new_probs.argmax()), next_word=True)}”"
    sentence = (
        f"In {reading.head_names()[same.head]}, {100 * same.moved:.0f} % of the attention was moved elsewhere and {kept}, "
        f"at {100 * same.probs[top]:.1f} % before and {100 * same.new_probs[top]:.1f} % after."
    )
    picture = el(
        "div",
        _swap_panel("This one hardly matters", read.labels, same, top, word),
        _swap_panel("This one does", read.labels, other, top, word),
        class_="two",
    )
    rows: list[tuple[Cell, ...]] = []
    for s in (same, other):
        for how, row, p in (("as trained", s.before, s.probs), ("turned round", s.after, s.new_probs)):
            shares = ", ".join(f"{w} {x} %" for w, x in zip(read.labels, matrix.shares(row), strict=True))
            rows.append((reading.head_names()[s.head], how, shares, round(100 * float(p[top]), 2)))
    columns = ("head", "weights of the last position", "shares", f"probability of {word} (%)")
    note = f"Found by turning round the last row of all {len(reading.head_names())} heads, one at a time. {read.note}"
    return Figure(
        "Same answer, other weights", sentence, picture, Table(columns, tuple(rows)), note=note.strip()
    )


def _swap_panel(title: str, labels: tuple[str, ...], s: Swap, top: int, word: str) -> Markup:
    before, after = matrix.shares(s.before), matrix.shares(s.after)
    head = el(
        "tr",
        el("th", "read from", scope="col"),
        el("th", "as trained", scope="col"),
        el("th", "turned round", scope="col"),
    )

    def cell(p: int) -> Markup:
        return el("td", f"{p} %", class_="heat number", style=f"--w:{p}%")

    body = [
        el("tr", el("th", w, scope="row"), cell(b), cell(a))
        for w, b, a in zip(labels, before, after, strict=True)
    ]
    foot = el(
        "tr",
        el("th", f"→ {word}", scope="row"),
        [el("td", f"{100 * p[top]:.1f} %", class_="number") for p in (s.probs, s.new_probs)],
    )
    return el(
        "div",
        el("p", title, class_="part"),
        el("p", reading.head_names()[s.head], class_="soft small"),
        el(
            "div",
            el("table", el("thead", head), el("tbody", body), el("tfoot", foot), class_="turned"),
            class_="scroll",
            tabindex="0",
            role="region",
            aria_label=title,
        ),
    )


def sink(text: str, start: bool) -> Figure:
    """A head that rests on the first token, with that token and without it."""
    head = reading.best_head("first")
    layer, h = reading.head_at(head)
    whole, cut = reading.read(text, 12), reading.read(text, 12, start=False)
    read = whole if start else cut
    weights = read.forward.weights[layer][h]
    n = len(read.ids)
    rows_after = weights[1:, 0] if n > 1 else weights[:, 0]
    on_first = float(rows_after.mean())
    losses = [_loss(r) for r in (whole, cut)]
    best = [reading.label(int(r.forward.logits[-1].argmax()), next_word=True) for r in (whole, cut)]
    first = read.labels[0]
    sentence = (
        f"{reading.head_names()[head].capitalize()} puts {100 * on_first:.0f} % of its attention on {first}, the first token; "
        + (
            f"the next word is “{best[0]}”."
            if start
            else f"without the start token the next word is “{best[1]}” instead of “{best[0]}”."
            if best[0] != best[1]
            else f"the next word is still “{best[1]}”."
        )
    )
    bars = chart.bars(
        [
            ("with the start token", losses[0], f"{losses[0]:.1f} bits", "value" if start else "masked"),
            ("without it", losses[1], f"{losses[1]:.1f} bits", "masked" if start else "severe"),
        ],
        high=max(12.0, *losses),
        sentence=sentence,
    )
    picture = el(
        "div",
        matrix.weights_matrix(read.labels, weights, attention.causal_mask(n, n)),
        el("div", el("p", "Surprise at the same words", class_="part"), bars, class_="mask-loss"),
        class_="side",
    )
    rows = (
        ("with the start token", round(losses[0], 3), best[0]),
        ("without it", round(losses[1], 3), best[1]),
    )
    table = Table(("text", "surprise (bits per token, first word left out)", "next word"), rows)
    return Figure("A place to rest", sentence, picture, table, note=read.note)


def _loss(read: reading.Reading) -> float:
    """Mean surprise in bits at the tokens that both readings predict: from the text's second token on."""
    skip = 1 if read.labels[0] == reading.START_LABEL else 0
    ids, logits = read.ids[skip:], read.forward.logits[skip:]
    if len(ids) < 2:
        return 0.0
    probs = attention.softmax(logits[:-1].astype(np.float64))
    return float(-np.log2(np.maximum(probs[np.arange(len(ids) - 1), list(ids[1:])], 1e-300)).mean())
