"""What the next token costs, at every length of the text: counted, and timed where a reader presses the button."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

from glassbox import model
from glassbox.figures import subject, vega
from glassbox.figures.figure import Cell, Figure, Table, Work
from glassbox.figures.kv_cache import runs
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import seconds, si

TITLE = "What each next token costs"
LENGTHS = tuple(range(32, 513, 32))  # the shipped model reads 512 tokens at most
TEXT = "The nurse said that the patient has severe chest pain. "
WITHOUT, WITH = "without a cache", "with a cache"  # the chart's two lines
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
    longest = min(_clocked(m, ids)[0] for _ in range(2))  # so far must the chart's axis reach
    cache, found, same = m.new_cache(), list[Cost](), True
    for n in LENGTHS:
        without, plain = _clocked(m, ids[:n])
        m.forward(ids[cache.length : n - 1], cache, last_only=True)
        took = []
        for _ in range(TRIES):
            once, cached = _clocked(m, ids[n - 1 : n], cache)
            took.append(once)
            cache.rewind(n - 1)
        same &= bool(plain.logits.argmax() == cached.logits.argmax())
        found.append(Cost(n, without, min(took)))
        yield _figure(tuple(found), same, longest)


def _clocked(
    m: model.Model, ids: tuple[int, ...], cache: model.Cache | None = None
) -> tuple[float, model.Forward]:
    """How many seconds a pass takes, and what it gives."""
    began = time.perf_counter()
    done = m.forward(ids, cache, last_only=True)
    return time.perf_counter() - began, done


def _figure(found: tuple[Cost, ...], same: bool, longest: float = 0.0) -> Figure:
    first, last = counted()[0], counted()[-1]
    if len(found) == len(LENGTHS):
        begin, end = found[0], found[-1]
        sentence = (
            f"Here, in this browser, the token after {end.tokens} took {seconds(end.without)} without a cache and "
            f"{seconds(end.cached)} with one; after {begin.tokens} it was {seconds(begin.without)} and "
            f"{seconds(begin.cached)}, and both choose {'the same' if same else 'different'} tokens."
        )
    elif found:
        now = found[-1]
        sentence = (
            f"Timed here so far: after {now.tokens} tokens {seconds(now.without)} without a cache and "
            f"{seconds(now.cached)} with one."
        )
    else:
        sentence = (
            f"After {last.tokens} tokens the next one takes {si(last.without)} multiply-adds without a cache and "
            f"{si(last.cached)} with one; after {first.tokens} it is {si(first.without)} and {si(first.cached)}. "
            "Press the button for the time here."
        )
    note = "The text is as long as this small model can read: 512 tokens."
    picture = el("div", _chart(found, longest, sentence), class_="per-step")
    return Figure(TITLE, sentence, picture, _table(found), "measured" if found else "computed", note)


def _chart(found: tuple[Cost, ...], longest: float, sentence: str) -> Markup:
    """The counts, or the times in milliseconds as far as they are known."""
    unit = 1000.0 if found else 1.0
    costs = [(c.tokens, unit * c.without, unit * c.cached) for c in found or counted()]
    rows = [{"tokens": n, "cost": cost, "series": WITHOUT} for n, cost, _ in costs]
    rows += [{"tokens": n, "cost": cost, "series": WITH} for n, _, cost in costs]
    top = _round_up(max(longest * unit, *(cost for _, cost, _ in costs)))
    name = "kv_cache.per_step_time" if found else "kv_cache.per_step_work"
    return vega.drawn(name, {"lines": rows}, sentence, top=top)


def _round_up(most: float) -> float:
    """The next round number: 1, 2, 3, 4, 5, 6 or 8 times a power of ten.

    >>> _round_up(31.5), _round_up(498)
    (40.0, 500.0)
    """
    power = 10.0 ** math.floor(math.log10(most))
    return next(power * n for n in (1, 2, 3, 4, 5, 6, 8, 10) if power * n >= most)


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
