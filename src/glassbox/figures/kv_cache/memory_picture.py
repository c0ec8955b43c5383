"""The drawing of the calculator: three numbers, the sum they come from, every layer, and the GPU's memory."""

from __future__ import annotations

from dataclasses import dataclass

from glassbox.costs import kv
from glassbox.costs.deployment import Budget
from glassbox.costs.layers import GROUP_BYTES, KINDS, vector_bytes
from glassbox.figures import chart, vega
from glassbox.figures.figure import Cell
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import both, decimal, plural

TONES = {
    "full": "accent",
    "sliding": "cat-2",
    "chunked": "cat-6",
    "latent": "cat-5",
    "indexed": "cat-5",
    "compressed": "cat-5",
    "linear": "cat-4",
    "hybrid": "cat-4",
    "shared": "masked",
    "none": "masked",
}
MOST_LAYERS = 200  # beyond this a picture of single layers says nothing


@dataclass(frozen=True)
class Group:
    """Layers that are alike: one of them, and how many there are."""

    row: kv.Row
    count: int


def groups(plan: kv.Plan) -> list[Group]:
    """Layers gathered by what they keep, in order of first appearance."""
    alike: dict[tuple[object, ...], list[kv.Row]] = {}
    for row in plan.layers:
        alike.setdefault((row.kind, row.vectors, row.window, row.fixed_bytes, row.summary_bytes), []).append(
            row
        )
    return [Group(rows[0], len(rows)) for rows in alike.values()]


def draw(plan: kv.Plan, budget: Budget, place: str, problem: str, sentence: str) -> Markup:
    """The whole picture.

    Args:
        plan: What the caches take.
        budget: The memory and what fills it.
        place: The GPUs by name, as ``2 × A100 80 GB``.
        problem: Why something typed was not used, else empty.
        sentence: The figure's sentence.
    """
    return el(
        "div",
        el("p", f"Not used: {problem}.", class_="memory-problem") if problem else None,
        _numbers(plan, budget, place),
        _sums(plan),
        _layers(plan, sentence),
        _state_and_reserved(plan),
        _gpu(plan, budget, place),
        class_="memory",
    )


def _numbers(plan: kv.Plan, budget: Budget, place: str) -> Markup:
    user, fits = plan.sequence_bytes, budget.users
    return el(
        "dl",
        _number("one token", f"{plan.bytes_per_token:,} bytes", both(plan.bytes_per_token)),
        _number(f"one user, {plan.context:,} tokens", *_two(user)),
        _number(f"fit on {place}", plural(fits, "user"), f"beside {decimal(budget.weights)} of weights"),
        class_="memory-numbers",
    )


def _two(count: int) -> tuple[str, str]:
    """The amount in powers of ten, and in powers of two."""
    first, _, second = both(count).partition(" (")
    return first, second.rstrip(")")


def _number(name: str, big: str, small: str) -> Markup:
    return el(
        "div", el("dt", name), el("dd", el("span", big, class_="big"), el("span", small, class_="soft small"))
    )


def _sums(plan: kv.Plan) -> Markup:
    lines = [_sum(g, plan) for g in groups(plan)]
    return el("ul", lines, class_="memory-sums")


def _sum(group: Group, plan: kv.Plan) -> Markup:
    row = group.row
    name = el("b", f"{group.count} {row.kind}", class_="memory-kind", style=f"--c:var(--{TONES[row.kind]})")
    if not row.vectors and not row.fixed_bytes:
        return el("li", name, el("span", KINDS[row.kind], class_="soft"))
    parts = [f"{group.count} layers"] if group.count > 1 else ["1 layer"]
    if row.vectors:
        parts.append(_one_token(row, plan.dtype))
        parts.append(f"{row.tokens:,} tokens")
    sum_ = " × ".join(parts) if row.vectors else f"{parts[0]} × {row.fixed_bytes:,} bytes"
    if row.vectors and row.fixed_bytes:
        sum_ += f" + {group.count} × {row.fixed_bytes:,} bytes"
    if row.summary_bytes:
        sum_ += f" + {group.count} × {row.summary_bytes:,} bytes"
    total = el("b", decimal(group.count * row.state_bytes))
    return el("li", name, el("span", sum_, " = ", total, el("span", KINDS[row.kind], class_="soft small")))


