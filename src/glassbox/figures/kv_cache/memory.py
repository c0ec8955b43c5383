"""The calculator: what a model's cache takes, from a known model or from any config.json that is pasted."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from glassbox.costs import catalogue, kv, parallel
from glassbox.costs.deployment import Budget
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.kv_cache import memory_picture, offered
from glassbox.figures.written import both, decimal, plural

TITLE = "How much memory the past takes"

PRECISIONS = {
    "32 bits": "fp32",
    "16 bits": "fp16",
    "8 bits, one scale for all (fp8)": "fp8",
    "8 bits in blocks of 32": "q8_0",
    "4 bits in blocks of 32": "q4_0",
}
CONTEXTS = (1000, 2000, 4000, 8000, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_000_000)
USERS = (1, 2, 4, 8, 16, 32, 59, 61, 64, 128, 256, 512, 1024)
GPU_COUNTS = (1, 2, 4, 8, 16)
MAX_PASTE = 1_000_000
MAX_DEPTH = 40  # brackets; a config.json has three or four
# Strings and all else but brackets; a string that never ends takes the rest, so that nothing is read twice.
_NOT_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|[^][{}"]+', re.S)


def memory(
    model: str = "Llama 3 8B",
    context: int = 8000,
    precision: str = "fp16",
    users: int = 1,
    gpu: str = "A100 80 GB",
    gpus: int = 1,
    weights_gb: str = "",
    pasted: str = "",
    together: bool = True,
) -> Figure:
    """Sizes a deployment.

    Args:
        model: A name of ``catalogue.models``, or that of the reader's own.
        context: Tokens of each user.
        precision: How the cache stores its numbers; see ``glassbox.costs.kv.plan``.
        users: How many are served at once.
        gpu: A GPU's name.
        gpus: How many of them.
        weights_gb: The weights in GB as typed; empty for the model's as published.
        pasted: The text of a config.json, used instead of the model's unless it is empty.
        together: Whether several GPUs share every layer; else their memory is added up.
    """
    known = offered.named(model)
    one_of("precision", precision, PRECISIONS.values())
    problem, name, weights, config = "", model, float(known.weight_bytes), known.config
    plan = kv.plan(config, context, users, precision)
    try:
        if pasted.strip():
            own = parse(pasted)
            plan, config = kv.plan(own, context, users, precision), own
            name, weights = f"the pasted {plan.family} model", 0.0
        if weights_gb.strip():
            weights = parse_gb(weights_gb)
    except ValueError as wrong:
        problem = str(wrong)
    card = catalogue.gpus()[one_of("gpu", gpu, catalogue.gpus())]
    place = gpu if gpus == 1 else f"{gpus} × {gpu}"
    each = parallel.each_keeps(plan, gpus) if together else plan.sequence_bytes / gpus
    budget = Budget(gpus * card.memory_gb * 1e9, weights, gpus * each)
    sentence = _sentence(name, plan, budget, place) + _copies(plan, budget, gpus, together)
    if problem:
        sentence = f"Not used: {problem}. The picture shows {name}."
    picture = memory_picture.draw(plan, budget, place, problem, sentence)
    listed = known if config is known.config and model in catalogue.models() else None
    note = _note(plan, config, listed, gpus if together else 1, weights)
    return Figure(TITLE, sentence, picture, _table(plan, budget, place), note=note)


def parse(pasted: str) -> Mapping[str, Any]:
    """Reads a pasted config.json.

    Raises:
        ValueError: It is too long, or not JSON, or not a mapping; the sentence says where.
    """
    if len(pasted) > MAX_PASTE:
        raise ValueError(f"the pasted text has {len(pasted):,} characters; a config.json has a few thousand")
    beyond_reason = "the pasted text is nested or numbered beyond reason; it should be a config.json"
    if depth(pasted) > MAX_DEPTH:  # asked first: in a browser a deep parse ends Python, not only the call
        raise ValueError(beyond_reason)
    try:
        config = json.loads(pasted.removeprefix("\ufeff").removeprefix("ï»¿"))  # a byte-order mark
    except json.JSONDecodeError as wrong:
        raise ValueError(
            f"the pasted text is not JSON: {wrong.msg} in line {wrong.lineno}, column {wrong.colno}; it "
            "should be the whole content of a config.json, from { to }"
        ) from None
    except ValueError:  # a number of thousands of digits
        raise ValueError(beyond_reason) from None
    if not isinstance(config, dict):
        raise ValueError("the pasted text is JSON but no object; it should begin with { and end with }")
    return config


def depth(text: str) -> int:
    """How many brackets and braces stand open at most, those within strings left out.

    >>> depth('{"a": [1, "[[["]}')
    2
    """
    steps = (1 if c in "[{" else -1 for c in _NOT_BRACKETS.sub("", text))
    return max(itertools.accumulate(steps), default=0)


def parse_gb(typed: str) -> float:
    """Reads an amount in GB, returns bytes.

    Raises:
        ValueError: It is not a number from 0 to 100,000.
    """
    try:
        value = float(typed.replace(",", "").strip())
    except ValueError:
        value = math.nan
    if not 0 <= value <= 100_000:
        raise ValueError(
            f"the weights are given as “{typed.strip()[:20]}”; they should be a number of GB, such as 16"
        )
    return value * 1e9


def _sentence(name: str, plan: kv.Plan, budget: Budget, place: str) -> str:
    takes = f"At {plan.context:,} tokens {name} keeps {both(plan.sequence_bytes)} a user"
    if not budget.holds_weights:
        return f"{takes}, but its weights, {decimal(budget.weights)}, do not fit into {place} at all."
    beside = f"beside {decimal(budget.weights)} of weights" if budget.weights else "without room for weights"
    verb = "fits" if budget.users == 1 else "fit"
    return f"{takes}; {plural(budget.users, 'user')} {verb} on {place} {beside}."


def _copies(plan: kv.Plan, budget: Budget, gpus: int, together: bool) -> str:
    """What it costs that several GPUs keep the same, where they do."""
    if not together or parallel.copies(plan, gpus) < 1.01 or not budget.holds_weights:
        return ""
    alone = plural(Budget(budget.total, budget.weights, plan.sequence_bytes).users, "user")
    if any(row.kind in parallel.WHOLE for row in plan.layers):
        why = f"Each of the {gpus} GPUs keeps a copy of the compressed vectors, which belong to no head"
    else:
        why = f"There are more GPUs than KV heads in a layer, so some of the {gpus} keep the same head"
    return f" {why}; kept once, the memory would hold {alone}."


def _note(
    plan: kv.Plan, config: Mapping[str, Any], known: catalogue.Model | None, gpus: int, weights: float
) -> str:
    notes = [f"{known.name}: released {known.released}, licence {known.licence}."] if known else []
    notes += [f"{n}." for n in plan.notes]
    limit = trained_context(config)
    if limit is not None and plan.context > limit:
        notes.append(f"This model's config stops at {limit:,} positions.")
    if "sliding" in plan.kinds:
        notes.append("A full window is counted whole; transformers drops its oldest token one step earlier.")
    if "compressed" in plan.kinds:
        notes.append(
            "Beside its window each such layer keeps one vector for every few tokens; the sums show it."
        )
    if plan.fixed_bytes:
        notes.append(
            "Constant states count their sums at 32 bits and their last inputs at 16, or 32 where all do."
        )
    if known is None and not plan.notes and not weights:
        notes.append("A config does not say how large the weights are; type them in.")
    if gpus > 1:
        notes.append("Each GPU takes a part of every layer, and keeps the keys and values of its own heads.")
    notes.append("1 GB is 10⁹ bytes, 1 GiB is 2³⁰.")
    return " ".join(notes)


_POSITIONS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "max_sequence_length",
    "seq_length",
    "n_ctx",
    "model_max_length",
)


def trained_context(config: Mapping[str, Any]) -> int | None:
    """The positions a config says its model was made for, or None where it says nothing."""
    places = (config, config.get("text_config", {}))
    found = (c.get(name) for c in places for name in _POSITIONS)
    whole = (n for n in found if isinstance(n, (int, float)) and not isinstance(n, bool) and n > 0)
    return next((int(n) for n in whole if math.isfinite(n)), None)


def _table(plan: kv.Plan, budget: Budget, place: str) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for group in memory_picture.groups(plan):
        row = group.row
        window = "all" if row.window is None else f"{row.window:,}"
        rows.append(
            (
                f"{group.count} × {row.kind}",
                row.bytes_per_token,
                window if row.vectors else "–",
                row.tokens,
                row.fixed_bytes,
                group.count * row.state_bytes,
                group.count * row.reserved_bytes,
            )
        )
    total = ("all layers, one user", plan.bytes_per_token, "", "", plan.fixed_bytes, plan.sequence_bytes)
    rows.append((*total, plan.reserved_bytes // plan.sequences))
    rows.append(
        (
            f"all layers, {plural(plan.sequences, 'user')}",
            "",
            "",
            "",
            "",
            plan.state_bytes,
            plan.reserved_bytes,
        )
    )
    rows.append((f"users that fit on {place}", "", "", "", "", budget.users, ""))
    columns = (
        "layers",
        "bytes a token",
        "window",
        "tokens kept",
        "constant bytes",
        "state (bytes)",
        "reserved (bytes)",
    )
    return Table(columns, tuple(rows))
