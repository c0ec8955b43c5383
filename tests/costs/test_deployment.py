"""How many users fit, how fast they are served, and what a purchase changes."""

import pytest

from glassbox.costs import catalogue, deployment, kv
from glassbox.costs.deployment import Budget


def placed(model="Llama 3 8B", gpu="A100 80 GB", context=8000):
    return deployment.place(catalogue.models()[model], catalogue.gpus()[gpu], context)


def test_users_by_hand():
    assert Budget(80e9, 16e9, 1_048_576_000).users == 61
    assert Budget(80e9, 16e9, 2**30).users == 59
    assert Budget(24e9, 8e9, 147_456 * 16_384).users == 6
    assert Budget(10, 4, 3).users == 2
    assert Budget(10, 4, 3.01).users == 1


def test_weights_that_fill_the_memory_leave_room_for_nobody():
    for weights in (80e9, 81e9, 800e9):
        room = Budget(80e9, weights, 1e9)
        assert (room.left, room.users) == (0, 0)
        assert room.holds_weights == (weights == 80e9)
    assert Budget(80e9, 0, 0).users == 0


def test_a_deployment_reads_the_preset_and_the_gpu():
    llama = placed()
    assert (llama.shape.layers, llama.shape.heads, llama.shape.head_dim) == (32, 32, 128)
    assert llama.shape.cache_bytes_per_token == 131_072
    assert llama.memory_bytes == 80e9
    assert llama.budget.per_user == 131_072 * 8000
    assert llama.budget.weights == 2 * catalogue.models()["Llama 3 8B"].parameters * 1e9


def test_a_windows_cache_is_spread_over_the_whole_text():
    gemma = placed("Gemma 3 27B", context=131_072)
    plan = kv.plan(catalogue.models()["Gemma 3 27B"].config, 131_072)
    assert gemma.budget.per_user == pytest.approx(plan.state_bytes)


def test_memory_that_is_full_serves_all_at_the_rate_of_one_times_their_number():
    llama = placed()
    assert llama.full_rate() == pytest.approx(llama.budget.users * llama.rate(llama.budget.users))
    assert placed("Llama 3 70B").full_rate() == 0


def test_each_purchase_moves_what_it_should():
    bought = deployment.purchases(placed(context=2048))
    now = bought["as it is"]
    assert bought["twice the compute"].first_token() == pytest.approx(now.first_token() / 2)
    assert bought["twice the compute"].rate(1) == pytest.approx(now.rate(1))
    assert bought["twice the bandwidth"].rate(1) == pytest.approx(2 * now.rate(1))
    assert bought["twice the bandwidth"].first_token() == pytest.approx(now.first_token())
    assert bought["twice the memory"].budget.users > 2 * now.budget.users
    assert bought["half the cache"].budget.users in (2 * now.budget.users, 2 * now.budget.users + 1)
