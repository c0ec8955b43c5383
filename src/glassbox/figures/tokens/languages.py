"""The tax on languages: the same articles in many languages and vocabularies, in pieces relative to English."""

from __future__ import annotations

import functools

from glassbox.figures import leading, vega
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import el
from glassbox.figures.tokens.bricks import LABELS, VOCABULARIES
from glassbox.tokens import measure, vocabularies

TITLE = "The same rights in other words"
NOBODY = "no language"  # what is followed at first
_OPTIONS = {name: option for option, name in VOCABULARIES.items()}
NAMES = {  # shorter than the declaration's own titles
    "deu_1996": "German",
    "por_PT": "Portuguese",
    "ell_monotonic": "Greek",
    "arb": "Arabic",
    "pes_1": "Persian",
    "khm": "Khmer",
    "cmn_hans": "Chinese",
}


def languages(vocabulary: str, follow: str = NOBODY) -> Figure:
    """Measures how many pieces the same articles take in every language and vocabulary, relative to English.

    Args:
        vocabulary: A name of ``vocabularies.NAMES``; its marks stand out.
        follow: A language of ``followed()``, or ``NOBODY``; its row stands out.
    """
    one_of("vocabulary", vocabulary, vocabularies.NAMES)
    one_of("follow", follow, followed())
    rows = [_row(t, v) for v in vocabularies.NAMES for t in tax(v)]
    times = {name: [by_language(v)[name] for v in vocabularies.NAMES] for name in order()}
    sets: vega.Sets = {
        "dots": rows,
        "spans": [{"language": n, "least": min(t), "most": max(t)} for n, t in times.items()],
        "chosen": [row for row in rows if row["series"] == LABELS[vocabulary]],
        "followed": [{"language": follow}] if follow != NOBODY else [],
    }
    sentence = _sentence(vocabulary, follow)
    table: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *(round(t, 2) for t in found)) for name, found in times.items()
    )
    note = (
        "Articles 1 and 19 of the Universal Declaration of Human Rights, in pieces for each piece of the English text. "
        "The order is GPT-2’s and stays; equal steps to the right are equal ratios."
    )
    picture = el("div", vega.drawn("tokens.languages", sets, sentence), class_="languages")
    columns = ("language", *(f"{LABELS[v]} (times English)" for v in vocabularies.NAMES))
    return Figure(TITLE, sentence, picture, Table(columns, table), "measured", note)


def followed() -> tuple[str, ...]:
    """What can be followed: nobody, and every language by its name."""
    return (NOBODY, *sorted(order()))


@functools.cache
def order() -> tuple[str, ...]:
    """The languages from the cheapest in GPT-2 to the dearest."""
    return tuple(name_of(t) for t in sorted(tax("gpt2"), key=lambda t: t.relative))


@functools.cache
def tax(vocabulary: str) -> list[measure.Tax]:
    """Every language's tax, by the counts that come with the texts: no vocabulary need be loaded."""
    return measure.counted_tax(vocabulary)


@functools.cache
def by_language(vocabulary: str) -> dict[str, float]:
    """How many times the pieces of English each language takes."""
    return {name_of(t): t.relative for t in tax(vocabulary)}


def name_of(tax: measure.Tax) -> str:
    """A language's name as the figure writes it."""
    return NAMES.get(tax.code, tax.name)


def moved(before: str, after: str, least: bool = False) -> str:
    """The language, English left out, whose price differs most between two vocabularies, as a ratio; or least."""

    def ratio(name: str) -> float:
        one, other = by_language(before)[name], by_language(after)[name]
        return max(one / other, other / one)

    found = sorted((name for name in order() if name != "English"), key=ratio)
    return found[0 if least else -1]


def _sentence(vocabulary: str, follow: str) -> str:
    here, label = by_language(vocabulary), LABELS[vocabulary]
    above = sum(times > 2 for times in here.values())
    rest = f"{above} of {len(here) - 1} languages cost more than double in {label}"
    if follow != NOBODY:
        least, most = (f(vocabularies.NAMES, key=lambda v: by_language(v)[follow]) for f in (min, max))
        return (
            f"{follow} takes {_times(here[follow])} as many pieces as English in {label}; of all seven boxes it is cheapest "
            f"in {LABELS[least]}, {_times(by_language(least)[follow])}, and dearest in {LABELS[most]}, "
            f"{_times(by_language(most)[follow])}; {rest}."
        )
    if vocabulary == "gpt2":
        dearest = max(here, key=here.__getitem__)
        best = min(vocabularies.NAMES, key=lambda v: by_language(v)[dearest])
        return (
            f"In GPT-2 {dearest} is dearest, {_times(here[dearest])} the pieces of English; {LABELS[best]} brings it down to "
            f"{_times(by_language(best)[dearest])}; {rest}."
        )
    mover = moved("gpt2", vocabulary)
    return (
        f"From GPT-2 to {label} {mover} moved most, from {_times(by_language('gpt2')[mover])} to {_times(here[mover])} the "
        f"pieces of English; {rest}."
    )


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times"


def _row(tax: measure.Tax, vocabulary: str) -> dict[str, object]:
    name = name_of(tax)
    pressed = leading.pressed(vocabulary=_OPTIONS[vocabulary], follow=name)
    return {
        "language": name,
        "times": tax.relative,
        "pieces": tax.pieces,
        "series": LABELS[vocabulary],
        **pressed,
    }
