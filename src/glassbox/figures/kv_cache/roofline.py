"""Two phases on a GPU's roofline, and which purchase would help."""

from __future__ import annotations

from glassbox.costs import catalogue, deployment
from glassbox.costs.deployment import Deployment
from glassbox.costs.roofline import Phase, compute_bound_batch, decode, prefill
from glassbox.figures import vega
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.kv_cache import offered
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import plural, seconds

TITLE = "Two phases on one roof"
LOW, HIGH = 0.5, 500_000.0  # operations a byte: a prompt of 131,072 tokens makes 200,000
LEAST = 0.2  # TFLOP/s, where the picture begins
MODELS = (
    "Llama 3 8B",
    "Llama 2 7B",
    "Qwen2.5 7B",
    "Qwen3 4B",
    "Qwen3 32B",
    "Qwen3 30B-A3B",
    "Mixtral 8x7B",
)
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
CONTEXTS = (128, 512, 2048, 8192, 32_768, 131_072)


def roofline(
    model: str = "Llama 3 8B", gpu: str = "A100 80 GB", context: int = 8192, batch: int = 1
) -> Figure:
    """Prefill and decode as dots on the roof, and four purchases compared.

    Args:
        model: One of ``MODELS``, or the reader's own by its name.
        gpu: A GPU's name.
        context: Tokens of the prompt, and behind each written token.
        batch: How many users share one decode step.
    """
    known = offered.named(model, MODELS)
    one_of("gpu", gpu, catalogue.gpus())
    now = deployment.place(known, catalogue.gpus()[gpu], context)
    read = prefill(now.shape, now.machine, context)
    write = decode(now.shape, now.machine, context, batch)
    sentence = _sentence(now, read, write, batch)
    bought = deployment.purchases(now)
    picture = el("div", _chart(now, read, write, batch, sentence), _bought(bought, batch), class_="roofline")
    return Figure(
        TITLE,
        sentence,
        picture,
        _table(bought, batch),
        note=_note(now, batch),
    )


def _sentence(now: Deployment, read: Phase, write: Phase, batch: int) -> str:
    turn = compute_bound_batch(now.shape, now.machine, now.context)
    rate = f"{_per_second(1 / write.seconds)} tokens a second"
    users = plural(batch, "user")
    if read.bound == write.bound:
        both = "short of " + _short(read)
        start = f"Reading {now.context:,} tokens takes {seconds(read.seconds)}, and writing for {users} gives each {rate}; both are {both}"
        until = ", the writing until"
    else:
        start = (
            f"Reading {now.context:,} tokens takes {seconds(read.seconds)} and is short of {_short(read)}; writing "
            f"for {users} gives each {rate}, short of {_short(write)}"
        )
        until = " until"
    fit = now.budget.users
    if not fit:
        return f"{start}; but not even one cache of this length fits in memory beside the weights."
    if batch > fit:
        return f"{start}; only {plural(fit, 'cache')} of this length would fit in memory."
    if write.bound == "compute":
        return f"{start}."
    if turn is None:
        return f"{start}; no number of users changes that for the writing."
    return f"{start}{until} {turn:,} users share a step."


def _short(phase: Phase) -> str:
    return "arithmetic" if phase.bound == "compute" else "bandwidth"


def _note(now: Deployment, batch: int) -> str:
    best = (
        "The best times the data sheet allows, weights at 16 bits, every one of them counted; of its tables of "
        "tokens a real engine needs less, and of the sheet’s speed it reaches less."
    )
    shape = now.shape
    if shape.chosen == shape.experts:
        return best
    read = (shape.weights - shape.expert_weights * (1 - shape.touched(batch))) / 1e9
    return (
        f"{best} Each token chooses {shape.chosen} of {shape.experts} experts in a layer; a step for "
        f"{plural(batch, 'user')} needs {shape.experts * shape.touched(batch):.0f} of them on average, so it reads "
        f"{read:.1f} billion of {shape.weights / 1e9:.1f} billion weights."
    )


def _per_second(tokens: float) -> str:
    """A rate in whole tokens; a slow one in two figures, so that it is never a nought that gets better."""
    return f"{tokens:,.0f}" if tokens >= 10 or not tokens else f"{tokens:.2g}"


def _chart(now: Deployment, read: Phase, write: Phase, batch: int, sentence: str) -> Markup:
    peak, ridge = now.machine.tflops, now.machine.ridge
    phases = [("prefill", "prefill", read), ("decode", f"decode, {plural(batch, 'user')}", write)]
    trail = [
        (f"decode, {plural(b, 'user')}", decode(now.shape, now.machine, now.context, b)) for b in BATCHES
    ]
    sets: vega.Sets = {
        "roof": [{"intensity": x, "speed": min(peak, x * peak / ridge)} for x in (LOW, ridge, HIGH)],
        "trail": [_place(phase, name) for name, phase in trail],
        "phases": [_place(phase, text) | {"series": name} for name, text, phase in phases],
        "ridge": [{"intensity": ridge, "text": f"{ridge:,.0f} operations a byte"}],
        "left": [{"intensity": LOW * 1.2, "speed": 0.35, "text": "bandwidth short"}],
        "right": [{"intensity": HIGH / 1.2, "speed": 0.35, "text": "compute short"}],
    }
    return vega.drawn("kv_cache.roofline", sets, sentence)


def _place(phase: Phase, text: str) -> dict[str, Cell]:
    speed = phase.flops_per_second / 1e12
    return {"intensity": phase.intensity, "speed": speed, "text": text, "took": seconds(phase.seconds)}


COLUMNS = ("bought", "time to first token", "tokens/s each", "users that fit", "tokens/s in all, memory full")


def _numbers(bought: dict[str, Deployment], batch: int) -> list[tuple[str, float, float, float, float]]:
    return [
        (name, d.first_token(), d.rate(batch), float(d.budget.users), d.full_rate())
        for name, d in bought.items()
    ]


def _bought(bought: dict[str, Deployment], batch: int) -> Markup:
    base, *rest = _numbers(bought, batch)
    rows = []
    for row in (base, *rest):
        better = [False, row[1] < base[1] * 0.95]
        better += [a > b * 1.05 for a, b in zip(row[2:], base[2:], strict=True)]
        words = (seconds(row[1]), _per_second(row[2]), f"{row[3]:,.0f}", _per_second(row[4]))
        cells = [
            el("td", el("b", w, " ▲") if better[i] else w, class_="number")
            for i, w in enumerate(words, start=1)
        ]
        rows.append(el("tr", el("th", row[0], scope="row"), cells))
    head = el("tr", [el("th", c, scope="col", class_="number" if n else None) for n, c in enumerate(COLUMNS)])
    table = el("table", el("thead", head), el("tbody", rows), class_="data roofline-bought")
    title = el("p", "Which purchase helps? ▲ marks what gets better.", class_="small soft")
    return el(
        "div", title, el("div", table, class_="scroll", tabindex="0", role="group", aria_label="Purchases")
    )


def _table(bought: dict[str, Deployment], batch: int) -> Table:
    columns = ("bought", "time to first token (s)", f"tokens/s each, {plural(batch, 'user')}", *COLUMNS[3:])
    rows: list[tuple[Cell, ...]] = [
        (name, round(first, 5), round(rate, 2), int(fit), round(total, 1))
        for name, first, rate, fit, total in _numbers(bought, batch)
    ]
    return Table(columns, tuple(rows))
