"""Half the requests are fine; the slowest one in a hundred is what people remember."""

from __future__ import annotations

import functools

from glassbox.costs import catalogue
from glassbox.figures import chart
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import seconds
from glassbox.serving import latency

TITLE = "The slow ones"
RATES = (0.5, 1, 2, 3, 4, 5, 6, 8, 10)
PROMPTS = (250, 500, 1000, 2000, 4000)
SHARED = 0.75
SHARING = "cache, and ¾ of each prompt shared"
REQUESTS = 300
PERCENTS = (50, 95, 99)
RUNS = {
    "no cache": ("severe", False, 0.0),
    "cache": ("query", True, 0.0),
    SHARING: ("value", True, SHARED),
}


def server() -> latency.Server:
    """Llama 3 8B on an A100 at its data sheet's best."""
    return latency.serving(catalogue.models()["Llama 3 8B"], catalogue.gpus()["A100 80 GB"], batch=32)


@functools.lru_cache(maxsize=64)
def times(rate: float, prompt: int) -> dict[str, latency.Times]:
    """The same requests through each of the three servers."""
    load = latency.Load(rate, REQUESTS, prompt, answer=60, seed=11)
    return {
        name: latency.simulate(load, server(), cache, shared) for name, (_, cache, shared) in RUNS.items()
    }


def tail(rate: float = 4, prompt: int = 1000) -> Figure:
    """Time per token of every request, from the luckiest to the unluckiest.

    Args:
        rate: Requests a second.
        prompt: Mean length of a prompt in tokens: what is left of the conversation.
    """
    one_of("rate", rate, RATES)
    one_of("prompt", prompt, PROMPTS)
    found = times(float(rate), int(prompt))
    middle, slow = (found["cache"].percentile(p) for p in (50, 99))
    shared = found[SHARING].percentile(99)
    without = found["no cache"].percentile(99)
    sentence = (
        f"At {rate:g} requests a second with {prompt:,}-token prompts, half the requests get a token every "
        f"{seconds(middle)} or faster, but one in a hundred waits {seconds(slow)} or more a token; sharing "
        f"beginnings makes that {seconds(shared)}, {slow / shared:.1f} times less; without any "
        f"cache it is {seconds(without)}."
    )
    rows: list[tuple[Cell, ...]] = [
        (name, *(round(1000 * t.percentile(p), 2) for p in PERCENTS)) for name, t in found.items()
    ]
    columns = ("server", *(f"p{p} of the time per token (ms)" for p in PERCENTS))
    picture = el("div", _chart(found, sentence), _numbers(found), class_="tail")
    note = (
        f"{REQUESTS} simulated requests, answers of 60 tokens on average; the server is Llama 3 8B on an "
        "A100 at its data sheet’s best, up to 32 requests a step. Waiting counts; fetching the caches is left out. "
        "p99 rests on the slowest three."
    )
    return Figure(TITLE, sentence, picture, Table(columns, tuple(rows)), note=note)


def _chart(found: dict[str, latency.Times], sentence: str) -> Markup:
    lines = []
    for name, t in found.items():
        points = [(float(p), 1000 * t.percentile(p)) for p in (*range(1, 100, 2), 99)]
        lines.append(
            chart.Line(
                points,
                name.split(",")[0] if "¾" not in name else "shared",
                tone=RUNS[name][0],
                dashed=name == "no cache",
            )
        )
    return chart.plot(
        [*lines, *(chart.Rule(x=p, text=f"p{p}") for p in (50, 99))],
        x=chart.Axis(0, 100, "percent of requests that are at least this fast", at=(0, 25, 50, 75, 99)),
        y=chart.Axis(5, 200_000, "time per token (ms)", log=True, at=(10, 100, 1000, 10_000, 100_000)),
        sentence=sentence,
        height=14,
    )


def _numbers(found: dict[str, latency.Times]) -> Markup:
    head = el("tr", el("td"), [el("th", f"p{p}", scope="col", class_="number") for p in PERCENTS])
    rows = [
        el(
            "tr",
            el("th", name, scope="row", class_="tail-name", style=f"--c:var(--{RUNS[name][0]})"),
            [el("td", seconds(t.percentile(p)), class_="number") for p in PERCENTS],
        )
        for name, t in found.items()
    ]
    table = el("table", el("thead", head), el("tbody", rows), class_="data tail-numbers")
    return el("div", table, class_="scroll", tabindex="0", role="region", aria_label="Times per token")
