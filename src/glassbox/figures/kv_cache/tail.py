"""Who waits: for the first token, and between tokens; the slowest one in a hundred is what people remember."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from glassbox.costs import catalogue
from glassbox.figures import vega
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import seconds
from glassbox.serving import engine, latency
from glassbox.serving.latency import Policy, Times, Waits

TITLE = "Who waits"
RATES = (0.5, 1, 2, 3, 4, 5, 6, 8, 10)
PROMPTS = (250, 500, 1000, 2000, 4000)
CHUNKS = {"whole": 0, "in chunks of 1,024": 1024, "in chunks of 256": 256, "in chunks of 64": 64}
SHARED = 0.75
REQUESTS = 300
PERCENTS = (50, 95, 99)


@dataclass(frozen=True)
class Row:
    """One line of the figure: whose waits, of which kind, in which colour."""

    panel: str
    engine: str
    tone: str
    times: Times


@functools.lru_cache(maxsize=1)
def server() -> latency.Server:
    """Llama 3 8B on an A100 at its data sheet's best."""
    return latency.serving(catalogue.models()["Llama 3 8B"], catalogue.gpus()["A100 80 GB"], batch=32)


@functools.lru_cache(maxsize=128)
def waits(rate: float, prompt: int, policy: Policy) -> Waits:
    """How long the requests of one load wait in an engine."""
    asked = latency.Load(rate, REQUESTS, prompt, answer=60, seed=11).draw()
    return engine.simulate(asked, server(), policy)


def chosen(chunk: int, continuous: bool, apart: bool, shared: bool, cache: bool) -> Policy:
    """The engine that the controls describe; without a cache nothing is kept that the other ideas need."""
    if not cache:
        return Policy(cache=False, continuous=continuous)
    return Policy(True, continuous, chunk or None, apart, SHARED if shared else 0.0)


def tail(
    rate: float = 4,
    prompt: int = 1000,
    chunk: int = 0,
    continuous: bool = True,
    apart: bool = False,
    shared: bool = False,
    cache: bool = True,
) -> Figure:
    """Both waits of every user, as the share that waits longer, beside a plain engine's.

    Args:
        rate: Requests a second.
        prompt: Mean length of a prompt in tokens: what is left of the conversation.
        chunk: The most prompt tokens of one step; 0 reads prompts whole.
        continuous: Whether requests join and leave at every step.
        apart: Whether one machine reads and another writes.
        shared: Whether three quarters of each prompt are cached already.
        cache: Whether there is a KV cache at all.
    """
    one_of("rate", rate, RATES)
    one_of("prompt", prompt, PROMPTS)
    one_of("chunk", chunk, CHUNKS.values())
    policy = chosen(chunk, continuous, apart, shared, cache)
    plain = Policy(machines=2 if policy.apart else 1)
    now = waits(float(rate), int(prompt), policy)
    base = None if policy == plain else waits(float(rate), int(prompt), plain)
    sentence = _sentence(rate, prompt, now, base, plain.machines)
    lines = rows(now, base, plain.machines)
    panels = el("div", [_panel(lines, p, sentence) for p in PANELS], class_="tail-panels")
    note = _note(now, rate, policy.apart, ignored=not cache and bool(chunk or apart or shared))
    picture = el("div", panels, _numbers(lines), class_="tail")
    return Figure(TITLE, sentence, picture, _table(lines), note=note)


FIRST, GAP = "time to first token", "gap between tokens"
COLOURS = {t: t for t in ("soft", "query", "value", "severe")}  # an engine's line in each role
DASHED = ("soft", "value")
PANELS = {FIRST: (0.005, 10_000.0, 1000.0), GAP: (0.005, 10.0, 100_000.0)}


def rows(now: Waits, base: Waits | None, machines: int) -> list[Row]:
    """The figure's lines, those of the chosen engine last, so that they lie on top."""
    plain = "two plain machines" if machines == 2 else "plain engine"
    name = "as chosen" if base else plain
    found = [Row(FIRST, plain, "soft", base.first), Row(GAP, plain, "soft", base.gaps)] if base else []
    return [
        *found,
        Row(FIRST, name, "query", now.first),
        Row(GAP, "each user’s average", "value", now.averages),
        Row(GAP, name, "severe", now.gaps),
    ]


