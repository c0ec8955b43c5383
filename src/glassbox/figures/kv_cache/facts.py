"""The numbers that Chapter 3's prose prints, each worked out here and recomputed by a test."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

from glassbox import examples, model
from glassbox.costs import catalogue, deployment, kv, layers, roofline, scores
from glassbox.costs.deployment import Budget
from glassbox.figures.kv_cache.corrupt import survey
from glassbox.figures.kv_cache.race import LENGTHS, multiply_adds
from glassbox.figures.kv_cache.tail import waits
from glassbox.model.speculative import CutDown, fetched
from glassbox.serving import paging
from glassbox.serving.conversation import Talk
from glassbox.serving.latency import Policy

PLAIN = "Llama 3 8B"
GPU = "A100 80 GB"
LINK_GB_S = 32  # PCI Express 4.0 with 16 lanes, one way, as on NVIDIA's A100 data sheet (64 GB/s both ways)
SHORT_RACE = 32  # tokens
SHORT_CHUNK = 64
DISK_GB_S = 7  # what the fastest disks for PCI Express 4.0 state for reading


@dataclass(frozen=True)
class Facts:
    """What the prose prints; names say the unit."""

    rows_100: int
    rows_1000: int
    race_tokens: int
    race_ratio: float
    race_short_tokens: int
    race_short_ratio: float
    layers: int
    token_bytes: int
    gb_8000: float
    gib_8000: float
    users_8000: int
    users_8192: int
    users_new: int
    link_gb_s: int
    disk_gb_s: int
    offload_ms: float
    disk_ms: float
    again_ms: float
    gemma_state_gib: float
    gemma_reserved_gib: float
    ridge: float
    weights_ms: float
    tokens_per_second: float
    first_token_ms: float
    short_prompt: int
    turning_batch: int
    endless_tokens: float
    mha_ratio: int
    bytes_8: float
    bytes_4: float
    saved_8: float
    saved_4: float
    mib_8: float
    blocks: int
    slots: int
    talk_sent: int
    talk_new: int
    reported_without: float
    reported_with: float
    reported_ratio: float
    gap_p50_ms: float
    gap_p99_ms: float
    gap_longest_ms: float
    average_longest_ms: float
    first_p99_ms: float
    chunk_longest_ms: float
    chunk_first_p99_ms: float
    short_chunk_first_p99_s: float
    short_chunk_rate: float
    fixed_gap_longest_ms: float
    fixed_first_p99_s: float
    entries: int
    entries_changed: int
    draft_percent: float
    table_percent: float


def shortest_for_arithmetic(now: deployment.Deployment) -> int:
    """The shortest prompt whose reading is short of arithmetic."""
    return next(
        n for n in itertools.count(1) if roofline.prefill(now.shape, now.machine, n).bound == "compute"
    )


def endless(now: deployment.Deployment) -> int:
    """The shortest context at which no number of users makes writing short of arithmetic."""
    return next(
        n for n in itertools.count(1) if roofline.compute_bound_batch(now.shape, now.machine, n) is None
    )


def _reported(key: str) -> tuple[float, ...]:
    value = examples.example(key).value
    return tuple(float(v) for v in (value if isinstance(value, tuple) else (value,)))


@functools.lru_cache(maxsize=1)
def facts() -> Facts:
    """All of them."""
    config, gpu = catalogue.models()[PLAIN].config, catalogue.gpus()[GPU]
    at_8000, at_8192 = (kv.plan(config, n).state_bytes for n in (8000, 8192))
    memory, weights = gpu.memory_gb * 1e9, 16e9
    new = kv.plan(catalogue.models()["Qwen3 4B"].config, 16_384).state_bytes
    gemma = kv.plan(catalogue.models()["Gemma 3 27B"].config, 131_072)
    now = deployment.place(catalogue.models()[PLAIN], gpu, 512)
    talk, turns = Talk(2000, 600), 30
    engines = (Policy(), Policy(chunk=256), Policy(continuous=False))
    plain, chunks, fixed = (waits(4.0, 1000, policy) for policy in engines)
    short = waits(4.0, 1000, Policy(chunk=SHORT_CHUNK))
    without, with_cache = _reported("generation-seconds")
    (ratio,) = _reported("generation-ratio")
    last, m = LENGTHS[-1], model.load()
    eight, four = float(layers.element_bytes("q8_0")), float(layers.element_bytes("q4_0"))
    return Facts(
        rows_100=scores.rows_without_cache(100),
        rows_1000=scores.rows_without_cache(1000),
        race_tokens=last,
        race_ratio=multiply_adds(last, False) / multiply_adds(last, True),
        race_short_tokens=SHORT_RACE,
        race_short_ratio=multiply_adds(SHORT_RACE, False) / multiply_adds(SHORT_RACE, True),
        layers=m.config.n_layers,
        token_bytes=kv.plan(config, 1).bytes_per_token,
        gb_8000=at_8000 / 10**9,
        gib_8000=at_8000 / 2**30,
        users_8000=Budget(memory, weights, at_8000).users,
        users_8192=Budget(memory, weights, at_8192).users,
        users_new=Budget(24e9, 8e9, new).users,
        link_gb_s=LINK_GB_S,
        disk_gb_s=DISK_GB_S,
        offload_ms=at_8000 / (LINK_GB_S * 1e6),
        disk_ms=at_8000 / (DISK_GB_S * 1e6),
        again_ms=1000 * deployment.place(catalogue.models()[PLAIN], gpu, 8000).first_token(),
        gemma_state_gib=gemma.state_bytes / 2**30,
        gemma_reserved_gib=gemma.reserved_bytes / 2**30,
        ridge=now.machine.ridge,
        weights_ms=1000 * weights / (gpu.bandwidth_gb_s * 1e9),
        tokens_per_second=now.rate(1),
        first_token_ms=1000 * deployment.place(catalogue.models()[PLAIN], gpu, 8192).first_token(),
        short_prompt=shortest_for_arithmetic(now),
        turning_batch=roofline.compute_bound_batch(now.shape, now.machine, 512) or 0,
        endless_tokens=round(endless(now), -1),
        mha_ratio=kv.plan(catalogue.models()["Llama 2 7B"].config, 1).bytes_per_token
        // kv.plan(config, 1).bytes_per_token,
        bytes_8=eight,
        bytes_4=four,
        saved_8=2 / eight,
        saved_4=2 / four,
        mib_8=kv.plan(config, 8192, dtype="q8_0").state_bytes / 2**20,
        blocks=paging.blocks_for(10_718, 16),
        slots=paging.paged_slots(10_718, 16),
        talk_sent=talk.sent_by(turns),
        talk_new=talk.written_by(turns),
        reported_without=without,
        reported_with=with_cache,
        reported_ratio=ratio,
        gap_p50_ms=1000 * plain.gaps.percentile(50),
        gap_p99_ms=1000 * plain.gaps.percentile(99),
        gap_longest_ms=1000 * plain.gaps.longest,
        average_longest_ms=1000 * plain.averages.longest,
        first_p99_ms=1000 * plain.first.percentile(99),
        chunk_longest_ms=1000 * chunks.gaps.longest,
        chunk_first_p99_ms=1000 * chunks.first.percentile(99),
        short_chunk_first_p99_s=short.first.percentile(99),
        short_chunk_rate=round(SHORT_CHUNK / short.gaps.percentile(50), -2),
        fixed_gap_longest_ms=1000 * fixed.gaps.longest,
        fixed_first_p99_s=fixed.first.percentile(99),
        entries=survey().entries,
        entries_changed=survey().changed,
        draft_percent=100 * fetched(CutDown(m, 1).model) / fetched(m),
        table_percent=100 * m.params["embedding"].size / fetched(m),
    )
