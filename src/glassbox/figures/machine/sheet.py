"""The drawing of the whole machine: words across, depth upwards, one thick line for each word's stream.

Heights are in sixteenths of a rem and places across in percent, so that the drawing lies exactly behind the rows
of buttons and words beside it, at any width and any size of letters.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from glassbox.arrays import Floats
from glassbox.figures import subject
from glassbox.figures.chart import length
from glassbox.figures.machine.runs import Run
from glassbox.figures.markup import Markup, el

# Heights of rows; the style sheet has the same in rem.
GUESS, MLP, HEAD, EMBEDDING = 28, 26, 24, 28
SEEN = 0.03  # a share of attention below this is not drawn
CHANGED, MUCH = 0.02, 0.25  # of a stream's size: from here it is marked as changed, and as much changed


@dataclass(frozen=True)
class Rows:
    """Where the rows of each layer stand: (top, bottom) in sixteenths of a rem from the top."""

    guess: list[tuple[int, int]]
    mlp: list[tuple[int, int]]
    heads: list[list[tuple[int, int]]]
    embedding: tuple[int, int]

    @property
    def height(self) -> int:
        """Of the whole drawing."""
        return self.embedding[1]


def rows(opened: Collection[int] | None = None) -> Rows:
    """The rows from the top layer down; a layer's guess stands over its MLP, and that over its heads.

    Args:
        opened: The layers that show their parts; a closed one has a guess alone, and its parts no height.
    """
    c = subject.model().config
    opened = range(c.n_layers) if opened is None else opened
    guess, mlp, heads = {}, {}, {}
    y = 0
    for layer in reversed(range(c.n_layers)):
        guess[layer] = (y, y + GUESS)
        if layer not in opened:
            y += GUESS
            mlp[layer], heads[layer] = (y, y), [(y, y)] * c.n_heads
            continue
        mlp[layer] = (y + GUESS, y + GUESS + MLP)
        y += GUESS + MLP
        heads[layer] = [
            (y + HEAD * (c.n_heads - 1 - h), y + HEAD * (c.n_heads - h)) for h in range(c.n_heads)
        ]
        y += HEAD * c.n_heads
    order = range(c.n_layers)
    return Rows(
        [guess[a] for a in order], [mlp[a] for a in order], [heads[a] for a in order], (y, y + EMBEDDING)
    )


def drawing(
    whole: Run,
    now: Run,
    position: int,
    gone: frozenset[str],
    depth: int,
    opened: Collection[int] | None = None,
) -> Markup:
    """Streams, looks and MLPs of one run.

    Args:
        whole: The run with nothing cut.
        now: The run that is drawn.
        position: The word that is followed.
        gone: Keys of heads and MLPs that add nothing.
        depth: After how many additions the streams are read; what lies above is veiled.
        opened: The layers that show their parts; None for all.
    """
    at = rows(opened)
    bands = "".join(f"M0 {mlp[0]}H100V{heads[0][1]}H0z" for mlp, heads in zip(at.mlp, at.heads, strict=True))
    return el(
        "svg",
        el("path", d=bands, class_="mc-band"),
        _streams(whole, now, position, at),
        _mlps(now, position, at, gone),
        _looks(now, position, at, gone),
        _veil(now, position, at, depth),
        viewBox=f"0 0 100 {at.height}",
        preserveAspectRatio="none",
        aria_hidden="true",
        focusable="false",
        class_="mc-drawing",
        style=f"--high:{at.height / 16:g}rem",
    )


def _veil(now: Run, position: int, at: Rows, depth: int) -> list[Markup]:
    """What has not been added yet lies under a veil, and a mark on the followed stream says how far it has come."""
    if depth >= 2 * len(at.mlp):
        return []
    layer, heads = divmod(depth, 2)
    y = at.mlp[layer][1] if heads else at.heads[layer][0][1]  # heads stand above their layer's bottom
    x = x_of(position, len(now.ids))
    return [
        el("path", d=f"M0 0H100V{y}H0z", class_="mc-veil"),
        el("path", d=f"M0 {y}H100", class_="mc-reach"),
        el("path", d=f"M{x} {y}h.01", class_="mc-here", stroke_width=13),
    ]


def x_of(position: int, count: int) -> str:
    """The middle of a word's column, in percent."""
    return length(100 * (position + 0.5) / count)


