"""16, 8 and 4 bits: what smaller numbers save, how far the logits move, and whether the text changes."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from glassbox import model
from glassbox.arrays import Floats
from glassbox.figures import chart, subject
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table
from glassbox.figures.kv_cache import runs
from glassbox.figures.markup import Markup, el
from glassbox.model import experiments

TITLE = "Fewer bits for the same past"
BITS = (16, 8, 4)
PROMPTS = ("The nurses were tired, so", "Patient has severe chest", "Emma put the lamp and the cup in the")
LENGTH = 16


@dataclass(frozen=True)
class Result:
    """One precision after one prompt, compared with an exact cache.

    Attributes:
        bits: Of each stored number.
        token_bytes: Bytes a token takes in all layers, scales included.
        largest: The largest difference of a logit while both read the same text.
        typical: The root mean square of the differences.
        ids: What it writes on its own.
        first_change: The first token that differs, or None.
    """

    bits: int
    token_bytes: int
    largest: float
    typical: float
    ids: tuple[int, ...]
    first_change: int | None


def new_cache(bits: int) -> model.Cache:
    """A cache of the shipped model's sizes in 16, 8 or 4 bits."""
    return model.Half(*runs.sizes()) if bits == 16 else model.Quantized(*runs.sizes(), bits=bits)


@functools.lru_cache(maxsize=16)
def measured(prompt: str, bits: int) -> Result:
    """Runs one precision."""
    cache = new_cache(bits)
    found = experiments.follow(
        model.load(), lambda: (new_cache(bits), runs.encoded(prompt)), runs.written(prompt, LENGTH)
    )
    gap = found.logits - _reference(prompt)
    largest, typical = float(np.abs(gap).max()), float(np.sqrt((gap**2).mean()))
    model.load().forward(runs.encoded(prompt), cache)
    return Result(bits, cache.cache_bytes // cache.length, largest, typical, found.ids, found.first_change)


@functools.lru_cache(maxsize=4)
def _reference(prompt: str) -> Floats:
    return runs.exact_logits(prompt, LENGTH)


@subject.stays("It writes a text through four caches at once, which takes a larger model minutes.")
def precision(bits: int = 8, prompt: str = PROMPTS[0]) -> Figure:
    """Three precisions side by side, one of them read in full.

    Args:
        bits: 16, 8 or 4.
        prompt: One of ``PROMPTS``.
    """
    one_of("bits", bits, BITS)
    one_of("prompt", prompt, PROMPTS)
    results = {b: measured(prompt, b) for b in BITS}
    chosen, half = results[bits], results[16]
    saved = half.token_bytes / chosen.token_bytes
    text = (
        f"the {LENGTH} tokens are the same"
        if chosen.first_change is None
        else f"token {chosen.first_change + 1} is another one"
    )
    sentence = (
        f"At {bits} bits a token takes {chosen.token_bytes:,} bytes"
        + (f", {saved:.2f} times less than at 16" if bits < 16 else "")
        + f"; no logit moves by more than {chosen.largest:.2g}, and {text}."
    )
    picture = el(
        "div",
        _bars(results, bits),
        _text(prompt, runs.written(prompt, LENGTH), None, "exact cache"),
        _text(prompt, chosen.ids, chosen.first_change, f"{bits}-bit cache"),
        class_="precision",
    )
    rows = tuple(
        (
            f"{r.bits} bits",
            r.token_bytes,
            f"{r.largest:.0e}",
            f"{r.typical:.0e}",
            "none" if r.first_change is None else f"token {r.first_change + 1}",
        )
        for r in results.values()
    )
    columns = ("cache", "bytes a token", "largest change of a logit", "typical change", "first changed token")
    note = (
        "8 and 4 bits are stored in blocks of 32 numbers with one 16-bit scale each: 34 and 18 bytes a block."
    )
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=note)


def _bars(results: dict[int, Result], bits: int) -> Markup:
    memory = [
        (f"{b} bits", float(r.token_bytes), f"{r.token_bytes:,} bytes", "key" if b == bits else "cat-3")
        for b, r in results.items()
    ]
    error = [
        (f"{b} bits", r.typical, f"{r.typical:.2g}", "key" if b == bits else "cat-3")
        for b, r in results.items()
    ]
    return el(
        "div",
        el(
            "div",
            el("p", "memory of one token", class_="small soft"),
            chart.bars(memory, 1100, "Memory of one token."),
        ),
        el(
            "div",
            el("p", "typical change of a logit", class_="small soft"),
            chart.bars(error, max(r.typical for r in results.values()), "Typical change of a logit."),
        ),
        class_="precision-bars",
    )


def _text(prompt: str, ids: tuple[int, ...], change: int | None, name: str) -> Markup:
    words = [w.replace("⟨start⟩", " ¶") for w in runs.shown(ids)]
    same = "".join(words[:change])
    rest = el("mark", "".join(words[change:])) if change is not None else None
    return el(
        "p",
        el("b", name, class_="small"),
        el("span", el("span", prompt, class_="soft"), same, rest, translate="no"),
        class_="precision-text",
    )
