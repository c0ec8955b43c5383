"""Heads that share keys and values: how much memory that saves, and what they still do on their own."""

from __future__ import annotations

import functools

from glassbox import model
from glassbox.costs import kv
from glassbox.figures import chart, subject
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table, percents
from glassbox.figures.kv_cache import runs
from glassbox.figures.markup import Kept, Markup, el
from glassbox.figures.written import both, decimal, plural
from glassbox.model import experiments

TITLE = "Many questions, fewer notes"
N_HEADS = 32
KV_HEADS = (1, 2, 4, 8, 16, 32)
CONTEXT = 8192
TEXT = "Patient has severe chest"


def config(kv_heads: int) -> dict[str, object]:
    """The shape of Llama 3 8B with another number of KV heads."""
    return {
        "model_type": "llama",
        "num_hidden_layers": 32,
        "num_attention_heads": N_HEADS,
        "num_key_value_heads": kv_heads,
        "hidden_size": 4096,
    }


@subject.stays("It shows two heads that share a set of keys and values: of ours.")
def sharing_heads(kv_heads: int = 8) -> Figure:
    """Query heads in groups around the KV heads they share, and the memory for each choice."""
    one_of("kv_heads", kv_heads, KV_HEADS)
    sizes = {n: kv.plan(config(n), CONTEXT).state_bytes for n in KV_HEADS}
    group = N_HEADS // kv_heads
    saved = sizes[N_HEADS] // sizes[kv_heads]
    sentence = (
        f"{name(kv_heads)}: {N_HEADS} query heads read {plural(kv_heads, 'set')} of keys and values"
        + (f", {group} heads a set" if group > 1 else "")
        + f"; at {CONTEXT:,} tokens that takes {both(sizes[kv_heads])}"
        + (f", {saved} times less than a set for each head." if saved > 1 else ".")
    )
    picture = el("div", _heads(kv_heads), _sizes(sizes, kv_heads), _shared(), class_="sharing")
    rows = tuple(
        (name(n), n, N_HEADS // n, kv.plan(config(n), 1).bytes_per_token, sizes[n]) for n in KV_HEADS
    )
    columns = ("kind", "KV heads", "query heads a set", "bytes a token", f"bytes at {CONTEXT:,} tokens")
    note = "The shape is that of Llama 3 8B, which has 8 sets; other numbers are what it would take."
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=note)


def name(kv_heads: int) -> str:
    """What one calls this sharing."""
    if kv_heads == N_HEADS:
        return "Multi-head attention (MHA)"
    return "Multi-query attention (MQA)" if kv_heads == 1 else "Grouped-query attention (GQA)"


def _heads(kv_heads: int) -> Markup:
    group = N_HEADS // kv_heads
    sets = [
        el("li", el("span", [el("i") for _ in range(group)], class_="sharing-queries"), el("b", "K V"))
        for _ in range(kv_heads)
    ]
    words = el(
        "p",
        el("span", "query heads", class_="c-query"),
        el("span", "keys and values they read", class_="c-key"),
        class_="small",
    )
    return el(
        "div", words, el("ul", sets, style=f"--group:{group}"), class_="sharing-heads", aria_hidden="true"
    )


def _sizes(sizes: dict[int, int], chosen: int) -> Markup:
    rows = [
        (f"{n} {'set' if n == 1 else 'sets'}", float(size), decimal(size), "key" if n == chosen else "cat-3")
        for n, size in sizes.items()
    ]
    return chart.bars(
        rows, float(sizes[N_HEADS]), f"Cache of one user at {CONTEXT:,} tokens for each sharing."
    )


@functools.lru_cache(maxsize=1)
def own_choice() -> tuple[int, int, tuple[Kept, ...], tuple[tuple[int, ...], ...]]:
    """Two heads of the shipped model that share a set and differ most in what the last word reads.

    Returns:
        Layer and set, both counted from 1, the words, and each head's attention in percent.
    """
    m = model.load()
    ids = m.encode(TEXT)
    layer, s, heads = experiments.least_alike(m, ids)
    words = (Kept("start"), *(word.strip() for word in runs.shown(ids[1:])))
    return layer + 1, s + 1, words, tuple(tuple(percents(h.tolist())) for h in heads)


def _shared() -> Markup:
    layer, kv_set, words, heads = own_choice()
    title = (
        f"In the model of these pages two heads share each set. Layer {layer}, set {kv_set}, at the last "
        f"word of “{TEXT}”: the same keys, two different questions."
    )
    cells = chart.cells(
        ("one head", "the other"),
        words,
        heads,
        100,
        title,
        written=[[f"{p}\u00a0%" for p in h] for h in heads],
        tone="query",
    )
    return el("div", el("p", title, class_="small soft"), cells, class_="sharing-own")
