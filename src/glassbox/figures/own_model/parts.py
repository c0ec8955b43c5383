"""What a model is made of: its sizes, and where its learned numbers lie."""

from __future__ import annotations

from glassbox.figures import chart, subject
from glassbox.figures.figure import Cell, Figure, Table, percents
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import count, decimal, plural
from glassbox.model.transformer import Model

TITLE = "What it is made of"
OF = {  # the end of a weight's name to the part that it belongs to
    "embedding": "embedding",
    "positions": "embedding",
    "head": "read-out",
    "w_qkv": "attention",
    "b_qkv": "attention",
    "w_o": "attention",
    "b_o": "attention",
    "w_gate_up": "MLP",
    "b_gate_up": "MLP",
    "w_up": "MLP",
    "b_up": "MLP",
    "w_down": "MLP",
    "b_down": "MLP",
}
TONES = {"embedding": "cat-1", "attention": "cat-2", "MLP": "cat-3", "read-out": "cat-4", "norms": "masked"}


def sizes(m: Model) -> dict[str, int]:
    """How many learned numbers each part has; parts that the model lacks are left out."""
    found = dict.fromkeys(TONES, 0)
    for name, w in m.params.items():
        found[OF.get(name.rpartition(".")[2], "norms")] += int(w.size)
    return {part: n for part, n in found.items() if n}


def held(m: Model) -> int:
    """Bytes that its numbers take in memory now."""
    return sum(int(w.nbytes) for w in m.params.values())


def parts() -> Figure:
    """The model’s sizes, and its learned numbers by part."""
    m, found = subject.model(), sizes(subject.model())
    c, total = m.config, sum(found.values())
    largest = max(found, key=found.__getitem__)
    share = dict(zip(found, percents([n / total for n in found.values()]), strict=True))
    sentence = (
        f"{subject.capital()} has {count(total)} learned numbers in {c.n_layers} layers; "
        f"{share[largest]} % of them are in its {_plural(largest)}."
    )
    facts = [
        ("learned numbers", count(total)),
        ("layers", f"{c.n_layers}"),
        ("heads a layer", _heads(c.n_heads, c.n_kv_heads)),
        ("numbers a head", f"{c.d_head}"),
        ("numbers a token", f"{c.d_model:,}"),
        ("tokens it knows", f"{c.vocab_size:,}"),
        ("tokens it may read", f"{c.context:,}{_windows(c.windows)}"),
        ("in memory here", decimal(held(m))),
    ]
    whole = chart.shares(
        [(part, float(n), TONES[part]) for part, n in found.items()],
        sentence,
        [f"{count(n)}" for n in found.values()],
    )
    picture = el("div", el("dl", [_fact(*f) for f in facts], class_="facts"), whole, class_="om-parts")
    rows: list[tuple[Cell, ...]] = [(part, n, share[part]) for part, n in found.items()]
    return Figure(TITLE, sentence, picture, Table(("part", "learned numbers", "share (%)"), tuple(rows)))


def _fact(name: str, value: str) -> Markup:
    return el("div", el("dt", name), el("dd", value))


def _heads(n_heads: int, n_kv_heads: int) -> str:
    return (
        f"{n_heads}"
        if n_heads == n_kv_heads
        else f"{n_heads}, sharing {plural(n_kv_heads, 'key and value', 'keys and values')}"
    )


def _windows(windows: tuple[int | None, ...]) -> str:
    narrow = sum(w is not None for w in windows)
    if not narrow:
        return ""
    width = next(w for w in windows if w is not None)
    return f", {narrow} layers only the last {width:,}"


def _plural(part: str) -> str:
    return {"MLP": "MLPs"}.get(part, part)
