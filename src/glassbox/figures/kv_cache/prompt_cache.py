"""The bill of a long conversation, with and without cached beginnings."""

from __future__ import annotations

import math

from glassbox.figures import vega
from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import dollars, plural
from glassbox.serving.conversation import Talk, bills

TITLE = "The bill of a long conversation"
TURNS = 60
WITHOUT, WITH = "without", "with cached beginnings"


def prompt_cache(
    turns: int = 30,
    system: int = 2000,
    turn: int = 600,
    price: float = 3.0,
    cached_percent: float = 10,
    keep: int = 0,
) -> Figure:
    """Two bills that grow.

    Args:
        turns: Turns of the conversation.
        system: Tokens of the fixed beginning.
        turn: Tokens each turn adds.
        price: Dollars for a million input tokens.
        cached_percent: Price of a cached token in percent of that.
        keep: Send only the last so many turns again; 0 for all.
    """
    turns = min(max(int(turns), 1), TURNS)
    talk = Talk(system, turn, keep or None)
    without, with_cache = bills(talk, turns, price, cached_percent)
    times = without[-1] / with_cache[-1] if with_cache[-1] else math.inf
    sent, new = talk.sent_by(turns), talk.written_by(turns)
    first = f"One turn sends {sent:,} tokens, all of them new"
    more = f"{plural(turns, 'turn')} send {sent:,} tokens, though only {new:,} were ever new"
    sentence = (
        f"{first if turns == 1 else more}; that costs {dollars(without[-1])} without cached beginnings and "
        f"{dollars(with_cache[-1])} with them" + (f", {times:.1f} times less." if times > 1.05 else ".")
    )
    if keep and turns - 1 > keep:
        sentence += f" Dropping old turns sends less, but from turn {keep + 2} only the fixed beginning hits."
    picture = _chart(talk, turns, price, cached_percent, sentence)
    rows = tuple(
        (n, talk.sent(n), talk.known(n), round(a, 5), round(b, 5))
        for n, (a, b) in enumerate(zip(without, with_cache, strict=True), 1)
    )
    columns = ("turn", "tokens sent", "of them cached", "paid so far without ($)", "paid so far with ($)")
    note = (
        "Input only; the answers cost the same either way. The prices are yours: move them to your "
        "provider’s. Earlier answers count as cached, too; not every provider does that, and some charge extra "
        "for keeping a beginning."
    )
    return Figure(TITLE, sentence, el("div", picture, class_="prompt-cache"), Table(columns, rows), note=note)


def _chart(talk: Talk, turns: int, price: float, cached_percent: float, sentence: str) -> Markup:
    without, with_cache = bills(talk, TURNS, price, cached_percent)
    high = max(without[-1], 1e-6)
    step = 10 ** math.floor(math.log10(high))
    top = step * math.ceil(high / step)

    def row(n: int, series: str, paid: list[float]) -> vega.Row:
        return {"turn": n, "dollars": paid[n - 1], "series": series}

    both = ((WITHOUT, without), (WITH, with_cache))
    sets: vega.Sets = {
        "lines": [row(n, name, paid) for name, paid in both for n in range(1, TURNS + 1)],
        "here": [row(turns, name, paid) for name, paid in both],
        "turns": [{"turn": turns, "text": plural(turns, "turn")}],
    }
    return vega.drawn("kv_cache.prompt_cache", sets, sentence, top=top)