def _sentence(rate: float, prompt: int, now: Waits, base: Waits | None, machines: int) -> str:
    first, gaps = now.first, now.gaps
    start = (
        f"At {rate:g} requests a second with prompts of {prompt:,} tokens on average, one user in a hundred waits "
        f"longer than {seconds(first.percentile(99))} for the first token; then half the gaps are within "
        f"{seconds(gaps.percentile(50))}, one in a hundred is longer than {seconds(gaps.percentile(99))}, and "
        f"the longest takes {seconds(gaps.longest)}"
    )
    if base is None:
        return f"{start}, though nobody’s average gap exceeds {seconds(now.averages.longest)}."
    plain = "two plain machines" if machines == 2 else "the plain engine"
    return (
        f"{start}; {plain} would have {seconds(base.first.percentile(99))} for the first token, and gaps of "
        f"{seconds(base.gaps.percentile(50))}, {seconds(base.gaps.percentile(99))} and {seconds(base.gaps.longest)}."
    )


def _panel(lines: list[Row], panel: str, sentence: str) -> Markup:
    low, high, most = PANELS[panel]
    drawn = [
        {"seconds": time, "one_in": one_in, "series": r.engine, "tone": r.tone}
        for r in lines
        if r.panel == panel
        for time, one_in in r.times.tail()
        if low <= time <= high and one_in <= most
    ]
    percents = [{"one_in": 100 / (100 - p), "text": f"p{p}"} for p in PERCENTS]
    name = {FIRST: "kv_cache.tail_first", GAP: "kv_cache.tail_gap"}[panel]
    return vega.drawn(name, {"lines": drawn, "percents": percents}, f"{panel}: {sentence}")


def _numbers(lines: list[Row]) -> Markup:
    columns = (*(f"p{p}" for p in PERCENTS), "longest")
    head = el("tr", el("td"), [el("th", c, scope="col", class_="number") for c in columns])
    body = []
    for panel in PANELS:
        body.append(
            el("tr", el("th", panel, scope="colgroup", colspan=len(columns) + 1, class_="tail-panel"))
        )
        for r in reversed(lines):
            if r.panel == panel:
                name = el("th", r.engine, scope="row", class_="tail-name", style=f"--c:var(--{r.tone})")
                body.append(el("tr", name, [el("td", seconds(t), class_="number") for t in _four(r.times)]))
    table = el("table", el("thead", head), el("tbody", body), class_="data tail-numbers")
    return el("div", table, class_="scroll", tabindex="0", role="region", aria_label="Both waits")


def _four(times: Times) -> tuple[float, ...]:
    return (*(times.percentile(p) for p in PERCENTS), times.longest)


def _table(lines: list[Row]) -> Table:
    columns = ("wait", "engine", *(f"p{p} (ms)" for p in PERCENTS), "longest (ms)", "average (ms)", "waits")
    body: list[tuple[Cell, ...]] = [
        (
            r.panel,
            r.engine,
            *(round(1000 * t, 2) for t in _four(r.times)),
            round(1000 * r.times.mean, 2),
            r.times.count,
        )
        for r in reversed(lines)
    ]
    return Table(columns, tuple(body))


def overloaded(now: Waits, rate: float) -> bool:
    """Whether more comes in than is served: the last answers end long after the last request came."""
    return max(now.finished) > 1.25 * REQUESTS / rate


def _note(now: Waits, rate: float, apart: bool, ignored: bool) -> str:
    words = [
        f"{REQUESTS} simulated requests, prompts and answers of very different lengths, the answers of 60 tokens "
        "on average; Llama 3 8B on an A100 at its data sheet’s best, up to 32 requests a step. A step fetches weights and caches, then computes; engines that do both at "
        "once are faster. The plain engine lets requests join at every step, reads prompts whole and keeps each "
        "user’s cache. p99 of the first token rests on the slowest three."
    ]
    if apart:
        words.append(
            f"A cache travels at {latency.LINK_GB_S:g} GB/s, a card of {8 * latency.LINK_GB_S:g} Gbit/s."
        )
    if ignored:
        words.append(
            "Without a cache there is nothing to share, to send, or to read a prompt onto in chunks."
        )
    if overloaded(now, rate):
        words.append("More comes in than this engine can serve: the queue grows for as long as this lasts.")
    return " ".join(words)
