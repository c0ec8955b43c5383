"""How the model came to be: what it would have said at some steps of its training."""

from __future__ import annotations

import math
from dataclasses import dataclass

from glassbox import model
from glassbox.figures import subject
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.machine import runs
from glassbox.figures.markup import Kept, Markup, el

TITLE = "The same question while it was trained"
N_SHOWN = 3


@dataclass(frozen=True)
class Moment:
    """The model at one step of its training.

    Attributes:
        step: How many batches it had learned from.
        bits: Surprise on texts kept from training, in bits a token.
        guesses: The likeliest next words with their probabilities.
    """

    step: int
    bits: float
    guesses: tuple[tuple[Kept, float], ...]


def sentences() -> list[str]:
    """The beginnings whose next words were kept while the model was trained."""
    return ["".join(tokens[1:]) for tokens in model.log()["labels"]]


def moments(sentence: str) -> list[Moment]:
    """The kept steps, earliest first."""
    record = model.log()
    at = sentences().index(sentence)
    nats = {row["step"]: row["held_out"] for row in record["rows"]}
    return [
        Moment(
            seen["step"],
            nats[seen["step"]] / math.log(2),
            tuple((_word(token), float(p)) for token, p in seen["sentences"][at]["next"][:N_SHOWN]),
        )
        for seen in record["seen"]
    ]


def leads_since(found: list[Moment]) -> int:
    """From which kept step on the word that is likeliest in the end has been the likeliest."""
    word = found[-1].guesses[0][0]
    return next(m.step for n, m in enumerate(found) if all(o.guesses[0][0] == word for o in found[n:]))


@subject.stays("How a model learned is kept while it learns: this was kept of ours.")
def learning(sentence: str) -> Figure:
    """What the model held likeliest after one beginning, from the first step of its training to the last.

    Args:
        sentence: One of ``sentences()``.
    """
    one_of("sentence", sentence, sentences())
    found = moments(sentence)
    first, last = found[0], found[-1]
    (word, p), *_ = last.guesses
    since = leads_since(found)
    when = "from the start" if since == 0 else f"since step {since:,}"
    sentence_said = (
        f"Surprise on unseen texts falls from {first.bits:.1f} to {last.bits:.1f} bits a token; “{word}” has led here "
        f"{when} and ends at {runs.percent(p)}."
    )
    high = max(m.bits for m in found)
    head = el(
        "tr",
        el("th", "step", scope="col"),
        el("th", "surprise on unseen texts (bits)", scope="col"),
        [el("th", name, scope="col") for name in ("likeliest", "second", "third")],
    )
    body = [_line(m, high) for m in found]
    table = el("table", el("thead", head), el("tbody", body), class_="lr")
    picture = el("div", table, class_="scroll", tabindex="0", role="group", aria_label=sentence_said)
    rows: list[tuple[Cell, ...]] = [
        (m.step, round(m.bits, 3), *(Kept(f"{w} {100 * q:.1f} %") for w, q in m.guesses)) for m in found
    ]
    columns = ("step", "surprise (bits a token)", "likeliest", "second", "third")
    note = "Measured afterwards, from the weights that were kept at these steps."
    return Figure(TITLE, sentence_said, picture, Table(columns, tuple(rows)), "measured", note)


def _line(moment: Moment, high: float) -> Markup:
    guesses = [
        el("td", el("b", word), " ", runs.percent(p), class_="heat", style=f"--w:{100 * p:.0f}%")
        for word, p in moment.guesses
    ]
    bar = el("i", style=f"--share:{100 * moment.bits / high:.1f}%")
    return el(
        "tr",
        el("th", f"{moment.step:,}", scope="row"),
        el("td", el("span", bar, el("span", f"{moment.bits:.1f}"), class_="lr-bits")),
        guesses,
    )


def _word(text: str) -> Kept:
    """A token's text as a word, as everywhere in this chapter."""
    return Kept(text[1:]) if text.startswith(" ") and text.strip() else Kept(f"‿{text}")
