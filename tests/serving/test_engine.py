"""The queue of events against theory, against a slow loop that makes one step at a time, and by hand."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassbox.costs import catalogue
from glassbox.serving import engine, latency
from glassbox.serving.latency import Policy, Request, Server, Times

SERVER = Server(step=0.010, per_row=0.001, per_kept=0.0001, hand_over=0.002 * 3**0.5, batch=3)


def alike(rate, count, prompt, answer, seed):
    """Requests of one size that come independently of one another."""
    arrivals = np.cumsum(np.random.default_rng(seed).exponential(1 / rate, count))
    return [Request(float(a), prompt, answer) for a in arrivals]


def service(server, prompt, answer):
    """Seconds that one request takes alone: its prompt in one step, then a row a step over a growing cache."""
    read = server.step + server.per_row * prompt
    write = sum(server.step + server.per_row + server.per_kept * (prompt + n) for n in range(1, answer))
    return read, read + write


def test_one_user_at_a_time_waits_as_the_theory_of_m_d_1_says():
    """Pollaczek and Khinchine: the mean wait is ρ D / (2 (1 − ρ)) where every service takes D seconds."""
    server = Server(step=0.01, per_row=0.0005, per_kept=0.00001, batch=1)
    read, whole = service(server, 100, 6)
    for load in (0.3, 0.6):
        waits = [
            engine.simulate(alike(load / whole, 15_000, 100, 6, seed), server, Policy()).first.mean - read
            for seed in (1, 2)
        ]
        assert np.mean(waits) == pytest.approx(load * whole / (2 * (1 - load)), rel=0.05)


def test_one_user_at_a_time_waits_exactly_as_lindleys_recursion_says():
    server = Server(step=0.01, per_row=0.0005, batch=1)
    asked = latency.Load(3.0, 400, prompt=200, answer=30, seed=4).draw()
    done = engine.simulate(asked, server, Policy()).finished
    free = 0.0
    for r, finished in zip(asked, done, strict=True):
        free = max(free, r.arrival) + service(server, r.prompt, r.answer)[1]
        assert finished == pytest.approx(free)


def slow(asked, arrivals, server, policy, reads=True, writes=True):
    """One machine, one step at a time, nothing clever. Returns each request's token times."""
    waiting, reading, writing = sorted(range(len(asked)), key=lambda r: (arrivals[r], r)), [], []
    left = {r: max(1, round(q.prompt * (1 - policy.shared))) for r, q in enumerate(asked)}
    tokens, now = {r: [] for r in range(len(asked))}, 0.0
    start = {r: 0 if reads else 1 for r in range(len(asked))}  # tokens it had when it came
    while waiting or reading or writing:
        if not reading and not writing:
            now = max(now, arrivals[waiting[0]])
        if policy.continuous or not (reading or writing):
            while waiting and arrivals[waiting[0]] <= now and len(reading) + len(writing) < server.batch:
                (reading if reads else writing).append(waiting.pop(0))
        budget, taken = policy.chunk or 10**9, {}
        for r in reading:
            taken[r] = min(left[r], budget)
            budget -= taken[r]
        had = {r: start[r] + len(tokens[r]) for r in writing}
        text = sum(asked[r].prompt + had[r] for r in writing)
        read_so_far = sum(asked[r].prompt - left[r] for r in reading)
        rows = sum(taken.values()) + (len(writing) if policy.cache else text)
        kept = text + read_so_far if policy.cache else 0
        now += server.step + server.per_row * rows + server.per_kept * kept
        for r in list(writing):
            tokens[r].append(now)
            if start[r] + len(tokens[r]) == asked[r].answer:
                writing.remove(r)
        for r in list(reading):
            left[r] -= taken[r]
            if not left[r]:
                reading.remove(r)
                tokens[r].append(now)
                if writes and asked[r].answer > 1:
                    writing.append(r)
    return tokens


def slowly(asked, server, policy):
    """Every request's token times under any policy, with ``slow`` alone."""
    tokens = {}
    for k in range(policy.machines):
        mine = [r for r in range(len(asked)) if r % policy.machines == k]
        part = [asked[r] for r in mine]
        found = slow(part, [r.arrival for r in part], server, policy, writes=not policy.apart)
        tokens.update({mine[n]: times for n, times in found.items()})
    if policy.apart:
        come = [tokens[r][0] + server.hand_over * (q.prompt + 1) for r, q in enumerate(asked)]
        more = [r for r, q in enumerate(asked) if q.answer > 1]
        late = slow([asked[r] for r in more], [come[r] for r in more], server, policy, reads=False)
        for n, r in enumerate(more):
            tokens[r] += late[n]
    return tokens