def _one_token(row: kv.Row, dtype: str) -> str:
    """The bytes of one token in one layer, with the numbers put in: ``2 × 8 KV heads × 128 × 2 bytes``."""
    count, length = row.vectors[0]
    heads = f"{count} KV {'head' if count == 1 else 'heads'}"
    plain = dtype not in GROUP_BYTES
    if len(set(row.vectors)) == 1 and len(row.vectors) == 2:
        if plain:
            return f"2 × {heads} × {length} × {_bytes_of(dtype)}"
        return f"2 × {heads} × {vector_bytes(length, dtype)} bytes for {length} numbers"
    shown = [str(n) if plain else f"{vector_bytes(n, dtype)} bytes for {n} numbers" for _, n in row.vectors]
    start = f"{heads} × " if count > 1 else ""
    whole = f"{start}({' + '.join(shown)})"
    return f"{whole} × {_bytes_of(dtype)}" if plain else whole


def _bytes_of(dtype: str) -> str:
    return {"fp32": "4 bytes", "fp8": "1 byte"}.get(dtype, "2 bytes")


def _layers(plan: kv.Plan, sentence: str) -> Markup | None:
    if len(plan.layers) > MOST_LAYERS:
        return None
    top = max((r.reserved_bytes for r in plan.layers), default=0) or 1

    def box(r: kv.Row, size: int) -> dict[str, Cell]:
        return {"from": r.index, "to": r.index + 1, "bytes": size, "kind": r.kind}

    ghosts = [box(r, r.reserved_bytes) for r in plan.layers if r.reserved_bytes > r.state_bytes]
    layers = [box(r, r.state_bytes) | {"says": f"layer {r.index + 1}"} for r in plan.layers]
    drawn = vega.drawn(
        "kv_cache.memory", {"layers": layers, "ghosts": ghosts}, sentence, top=top, count=len(plan.layers)
    )
    pale = el("p", "Pale: what reserving the full context would take.", class_="small soft")
    return el("div", drawn, pale if ghosts else None)


def _state_and_reserved(plan: kv.Plan) -> Markup:
    users = plural(plan.sequences, "user")
    high = float(plan.reserved_bytes) or 1.0
    rows = [
        (f"needed by {users}", float(plan.state_bytes), decimal(plan.state_bytes), "accent"),
        ("reserving the full context", float(plan.reserved_bytes), decimal(plan.reserved_bytes), "soft"),
    ]
    words = f"{users} need {decimal(plan.state_bytes)}; reserving takes {decimal(plan.reserved_bytes)}."
    return chart.bars(rows, high, words)


def _gpu(plan: kv.Plan, budget: Budget, place: str) -> Markup:
    if not budget.holds_weights:
        words = f"The weights, {decimal(budget.weights)}, are larger than {place}, {decimal(budget.total)}."
        return el("p", words, class_="memory-problem")
    needed = budget.per_user * plan.sequences  # with the copies that several GPUs keep
    caches = min(needed, budget.left)
    fits = needed <= budget.left
    name = f"cache of {plural(plan.sequences, 'user')}" + ("" if fits else ", which does not fit")
    parts = [
        ("weights", budget.weights, "cat-3"),
        (name, caches, "accent" if fits else "severe"),
        ("free", budget.left - caches, "rule"),
    ]
    written = [decimal(budget.weights), decimal(needed), decimal(budget.left - caches)]
    head = el("p", f"{place}: {decimal(budget.total)}", class_="small soft")
    return el("div", head, chart.shares(parts, f"Memory of {place}", written), class_="memory-gpu")
