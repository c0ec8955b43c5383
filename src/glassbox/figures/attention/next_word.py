"""The one job: the whole distribution over the next token, and a seeded draw from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from glassbox import examples
from glassbox.arrays import Floats
from glassbox.figures import chart, subject
from glassbox.figures.attention import reading
from glassbox.figures.figure import Figure, Table, Work
from glassbox.figures.markup import Kept, Markup, el
from glassbox.figures.written import percent
from glassbox.model import generate

TITLE = "Guess the next word"
LARGE = ("been", "a", "not", "no", "had")  # the words of the published list
N_SHOWN, N_DRAWN, LIMIT = 10, 14, 512
Settings = tuple[float, int, float, int]  # temperature, top_k, top_p, seed


def next_word(
    text: str, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0, seed: int = 1
) -> Figure | Work:
    """The model's next token: the ten likeliest, what the settings cut off, and one continuation.

    A reader's model is larger than ours and draws its continuation token by token.

    Args:
        text: The beginning.
        temperature: 0 always takes the likeliest.
        top_k: Keep this many; 0 keeps all.
        top_p: Keep the fewest that reach this share.
        seed: Of the drawn continuation.
    """
    settings = (temperature, top_k, top_p, seed)
    if subject.is_ours():
        return _figure(text, settings, _continue(text, settings))
    return Work(lambda: (_figure(text, settings, drawn) for drawn in _drawn(text, settings)))


def _figure(text: str, settings: Settings, drawn: str) -> Figure:
    temperature, top_k, top_p, seed = settings
    ids, cut = _ids(text)
    logits = _logits(ids)
    plain = generate.distribution(logits)
    probs = generate.distribution(logits, temperature, top_k or None, top_p)
    order = np.argsort(-plain, kind="stable")[:N_SHOWN]
    names = [reading.label(int(i), next_word=True) for i in order]
    kept = int((probs > 0).sum())
    who = "the model" if subject.is_ours() else subject.name()
    drawn_with = (
        ""
        if probs is plain or probs[order[0]] == plain[order[0]]
        else f"these settings make it {_percent(float(probs[order[0]]))}, and "
    )
    sentence = (
        f"After “{reading.tail(text)}” {who} finds “{names[0]}” likeliest, with {_percent(float(plain[order[0]]))}; {drawn_with}"
        f"{kept:,} of {len(probs):,} tokens can still be drawn."
    )
    picture = el(
        "div",
        el(
            "div",
            el("p", "This page’s model" if subject.is_ours() else subject.name(), class_="part"),
            _bars(names, probs[order], 1 - float(probs[order].sum()), sentence),
        ),
        _reported(),
        el(
            "p",
            el("span", f"Drawn with seed {seed}", class_="soft small"),
            " ",
            el("span", reading.tail(text), translate="no"),
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
    note = " ".join(
        filter(
            None,
            [
                cut,
                "The list marked reported was published by the article, for a model that it does not name.",
            ],
        )
    )
    return Figure(TITLE, sentence, picture, table, "computed", note)


def _bars(names: Sequence[str], probs: Floats, rest: float, sentence: str) -> Markup:
    rows: list[chart.Bar] = [
        (name, float(p), _percent(float(p)) if p > 0 else "cut", "accent")
        for name, p in zip(names, probs, strict=True)
    ]
    rows.append(("all others", max(rest, 0.0), _percent(max(rest, 0.0)), "masked"))
    return chart.bars(rows, high=1, sentence=sentence)


def _reported() -> Markup:
    """The published list of a model that the article does not name, as reported."""
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
        "A model, unnamed, in the article, after “The patient has” ",
        el("span", "reported", class_="tag reported"),
        class_="part",
    )
    return el("div", heading, chart.bars(rows, high=1, sentence=f"Reported: {known.text}.", tone="masked"))


@subject.kept(maxsize=64)
def _continue(text: str, settings: Settings) -> str:
    """The whole of what ``_drawn`` draws."""
    return list(_drawn(text, settings))[-1]


def _drawn(text: str, settings: Settings) -> Iterator[str]:
    """Draws up to 14 tokens, stopping at the end of the text; yields the text after each of them."""
    temperature, top_k, top_p, seed = settings
    m = subject.model()
    room = max(len(m.begins) + 1, min(LIMIT, m.config.context) - N_DRAWN)
    ids = list(_ids(text)[0])[-room:]
    rng = np.random.default_rng(seed)

    def draw(logits: Floats) -> int:
        return generate.draw_from(generate.distribution(logits, temperature, top_k or None, top_p), rng)

    new: list[int] = []
    for step in generate.stream(m, ids, min(N_DRAWN, m.config.context - len(ids)), draw):
        if step.id in m.stops:
            break
        new.append(step.id)
        if len(new) < N_DRAWN:
            yield _written(new)
    yield _written(new)


def _written(ids: list[int]) -> str:
    return subject.model().write(ids).decode("utf-8", "replace").strip() or "⟨end of text⟩"


def _ids(text: str) -> tuple[tuple[int, ...], str]:
    """The text's last tokens, and a note where some were left out."""
    return reading.cut(text, LIMIT)


@subject.kept(maxsize=8)
def _logits(ids: tuple[int, ...]) -> Floats:
    """What comes after a text, (vocab_size,); nothing else of the pass is kept."""
    m = subject.model()
    return next(generate.stream(m, ids, 1, generate.likeliest, cache=m.new_cache())).logits


def _percent(share: float) -> str:
    return percent(share if share >= 1e-6 else 0.0, 1)  # what rounding leaves of nothing is nothing
