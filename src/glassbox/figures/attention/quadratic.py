"""Why long context is expensive, and two ways round it: tiles (exact) and windows (not exact)."""

from __future__ import annotations

import functools

import numpy as np

from glassbox.costs import catalogue, deployment, roofline, scores
from glassbox.figures import subject, vega, written
from glassbox.figures.attention import reading
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.model import attention, tiles

# A model everybody can look up; its sizes come from its own config.
MODEL = "Llama 3 8B"
WINDOW = 4096
ALL, LAST = "attention to all earlier tokens", f"attention to the last {WINDOW:,}"
REST = "everything else"
LENGTHS = tuple(sorted({round(100 * 10 ** (i / 6)) for i in range(25)}))


@functools.lru_cache(maxsize=1)
def sizes() -> tuple[int, int, int]:
    """Layers, query heads and head dimension of the model the figure counts for."""
    config = catalogue.models()[MODEL].config
    return (
        config["num_hidden_layers"],
        config["num_attention_heads"],
        config["hidden_size"] // config["num_attention_heads"],
    )


@functools.lru_cache(maxsize=1)
def shape() -> roofline.Shape:
    """The same model, as costs count it."""
    return deployment.place(catalogue.models()[MODEL], catalogue.gpus()["A100 80 GB"], 1).shape


def share(n: int) -> str:
    """Attention's part of the arithmetic of reading ``n`` tokens."""
    return written.percent(roofline.attention_share(shape(), n))


def quadratic(n: int, gpu: str) -> Figure:
    """Scores, bytes and time for a text of n tokens; exact against a window of 4,096."""
    one_of("gpu", gpu, catalogue.gpus())
    n_layers, n_heads, d_head = sizes()
    exact, windowed = scores.exact(n), scores.windowed(n, WINDOW)
    kept = scores.score_bytes(n, n_heads, n_layers)
    peak = catalogue.gpus()[gpu].tflops * 1e12
    seconds, window_seconds = (scores.work(n, n_layers, n_heads, d_head) / peak for n in (exact, windowed))
    sentence = (
        f"{n:,} tokens make {written.count(scores.square(n))} scores in every head; kept for all heads of {MODEL} they would "
        f"fill {written.decimal(kept)}, and computing them takes an {gpu} {written.seconds(seconds)} at best: "
        f"{share(n)} of all the arithmetic of reading the text."
    )
    picture = el(
        "div",
        el(
            "dl",
            _fact("scores in one head, n²", written.count(scores.square(n))),
            _fact("below the diagonal", written.count(exact)),
            _fact("if every head’s were kept", written.decimal(kept)),
            _fact(f"time on {gpu}", written.seconds(seconds)),
            _fact(f"with a window of {WINDOW:,}", written.seconds(window_seconds)),
            _fact("everything else", written.seconds(roofline.weight_flops(shape(), n) / peak)),
            _fact("attention’s share", share(n)),
            class_="facts",
        ),
        _plot(n, sentence),
        class_="quad",
    )
    rows = tuple(
        (
            m,
            scores.exact(m),
            scores.windowed(m, WINDOW),
            scores.score_bytes(m, n_heads, n_layers),
            round(100 * roofline.attention_share(shape(), m), 2),
        )
        for m in LENGTHS
    )
    columns = (
        "tokens",
        "scores below the diagonal",
        f"with a window of {WINDOW:,}",
        "bytes if all heads were kept",
        "attention’s share of the arithmetic (%)",
    )
    note = (
        "Time counts the two products of attention at the data sheet’s peak; nothing real is quite that fast."
    )
    return Figure("The square", sentence, picture, Table(columns, rows), note=note)


def _plot(n: int, sentence: str) -> Markup:
    """The arithmetic of reading a text: attention's part and all the rest."""
    here = _lines(n)
    return vega.drawn(
        "attention.quadratic", {"lines": [row for m in LENGTHS for row in _lines(m)], "here": here}, sentence
    )


