"""What the next token costs, at every length of the text: counted, and timed where a reader presses the button."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from glassbox import model
from glassbox.figures import chart, subject
from glassbox.figures.figure import Cell, Figure, Table, Work
from glassbox.figures.kv_cache import runs
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import seconds, si

TITLE = "What each next token costs"
LENGTHS = (32, 128, 224, 320, 416, 512)  # evenly apart; the shipped model reads 512 tokens at most
TEXT = "The nurse said that the patient has severe chest pain. "
TRIES = 3  # of the short step, which a machine's other work disturbs most


@dataclass(frozen=True)
class Cost:
    """One step at one length of the text.

    Attributes:
        tokens: The length, the newest token among it.
        without: What the step takes without a cache: multiply-adds, or seconds.
        cached: The same with one.
    """

    tokens: int
    without: float
    cached: float


@functools.lru_cache(maxsize=1)
def counted() -> tuple[Cost, ...]:
    """Multiply-adds of the step after each length."""
    m = model.load()
    c, found = m.config, []
    for n in LENGTHS:
        pairs = 2 * c.n_layers * c.n_heads * c.d_head * n
        cached = m.layer_products + pairs + c.vocab_size * c.d_model
        found.append(Cost(n, model.generate.multiply_adds(m, n, 1, use_cache=False), cached))
    return tuple(found)


@functools.lru_cache(maxsize=1)
def text() -> tuple[int, ...]:
    """As many ids as the longest text has; which ones does not matter."""
    start, *words = runs.encoded(TEXT)
    return (start, *(words[n % len(words)] for n in range(LENGTHS[-1] - 1)))


@subject.stays(
    "It reads up to 512 tokens from their start again and again, which takes a larger model minutes."
)
def per_step(presses: int = 0) -> Figure | Work:
    """Before the button: what can be counted. After it: the same steps, timed.

    Args:
        presses: How often the button was pressed.
    """
    return Work(timed) if presses else _figure((), same=True)


def timed() -> Iterator[Figure]:
    """Times one step at each length, without a cache and with one that holds all earlier tokens."""
    m, ids = model.load(), text()
    m.forward(ids[:8], last_only=True)  # the first pass of all is slower: it lays out memory
    found: list[Cost] = []
    same = True
    for n in LENGTHS:
        began = time.perf_counter()
        plain = m.forward(ids[:n], last_only=True)
        without = time.perf_counter() - began
        cache, took = m.new_cache(), []
        m.forward(ids[: n - 1], cache, last_only=True)
        for _ in range(TRIES):
            began = time.perf_counter()
            cached = m.forward(ids[n - 1 : n], cache, last_only=True)
            took.append(time.perf_counter() - began)
            cache.rewind(n - 1)
        same &= bool(plain.logits.argmax() == cached.logits.argmax())
        found.append(Cost(n, without, min(took)))
        yield _figure(tuple(found), same)


def _figure(found: tuple[Cost, ...], same: bool) -> Figure:
    first, last = counted()[0], counted()[-1]
    if len(found) == len(LENGTHS):
        begin, end = found[0], found[-1]
        sentence = (
            f"Here, in this browser, the token after {end.tokens} took {seconds(end.without)} without a cache and "
            f"{seconds(end.cached)} with one; after {begin.tokens} it was {seconds(begin.without)} and "
            f"{seconds(begin.cached)}, and both choose {'the same' if same else 'different'} tokens."
        )
    else:
        sentence = (
            f"After {last.tokens} tokens the next one takes {si(last.without)} multiply-adds without a cache and "
            f"{si(last.cached)} with one; after {first.tokens} it is {si(first.without)} and {si(first.cached)}. "
            "Press the button for the time here."
        )
    costs = found or counted()
    write: Callable[[float], str] = seconds if found else si
    picture = el(
        "div", [_lane(costs, write, name, sentence) for name in ("without", "cached")], class_="per-step"
    )
    note = "Bars of both rows have one scale. The text is as long as this small model can read: 512 tokens."
    return Figure(TITLE, sentence, picture, _table(found), "measured" if found else "computed", note)


def _lane(costs: tuple[Cost, ...], write: Callable[[float], str], name: str, sentence: str) -> Markup:
    tone = "severe" if name == "without" else "value"
    high = max(max(c.without, c.cached) for c in costs)
    amounts = [c.without if name == "without" else c.cached for c in costs]
    rows = [(str(c.tokens), float(a), write(a)) for c, a in zip(costs, amounts, strict=True)]
    rows += [(str(n), 0.0, "…") for n in LENGTHS[len(costs) :]]
    what = "multiply-adds of the next token" if costs == counted() else "time of the next token, here"
    title = f"{what}, {'without a cache' if name == 'without' else 'with one'}, by tokens before it"
    bars = chart.columns(rows, high, sentence, tone=tone, height=7)
    inside = el("div", bars, class_="scroll", tabindex="0", role="group", aria_label=title)
    return el("div", el("p", title, class_="small soft"), inside)


def _table(found: tuple[Cost, ...]) -> Table:
    columns = (
        "tokens",
        "multiply-adds without a cache",
        "multiply-adds with one",
        "seconds without a cache",
        "seconds with one",
    )
    rows: list[tuple[Cell, ...]] = []
    for n, count in enumerate(counted()):
        clock: tuple[Cell, Cell] = ("not timed yet", "not timed yet")
        if n < len(found):
            clock = (round(found[n].without, 6), round(found[n].cached, 6))
        rows.append((count.tokens, count.without, count.cached, *clock))
    return Table(columns, tuple(rows))
