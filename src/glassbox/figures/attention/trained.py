"""How the model came to be: its loss while it was trained, what it learned to do, and what it would have said."""

from __future__ import annotations

import functools
import math
from typing import Any

from glassbox import model
from glassbox.figures import leading, subject, vega
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Kept, Markup, el
from glassbox.figures.written import percent

TITLE = "While it was trained"
SEEN, KEPT = "texts it learned from", "texts kept from it"
SKILLS = {
    "repeats": "repeats random tokens",
    "recall_near": "recalls a name told just before",
    "recall_far": "recalls a name told long before",
}
N_SHOWN = 3


@functools.lru_cache(maxsize=1)
def rows() -> list[dict[str, Any]]:
    """The steps at which the model was measured; losses in bits a token."""
    return [
        {**row, "seen": _bits(row["loss"]), "kept": _bits(row["held_out"])} for row in model.log()["rows"]
    ]


def steps() -> tuple[int, ...]:
    """The steps at which its predictions were kept, earliest first."""
    return tuple(seen["step"] for seen in model.log()["seen"])


def _bits(nats: float | None) -> float | None:
    return None if nats is None else nats / math.log(2)


@subject.stays("It shows a training that was watched, and that was our model's.")
def loss(step: int) -> Figure:
    """Loss and skills over the whole training, and the likeliest next words at one step.

    Args:
        step: One of ``steps()``.
    """
    one_of("step", step, steps())
    here = next(row for row in rows() if row["step"] == step)
    asked, ((word, share), *_) = beginnings()[0], guesses(step)[0]
    learned = (
        f"{here['seen']:.1f} bits a token on texts it learns from and " if here["seen"] is not None else ""
    )
    sentence = (
        f"After {step:,} steps the loss is {learned}{here['kept']:.1f} bits a token on texts kept from it; it gets "
        f"{percent(here['repeats'])} of repeated random tokens right, and after “{asked}” it holds “{word}” likeliest, at "
        f"{percent(share)}."
    )
    picture = el("div", _losses(here), _skills(here), _said(step), class_="lo")
    table: tuple[tuple[Cell, ...], ...] = tuple(
        (
            row["step"],
            "" if row["seen"] is None else round(row["seen"], 2),
            round(row["kept"], 2),
            *(round(100 * row[skill], 1) for skill in SKILLS),
        )
        for row in rows()
    )
    columns = ("step", f"{SEEN} (bits)", f"{KEPT} (bits)", *(f"{what} (%)" for what in SKILLS.values()))
    note = (
        "Measured on the weights kept at these steps. The two lines measure different texts: the "
        "model learns from these kinds and from drills, which are easier, and the mean of fifty steps is shown; what was "
        "kept from it are lines of a dictionary and of a list of diagnoses."
    )
    return Figure(TITLE, sentence, picture, Table(columns, table), "measured", note)


def beginnings() -> list[str]:
    """The texts whose next words were kept, in order."""
    return ["".join(tokens[1:]) for tokens in model.log()["labels"]]


def guesses(step: int) -> list[list[tuple[Kept, float]]]:
    """For each beginning the likeliest next words at a step, with their probabilities."""
    seen = next(seen for seen in model.log()["seen"] if seen["step"] == step)
    return [[(_word(w), float(p)) for w, p in s["next"][:N_SHOWN]] for s in seen["sentences"]]


def _losses(here: dict[str, Any]) -> Markup:
    lines = [
        {"step": row["step"], "bits": row[name], "series": series} | _press(row["step"])
        for name, series in (("kept", KEPT), ("seen", SEEN))
        for row in rows()
        if row[name] is not None
    ]
    sets = {"lines": lines, "here": [line for line in lines if line["step"] == here["step"]]}
    told = f"The loss over {rows()[-1]['step']:,} steps; after {here['step']:,} it is {here['kept']:.1f} bits a token on {KEPT}."
    return vega.drawn("attention.loss", sets, told)


def _skills(here: dict[str, Any]) -> Markup:
    lines = [
        {"step": row["step"], "share": row[skill], "series": what} | _press(row["step"])
        for skill, what in SKILLS.items()
        for row in rows()
    ]
    sets = {"lines": lines, "here": [line for line in lines if line["step"] == here["step"]]}
    now = ", ".join(f"{what}: {percent(here[skill])}" for skill, what in SKILLS.items())
    return vega.drawn("attention.skills", sets, f"Right answers after {here['step']:,} steps; {now}.")


def _press(step: int) -> dict[str, str]:
    """A press goes to the nearest step whose predictions were kept."""
    return leading.pressed(step=min(steps(), key=lambda kept: abs(kept - step)))


def _said(step: int) -> Markup:
    head = el("tr", [el("th", name, scope="col") for name in ("beginning", "likeliest", "second", "third")])
    body = [
        el(
            "tr",
            el("th", Kept(_end(text)), scope="row"),
            [
                el("td", el("b", word), " ", percent(p), class_="heat", style=f"--w:{100 * p:.0f}%")
                for word, p in found
            ],
        )
        for text, found in zip(beginnings(), guesses(step), strict=True)
    ]
    table = el("table", el("thead", head), el("tbody", body), class_="lo-said")
    label = f"What it would have said after {step:,} steps"
    return el(
        "div",
        el("p", label, class_="part"),
        el("div", table, class_="scroll", tabindex="0", role="group", aria_label=label),
    )


def _end(text: str) -> str:
    """The last words of a long beginning."""
    words = text.split()
    return text if len(words) <= 8 else "… " + " ".join(words[-8:])


def _word(token: str) -> Kept:
    return Kept(token[1:]) if token.startswith(" ") and token.strip() else Kept(f"‿{token}")