def _lines(m: int) -> list[vega.Row]:
    windowed = scores.work(scores.windowed(m, WINDOW), *sizes())
    counts = {
        ALL: roofline.attention_flops(shape(), m),
        LAST: windowed,
        REST: roofline.weight_flops(shape(), m),
    }
    return [{"tokens": m, "operations": amount, "series": name} for name, amount in counts.items()]


@functools.lru_cache(maxsize=4)
def _tiled(size: int) -> tuple[tuple[str, ...], list[tiles.Tile], float]:
    """A real head's sentence in tiles: labels, states, and the largest difference from doing it at once."""
    read = reading.read("The patient has a history of asthma and was given aspirin", 13)
    layer, h = reading.head_at(reading.best_head("previous"))
    f = read.forward
    group = len(f.q[layer]) // len(f.k[layer])
    q, k, v = (a.astype(np.float64) for a in (f.q[layer][h], f.k[layer][h // group], f.v[layer][h // group]))
    mask = attention.causal_mask(len(q), len(q))
    states = list(tiles.run(q, k, v, mask, size))
    whole = attention.mix(attention.weights(attention.scores(q[None], k[None]), mask), v[None])[0]
    return read.labels, states, float(np.abs(states[-1].mixed - whole).max())


@subject.stays("Tiles give the same result in every model; this is a head of ours.")
def tiled(size: int, step: int) -> Figure:
    """Exact attention tile by tile on a small sentence: what is in memory, and that the result is the same."""
    labels, states, error = _tiled(size)
    n, at = len(labels), min(max(step, 1), len(states))
    state = states[at - 1]
    most = max(s.held for s in states)
    sentence = f"After tile {at} of {len(states)}, {state.held} scores are in memory instead of {n * n}."
    if at == len(states):
        sentence = f"All {len(states)} tiles are done with at most {most} scores in memory instead of {n * n}; the result differs by {_tiny(error)}."
    squares = []
    for number, s in enumerate(states[:at], 1):
        here = number == at
        (top, bottom), (left, right) = s.rows, s.keys
        box = f"M{left} {top}H{right}V{bottom}H{left}z"
        squares.append(el("path", d=box, class_="tl-now" if here else "tl-done"))
    lines = el("path", d="".join(f"M0 {i}H{n}M{i} 0V{n}" for i in range(n + 1)), class_="tl-grid")
    future = "".join(f"M{i + 1} {i}H{n}V{i + 1}H{i + 1}z" for i in range(n - 1))
    svg = el(
        "svg",
        squares,
        el("path", d=future, class_="tl-future"),
        lines,
        viewBox=f"-0.1 -0.1 {n + 0.2} {n + 0.2}",
        class_="tl",
        role="img",
        aria_label=sentence,
    )
    picture = el(
        "div",
        el(
            "div",
            el(
                "p",
                el("span", "query (reader) ↓", class_="c-query"),
                el("span", "key (read from) →", class_="c-key"),
                class_="m-axes",
            ),
            svg,
        ),
        el(
            "dl",
            _fact("in memory now", f"{state.held} score{'s' * (state.held != 1)}"),
            _fact("the whole square", f"{n * n} scores"),
            _fact("rows finished", f"{_finished(states, at, n)} of {n}"),
            _fact("difference at the end", _tiny(error)),
            class_="facts",
        ),
        class_="side",
    )
    rows = tuple(
        (i, f"{s.rows[0] + 1} to {s.rows[1]}", f"{s.keys[0] + 1} to {s.keys[1]}", s.held)
        for i, s in enumerate(states, 1)
    )
    return Figure(
        "Exact, but never whole",
        sentence,
        picture,
        Table(("tile", "readers", "read from", "scores held"), rows),
    )


def _finished(states: list[tiles.Tile], at: int, n: int) -> int:
    """Readers whose last tile has been done."""
    if at == len(states):
        return n
    return states[at].rows[0] if states[at].rows != states[at - 1].rows else states[at - 1].rows[0]


def _fact(name: str, value: str) -> Markup:
    return el("div", el("dt", name), el("dd", value))


def _tiny(error: float) -> str:
    return "less than 10⁻¹²" if error < 1e-12 else f"{error:.0e}"