POLICIES = st.builds(
    Policy,
    continuous=st.booleans(),
    chunk=st.sampled_from([None, 1, 3, 8]),
    shared=st.sampled_from([0.0, 0.5]),
    apart=st.booleans(),
) | st.builds(Policy, cache=st.booleans(), continuous=st.booleans(), machines=st.sampled_from([1, 2]))
REQUESTS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30), st.integers(1, 9)), max_size=12)


@settings(max_examples=150, deadline=None)
@given(REQUESTS, POLICIES)
def test_runs_of_steps_give_what_one_step_at_a_time_gives(drawn, policy):
    # In steps of √2 ms, so that nobody comes at the very moment at which a step ends.
    arrivals = itertools.accumulate(gap * 2**0.5 / 1000 for gap, _, _ in drawn)
    asked = [Request(a, p, n) for a, (_, p, n) in zip(arrivals, drawn, strict=True)]
    found, tokens = engine.simulate(asked, SERVER, policy), slowly(asked, SERVER, policy)
    first = sorted(tokens[r][0] - q.arrival for r, q in enumerate(asked))
    gaps = sorted(b - a for times in tokens.values() for a, b in itertools.pairwise(times))
    assert found.first.seconds.tolist() == pytest.approx(first)
    assert np.repeat(found.gaps.seconds, found.gaps.counts.astype(int)).tolist() == pytest.approx(gaps)
    assert list(found.finished) == pytest.approx([tokens[r][-1] for r in range(len(asked))])
    own = sorted((t[-1] - t[0]) / (len(t) - 1) for t in tokens.values() if len(t) > 1)
    assert found.averages.seconds.tolist() == pytest.approx(own)


def test_every_token_but_the_first_has_a_gap():
    asked = latency.Load(5, 120, 300, 40, seed=2).draw()
    for policy in (Policy(), Policy(chunk=64), Policy(apart=True), Policy(continuous=False)):
        found = engine.simulate(asked, SERVER, policy)
        assert found.first.count == 120
        assert found.gaps.count == sum(r.answer - 1 for r in asked)


def llama():
    return latency.serving(catalogue.models()["Llama 3 8B"], catalogue.gpus()["A100 80 GB"], 32)


def test_a_long_prompt_stalls_everybody_and_an_average_hides_it():
    """An answer is being written when a prompt of 4,000 tokens comes."""
    asked = [Request(0.0, 10, 200), Request(0.5, 4000, 2)]
    found = engine.simulate(asked, llama(), Policy())
    stall = llama().step + 4000 * llama().per_row
    assert found.gaps.longest == pytest.approx(stall, rel=0.02)
    assert found.averages.longest < stall / 10
    pieces = engine.simulate(asked, llama(), Policy(chunk=256))
    assert pieces.gaps.longest < llama().step + 260 * llama().per_row + 0.001
    assert pieces.first.longest > found.first.longest
    apart = engine.simulate(asked, llama(), Policy(apart=True))
    assert apart.gaps.percentile(99) < 1.05 * llama().step


def test_a_server_fetches_weights_and_caches_and_sends_them():
    server = llama()
    assert server.step == pytest.approx(16e9 / 2039e9)
    assert server.per_row == pytest.approx(16e9 / 312e12)
    assert server.per_kept == pytest.approx(131_072 / 2039e9)
    assert server.hand_over == pytest.approx(131_072 / 25e9)


def test_percentiles_are_nearest_ranks_and_the_curve_ends_at_the_longest():
    times = Times.of([4.0, 1.0, 2.0, 3.0], [1, 1, 1, 97])
    assert (times.count, times.longest, times.mean) == (100, 4.0, pytest.approx(2.98))
    assert [times.percentile(p) for p in (1, 2, 3, 99, 99.5, 100)] == [1, 2, 3, 3, 4, 4]
    curve = Times.of(range(1, 101)).tail(3)
    assert curve == [(1.0, 1.0), (90.0, pytest.approx(10)), (99.0, pytest.approx(100)), (100.0, 100.0)]
    assert Times.of([]).tail() == []
    assert (Times.of([]).percentile(50), Times.of([]).longest, Times.of([]).mean) == (0, 0, 0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"chunk": 0}, "chunk is 0"),
        ({"shared": 1.5}, "shared is 1.5"),
        ({"cache": 1}, "cache is 1; it should be true or false"),
        ({"cache": False, "chunk": 4}, "cache is false; .* should be left out"),
        ({"apart": True, "machines": 2}, "machines is 2; with apart it should be 1"),
        ({"machines": 0}, "machines is 0"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(change, words):
    with pytest.raises(ValueError, match=words):
        Policy(**change)