def _streams(whole: Run, now: Run, position: int, at: Rows) -> list[Markup]:
    """Each word's stream: as thick as it is large (by powers of ten), marked where a cut has changed it."""
    n = len(now.ids)
    spans = [at.embedding]
    for layer in range(len(at.mlp)):
        heads = at.heads[layer]
        spans[-1] = (heads[-1][0], spans[-1][1])  # what the heads read is what stood below them
        spans += [at.mlp[layer], at.guess[layer]]
    paths: dict[tuple[str, int], list[str]] = defaultdict(list)
    for (top, bottom), before, after in zip(spans, whole.flow.streams, now.flow.streams, strict=True):
        sizes = np.linalg.norm(after, axis=1)
        shifts = np.linalg.norm(after - before, axis=1) / np.maximum(np.linalg.norm(before, axis=1), 1e-9)
        for i in range(n):
            kind = "mc-much" if shifts[i] >= MUCH else "mc-some" if shifts[i] >= CHANGED else "mc-same"
            kind += " mc-followed" if i == position else ""
            paths[kind, thickness(float(sizes[i]))].append(f"M{x_of(i, n)} {bottom}V{top}")
    return [
        el("path", d="".join(d), class_=kind, stroke_width=width)
        for (kind, width), d in sorted(paths.items(), key=lambda p: (p[0][0].endswith("followed"), p[0]))
    ]


def thickness(size: float) -> int:
    """Of a stream in px: one power of ten more is about two and a half pixels more."""
    return round(3 + 2.5 * math.log10(max(size, 1.0)))


def _looks(now: Run, position: int, at: Rows, gone: frozenset[str]) -> list[Markup]:
    """What the followed word reads in each head: a dot on each word, as large as its share of the attention."""
    n = len(now.ids)
    lines, lost = [], []
    dots: dict[int, list[str]] = defaultdict(list)
    for layer, lanes in enumerate(at.heads):
        shown = now.flow.forward.weights[layer][:, position]
        if lanes[0][0] == lanes[0][1]:  # a closed layer: its heads' mean, on its one row
            lanes, shown = [at.guess[layer]], shown.mean(axis=0, keepdims=True)
        for head, (top, bottom) in enumerate(lanes):
            y = (top + bottom) / 2
            if f"{layer + 1}.{head + 1}" in gone:
                lost.append(f"M{x_of(0, n)} {y:g}H{x_of(position, n)}")
                continue
            row = shown[head]
            seen = [j for j in range(position + 1) if row[j] >= SEEN]
            lines.append(f"M{x_of(min(seen), n)} {y:g}H{x_of(position, n)}")
            for j in seen:
                dots[dot_size(float(row[j]))].append(f"M{x_of(j, n)} {y:g}h.01")
    drawn = [el("path", d="".join(lines), class_="mc-line"), el("path", d="".join(lost), class_="mc-lost")]
    for size, d in sorted(dots.items(), reverse=True):
        drawn += [
            el("path", d="".join(d), class_="mc-halo", stroke_width=size + 3),
            el("path", d="".join(d), class_="mc-dot", stroke_width=size),
        ]
    return drawn


def dot_size(share: float) -> int:
    """A dot in px across whose area goes with a share of the attention."""
    return round(3 + 12 * math.sqrt(share))


def _mlps(now: Run, position: int, at: Rows, gone: frozenset[str]) -> list[Markup]:
    """A square on each stream where the MLP works on that word alone."""
    n = len(now.ids)
    others, followed, lost = [], [], []
    for layer, (top, bottom) in enumerate(at.mlp):
        if top == bottom:
            continue
        y = (top + bottom) / 2
        squares = [f"M{x_of(i, n)} {y:g}h.01" for i in range(n)]
        if f"{layer + 1}.MLP" in gone:
            lost.append(f"M{x_of(0, n)} {y:g}H{x_of(n - 1, n)}")
            continue
        followed.append(squares.pop(position))
        others += squares
    return [
        el("path", d="".join(lost), class_="mc-lost"),
        el("path", d="".join(others + followed), class_="mc-square mc-halo", stroke_width=15),
        el("path", d="".join(others), class_="mc-square", stroke_width=11),
        el("path", d="".join(followed), class_="mc-square mc-followed", stroke_width=11),
    ]


def added(run: Run, position: int) -> dict[str, float]:
    """How large what each head and MLP adds is, as a share of the stream's size after it was added."""
    found: dict[str, float] = {}
    for layer, (heads, mlp) in enumerate(zip(run.flow.heads, run.flow.mlps, strict=True)):
        for h, written in enumerate(heads):
            found[f"{layer + 1}.{h + 1}"] = _share(
                written[position], run.flow.streams[2 * layer + 1][position]
            )
        found[f"{layer + 1}.MLP"] = _share(mlp[position], run.flow.streams[2 * layer + 2][position])
    return found


def _share(part: Floats, whole: Floats) -> float:
    return float(np.linalg.norm(part) / max(float(np.linalg.norm(whole)), 1e-9))
