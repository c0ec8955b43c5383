"""Questions that a reader answers by one press before a figure: ``guess.number`` and ``guess.word``.

    guess.number("How many tokens is “Weather” in GPT-2?", (1, 2, 4), facts.n_pieces("Weather"),
                 opens="?split_text=Weather#split", unit="tokens")
    guess.word("What comes after severe chest?", ("pain", "of"), facts.likeliest(), opens="?…#next_word")

A guess stands before the figure that answers it. A press sets that figure to the state that ``opens`` names,
as a link of the prose does, and the page says how near the guess was. What it says is written here, and the
true value comes from the notebook; the page's script (``js/check.js``) only shows it, and counts it with the
checks. Without a script the choices can be read and the answer unfolds.
"""

from __future__ import annotations

import hashlib
import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from glassbox.figures.figure import Cell, Figure, Work
from glassbox.figures.markup import Markup, el, join
from glassbox.figures.written import plain

CLOSE = 1.5  # what is off by no more than this factor is called close
_KIND = "A guess first."
_LINK = re.compile(r"\?([^#]+)#(\w+)")


@dataclass(frozen=True)
class Choice:
    """One of the things that a reader can press.

    Attributes:
        text: What stands on it.
        opens: The figure's state that it opens, as a link of the prose states it.
        right: Whether it is the answer, or the nearest to it.
        near: How near it is, as a sentence.
    """

    text: str
    opens: str
    right: bool
    near: str


@dataclass(frozen=True)
class Guess:
    """One question with a few answers to press; made by ``number`` or ``word``.

    Attributes:
        question: The question, with ``*words*`` that stand out, or markup.
        choices: What can be pressed.
        answer: The true value in a sentence, and what to look for in the figure.
        name: The guess's place in its chapter.
        unsure: The state that opens for those who do not guess.
    """

    question: str
    choices: tuple[Choice, ...]
    answer: Markup
    name: str
    unsure: str

    @property
    def id(self) -> str:
        """What the reader's own count knows the question by: it changes with the wording."""
        return hashlib.sha256(str(self.question).encode("utf-8", "replace")).hexdigest()[:10]

    def markup(self) -> Markup:
        """The guess as static HTML; the script lets its choices be pressed."""
        asked = f"{self.name}-question"
        skip = Choice("Just show me", self.unsure, False, "")
        return el(
            "div",
            el(
                "p",
                el("span", _KIND, class_="kind"),
                " ",
                _said(self.question),
                class_="question",
                id=asked,
            ),
            el(
                "div",
                *(_button(c, "right" if c.right else "wrong") for c in self.choices),
                _button(skip, "seen", class_="unsure"),
                class_="choices",
                role="group",
                aria_labelledby=asked,
            ),
            el(
                "div",
                el("p", "The figure opens in the state that answers.", class_="verdict", role="status"),
                # As high as the answer will be, so that nothing moves when it comes; and what paper shows.
                self._room(),
                Markup(f"<noscript>{self._folded()}</noscript>"),
                class_="told",
            ),
            class_="guess",
            id=self.name,
            data_guess=self.id,
        )

    def _room(self) -> Markup:
        """The longest that may be said, unseen, so that nothing moves then; on paper the true value."""
        longest = max((c.near for c in self.choices), key=len)
        near = el("span", f"{longest} ", class_="near")
        return el("p", near, self.answer, class_="room", aria_hidden="true")

    def _folded(self) -> Markup:
        return el("details", el("summary", "Show the answer"), el("p", self.answer, class_="answer"))

    def _repr_html_(self) -> str:
        """Shows the question in a notebook, where no script listens: choices as text, the answer folded."""
        choices = el("p", " · ".join(c.text for c in self.choices))
        asked = el("p", el("strong", _KIND), " ", _said(self.question))
        return str(el("div", asked, choices, self._folded(), class_="guess"))


def number(
    question: str,
    choices: Sequence[float],
    answer: float,
    opens: str | Sequence[str],
    unit: str = "",
    explain: str = "",
    name: str = "",
) -> Guess:
    """Asks for a number among a few; the nearest to the true value is right.

    Args:
        question: The question, with ``*words*`` that stand out, or markup.
        choices: Two to five numbers, in the order in which they stand.
        answer: The true value, computed by code and rounded as it shall be read.
        opens: The state of a figure that shows it, as ``?split_text=Weather#split``; or one for each choice,
            and a last one for those who do not guess.
        unit: What the number counts, as ``"tokens"``.
        explain: Follows the true value.
        name: Names the guess's place in its chapter; ``""`` names it after the figure.

    Raises:
        ValueError: There are fewer than two choices or more than five, two are the same, the true value is
            not a finite number, or ``opens`` names no state.
    """
    answer = float(answer)
    if not math.isfinite(answer):
        raise ValueError(f"a guess's true value is a finite number, not {answer}")
    nearest = min(choices, key=lambda c: _apart(c, answer), default=answer)
    written = [_with_unit(c, unit) for c in choices]
    near = [_near(c, answer, c == nearest, w) for c, w in zip(choices, written, strict=True)]
    right = [c == nearest for c in choices]
    return _guess(question, written, right, near, _with_unit(answer, unit), opens, explain, name)


