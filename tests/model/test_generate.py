import itertools

import numpy as np
import pytest

from glassbox import model
from glassbox.model import generate
from tests.model import small


@pytest.fixture(scope="module")
def shipped():
    return model.load()


def test_greedy_gives_the_same_ids_with_and_without_a_cache(shipped):
    for prompt in ("Patient has severe chest", "She opened", "The blood culture", ""):
        ids = shipped.encode(prompt)
        cached = generate.greedy(shipped, ids, 40)
        assert cached.ids == generate.greedy(shipped, ids, 40, use_cache=False).ids
        assert len(cached.ids) == 40


def test_without_a_cache_every_step_reads_everything_again():
    tiny, _ = small.model()
    with_cache = generate.greedy(tiny, [1, 2, 3], 5)
    without = generate.greedy(tiny, [1, 2, 3], 5, use_cache=False)
    assert [s.n_read for s in with_cache.steps] == [3, 1, 1, 1, 1]
    assert [s.n_read for s in without.steps] == [3, 4, 5, 6, 7]
    assert without.multiply_adds == sum(
        tiny.forward([1] * n, last_only=True).multiply_adds for n in range(3, 8)
    )
    assert with_cache.multiply_adds < without.multiply_adds


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize(("n_prompt", "n_new"), [(1, 1), (3, 5), (7, 0)])
def test_multiply_adds_worked_out_ahead_are_those_of_the_run(use_cache, n_prompt, n_new):
    tiny, _ = small.model()
    ran = generate.greedy(tiny, [5] * n_prompt, n_new, use_cache=use_cache)
    assert generate.multiply_adds(tiny, n_prompt, n_new, use_cache) == ran.multiply_adds


def test_a_stream_can_be_stopped(shipped):
    steps = generate.stream(shipped, shipped.encode("The patient"), 400, generate.likeliest)
    assert len(list(itertools.islice(steps, 3))) == 3


def test_a_cache_that_has_read_the_prompt_continues_it(shipped):
    ids = shipped.encode("Patient has severe chest")
    cache = shipped.new_cache()
    shipped.forward(ids[:-1], cache)
    assert generate.greedy(shipped, ids[-1:], 6, cache=cache).ids == generate.greedy(shipped, ids, 6).ids


def test_the_same_seed_draws_the_same_text_and_another_seed_another(shipped):
    ids = shipped.encode("The patient")
    texts = [generate.sample(shipped, ids, 30, np.random.default_rng(s)).ids for s in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_a_distribution_by_hand():
    logits = np.log(np.array([0.5, 0.3, 0.15, 0.05]))
    np.testing.assert_allclose(generate.distribution(logits), [0.5, 0.3, 0.15, 0.05])
    np.testing.assert_allclose(generate.distribution(logits, top_k=2), [0.625, 0.375, 0, 0])
    np.testing.assert_allclose(generate.distribution(logits, top_p=0.8), [0.625, 0.375, 0, 0])
    np.testing.assert_allclose(generate.distribution(logits, top_p=0.81)[3], 0)
    np.testing.assert_allclose(generate.distribution(logits, temperature=0), [1, 0, 0, 0])
    squared = np.array([0.25, 0.09, 0.0225, 0.0025])
    np.testing.assert_allclose(generate.distribution(logits, temperature=0.5), squared / squared.sum())


def test_every_token_of_the_vocabulary_takes_part(shipped):
    probs = generate.distribution(shipped.forward(shipped.encode("The")).logits[-1])
    assert probs.shape == (shipped.config.vocab_size,)
    assert (probs > 0).all()
    assert probs.sum() == pytest.approx(1)


def test_draws_follow_the_distribution_and_never_take_what_was_cut():
    probs, rng = np.array([0.2, 0.0, 0.5, 0.3]), np.random.default_rng(0)
    drawn = np.bincount([generate.draw_from(probs, rng) for _ in range(20_000)], minlength=4) / 20_000
    assert drawn[1] == 0
    np.testing.assert_allclose(drawn, probs, atol=0.015)


@pytest.mark.parametrize("bad", [{"temperature": -1}, {"top_k": 0}, {"top_p": 0}, {"top_p": 1.1}])
def test_a_setting_out_of_range_is_named(bad):
    name = next(iter(bad))
    with pytest.raises(ValueError, match=f"{name}="):
        generate.distribution(np.zeros(3), **bad)
