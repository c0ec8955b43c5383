"""What a document costs in each vocabulary: pieces, money, and room in the context."""

from __future__ import annotations

from glassbox import examples
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.tokens.bricks import LABELS, TONES, cut, problem
from glassbox.figures.written import dollars
from glassbox.tokens import measure, vocabularies

TITLE = "The bill"
KINDS = {
    "a clinical note": "clinical",
    "everyday English": "everyday",
    "a list of diagnoses": "diagnoses",
    "the text I paste": "own",
}
CONTEXTS = {
    "8,000 tokens": 8_000,
    "32,000 tokens": 32_000,
    "128,000 tokens": 128_000,
    "1,000,000 tokens": 1_000_000,
}
WORDS = [100, 200, 400, 800, 1_500, 3_000, 6_000, 12_000, 25_000, 50_000, 100_000]
PRICES = [0.05, 0.15, 0.5, 1, 2.5, 5, 10, 15]
DOCUMENTS = 1_000
_FULL_BAR = 2.5  # pieces per word; a rate beyond it fills the bar


def cost(words: int, kind: str, own: str, price: float, context: int) -> Figure:
    """Writes the bill for a document in every vocabulary, at rates measured on many texts.

    Args:
        words: Length of the document.
        kind: What it is like: a value of ``KINDS``.
        own: The reader's text, which gives the rates when the kind says so.
        price: Dollars per million tokens read.
        context: Tokens that the model can look at.
    """
    one_of("kind", kind, KINDS.values())
    text, note = cut(own)
    if kind == "own" and not text.split():
        return problem(TITLE, "Paste a text with at least one word, or choose another kind of text.")
    rate = rates(kind) if kind != "own" else _measured(text)
    bills = {name: measure.bill(words, rate[name], price, context) for name in vocabularies.NAMES}
    best = min(bills, key=lambda n: bills[n].pieces)
    gpt2, like = (
        bills["gpt2"],
        "your text" if kind == "own" else next(k for k, v in KINDS.items() if v == kind),
    )
    best_is = (
        "the leanest measured here"
        if best == "gpt2"
        else f"{bills[best].pieces:,} in {LABELS[best]}, the leanest measured here"
    )
    sentence = (
        f"{words:,} words like {like} are {gpt2.pieces:,} pieces in GPT-2, {best_is}; "
        f"GPT-2's bill is {dollars(gpt2.dollars * DOCUMENTS)} for {DOCUMENTS:,} such documents."
    )
    table: list[tuple[Cell, ...]] = [
        (
            LABELS[n],
            round(rate[n], 3),
            b.pieces,
            round(b.dollars * DOCUMENTS, 4),
            round(100 * b.context_share, 1),
        )
        for n, b in bills.items()
    ]
    rows = [_row(LABELS[n], rate[n], b, TONES[n]) for n, b in bills.items()]
    for name, value in reported(kind).items():
        bill = measure.bill(words, value, price, context)
        rows.append(_row(name, value, bill, ""))
        table.append(
            (
                f"{name} (reported)",
                value,
                bill.pieces,
                round(bill.dollars * DOCUMENTS, 4),
                round(100 * bill.context_share, 1),
            )
        )
    columns = (
        "vocabulary",
        "pieces per word",
        "pieces",
        f"$ per {DOCUMENTS:,} documents",
        "share of the context (%)",
    )
    return Figure(
        TITLE,
        sentence,
        el("ul", rows, class_="bill"),
        Table(columns, tuple(table)),
        "measured",
        f"{_source()} {note}".strip(),
    )


def _source() -> str:
    n = {kind: f"{found.texts:,}" for kind, found in measure.counted().items()}
    return (
        f"Rates measured here: on {n['clinical']} clinical-style notes that a program of this project wrote, on "
        f"{n['everyday']} sentences of WordNet, on {n['diagnoses']} descriptions of ICD-10-CM. A word is what stands "
        "between spaces, so 148/86 counts as one. Dotted bars: rates reported by others."
    )


def rates(kind: str) -> dict[str, float]:
    """Pieces per word of every vocabulary on the texts of one kind, see ``measure.base``."""
    return {name: measure.counted()[kind].per_word(name) for name in vocabularies.NAMES}


def _measured(text: str) -> dict[str, float]:
    vocabularies.want(*vocabularies.NAMES)
    return {name: measure.size(vocabularies.load(name), text).per_word for name in vocabularies.NAMES}


def reported(kind: str) -> dict[str, float]:
    """The published rates for this kind of text."""
    if kind not in ("everyday", "clinical"):
        return {}
    at = ("everyday", "clinical").index(kind)
    pairs = {"a general one": "pieces-general", "a medical one": "pieces-medical"}
    return {label: _numbers(key)[at] for label, key in pairs.items()}


def _numbers(key: str) -> tuple[float, ...]:
    value = examples.example(key).value
    return tuple(float(v) for v in value) if isinstance(value, tuple) else ()


def _row(name: str, rate: float, bill: measure.Bill, tone: str) -> Markup:
    share = min(100.0, 100 * rate / _FULL_BAR)
    full = 100 * bill.context_share
    fits = f"{full:.3g} % of the context" if full <= 100 else f"{full:,.0f} % of the context: it does not fit"
    said = f"{rate:.2f} a word · {dollars(bill.dollars * DOCUMENTS)} per {DOCUMENTS:,} documents · {fits}"
    style = f"--share:{share:.4g}%" + (f";--c:var(--{tone})" if tone else "")
    label = el("span", name) if tone else el("span", name, " ", el("small", "○ reported"))
    return el(
        "li",
        label,
        el("i", style=style),
        el("b", f"{bill.pieces:,}"),
        el("small", said, class_="over" if full > 100 else None),
        class_=None if tone else "reported-row",
    )
