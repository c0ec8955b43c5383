"""Every model of the catalogue by its release and what its cache takes, coloured by how it attends."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

from glassbox.costs import catalogue, kv
from glassbox.figures import leading, vega
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.kv_cache.memory import trained_context
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import decimal, si

TITLE = "What models keep, year by year"
CONTEXTS = (1000, 4000, 8000, 16_384, 32_768, 65_536, 131_072)
OWN, SHARED, WINDOWS, SHORT, STATES = (
    "a key and value for every head",
    "heads share them",
    "windows in some layers or all",
    "one short vector instead",
    "fixed states in most layers",
)
HOW = (OWN, SHARED, WINDOWS, SHORT, STATES)

# The years before FULL, from which there is one model, take a seventh of the axis: there a year is shorter.
FIRST, FULL, LAST = 2019, 2023, 2026.75
SHORTER = (LAST - FULL) * 0.14 / 0.86 / (FULL - FIRST)
ENDS = (3e3, 1.2e6)  # bytes for each token, of the other axis
HEIGHT = 19  # rem of the plot
NARROW = 240  # px of the plot on the narrowest phone: what is clear of a mark there is clear of it everywhere


@dataclass(frozen=True)
class Place:
    """Where one model stands.

    Attributes:
        model: As the catalogue has it.
        how: How it attends, one of ``HOW``.
        plan: Its cache at some context, with 16 bits a number.
    """

    model: catalogue.Model
    how: str
    plan: kv.Plan

    @property
    def year(self) -> float:
        """When it was released, in years: the middle of its month."""
        year, month = map(int, self.model.released.split("-"))
        return year + (month - 0.5) / 12

    @property
    def at(self) -> float:
        """Where that lies on the axis."""
        return along(self.year)

    @property
    def each(self) -> float:
        """Bytes for each token of the context."""
        return self.plan.sequence_bytes / self.plan.context


def along(year: float) -> float:
    """Where a year lies on the axis, whose early ones are shorter."""
    return year if year >= FULL else FULL + SHORTER * (year - FULL)


def how(model: catalogue.Model) -> str:
    """How a model attends, told by what its layers keep."""
    plan = kv.plan(model.config, 1)
    kinds = plan.kinds
    if "linear" in kinds or "hybrid" in kinds:
        return STATES
    if "latent" in kinds or "indexed" in kinds or "compressed" in kinds:
        return SHORT
    if "sliding" in kinds or "chunked" in kinds:
        return WINDOWS
    return OWN if kv_heads(plan) == query_heads(model) else SHARED


def query_heads(model: catalogue.Model) -> int:
    """How many heads ask, by the model's config."""
    config = model.config.get("text_config", model.config)
    return int(config.get("num_attention_heads", config.get("n_head", 0)))


def kv_heads(plan: kv.Plan) -> int:
    """How many keys each token leaves in a layer, where it leaves any."""
    return max((count for row in plan.layers for count, _ in row.vectors), default=0)


@functools.lru_cache(maxsize=len(CONTEXTS))
def places(context: int) -> dict[str, Place]:
    """Every model of the catalogue, earliest first."""
    found = [Place(m, how(m), kv.plan(m.config, context)) for m in catalogue.models().values()]
    return {p.model.name: p for p in sorted(found, key=lambda p: (p.year, p.model.name))}


