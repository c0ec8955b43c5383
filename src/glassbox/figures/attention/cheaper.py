"""Three ways to read less: a window, a sparse pattern, and one running sum instead of scores."""

from __future__ import annotations

import numpy as np

from glassbox.arrays import Bools
from glassbox.costs import scores
from glassbox.figures import chart, subject, written
from glassbox.figures.attention import reading
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import Kept, Markup, el
from glassbox.model import experiments
from glassbox.model.experiments import Edge

TITLE = "Three ways to read less"
EVERYTHING, SLIDING, SPARSE, LINEAR = KINDS = ("everything", "sliding window", "sparse", "linear")
WINDOWS = (2, 4, 8, 12, 16)
TEXT = "The patient's name is Ada. She has a fever. The patient's name is"
FAR = 100_000  # where a token of a long text stands


def reads(kind: str, n: int, window: int) -> Bools:
    """Which positions each position reads: (n, n), rows are readers; nobody looks ahead."""
    i, j = np.arange(n)[:, None], np.arange(n)[None]
    near = i - j < window
    seen: Bools = {EVERYTHING: j <= i, SLIDING: near, SPARSE: near | (j % window == 0), LINEAR: j <= i}[kind]
    return seen & (j <= i)


def reads_far(kind: str, window: int) -> int:
    """How many keys a token at the end of a long text reads."""
    return {EVERYTHING: FAR, SLIDING: window, SPARSE: scores.strided_row(FAR - 1, window)}[kind]


@subject.stays("It asks for a name in a text of our model’s, whose heads were found to fetch it.")
def cheaper(kind: str, window: int) -> Figure:
    """A pattern of who reads whom, what it costs, and whether our model still finds a name with it.

    Args:
        kind: One of ``KINDS``.
        window: How many of the last tokens are read, and the step of the sparse pattern.
    """
    one_of("kind", kind, KINDS)
    read = reading.read(TEXT, 64)
    n, seen = len(read.ids), reads(kind, len(read.ids), window)
    if kind == LINEAR:
        return _linear(read)
    edges = [Edge(int(i), int(j)) for i, j in zip(*np.nonzero(np.tril(~seen)), strict=True)]
    before = experiments.probabilities(read.forward.logits[-1])
    after = experiments.probabilities(experiments.cut(subject.model(), read.ids, edges).logits[-1])
    name, best = int(before.argmax()), int(after.argmax())
    pairs = int(seen.sum())
    far = reads_far(kind, window)
    sentence = (
        f"{_capital(kind)} computes {pairs} of the {scores.exact(n)} scores of this text, and our model’s next word is "
        f"“{_word(best)}” with {written.percent(after[best])}. The {FAR:,}th token of a long text reads {far:,} keys."
    )
    shown = list(dict.fromkeys([name, best, *(int(t) for t in np.argsort(-after, kind="stable")[:3])]))[:4]
    bars: list[chart.Bar] = [(_word(t), float(after[t]), written.percent(after[t])) for t in shown]
    picture = el(
        "div",
        el("div", _squares(seen, sentence), class_="ch-pattern"),
        el(
            "div",
            el("p", "The next word, every layer reading so", class_="part"),
            chart.bars(bars, high=1, sentence=sentence),
            _facts(
                ("scores in this text", f"{pairs} of {scores.exact(n)}"),
                (f"keys that token {FAR:,} reads", f"{far:,}"),
            ),
        ),
        class_="side",
    )
    return Figure(TITLE, sentence, picture, _table(), note=_note(read))


