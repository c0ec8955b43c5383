"""Inside an MLP: its hidden units, what wakes one of them, and what is lost when the strongest are cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from glassbox import model
from glassbox.arrays import Floats, Ints
from glassbox.figures import chart, subject
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.machine import runs
from glassbox.figures.machine.strips import strip
from glassbox.figures.markup import Kept, Markup, el
from glassbox.model import experiments

TITLE = "Inside an MLP"
N_SHOWN, N_BELOW = 8, 3
SILENCED = (0, 1, 2, 3, 4, 6, 8, 16, 32, 64, 128, 256, 384)  # units that are cut at most: a slider's steps

# Among these the tokens are looked for that wake a unit.
TEXTS = (
    "Patient has severe chest pain after the operation.",
    "She opened the wooden chest of drawers in the hall.",
    "The chest X-ray shows a fracture of the left rib.",
    "He has a bad cold and a fever since Monday.",
    "It was a cold winter, and the windows were old.",
    "The patient is allergic to penicillin and takes aspirin.",
    "The nurse was late, so she ran to the clinic.",
    "The blood culture grew bacteria on the second day.",
    "An ancient culture left these stones by the river.",
    "The key is in the kitchen, and the box is red.",
    "Acute infection of the right lung, unspecified.",
    "The dog is called Max. The dog is called Max.",
    "They were tired, so they went home at once.",
    "A purulent discharge from the ear was noted.",
    "The train goes to London in the morning.",
    "The diagnosis is asthma, and the doctor was kind.",
)


@dataclass(frozen=True)
class Waking:
    """A token in a text, and how strongly it fires a unit."""

    fired: float
    before: str
    token: str


def mlp(text: str, layer: int = 1, unit: int = 1, silenced: int = 0) -> Figure:
    """The units of one MLP that fire most at the last token, what else wakes one, and the answer without them.

    Args:
        text: The text; its last seven tokens are read.
        layer: Counted from 1.
        unit: Which of the units that write most, counted from 1.
        silenced: How many of the units that write most stay silent at every token.
    """
    m, run = subject.model(), runs.run(text)
    c = m.config
    at = min(max(int(layer), 1), c.n_layers) - 1
    fired = experiments.units(m, run.flow, at)
    written = np.abs(fired[-1]) * np.linalg.norm(np.asarray(m.params[f"{at}.w_down"]), axis=0)
    order = np.argsort(-written, kind="stable")
    chosen = int(order[min(max(int(unit), 1), N_SHOWN) - 1])
    half = int(np.searchsorted(np.cumsum(written[order]), written.sum() / 2)) + 1
    cut = [int(u) for u in order[: min(int(silenced), c.d_ff)]]
    answer = _without(m, run, at, cut)
    word = run.labels[-1]
    sentence = (
        f"Of the {c.d_ff} units in layer {at + 1}, {half} do half of the writing at “{word}”. {answer.said}"
    )
    picture = el(
        "div",
        _units(fired[-1], written, order, chosen, word, set(cut), sentence),
        _waking(at, chosen, fired, run, runs.quick(text)),
        answer.picture,
        class_="ml",
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (int(u), round(float(fired[-1, u]), 3), round(float(written[u]), 3), "yes" if int(u) in cut else "no")
        for u in order[:64]
    )
    columns = ("unit", f"fires at {word}", "size of what it writes", "silenced")
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=run.note)


@dataclass(frozen=True)
class _Answer:
    said: str
    picture: Markup


def _without(m: model.Model, run: runs.Run, layer: int, cut: list[int]) -> _Answer:
    """The next word while units stay silent."""
    before = run.probs[-1]
    after = before
    if cut:
        logits = experiments.without_units(m, run.ids, layer, cut).logits[-1]
        after = experiments.probabilities(logits)
    top = int(before.argmax())
    name, now = runs.word(top), runs.percent(float(after[top]))
    if not cut:
        said = f"With all of them “{name}” has {now}."
    else:
        units = "the strongest" if len(cut) == 1 else f"the {len(cut)} strongest"
        said = f"Without {units} “{name}” {runs.moved(float(before[top]), float(after[top]))}."
    shown = [top, *(int(i) for i in np.argsort(-np.maximum(before, after), kind="stable") if i != top)][:4]
    bars: list[chart.Bar] = [(runs.word(i), float(after[i]), runs.percent(float(after[i]))) for i in shown]
    heading = "The next word" + (f" without {len(cut)} of {m.config.d_ff} units" if cut else "")
    picture = el(
        "div", el("p", heading, class_="part"), chart.bars(bars, high=1, sentence=said), class_="ml-answer"
    )
    return _Answer(said, picture)


def _units(
    fired: Floats, written: Floats, order: Ints, chosen: int, word: str, cut: set[int], sentence: str
) -> Markup:
    """All units as one strip, and the strongest by name."""
    most = float(written[order[0]])
    bars: list[chart.Bar] = []
    for u in order[:N_SHOWN]:
        name = f"unit {u}" + (" (cut)" if int(u) in cut else "")
        tone = "masked" if int(u) in cut else "severe" if u == chosen else "query"
        bars.append((name, float(written[u]), f"{float(fired[u]):+.1f}".replace("-", "−"), tone))
    return el(
        "div",
        strip(fired, "query", ["All ", el("b", len(fired)), " units at ", el("b", word)], mark=chosen),
        el("p", "Who writes most, and how it fires", class_="part"),
        chart.bars(bars, high=most, sentence=sentence),
        class_="ml-units",
    )


def _waking(layer: int, unit: int, fired: Floats, run: runs.Run, others: bool) -> Markup:
    """The tokens that fire a unit most, in this text and, where a model reads them quickly, among others."""
    listed = waking(layer, unit) if others else ()
    most = max((abs(w.fired) for w in listed), default=float(np.abs(fired[:, unit]).max()))
    here = [
        el("td", word, class_="heat", style=f"--w:{_heat(float(value), most)}%;--tone:var(--severe)")
        for word, value in zip(run.labels, fired[:, unit], strict=True)
    ]
    up = [w for w in listed if w.fired > 0][:N_SHOWN]
    down = [w for w in listed[::-1] if w.fired < 0][:N_BELOW]
    return el(
        "div",
        el("p", f"Unit {unit} in this text", class_="part"),
        el(
            "div",
            el("table", el("tbody", el("tr", here)), class_="ml-here"),
            class_="scroll",
            tabindex="0",
            role="group",
            aria_label="the unit in this text",
        ),
        _list(f"What wakes it most in {len(TEXTS)} other sentences", up),
        _list("and where it fires furthest below zero", down),
        class_="ml-wakes",
    )


def _list(title: str, found: list[Waking]) -> Markup | None:
    if not found:
        return None
    return el("div", el("p", title, class_="part"), el("ul", [_woken(w) for w in found], class_="ml-waking"))


def _woken(w: Waking) -> Markup:
    return el(
        "li",
        el("span", "… " if w.before else "", Kept(w.before), " ", el("b", Kept(w.token))),
        el("span", f"{w.fired:+.1f}".replace("-", "−"), class_="number"),
    )


def _heat(value: float, most: float) -> int:
    return min(100, round(100 * abs(value) / max(most, 1e-9)))


@subject.kept(maxsize=64)
def waking(layer: int, unit: int) -> tuple[Waking, ...]:
    """Every token of the sentences, from those that fire the unit most to those that fire it furthest below zero.

    A token with the same word before it stands once, where it fires furthest from zero.
    """
    found: dict[tuple[str, str], Waking] = {}
    for labels, fired in _everywhere(layer):
        for i in range(1, len(labels)):
            one = Waking(float(fired[i, unit]), labels[i - 1] if i > 1 else "", labels[i])
            key = (one.before, one.token)
            if key not in found or abs(one.fired) > abs(found[key].fired):
                found[key] = one
    return tuple(sorted(found.values(), key=lambda w: -w.fired))


@subject.kept(maxsize=8)
def _everywhere(layer: int) -> tuple[tuple[tuple[str, ...], Floats], ...]:
    """For each sentence its labels and (n, d_ff), how every unit fires at every token."""
    m, found = subject.model(), []
    for text in TEXTS:
        ids = m.encode(text)
        labels = tuple(str(label) for label in runs.labels(ids))
        found.append((labels, experiments.units(m, experiments.flow(m, ids), layer)))
    return tuple(found)
