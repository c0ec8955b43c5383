"""How fast it writes on the reader's machine, token by token, with a stop."""

from __future__ import annotations

from collections.abc import Iterator

from glassbox.figures import subject
from glassbox.figures.attention import reading
from glassbox.figures.figure import Figure, Table, Work
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import count, seconds
from glassbox.model import generate
from glassbox.model.generate import Step

TITLE = "How fast it writes here"
LIMIT, SLICE_SECONDS = 1024, 0.1


def pace(text: str, length: int, presses: int) -> Figure | Work:
    """Before the start: what one token takes. After it: the writing itself, timed.

    Args:
        text: The beginning.
        length: How many tokens to write at most.
        presses: How often the start button was pressed.
    """
    return Work(lambda: _write(text, length)) if presses else _counted(text, length)


def _counted(text: str, length: int) -> Figure:
    m = subject.model()
    ids, note = reading.cut(text, _limit(length))
    work = generate.multiply_adds(m, 1, 1, use_cache=True)
    sentence = (
        f"A token takes {subject.name()} {count(work)} multiplications; press to see how long that is here."
    )
    picture = _picture(
        text, [], "", [("to read", f"{len(ids)} tokens"), ("to write", f"up to {length}")], 0.0
    )
    table = Table(("tokens to read", "multiplications a token"), ((len(ids), work),))
    return Figure(TITLE, sentence, picture, table, note=note)


def _write(text: str, length: int) -> Iterator[Figure]:
    m = subject.model()
    ids, note = reading.cut(text, _limit(length))
    length = max(1, min(length, m.config.context - len(ids)))
    steps: list[Step] = []
    unseen, ended = 0.0, False
    for step in generate.stream(m, ids, length, generate.likeliest):
        steps.append(step)
        unseen += step.seconds
        ended = step.id in m.stops
        if ended:
            break
        if unseen >= SLICE_SECONDS or len(steps) == 1:
            unseen = 0.0
            yield _state(text, len(ids), steps, length, note)
    yield _state(text, len(ids), steps, length, note, ended)


def _limit(length: int) -> int:
    """Most tokens to read, so that those to be written fit behind them."""
    m = subject.model()
    return max(len(m.begins) + 1, min(LIMIT, m.config.context - length))


def _state(text: str, read: int, steps: list[Step], length: int, note: str, ended: bool = False) -> Figure:
    first, later = steps[0].seconds, sum(s.seconds for s in steps[1:])
    rate = (len(steps) - 1) / later if later else 0.0
    speed = f"{rate:.1f} tokens a second" if rate else "not timed yet"
    sentence = f"{subject.capital()} read {read} tokens in {seconds(first)} and has written {len(steps)}, at {speed}."
    if ended:
        sentence = f"{subject.capital()} ended its text after {len(steps)} tokens, at {speed}."
    facts = [
        ("reading", f"{seconds(first)} for {read} tokens"),
        ("writing", speed),
        ("a token", seconds(later / (len(steps) - 1)) if later else "–"),
    ]
    new = [s.id for s in steps if s.id not in subject.model().stops]
    more = subject.model().write(new).decode("utf-8", "replace")
    rows = tuple((n, round(1000 * s.seconds, 1)) for n, s in enumerate(steps, 1))
    picture = _picture(text, new, more, facts, 100 * len(steps) / length)
    return Figure(TITLE, sentence, picture, Table(("token", "milliseconds"), rows), "measured", note)


def _picture(text: str, new: list[int], more: str, facts: list[tuple[str, str]], share: float) -> Markup:
    return el(
        "div",
        el("dl", [el("div", el("dt", n), el("dd", v)) for n, v in facts], class_="facts"),
        el("span", class_="meter", style=f"--share:{share:.3g}%;--tone:var(--value)"),
        el(
            "p",
            el("span", reading.tail(text), translate="no"),
            el("b", reading.visible(more), translate="no") if new else None,
            class_="om-written",
        ),
        class_="om-pace",
    )
