"""A run gives the same bytes twice, and goes on exactly where it was saved. Needs the ``train`` extra."""

import dataclasses
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("simple_icd_10_cm")

from glassbox import model  # noqa: E402
from glassbox.training import corpus, grammar, mixture, muon, train  # noqa: E402


@pytest.fixture(scope="module")
def texts():
    rng = random.Random(1)
    some = [grammar.sentence(rng) for _ in range(200)]
    kept = [text for text in some if not corpus.held_out(text)]
    return corpus.Texts(icd=kept[:50], wordnet=kept[50:], held_icd=[], held_wordnet=[], filler=kept[:20])


PLAN = train.Plan(steps=220, tokens=256, turn=120, warm=20, fall=(60, 400), hold=100, last=60)


def run(texts, plan=PLAN):
    shipped = model.load()
    return train.Run(dataclasses.replace(shipped.config, d_ff=96), shipped.tokenizer, texts, plan)


def test_two_runs_of_200_steps_give_the_same_bytes(texts):
    a, b = run(texts), run(texts)
    losses = [(a.step(), b.step()) for _ in range(200)]
    assert all(x == y for x, y in losses)
    assert np.mean([x for x, _ in losses[-20:]]) < losses[0][0] - 1
    for name, weights in a.network.arrays().items():
        assert weights.tobytes() == b.network.arrays()[name].tobytes(), name


@pytest.mark.parametrize("stop", [30, 130])  # before and after the mixture turns
def test_a_run_goes_on_exactly_where_it_was_saved(texts, tmp_path, stop):
    plan = dataclasses.replace(PLAN, steps=stop + 10)
    whole = run(texts, plan)
    train.train(whole, tmp_path / "whole", lambda line: None)
    train.train(run(texts, plan), tmp_path / "parts", lambda line: None, until=stop)
    train.train(run(texts, plan), tmp_path / "parts", lambda line: None)
    a, b = (np.load(tmp_path / name / "weights.npz") for name in ("whole", "parts"))
    assert all(a[name].tobytes() == b[name].tobytes() for name in a.files)


def test_another_plan_does_not_go_on_where_this_one_was_saved(texts, tmp_path):
    train.train(run(texts), tmp_path, lambda line: None, until=2)
    with pytest.raises(ValueError, match="was begun with"):
        run(texts, dataclasses.replace(PLAN, seed=8)).resume(tmp_path)


def test_the_rates_rise_stay_and_fall_to_zero():
    plan = train.Plan()
    rates = [train.rate(step, plan) for step in range(plan.steps)]
    assert rates[0] < 0.02
    assert rates[59:2861] == [1.0] * (2861 - 59)
    assert rates[3400:5000] == [pytest.approx(1000 / 1540)] * 1600
    assert rates[-1] == 0


def test_every_kind_of_text_keeps_its_share(texts):
    source = mixture.Mixture(texts, model.load().tokenizer, seed=3, batch_tokens=2048)
    for shares in (mixture.FIRST, mixture.LATER):
        for _ in range(40):
            inputs, targets = next(source)
            assert inputs.shape == targets.shape
        total = sum(source.seen.values())
        assert sum(shares.values()) == pytest.approx(1)
        for kind, share in shares.items():
            assert source.seen[kind] / total == pytest.approx(share, abs=0.03), kind
        source.turn()


def test_an_orthogonal_step_has_singular_values_near_one():
    found = muon.orthogonal(torch.randn(3, 40, 24, generator=torch.Generator().manual_seed(1)))
    sizes = torch.linalg.svdvals(found)
    assert sizes.min() > 0.5
    assert sizes.max() < 1.3