def landscape(context: int, opened: str) -> Figure:
    """Every model by its release and by what its cache takes for each token, and one of them in figures.

    Args:
        context: Tokens of one user, one of ``CONTEXTS``.
        opened: The name of a model of the catalogue.
    """
    found = places(one_of("context", context, CONTEXTS))
    here = found[one_of("model", opened, found)]
    order = sorted(found.values(), key=lambda p: p.each)
    fewer = sum(p.each < here.each for p in order)
    least, most = order[0], order[-1]
    sentence = (
        f"At {context:,} tokens {opened} keeps {si(here.each, 'B')} for each of them, and {fewer} of {len(found) - 1} other "
        f"models keep less; {least.model.name} keeps least, {si(least.each, 'B')}, and {most.model.name} most, "
        f"{si(most.each, 'B')}."
    )
    rows = [_row(p) for p in found.values()]
    named = {p.model.name: p for p in (*list(found.values())[:1], least, most)}
    sets = {
        "models": rows,
        "here": [_row(here)],
        "named": [_row(p) | {"text": name, "side": side(p, found)} for name, p in named.items()],
    }
    picture = el("div", vega.drawn("kv_cache.landscape", sets, sentence), _facts(here), class_="ls")
    note = (
        "Counted from each model’s config, or the shape that a library gives for it, with 16 bits a number; the month is that in which its weights were "
        "published. Years before 2023 are drawn narrower. Some models were not made for as many tokens: they say so when "
        "pointed at."
    )
    return Figure(TITLE, sentence, picture, _table(found), note=note)


def side(place: Place, others: dict[str, Place]) -> str:
    """On which side of its mark a model's name touches no other mark: the first of right, left, above and below.

    Args:
        place: The model.
        others: Every model of the picture.
    """
    x, y = _pixels(place)
    long, room, half = 7.5 * len(place.model.name), 10, 15  # px: of the name, up to it, of both heights
    boxes = {
        "right": (x + room, x + room + long, y),
        "left": (x - room - long, x - room, y),
        "above": (x - long / 2, x + long / 2, y - 16),
        "below": (x - long / 2, x + long / 2, y + 16),
    }
    marks = [_pixels(other) for other in others.values() if other is not place]
    for name, (left, right, level) in boxes.items():
        within = left >= 0 and right <= NARROW and 0 <= level <= 16 * HEIGHT
        if within and not any(left - 8 < a < right + 8 and abs(b - level) < half for a, b in marks):
            return name
    return "right"


def _pixels(place: Place) -> tuple[float, float]:
    """Where a model's mark stands in the narrowest plot."""
    start, (low, high) = along(FIRST), ENDS
    up = math.log(place.each / low) / math.log(high / low)
    return NARROW * (place.at - start) / (LAST - start), 16 * HEIGHT * (1 - up)


def _row(place: Place) -> dict[str, object]:
    name = place.model.name
    made = trained_context(place.model.config)
    return {
        "model": name,
        "year": round(place.year, 3),
        "at": round(place.at, 3),
        "each": place.each,
        "series": place.how,
        "released": place.model.released,
        "layers": f"{len(place.plan.layers)}",
        "heads": f"{kv_heads(place.plan)} for {query_heads(place.model)}",
        "made": f"{made:,}" if made else "",
        **leading.pressed(leading.address("memory", memory_model=name), open=name),
    }


def _facts(place: Place) -> Markup:
    name, plan = place.model.name, place.plan
    layers = " + ".join(f"{count} {kind}" for kind, count in plan.kinds.items())
    facts = {
        "released": place.model.released,
        "layers": layers,
        "kept for each token": si(place.each, "B"),
        f"kept for {plan.context:,} tokens": decimal(plan.sequence_bytes),
    }
    listed = el(
        "dl", [el("div", el("dt", what), el("dd", value)) for what, value in facts.items()], class_="facts"
    )
    link = leading.link(f"Put {name} into the calculator", "memory", memory_model=name)
    return el("div", el("p", f"{name}: {place.how}", class_="part"), listed, link, class_="ls-one")


def _table(found: dict[str, Place]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            p.model.released,
            p.how,
            len(p.plan.layers),
            p.plan.bytes_per_token,
            round(p.each),
            p.plan.sequence_bytes,
            trained_context(p.model.config) or "",
        )
        for name, p in found.items()
    ]
    columns = (
        "model",
        "released",
        "keeps",
        "layers",
        "bytes of the first tokens, each",
        "bytes for each token here",
        "bytes in all",
        "made for (tokens)",
    )
    return Table(columns, tuple(rows))
