"""Questions that a reader answers before looking: ``check.number`` and ``check.reveal``.

    check.number("How many scores does a head compute for 4,096 tokens?", 4096**2, 500_000, name="square")
    check.reveal("Why are keys and values kept, but never queries?", "Because a query …", name="why-keys")

A check has a page of its own, ``embed/<chapter>/<name>.html``, which course pages show; its name is part of
that address and stays when the question is worded anew.

The markup is complete without a script: the question, and the answer folded away. The page script
(``js/check.js``) adds a field to answer in, says kindly how near the answer is, and keeps count in the
reader's own browser. A check is no figure: nothing is computed when it is answered.
"""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass

from glassbox.figures.markup import Markup, el
from glassbox.figures.written import plain

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@dataclass(frozen=True)
class Check:
    """One question with its answer; made by ``number`` or ``reveal``.

    Attributes:
        question: The question, plain text or markup.
        kind: ``number`` or ``reveal``.
        answer: What is folded away.
        attempt: The form to answer in; a script shows it.
        data: What the script needs, as data attributes.
        name: The check's place in its chapter and the name of its own page; ``""`` names it by its question.
    """

    question: str
    kind: str
    answer: Markup
    attempt: Markup
    data: tuple[tuple[str, str], ...]
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", f"check-{self.id}")
        elif not _NAME.fullmatch(self.name):
            fits = "small letters, digits and single hyphens"
            raise ValueError(f"a check's name stands in an address: {fits}, not {self.name!r}")

    @property
    def id(self) -> str:
        """What the reader's own count knows the question by: it changes with the wording."""
        return hashlib.sha256(str(self.question).encode("utf-8", "replace")).hexdigest()[:10]

    def markup(self) -> Markup:
        """The question as static HTML: the answer opens without a script."""
        hooks = {f"data_{name}": value for name, value in self.data}
        return el(
            "div",
            el("p", self.question, class_="question"),
            self.attempt,
            el("p", class_="verdict", role="status"),
            el("details", el("summary", "Show the answer"), el("div", self.answer, class_="answer")),
            class_="check",
            id=self.name,
            data_check=self.kind,
            data_id=self.id,
            **hooks,
        )

    def _repr_html_(self) -> str:
        """Shows the question in a notebook."""
        return str(self.markup())  # a plain str: marimo in the browser cannot send a subclass of it


def number(
    question: str,
    answer: float,
    tolerance: float,
    unit: str = "",
    hint: str = "",
    explain: str = "",
    name: str = "",
) -> Check:
    """Asks for a number.

    Args:
        question: The question, plain text or markup.
        answer: The right number, computed by code.
        tolerance: How far off still counts as right, in the answer's own unit; 0 for exactly. The answer is
            shown with as many digits as that leaves.
        unit: What the number counts, as ``"tokens"``.
        hint: Said after a wrong answer.
        explain: Follows the answer when it is shown.
        name: Names the check's own page for good (see ``Check``).

    Raises:
        ValueError: The answer is not a finite number, the tolerance is negative, or the name does not fit an
            address.
    """
    answer, tolerance = float(answer), float(tolerance)
    if not math.isfinite(answer):
        raise ValueError(f"a check's answer is a finite number, not {answer}")
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise ValueError(f"a check's tolerance is 0 or more, not {tolerance}")
    field = el("input", type="text", inputmode="decimal", autocomplete="off", spellcheck="false", size=12)
    attempt = el(
        "form",
        el("label", el("span", "Your answer"), field),
        el("span", unit, class_="unit") if unit else None,
        el("button", "Check", type="submit"),
        class_="attempt",
        hidden=True,
    )
    about = "about " if tolerance else ""
    rounded = round(answer, max(0, math.ceil(-math.log10(tolerance)))) if tolerance else answer
    shown = el("p", el("strong", f"{about}{plain(rounded)}{' ' + unit if unit else ''}"))
    return Check(
        question,
        "number",
        Markup(shown + (el("p", explain) if explain else "")),
        attempt,
        (("answer", _exact(answer)), ("tolerance", _exact(tolerance)), ("hint", str(hint))),
        name,
    )


def reveal(question: str, answer: str, name: str = "") -> Check:
    """Asks for a thought: the reader writes first, then compares.

    Args:
        question: The question, plain text or markup.
        answer: A model answer, plain text or markup.
        name: Names the check's own page for good (see ``Check``).

    Raises:
        ValueError: The name does not fit an address.
    """
    field = el("textarea", rows=3, spellcheck="true", autocomplete="off")
    attempt = el(
        "form",
        el("label", el("span", "Your answer, in a sentence; it stays in this page"), field),
        el("button", "Compare", type="submit"),
        class_="attempt",
        hidden=True,
    )
    return Check(question, "reveal", el("p", answer), attempt, (), name)


def _exact(value: float) -> str:
    """A number as JavaScript reads it back, whole where it is whole."""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