def word(
    question: str,
    choices: Sequence[str],
    answer: str,
    opens: str | Sequence[str],
    explain: str = "",
    name: str = "",
) -> Guess:
    """Asks for one of a few words or phrases.

    Args:
        question: The question, with ``*words*`` that stand out, or markup.
        choices: Two to five answers, in the order in which they stand.
        answer: The right one, found by code.
        opens: As for ``number``.
        explain: Follows the answer.
        name: As for ``number``.

    Raises:
        ValueError: As for ``number``, or the right one is not among the choices.
    """
    if answer not in choices:
        raise ValueError(f"the true answer, {answer}, is not among the choices {', '.join(choices)}")
    near = ["Right." if c == answer else f"Not {c}." for c in choices]
    right = [c == answer for c in choices]
    return _guess(question, list(choices), right, near, answer, opens, explain, name)


def seen(figure: Figure | Work, row: str, column: str) -> Cell:
    """A true value as a figure's own table has it.

    Args:
        figure: The figure in the state that the guess opens.
        row: The first cell of the row.
        column: The column's heading.

    Raises:
        ValueError: The table has no such row or column.
    """
    table = (figure.last() if isinstance(figure, Work) else figure).table
    names = [str(r[0]) for r in table.rows]
    if row not in names or column not in table.columns:
        raise ValueError(
            f"the table has no {row!r} in {column!r}: its rows are {', '.join(names)}, "
            f"its columns {', '.join(table.columns)}"
        )
    return table.rows[names.index(row)][table.columns.index(column)]


def _guess(
    question: str,
    written: list[str],
    right: list[bool],
    near: list[str],
    answer: str,
    opens: str | Sequence[str],
    explain: str,
    name: str,
) -> Guess:
    if not 2 <= len(written) <= 5 or len(set(written)) < len(written):
        raise ValueError(f"a guess has two to five different choices, not {', '.join(written) or 'none'}")
    states = [opens] * (len(written) + 1) if isinstance(opens, str) else list(opens)
    if len(states) != len(written) + 1:
        raise ValueError(f"a state for each of {len(written)} choices and one more, not {len(states)}")
    figures = {_figure(state) for state in states}
    if len(figures) > 1:
        raise ValueError(f"a guess opens one figure, not {', '.join(sorted(figures))}")
    states = [s.replace(" ", "+") for s in states]
    choices = tuple(Choice(*c) for c in zip(written, states, right, near, strict=False))
    told = join(["It is ", el("strong", answer), ". " if explain else ".", _said(explain)])
    return Guess(question, choices, told, name or f"guess-{figures.pop().replace('_', '-')}", states[-1])


def _said(text: str) -> Markup:
    """A sentence as markup; ``*words*`` of a text or a model stand out, as in the prose."""
    if isinstance(text, Markup):
        return text
    parts = re.split(r"\*([^*]+)\*", text)
    return join([el("em", part) if n % 2 else part for n, part in enumerate(parts)])


def _figure(state: str) -> str:
    """The figure that a state belongs to."""
    found = _LINK.fullmatch(html.unescape(state))
    if found is None:
        raise ValueError(f"a guess opens a figure's state, as ?split_text=Weather#split, not {state!r}")
    return found[2]


def _button(choice: Choice, result: str, **more: str) -> Markup:
    return el(
        "button",
        choice.text,
        type="button",
        disabled=True,
        data_opens=choice.opens,
        data_result=result,
        data_near=choice.near,
        **more,
    )


def _apart(choice: float, answer: float) -> float:
    """How far a choice is off: as a factor where both are above 0, else as a difference."""
    if choice > 0 and answer > 0:
        return abs(math.log(choice / answer))
    return abs(choice - answer)


def _near(choice: float, answer: float, nearest: bool, written: str) -> str:
    """How near a guess was, as a sentence to stand before the true value."""
    if choice == answer:
        return "Right."
    if nearest:
        return f"{written} is the nearest of these."
    if choice <= 0 or answer <= 0:
        return f"You said {written}; it is {'more' if answer > choice else 'less'}."
    times = max(choice, answer) / min(choice, answer)
    if times <= CLOSE:
        return f"Close: you said {written}."
    factor = f"{times:.1f}".removesuffix(".0") if times < 10 else f"{times:,.0f}"
    return f"You said {written}: too {'low' if answer > choice else 'high'} by a factor of {factor}."


def _with_unit(value: float, unit: str) -> str:
    number = plain(value)
    if unit.endswith("s") and value == 1:
        unit = unit[:-1]
    return f"{number}\u00a0{unit}" if unit else number
