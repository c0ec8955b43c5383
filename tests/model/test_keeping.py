"""Experiments on caches, on a tiny random model and on distributions by hand."""

import numpy as np
import pytest

from glassbox.model import Growing, Sliding, Switches, experiments, generate
from tests.model import small

SIZES = (small.PRIMES.n_layers, small.PRIMES.n_kv_heads, small.PRIMES.d_head)
IDS = (3, 97, 98, 12, 97, 41, 5)


@pytest.fixture(scope="module")
def tiny():
    return small.model()[0]


def test_probability_moved_by_hand():
    half, quarter = np.log([0.5, 0.5, 1e-30]), np.log([0.25, 0.5, 0.25])
    assert experiments.probability_moved(half, quarter) == pytest.approx(0.25)
    assert experiments.probability_moved(half, half) == 0
    assert experiments.probability_moved(np.array([half, half]), np.array([quarter, half])).shape == (2,)


def test_an_exact_cache_follows_its_own_text_and_a_window_writes_what_it_writes_step_by_step(tiny):
    text = tuple(generate.greedy(tiny, IDS, 9).ids)
    same = experiments.follow(tiny, lambda: (Growing(*SIZES), IDS), text)
    assert (same.ids, same.first_change) == (text, None)
    np.testing.assert_allclose(
        same.logits, tiny.forward([*IDS, *text[:-1]]).logits[len(IDS) - 1 :], atol=1e-3
    )
    narrow = experiments.follow(tiny, lambda: (Sliding(*SIZES, window=2), IDS), text)
    own = tuple(generate.greedy(tiny, IDS, 9, cache=Sliding(*SIZES, window=2)).ids)
    assert narrow.ids == own
    changes = [n for n, (a, b) in enumerate(zip(own, text, strict=True)) if a != b]
    assert narrow.first_change == (changes[0] if changes else None)


def test_rechecking_finds_at_each_step_what_a_run_without_a_cache_finds(tiny):
    found = experiments.recheck(tiny, IDS, 6)
    plain = generate.greedy(tiny, IDS, 6, use_cache=False)
    assert found.ids == tuple(plain.ids)
    assert found.same == (True,) * 6
    cached = generate.greedy(tiny, IDS, 6)
    gaps = [float(np.abs(a.logits - b.logits).max()) for a, b in zip(cached.steps, plain.steps, strict=True)]
    np.testing.assert_allclose(found.gaps, gaps, atol=1e-4)


def test_damage_leaves_the_cache_that_it_was_given_as_it_was(tiny):
    read, text = Growing(*SIZES), tuple(generate.greedy(tiny, IDS, 5).ids)
    tiny.forward(IDS[:-1], read)
    exact = tiny.forward([*IDS, *text[:-1]]).logits[len(IDS) - 1 :]
    found = experiments.damage(tiny, read, IDS[-1:], text, (1, 2, "value"), seed=4)
    assert experiments.probability_moved(found.logits, exact).max() > 1e-4
    again = experiments.follow(tiny, lambda: (read, IDS[-1:]), text)
    np.testing.assert_allclose(again.logits, exact, atol=1e-3)


@pytest.mark.parametrize("ahead", [False, True])
def test_old_keys_change_only_where_words_look_ahead(tiny, ahead):
    changes = experiments.key_changes(tiny, IDS, ahead)
    assert changes.shape == (3, len(IDS) - 1)
    before = tiny.forward(IDS[:-1], switches=Switches(mask=not ahead)).k[2]
    after = tiny.forward(IDS, switches=Switches(mask=not ahead)).k[2]
    by_hand = [
        np.linalg.norm(after[:, n] - before[:, n]) / np.linalg.norm(before[:, n]) for n in range(len(IDS) - 1)
    ]
    np.testing.assert_allclose(changes[2], by_hand, atol=1e-6)
    assert (changes[0] < 1e-5).all()
    assert (changes[1:].max() > 1e-2) == ahead


@pytest.mark.parametrize("width", [1, 2, 7])
def test_a_difference_climbs_one_window_a_layer(tiny, width):
    other = (IDS[0], IDS[1] + 1, *IDS[2:])
    one, two = (experiments.through_window(tiny, ids, width) for ids in (IDS, other))
    rows = experiments.traces(one, two)
    assert len(rows) == 4
    for level, row in enumerate(rows):
        reach = 1 + level * (width - 1)
        assert [x > 0 for x in row] == [1 <= n <= reach for n in range(len(IDS))]
    assert rows[0][1] == pytest.approx(
        np.linalg.norm(one.keys[0][:, 1] - two.keys[0][:, 1])
        * np.sqrt(2)
        / np.hypot(np.linalg.norm(one.keys[0][:, 1]), np.linalg.norm(two.keys[0][:, 1])),
        rel=1e-5,
    )


def test_the_two_heads_that_share_keys_and_differ_most(tiny):
    layer, kv_set, pair = experiments.least_alike(tiny, IDS)
    weights = tiny.forward(IDS).weights
    gaps = {
        (a, s): abs(w[2 * s, -1] - w[2 * s + 1, -1]).sum() for a, w in enumerate(weights) for s in range(3)
    }
    assert max(gaps, key=gaps.get) == (layer, kv_set)
    np.testing.assert_array_equal(pair, weights[layer][[2 * kv_set, 2 * kv_set + 1], -1])
