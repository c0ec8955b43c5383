"""A run gives the same bytes twice, and goes on exactly where it was saved. Needs the ``train`` extra."""

import dataclasses
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("simple_icd_10_cm")

from glassbox import model  # noqa: E402
from glassbox.model import config  # noqa: E402
from glassbox.training import __main__ as command  # noqa: E402
from glassbox.training import corpus, grammar, mixture, muon, network, notes, train  # noqa: E402


@pytest.fixture(scope="module")
def texts():
    rng = random.Random(1)
    some = [grammar.sentence(rng) for _ in range(200)]
    kept = [text for text in some if not corpus.held_out(text)]
    return corpus.Texts(icd=kept[:50], wordnet=kept[50:], held_icd=[], held_wordnet=[], filler=kept[:20])


PLAN = train.Plan(steps=220, tokens=256, warm=20, last=60)


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


def test_a_run_goes_on_exactly_where_it_was_saved(texts, tmp_path):
    stop, plan = 30, dataclasses.replace(PLAN, steps=40)
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
    whole = plan.steps - plan.last
    assert rates[plan.warm - 1 : whole] == [1.0] * (whole - plan.warm + 1)
    assert rates[plan.steps - 1 - plan.last // 2] == pytest.approx(0.5)
    assert rates[-1] == 0


def test_every_kind_of_text_keeps_its_share(texts):
    source = mixture.Mixture(texts, model.load().tokenizer, seed=3, batch_tokens=2048)
    for _ in range(40):
        inputs, targets = next(source)
        assert inputs.shape == targets.shape
    total = sum(source.seen.values())
    assert sum(mixture.SHARES.values()) == pytest.approx(1)
    for kind, share in mixture.SHARES.items():
        assert source.seen[kind] / total == pytest.approx(share, abs=0.03), kind


def test_random_tokens_count_in_the_loss_from_where_they_repeat():
    rng = random.Random(2)
    for _ in range(200):
        ids, unknown = notes.repeated_ids(rng, 2047)
        said, rest = ids[:unknown], ids[unknown:]
        assert "".join(map(chr, rest[:40])) in "".join(map(chr, said * 5)), "what counts was said before"
    inputs, targets = mixture.pad([(2, [9, 1, 2, 1, 2, 9])], 6, 9)
    assert inputs.tolist() == [[9, 1, 2, 1, 2, 9]]
    assert targets.tolist() == [[-1, -1, 1, 2, 9, -1]]


def test_scores_stay_below_the_cap_and_small_heads_are_left_alone():
    net, ids = network.Network(dataclasses.replace(model.load().config, d_ff=96), 3), torch.arange(40)[None]
    with torch.no_grad():
        net.weights["1/w_q"][:, :32] *= 50
        net(ids)
        before, reach = net.arrays(), [r.clone() for r in net.reach]
        cap = float(reach[1][0]) / 4
        assert all((r < cap).all() for r in [reach[0], reach[1][1:], reach[2], reach[3]])
        net.tame(cap)
        net(ids)
    assert float(net.reach[1][0]) == pytest.approx(cap, rel=1e-4)
    after = net.arrays()
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    assert changed == {"1.w_q", "1.w_k"}
    q, k = (after[n] / before[n] for n in ("1.w_q", "1.w_k"))
    np.testing.assert_allclose(q[:, :32], 0.5, rtol=1e-5)
    np.testing.assert_array_equal(q[:, 32:], 1.0)
    np.testing.assert_allclose(k[:, :32], 0.5, rtol=1e-5)
    np.testing.assert_array_equal(k[:, 32:], 1.0)


def test_a_configuration_is_written_without_what_goes_without_saying():
    written = command.chosen(command.CONFIG)
    assert config.Config(**written) == command.CONFIG
    assert "rope_base" in written
    assert "norm_eps" not in written


def test_asking_for_some_places_gives_their_logits():
    net = network.Network(dataclasses.replace(model.load().config, d_ff=96), 3)
    ids, asked = torch.arange(12).view(2, 6), torch.tensor([[False, True] * 3, [True] + [False] * 5])
    with torch.no_grad():
        torch.testing.assert_close(net(ids, asked), net(ids)[asked])


def test_an_orthogonal_step_has_singular_values_near_one():
    found = muon.orthogonal(torch.randn(3, 40, 24, generator=torch.Generator().manual_seed(1)))
    sizes = torch.linalg.svdvals(found)
    assert sizes.min() > 0.5
    assert sizes.max() < 1.3
