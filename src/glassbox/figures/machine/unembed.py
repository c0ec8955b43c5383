"""From a vector to probabilities: a dot product with every row of the table, then softmax."""

from __future__ import annotations

import numpy as np

from glassbox.figures import subject
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.machine import runs
from glassbox.figures.machine.strips import strip
from glassbox.figures.markup import el
from glassbox.model.experiments import plain

TITLE = "From a vector to probabilities"
N_SHOWN = 6


def unembed(text: str, temperature: float = 1.0) -> Figure:
    """The last stream against the rows of the table: dot products, powers of e, shares.

    Args:
        text: The text; its last seven tokens are read.
        temperature: What logits are divided by before softmax; above 0.
    """
    if temperature <= 0:
        raise ValueError(f"temperature is {temperature}; it should be above 0")
    m, run = subject.model(), runs.run(text)
    plain.require(m, "which products make a logit", "logit_cap")
    read = run.flow.forward.hidden[-1]
    logits = run.flow.forward.logits[-1].astype(np.float64)
    powers = np.exp((logits - logits.max()) / temperature)
    shares = powers / powers.sum()
    order = np.argsort(-logits, kind="stable")[:N_SHOWN]
    first = order[0]
    divided = "" if temperature == 1 else f", divided by {temperature:g}"
    sentence = (
        f"The row of “{runs.word(first)}” fits best: its dot product is {logits[first]:.1f}{divided}; "
        f"softmax over {len(logits):,} tokens makes {runs.percent(float(shares[first]))} of it."
    )
    lines = [
        el(
            "tr",
            el("th", runs.word(i), scope="row"),
            el("td", f"{logits[i]:.2f}", class_="number"),
            el("td", _power(float(powers[i])), class_="number"),
            el(
                "td",
                runs.percent(float(shares[i])),
                class_="heat number",
                style=f"--w:{100 * shares[i]:.0f}%",
            ),
        )
        for i in order
    ]
    rest = 1 - float(shares[order].sum())
    lines.append(
        el(
            "tr",
            el("th", f"{len(logits) - N_SHOWN:,} others", scope="row"),
            el("td"),
            el("td", _power(float(powers.sum() - powers[order].sum())), class_="number"),
            el("td", runs.percent(max(rest, 0.0)), class_="heat number", style=f"--w:{100 * rest:.0f}%"),
        )
    )
    power = f"e to the (logit − {logits[first]:.2f})" + (f" / {temperature:g}" if temperature != 1 else "")
    heads = ("next token", "dot product (logit)", power, "share")
    head = el("tr", [el("th", name, scope="col") for name in heads])
    row = m.params.get("head", m.params["embedding"])[np.array([first])][0]
    picture = el(
        "div",
        el(
            "div",
            strip(read, "accent", f"What leaves the top, brought to an even size: {len(read)} numbers"),
            strip(row, "soft", ["times the row of ", el("b", runs.word(first)), f": {len(row)} numbers"]),
            strip(read * row, "soft", f"their products; they add up to {logits[first]:.2f}"),
            class_="strips",
        ),
        el(
            "div",
            el("table", el("thead", head), el("tbody", lines), class_="un"),
            class_="scroll",
            tabindex="0",
            role="group",
            aria_label="logits and shares",
        ),
        class_="two",
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (runs.word(i), round(float(logits[i]), 3), f"{powers[i]:.3g}", round(100 * float(shares[i]), 3))
        for i in order
    )
    note = "Every logit has the largest one taken off before e is raised to it; shares do not notice."
    columns = ("next token", "logit", "power of e", "share (%)")
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=f"{run.note} {note}".strip())


def _power(value: float) -> str:
    return f"{value:.3f}" if value >= 0.0005 else "≈\u00a00"
