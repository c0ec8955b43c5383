"""The tax on languages: the same articles in many languages, in pieces relative to English."""

from __future__ import annotations

import functools

from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.tokens.bricks import LABELS, TONES
from glassbox.tokens import measure, vocabularies

TITLE = "The same rights in other words"
_HIGH = 25.0  # times English; the widest bar of all vocabularies
NAMES = {  # shorter than the declaration's own titles
    "deu_1996": "German",
    "por_PT": "Portuguese",
    "ell_monotonic": "Greek",
    "arb": "Arabic",
    "pes_1": "Persian",
    "khm": "Khmer",
    "cmn_hans": "Chinese",
}


def languages(vocabulary: str) -> Figure:
    """Measures how many pieces the same articles take in every language, relative to English.

    Args:
        vocabulary: A name of ``vocabularies.NAMES``.
    """
    vocabularies.want("gpt2", vocabulary)
    taxes = tax(vocabulary)
    by_code = {t.code: t for t in taxes}
    order = sorted((t for t in tax("gpt2")), key=lambda t: t.relative)
    rows = [by_code[t.code] for t in order]
    most = max(rows, key=lambda t: t.relative)
    above_two = sum(t.relative > 2 for t in rows)
    sentence = (
        f"In {LABELS[vocabulary]} the same two articles take {by_code['hin'].relative:.1f} times as many "
        f"pieces in Hindi as in English, and {most.relative:.1f} times in {_name(most)}; "
        f"{above_two} of {len(rows) - 1} languages cost more than double."
    )
    table: tuple[tuple[Cell, ...], ...] = tuple((_name(t), t.pieces, round(t.relative, 2)) for t in rows)
    drawn = [_row(t, TONES[vocabulary], before.relative) for t, before in zip(rows, order, strict=True)]
    note = (
        "Articles 1 and 19 of the Universal Declaration of Human Rights. The order is GPT-2's and stays; "
        "the thin line is where GPT-2 stands."
    )
    return Figure(
        TITLE,
        sentence,
        el("ul", drawn, class_="languages"),
        Table(("language", "pieces", "relative to English"), table),
        "measured",
        note,
    )


@functools.cache
def tax(vocabulary: str) -> list[measure.Tax]:
    """Every language's tax, measured once."""
    return measure.language_tax(vocabularies.load(vocabulary))


def _name(tax: measure.Tax) -> str:
    return NAMES.get(tax.code, tax.name)


def _row(tax: measure.Tax, tone: str, gpt2: float) -> Markup:
    share, mark = (100 * min(v, _HIGH) / _HIGH for v in (tax.relative, gpt2))
    code = measure.declarations()[tax.code]
    opening = " ".join(code["1"].split()[:4])[:24]
    bar = el("i", style=f"--share:{share:.3g}%;--mark:{mark:.3g}%;--c:var(--{tone})")
    detail = f"{_name(tax)}: {tax.pieces} pieces · {opening} …"
    value = el("b", f"{tax.relative:.2f}" if tax.relative < 10 else f"{tax.relative:.1f}")
    return el("li", el("span", _name(tax)), bar, value, title=detail, data_detail=detail)
