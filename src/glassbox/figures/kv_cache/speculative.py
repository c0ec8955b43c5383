"""Guess and check: a draft proposes, the model checks all guesses in one pass, and the text stays the same."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from dataclasses import dataclass

from glassbox import model
from glassbox.figures import subject, vega
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Provenance, Table, Work
from glassbox.figures.kv_cache import runs
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import plain, plural, seconds
from glassbox.model.speculative import (
    CutDown,
    Draft,
    Foreseen,
    Lookup,
    Round,
    fetched,
    rounds_along,
    rounds_of,
)
from glassbox.serving.speculation import speed_up, tokens_a_pass

TITLE = "Guess and check"
LENGTH = 24
TINY, OWN = "a draft of a fiftieth", "this draft"  # the chart's two lines
MOST = 8
PROMPTS = (
    "The nurse said that",
    "Patient has severe chest",
    "Fracture of left",
    "The lamp is red. The lamp is",
)
DRAFTS = {
    "its first layer": 1,
    "its first two layers": 2,
    "its first three layers": 3,
    "what it wrote before": 0,
}
SMALL = 0.02  # a draft of a fiftieth of the model's weights, as 1 in 50 billion
SLICE_SECONDS = 0.08


@dataclass(frozen=True)
class Tally:
    """What guessing did for one text.

    Attributes:
        rounds: The passes of the model.
        guesses: How many were asked for each pass.
        cost: What a pass of the draft fetches, in passes of the model.
    """

    rounds: tuple[Round, ...]
    guesses: int
    cost: float

    @property
    def accepted(self) -> int:
        """How many guesses were right."""
        return sum(r.accepted for r in self.rounds)

    @property
    def tested(self) -> int:
        """How many guesses were looked at."""
        return sum(r.tested for r in self.rounds)

    @property
    def right(self) -> float:
        """The share that was right; where a guess was wanted and there was none, that counts as wrong."""
        at = missing = 0
        for r in self.rounds:
            asked = min(self.guesses, LENGTH - at - 1)
            missing += r.accepted == len(r.guesses) < asked
            at += len(r.ids)
        wanted = self.tested + missing
        return self.accepted / wanted if wanted else 0.0

    @property
    def times(self) -> float:
        """How many times sooner, if a pass takes as long as its fetching."""
        drafted = sum(len(r.guesses) for r in self.rounds)
        return LENGTH / (len(self.rounds) + self.cost * drafted)


def new_draft(layers: int) -> Draft:
    """The draft that a control names: the first layers of the model, or none for looking up."""
    return CutDown(model.load(), layers) if layers else Lookup()


@functools.lru_cache(maxsize=128)
def tally(layers: int, guesses: int, prompt: str) -> Tally:
    """Counts the passes for one draft, number of guesses and text, from what model and draft each write."""
    m = model.load()
    cost = fetched(CutDown(m, layers).model) / fetched(m) if layers else 0.0
    draft = _foreseen(layers, prompt)
    rounds = rounds_along(runs.written(prompt, LENGTH), runs.encoded(prompt), draft, guesses)
    return Tally(tuple(rounds), guesses, cost)


@functools.lru_cache(maxsize=32)
def _foreseen(layers: int, prompt: str) -> Draft:
    if not layers:
        return Lookup()
    return Foreseen(CutDown(model.load(), layers), runs.encoded(prompt), runs.written(prompt, LENGTH))


@subject.stays("Its guessers are cut out of our model, or made for the texts that ours writes.")
def speculative(
    layers: int = 1, guesses: int = 4, prompt: str = PROMPTS[0], presses: int = 0
) -> Figure | Work:
    """Before the button: passes, guesses and what they are worth. After it: both runs, timed.

    Args:
        layers: How many of the model's layers guess; 0 looks up what followed before.
        guesses: How many tokens are proposed for each pass.
        prompt: One of ``PROMPTS``.
        presses: How often the button was pressed.
    """
    one_of("layers", layers, DRAFTS.values())
    one_of("prompt", prompt, PROMPTS)
    guesses = min(max(int(guesses), 0), MOST)
    if presses:
        return Work(lambda: race(layers, guesses, prompt))
    return _figure(layers, guesses, prompt, tally(layers, guesses, prompt), None)


def race(layers: int, guesses: int, prompt: str) -> Iterator[Figure]:
    """Writes the text without guesses, then with them, and times both."""
    m, ids = model.load(), runs.encoded(prompt)
    m.forward(ids, last_only=True)  # the first pass of all is slower: it lays out memory
    clocks, texts = [0.0, 0.0], [list[int](), list[int]()]
    unseen = 0.0
    drafts: tuple[tuple[Draft, int], ...] = ((Lookup(), 0), (new_draft(layers), guesses))
    for n, (draft, count) in enumerate(drafts):
        rounds = rounds_of(m, ids, LENGTH, draft, count)
        while len(texts[n]) < LENGTH:
            began = time.perf_counter()
            done = next(rounds)
            clocks[n] += time.perf_counter() - began
            texts[n] += done.ids
            unseen += time.perf_counter() - began
            if unseen > SLICE_SECONDS and len(texts[1]) < LENGTH:
                unseen = 0.0
                yield _figure(layers, guesses, prompt, tally(layers, guesses, prompt), None)
    timed = (clocks[0], clocks[1], texts[0] == texts[1])
    yield _figure(layers, guesses, prompt, tally(layers, guesses, prompt), timed)


Timed = tuple[float, float, bool]


def _figure(layers: int, guesses: int, prompt: str, found: Tally, timed: Timed | None) -> Figure:
    sentence = _sentence(layers, guesses, found, timed)
    picture = el("div", _text(prompt, found), _chart(layers, guesses, prompt, sentence), class_="speculative")
    note = (
        "Times as fast: where a pass takes as long as fetching its weights. "
        + (
            f"This draft fetches {100 * found.cost:.0f}\u00a0% of them. "
            if layers
            else "Looking up fetches none, but often has no guess, which counts as a wrong one. "
        )
        + "The lines follow the formula, with the share that was right here; dots are counted. A draft of a "
        "fiftieth stands for one such as 1 billion weights beside 50 billion."
    )
    kind: Provenance = "measured" if timed else "computed"
    return Figure(TITLE, sentence, picture, _table(layers, prompt, timed), kind, note)


def _name(layers: int) -> str:
    return next(name for name, n in DRAFTS.items() if n == layers)


def _sentence(layers: int, guesses: int, found: Tally, timed: Timed | None) -> str:
    if not guesses:
        return f"Without guesses {LENGTH} tokens take {LENGTH} passes of the model."
    if timed:
        without, with_guesses, same = timed
        return (
            f"Here, in this browser, the text took {seconds(without)} without guesses and "
            f"{seconds(with_guesses)} with them, and the two are {'identical' if same else 'not identical'}; "
            "a processor short of arithmetic gains less than the passes say."
        )
    passes = plural(len(found.rounds), "pass", "passes")
    return (
        f"With {plural(guesses, 'guess', 'guesses')} from {_name(layers)}, the same {LENGTH} tokens take "
        f"{passes} of the model instead of {LENGTH}: {found.accepted} of the "
        f"{found.tested} guesses looked at were right, which makes it {found.times:.2f} times as fast."
    )


def _text(prompt: str, found: Tally) -> Markup:
    groups = []
    for r in found.rounds:
        right, own = runs.shown(list(r.guesses[: r.accepted])), runs.shown([r.own])[0]
        wrong = runs.shown([r.guesses[r.accepted]]) if r.tested > r.accepted else ()
        parts = [el("span", _visible(w), class_="right") for w in right]
        parts += [el("s", _visible(w)) for w in wrong]
        groups.append(el("span", [*parts, el("b", _visible(own))], class_="pass"))
    key = el(
        "p",
        el("span", "a guess that was right", class_="right"),
        " ",
        el("s", "one that was wrong"),
        " ",
        el("b", "the model’s own token"),
        " – one frame is one pass of the model",
        class_="small soft speculative-key",
    )
    line = el(
        "p", el("span", prompt, class_="soft"), [part for g in groups for part in (" ", g)], translate="no"
    )
    return el("div", line, key, class_="speculative-text")


def _visible(word: str) -> str:
    return word.replace("⟨start⟩", "¶").strip() or "␣"


def _chart(layers: int, guesses: int, prompt: str, sentence: str) -> Markup:
    found = tally(layers, max(guesses, 1), prompt)
    numbers = range(MOST + 1)
    both = ((TINY, SMALL), (OWN, found.cost))
    counted = [(k, tally(layers, k, prompt)) for k in numbers]
    sets: vega.Sets = {
        "lines": [
            {"guesses": k, "times": speed_up(found.right, k, cost), "series": name}
            for name, cost in both
            for k in numbers
        ],
        "counted": [{"guesses": k, "times": t.times, "a_pass": LENGTH / len(t.rounds)} for k, t in counted],
        "here": [{"guesses": guesses}],
        "even": [{"times": 1}],
    }
    return vega.drawn("kv_cache.speculative", sets, sentence)


def _table(layers: int, prompt: str, timed: Timed | None) -> Table:
    columns = (
        "guesses for each pass",
        "passes",
        "looked at",
        "right",
        "tokens a pass",
        "by the formula",
        "times as fast",
    )
    rows: list[tuple[Cell, ...]] = []
    for k in range(MOST + 1):
        t = tally(layers, k, prompt)
        right = t.accepted
        expected = round(tokens_a_pass(t.right, k), 3)
        rows.append(
            (k, len(t.rounds), t.tested, right, round(LENGTH / len(t.rounds), 3), expected, round(t.times, 3))
        )
    if timed:
        took = (f"{timed[0]:.3f} s without", f"{timed[1]:.3f} s with guesses")
        rows.append(
            (
                "timed here",
                *took,
                "same text" if timed[2] else "another text",
                "",
                "",
                plain(round(timed[0] / timed[1], 3)),
            )
        )
    return Table(columns, tuple(rows))
