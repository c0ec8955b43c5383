"""How fast the model decodes, as ratios measured in one run: ``python -m tests.bench.model``.

* greedy generation with the cache, against reading the whole text again for every token;
* one step with the cache late in a text, against one early in it;
* decoding with the cache in NumPy, against the same weights in eager torch, also with a cache.

Every ratio is one of medians over runs that alternate, on one thread. Times are processor time, so that
other work on the machine does not count.
"""

# ruff: noqa: T201, E402 - a benchmark prints, and threads are set before NumPy is imported

from __future__ import annotations

import os

for _library in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import numpy as np

from glassbox import model
from glassbox.model import attention, generate
from glassbox.model.cache import Growing

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment, unused-ignore]

RUNS = 5
SIZES = 64, 128, 256
EARLY, LATE = 32, 448
AROUND = 32  # steps measured around a position
PROMPT = "Patient has severe chest"


def medians(*works: Callable[[], object]) -> list[float]:
    """The median time of each piece of work, taking turns; a first turn is not counted."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(RUNS + 1):
        for work, spent in zip(works, times, strict=True):
            before = time.process_time()
            work()
            spent.append(time.process_time() - before)
    return [statistics.median(spent[1:]) for spent in times]


def caching(m: model.Model) -> None:
    """Prints what the cache saves, in time and in multiplications."""
    ids = m.encode(PROMPT)
    for n in SIZES:
        with_cache = generate.greedy(m, ids, n)
        without = generate.greedy(m, ids, n, use_cache=False)
        if with_cache.ids != without.ids:
            raise SystemExit("the cache changes what is generated")
        cached, uncached = medians(
            lambda n=n: generate.greedy(m, ids, n),  # type: ignore[misc]
            lambda n=n: generate.greedy(m, ids, n, use_cache=False),  # type: ignore[misc]
        )
        claim = " (at least 10)" if n == 256 else ""
        print(f"{n} new tokens: {cached * 1e3:.0f} ms with the cache, {uncached * 1e3:.0f} ms without")
        print(
            f"  without it {uncached / cached:.1f} times as long{claim}, "
            f"{without.multiply_adds / with_cache.multiply_adds:.1f} times as many multiply-adds"
        )


@contextmanager
def attention_clock() -> Iterator[list[float]]:
    """Collects the seconds spent in attention: scores, weights, mixing and the cache."""
    spent: list[float] = []

    def clocked(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            before = time.process_time()
            result = function(*args, **kwargs)
            spent.append(time.process_time() - before)
            return result

        return call

    with ExitStack() as patches:
        for owner, name in (
            (attention, "scores"),
            (attention, "weights"),
            (attention, "mix"),
            (Growing, "update"),
        ):
            patches.enter_context(mock.patch.object(owner, name, clocked(getattr(owner, name))))
        yield spent


def steps(m: model.Model, text: Sequence[int], position: int) -> tuple[float, float]:
    """Seconds per step with the cache around a position, and those of them that are attention."""
    cache, start = m.new_cache(), position - AROUND // 2
    m.forward(text[:start], cache, last_only=True)
    ahead = text[start : start + AROUND]
    with attention_clock() as spent:
        before = time.process_time()
        for new in ahead:
            m.forward([new], cache, last_only=True)
        whole = time.process_time() - before
    return whole / AROUND, sum(spent) / AROUND


def products(m: model.Model, text: Sequence[int], position: int) -> tuple[int, int]:
    """Multiply-adds of the step at a position: outside attention, and in attention."""
    cache = m.new_cache()
    m.forward(text[:position], cache, last_only=True)
    step = m.forward([text[position]], cache, last_only=True)
    inside = sum(2 * scores.size * m.config.d_head for scores in step.scores)
    return step.multiply_adds - inside, inside


def flatness(m: model.Model) -> None:
    """Prints how a step with the cache grows with its position."""
    ids = m.encode(PROMPT)
    text = ids + generate.greedy(m, ids, LATE + AROUND).ids
    runs = [[steps(m, text, at) for at in (EARLY, LATE)] for _ in range(2 * RUNS + 1)][1:]
    early, late = (statistics.median(run[i][0] for run in runs) for i in (0, 1))
    early_rest, late_rest = (statistics.median(run[i][0] - run[i][1] for run in runs) for i in (0, 1))
    (early_fixed, early_inside), (late_fixed, late_inside) = (products(m, text, at) for at in (EARLY, LATE))
    if early_fixed != late_fixed:
        raise SystemExit("a step's work outside attention depends on its position")
    print(f"one step with the cache: {early * 1e6:.0f} µs at position {EARLY}, {late * 1e6:.0f} µs at {LATE}")
    print(f"  ratio {late / early:.2f}; without attention {late_rest / early_rest:.2f} (flat: about 1)")
    print(
        f"  multiply-adds without attention {early_fixed:,} and {late_fixed:,}; "
        f"in attention {early_inside:,} and {late_inside:,}"
    )


def torch_greedy(m: model.Model) -> Callable[[Sequence[int], int], list[int]]:
    """The same decoder in eager torch with its cache allocated ahead: prompt and count to new ids."""
    c = m.config
    p = {name: torch.from_numpy(np.array(w)) for name, w in m.params.items()}
    linear, rms_norm, silu = (
        torch.nn.functional.linear,
        torch.nn.functional.rms_norm,
        torch.nn.functional.silu,
    )
    attend = torch.nn.functional.scaled_dot_product_attention
    half = c.d_head // 2
    angles = torch.arange(c.context)[:, None] * c.rope_base ** (-torch.arange(half) / half)
    cos, sin = angles.cos(), angles.sin()
    n_turned = c.n_heads + c.n_kv_heads

    def read(ids: Sequence[int], start: int, stored: Any) -> int:
        x, end = p["embedding"][torch.tensor(ids)], start + len(ids)
        for layer in range(c.n_layers):
            h = rms_norm(x, (c.d_model,), p[f"{layer}.norm_attention"], c.norm_eps)
            heads = linear(h, p[f"{layer}.w_qkv"]).view(len(ids), -1, c.d_head).transpose(0, 1)
            a, b = heads[:n_turned, :, :half], heads[:n_turned, :, half:]
            co, si = cos[start:end], sin[start:end]
            turned = torch.cat((a * co - b * si, a * si + b * co), dim=-1)
            stored[0, layer, :, start:end] = turned[c.n_heads :]
            stored[1, layer, :, start:end] = heads[n_turned:]
            mixed = attend(
                turned[None, : c.n_heads],
                stored[0, layer, None, :, :end],
                stored[1, layer, None, :, :end],
                is_causal=len(ids) > 1,  # the prompt, which nothing comes before
                enable_gqa=True,
            )[0]
            x = x + linear(mixed.transpose(0, 1).reshape(len(ids), -1), p[f"{layer}.w_o"])
            h = rms_norm(x, (c.d_model,), p[f"{layer}.norm_mlp"], c.norm_eps)
            gate, up = linear(h, p[f"{layer}.w_gate_up"]).chunk(2, dim=-1)
            x = x + linear(silu(gate) * up, p[f"{layer}.w_down"])
        return int(linear(rms_norm(x[-1], (c.d_model,), p["norm_out"], c.norm_eps), p["embedding"]).argmax())

    def greedy(ids: Sequence[int], n_new: int) -> list[int]:
        with torch.inference_mode():
            stored = torch.zeros(2, c.n_layers, c.n_kv_heads, c.context, c.d_head)
            unread, at, new = list(ids), 0, []
            for _ in range(n_new):
                new.append(read(unread, at, stored))
                at, unread = at + len(unread), new[-1:]
        return new

    return greedy


def against_torch(m: model.Model) -> None:
    """Prints NumPy's decoding against torch's."""
    if torch is None:
        print("torch is not installed: decoding is not compared with it")
        return
    torch.set_num_threads(1)
    ids, n, theirs = m.encode(PROMPT), max(SIZES), torch_greedy(m)
    if theirs(ids, n) != generate.greedy(m, ids, n).ids:
        raise SystemExit("torch and NumPy generate different texts")
    ours_s, theirs_s = medians(lambda: generate.greedy(m, ids, n), lambda: theirs(ids, n))
    print(
        f"{n} new tokens with a cache: {ours_s * 1e3:.0f} ms in NumPy, {theirs_s * 1e3:.0f} ms in eager torch"
    )
    print(f"  torch {torch.__version__}, one thread: NumPy takes {ours_s / theirs_s:.2f} times as long")


if __name__ == "__main__":
    shipped = model.load()
    caching(shipped)
    flatness(shipped)
    against_torch(shipped)