def _linear(read: reading.Reading) -> Figure:
    """No pattern, but another formula: keys and values are added into one table as they come."""
    d = subject.model().config.d_head
    numbers = d * (d + 1)
    sentence = (
        f"Linear attention computes no score: each token adds its key and value to one table of {d} × {d} numbers and {d} more, "
        f"and a query reads that. It is as large after {FAR:,} tokens as after one."
    )
    picture = el(
        "div",
        el("div", _funnel(len(read.ids), sentence), class_="ch-pattern"),
        _facts(
            ("scores in this text", "none"),
            ("numbers that a head keeps", f"{numbers:,}"),
            ("as many as the keys and values of", f"{numbers / (2 * d):.1f} tokens"),
        ),
        class_="side",
    )
    note = (
        "It is not run here: a model has to be trained with this formula, and ours was trained with softmax. What was added up "
        "can hardly be told apart again, so exact recall of one name among many is what such models find hard."
    )
    return Figure(TITLE, sentence, picture, _table(), note=note)


def _note(read: reading.Reading) -> str:
    return (
        f"The text: “{TEXT}”, {len(read.ids)} tokens. Our model was trained to read everything; one that is trained with a "
        "pattern learns to pass on in its layers what a single look cannot reach."
    )


def _capital(kind: str) -> str:
    return {EVERYTHING: "Reading everything", SLIDING: "The window", SPARSE: "The sparse pattern"}[kind]


def _word(token: int) -> Kept:
    return reading.label(token, next_word=True)


def _table() -> Table:
    """All patterns and windows beside each other."""
    n, d = len(reading.read(TEXT, 64).ids), subject.model().config.d_head
    rows: list[tuple[str, int, str]] = [(EVERYTHING, scores.exact(n), f"{FAR:,}")]
    rows += [
        (f"{kind}, {window}", int(reads(kind, n, window).sum()), f"{reads_far(kind, window):,}")
        for kind in (SLIDING, SPARSE)
        for window in WINDOWS
    ]
    rows.append((LINEAR, 0, f"a table of {d * (d + 1):,} numbers"))
    return Table(("pattern", "scores in this text", f"what token {FAR:,} reads"), tuple(rows))


def _squares(seen: Bools, sentence: str) -> Markup:
    """Who reads whom: a filled cell is a score that is computed."""
    n = len(seen)
    cells = "".join(f"M{j} {i}h1v1h-1z" for i, j in zip(*np.nonzero(seen), strict=True))
    future = "".join(f"M{i + 1} {i}H{n}V{i + 1}H{i + 1}z" for i in range(n - 1))
    lines = "".join(f"M0 {i}H{n}M{i} 0V{n}" for i in range(n + 1))
    svg = el(
        "svg",
        el("path", d=cells, class_="ch-seen"),
        el("path", d=future, class_="tl-future"),
        el("path", d=lines, class_="tl-grid"),
        viewBox=f"-0.1 -0.1 {n + 0.2} {n + 0.2}",
        class_="tl",
        role="img",
        aria_label=sentence,
    )
    return el(
        "div",
        el(
            "p",
            el("span", "query (reader) ↓", class_="c-query"),
            el("span", "key (read from) →", class_="c-key"),
            class_="m-axes",
        ),
        svg,
    )


def _funnel(n: int, sentence: str) -> Markup:
    """Tokens that each add to one box."""
    d = 7
    lines = "".join(f"M{i + 0.5} 2.2C{i + 0.5} 5 {n / 2} 4 {n / 2} 6.8" for i in range(n))
    left = n / 2 - d / 2
    grid = "".join(f"M{left:g} {7 + k}H{left + d:g}M{left + k:g} 7V{7 + d}" for k in range(d + 1))
    return el(
        "svg",
        el("path", d="".join(f"M{i + 0.1} 1h.8v1h-.8z" for i in range(n)), class_="tl-done"),
        el("path", d=lines, class_="tl-grid"),
        el("path", d=f"M{left:g} 7h{d}v{d}h-{d}z", class_="ch-seen"),
        el("path", d=grid, class_="tl-grid"),
        viewBox=f"-0.1 0.5 {n + 0.2} 14",
        class_="tl",
        role="img",
        aria_label=sentence,
    )


def _facts(*facts: tuple[str, str]) -> Markup:
    return el("dl", [el("div", el("dt", name), el("dd", value)) for name, value in facts], class_="facts")
