"""Where attention breaks: it thins out over long texts, and it needs a place to rest."""

from __future__ import annotations

import dataclasses

import numpy as np

from glassbox import model
from glassbox.figures import chart, subject, vega, written
from glassbox.figures.attention import cutting, matrix, reading
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Kept, el
from glassbox.model import attention, experiments
from glassbox.model.experiments import best_share, half_length

LENGTHS = tuple(sorted({round(2 * 10 ** (i / 8)) for i in range(46)}))
FAR = 1_000_000


def dilution(advantage: float) -> Figure:
    """The best word's share against the length of the context; with what the shipped model really does."""
    half = half_length(advantage)
    measured = [(row["tokens"], row["weight"]) for row in model.card()["recall"]]
    sentence = (
        f"A score {advantage:g} above all others is worth {written.percent(best_share(advantage, 10))} among 10 keys, "
        f"{written.percent(best_share(advantage, 1000), 1)} among 1,000, and falls below half after {half:,} keys."
    )
    ours = f"{advantage:g} points ahead"
    line = [{"keys": n, "share": best_share(advantage, n), "series": ours} for n in LENGTHS]
    sets: vega.Sets = {
        "lines": line,
        "measured": [{"keys": n, "share": share, "series": "our model"} for n, share in measured],
        "half": [{"keys": LENGTHS[0], "share": 0.5, "text": "half"}],
        "named": [{"keys": FAR, "share": line[-1]["share"], "text": ours}],
    }
    picture = el(
        "div",
        vega.drawn("attention.dilution", sets, sentence),
        el(
            "p",
            el("b", "○ "),
            "our model, asked for a name at the end of a text of that many tokens: the most attention any head gives it",
            class_="soft small dl-key",
        ),
        el(
            "div",
            cutting.panel(
                "Names that our model says again, while looks are cut", cutting.names_said_again(), sentence
            ),
        ),
    )
    rows: list[tuple[Cell, ...]] = [
        (f"{n:,} keys", round(100 * best_share(advantage, n), 3))
        for n in (2, 10, 100, 1000, 10_000, 100_000, FAR)
    ]
    rows += [
        (f"names said again: {name}", round(100 * share, 1)) for name, share, *_ in cutting.names_said_again()
    ]
    rows += [(f"our model, {tokens:.0f} tokens", round(100 * weight, 1)) for tokens, weight in measured]
    note = "The line follows the formula with all other scores alike; the circles were measured when the model was trained."
    return Figure(
        "Dilution",
        sentence,
        picture,
        Table(("context", "share of the best key, or of names (%)"), tuple(rows)),
        "computed",
        note,
    )


def sink(text: str, start: bool) -> Figure:
    """A head that rests on the first token, with that token and without it."""
    whole, cut = reading.read(text, 12), reading.read(text, 12, start=False)
    head = reading.best_head("first") if subject.is_ours() else _most_on_first(whole)
    layer, h = reading.head_at(head)
    read = whole if start else cut
    weights = read.forward.weights[layer][h]
    n = len(read.ids)
    rows_after = weights[1:, 0] if n > 1 else weights[:, 0]
    on_first = float(rows_after.mean())
    barred = _barred(whole, head)
    losses = [_loss(r) for r in (whole, cut, barred)]
    best = [_next(r) for r in (whole, cut)]
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
        + f" Hidden from the heads that rest there, it costs: {losses[0]:.1f} bits a token become {losses[2]:.1f}."
    )
    bars = chart.bars(
        [
            ("with the start token", losses[0], f"{losses[0]:.1f} bits", "value" if start else "masked"),
            ("without it", losses[1], f"{losses[1]:.1f} bits", "masked" if start else "severe"),
            ("it is there, but these heads may not look", losses[2], f"{losses[2]:.1f} bits", "severe"),
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
        ("with it, hidden from the heads that rest there", round(losses[2], 3), _next(barred)),
    )
    table = Table(("text", "surprise (bits per token, first word left out)", "next word"), rows)
    return Figure("A place to rest", sentence, picture, table, note=read.note)


def _barred(whole: reading.Reading, head: int) -> reading.Reading:
    """The text read while the heads that rest on the first token may not look at it: in ours all of them."""
    heads = [reading.head_at(head)]
    if subject.is_ours():
        heads = [(layer - 1, h - 1) for layer, h, _ in model.card()["sink"]["heads"]]
    edges = [experiments.Edge(None, 0, layer, h) for layer, h in heads]
    forward = experiments.cut(subject.model(), whole.ids, edges) if len(whole.ids) > 1 else whole.forward
    return dataclasses.replace(whole, forward=forward)


def _next(read: reading.Reading) -> Kept:
    """The likeliest next word."""
    return reading.label(int(read.forward.logits[-1].argmax()), next_word=True)


def _most_on_first(read: reading.Reading) -> int:
    """The head of a reader's model that puts most on the first token of this text, the first row left out."""
    shares = [w[:, 1:, 0].mean(axis=1) if w.shape[1] > 1 else w[:, 0, 0] for w in read.forward.weights]
    return int(np.concatenate(shares).argmax())


def _loss(read: reading.Reading) -> float:
    """Mean surprise in bits at the tokens that both readings predict: from the text's second token on."""
    skip = 1 if read.labels[0] == reading.START_LABEL else 0
    return experiments.surprise(read.forward.logits[skip:], read.ids[skip:])
