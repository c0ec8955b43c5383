"""The one job: the whole distribution over the next token, and a seeded draw from it."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from glassbox import examples, model
from glassbox.arrays import Floats
from glassbox.figures import chart
from glassbox.figures.attention import reading
from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import Kept, Markup, el
from glassbox.figures.written import percent
from glassbox.model import generate

TITLE = "Guess the next word"
LARGE = ("been", "a", "not", "no", "had")  # the words of the published list
N_SHOWN, N_DRAWN, LIMIT = 10, 14, 512


def next_word(
    text: str, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0, seed: int = 1
) -> Figure:
    """The model's next token: the ten likeliest, what the settings cut off, and one continuation.

    Args:
        text: The beginning.
        temperature: 0 always takes the likeliest.
        top_k: Keep this many; 0 keeps all.
        top_p: Keep the fewest that reach this share.
        seed: Of the drawn continuation.
    """
    read = reading.read(text, LIMIT)
    logits = read.forward.logits[-1]
    plain = generate.distribution(logits)
    probs = generate.distribution(logits, temperature, top_k or None, top_p)
    order = np.argsort(-plain, kind="stable")[:N_SHOWN]
    names = [reading.label(int(i), next_word=True) for i in order]
    kept = int((probs > 0).sum())
    sentence = (
        f"After “{reading.tail(read.text)}” the model finds “{names[0]}” likeliest, with {_percent(float(probs[order[0]]))}; "
        f"{kept:,} of {len(probs):,} tokens can still be drawn."
    )
    drawn = _continue(text, temperature, top_k, top_p, seed)
    picture = el(
        "div",
        el(
            "div",
            el("p", "This page’s model", class_="part"),
            _bars(names, probs[order], 1 - float(probs[order].sum()), sentence),
        ),
        _reported(),
        el(
            "p",
            el("span", f"Drawn with seed {seed}", class_="soft small"),
            " ",
            el("span", reading.tail(read.text), translate="no"),
            " ",
            el("b", drawn, translate="no"),
            class_="nw-drawn",
        ),
        class_="nw",
    )
    rows = [
        (name, round(100 * float(plain[i]), 2), round(100 * float(probs[i]), 2))
        for name, i in zip(names, order, strict=True)
    ]
    table = Table(("next token", "probability (%)", "with these settings (%)"), tuple(rows))
    note = " ".join(filter(None, [read.note, "The list marked reported was published for a large model."]))
    return Figure(TITLE, sentence, picture, table, "computed", note)


def _bars(names: Sequence[str], probs: Floats, rest: float, sentence: str) -> Markup:
    rows: list[chart.Bar] = [
        (name, float(p), _percent(float(p)) if p > 0 else "cut", "accent")
        for name, p in zip(names, probs, strict=True)
    ]
    rows.append(("all others", max(rest, 0.0), _percent(max(rest, 0.0)), "masked"))
    return chart.bars(rows, high=1, sentence=sentence)


def _reported() -> Markup:
    """The published list for a large model, as reported."""
    known = examples.example("next-words")
    values = known.value if isinstance(known.value, tuple) else ()
    rows: list[chart.Bar] = [
        (Kept(word), float(v) / 100, f"{v} %") for word, v in zip(LARGE, values, strict=True)
    ]
    rows.append(
        (
            "all others",
            1 - sum(float(v) for v in values) / 100,
            f"{100 - sum(float(v) for v in values):.1f} %",
        )
    )
    heading = el(
        "p",
        "A large model, after “The patient has” ",
        el("span", "reported", class_="tag reported"),
        class_="part",
    )
    return el("div", heading, chart.bars(rows, high=1, sentence=f"Reported: {known.text}.", tone="masked"))


@functools.lru_cache(maxsize=64)
def _continue(text: str, temperature: float, top_k: int, top_p: float, seed: int) -> str:
    """Draws up to 14 tokens, stopping at the end of the text."""
    m = model.load()
    ids = list(reading.read(text, LIMIT).ids)[-(LIMIT - N_DRAWN) :]
    rng = np.random.default_rng(seed)

    def draw(logits: Floats) -> int:
        return generate.draw_from(generate.distribution(logits, temperature, top_k or None, top_p), rng)

    new: list[int] = []
    for step in generate.stream(m, ids, N_DRAWN, draw):
        if step.id == m.start:
            break
        new.append(step.id)
    return m.tokenizer.decode_bytes(new).decode("utf-8", "replace").strip() or "⟨end of text⟩"


def _percent(share: float) -> str:
    return percent(share if share >= 1e-6 else 0.0, 1)  # what rounding leaves of nothing is nothing
