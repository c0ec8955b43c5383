import numpy as np
import pytest

from glassbox.model import attention
from tests.model import small

N_HEADS, N_KV_HEADS, N_QUERIES, N_KEYS, D_HEAD = 6, 3, 5, 13, 7


@pytest.fixture
def qkv():
    rng = np.random.default_rng(2)
    q = rng.normal(size=(N_HEADS, N_QUERIES, D_HEAD))
    k = rng.normal(size=(N_KV_HEADS, N_KEYS, D_HEAD))
    v = rng.normal(size=(N_KV_HEADS, N_KEYS, 11))
    return q, k, v


@pytest.mark.parametrize("scaling", [True, False])
@pytest.mark.parametrize("masked", [True, False])
def test_attention_equals_plain_loops_with_a_different_prime_on_every_axis(qkv, scaling, masked):
    q, k, v = qkv
    mask = attention.causal_mask(N_QUERIES, N_KEYS) if masked else None
    scores = attention.scores(q, k, scaling)
    weights = attention.weights(scores, mask)
    expected = small.attention_by_loops(q, k, v, mask, scaling)
    for got, want in zip((scores, weights, attention.mix(weights, v)), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


def test_scores_are_divided_unless_told_otherwise_and_one_key_head_serves_all(qkv):
    q, k, v = qkv
    np.testing.assert_array_equal(attention.scores(q, k), attention.scores(q, k, True))
    scores = attention.scores(q, k[:1])
    expected = small.attention_by_loops(q, k[:1], v[:1], None, True)
    for got, want in zip(
        (scores, attention.mix(attention.weights(scores), v[:1])), expected[::2], strict=True
    ):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


def test_rows_sum_to_one_and_the_future_gets_exactly_zero(qkv):
    q, k, _ = qkv
    mask = attention.causal_mask(N_QUERIES, N_KEYS)
    weights = attention.weights(attention.scores(q, k), mask)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)
    assert (weights[:, ~mask] == 0).all()
    assert (weights[:, mask] > 0).all()


def test_a_softmax_by_hand():
    # e^ln2 : e^0 : e^ln1 = 2 : 1 : 1
    np.testing.assert_allclose(attention.softmax(np.array([np.log(2), 0.0, 0.0])), [0.5, 0.25, 0.25])


def test_softmax_ignores_a_shift_and_survives_huge_scores():
    scores = np.array([[1000.0, 999.0, -np.inf]])
    np.testing.assert_allclose(attention.softmax(scores), attention.softmax(scores - 1000))
    assert attention.softmax(scores)[0, 2] == 0


def test_softmax_refuses_a_row_that_may_see_nothing():
    with pytest.raises(ValueError, match="at least one finite score"):
        attention.softmax(np.array([-np.inf, -np.inf]))


def test_the_mask_of_the_last_queries_is_the_end_of_the_whole_mask():
    whole = attention.causal_mask(7, 7)
    assert (attention.causal_mask(3, 7) == whole[-3:]).all()
    assert whole[0].tolist() == [True] + [False] * 6
    with pytest.raises(ValueError, match="n_queries=4"):
        attention.causal_mask(4, 3)


def test_groups_must_be_equal_and_widths_must_agree(qkv):
    q, k, v = qkv
    with pytest.raises(ValueError, match="n_heads=6 is not divisible by n_kv_heads=4"):
        attention.scores(q, np.zeros((4, 3, D_HEAD)))
    with pytest.raises(ValueError, match="d_head=7 but keys have d_head=6"):
        attention.scores(q, k[..., :6])
    with pytest.raises(ValueError, match="n_keys=13"):
        attention.mix(np.zeros((6, 5, 13)), v[:, :4])


@pytest.mark.parametrize(
    "shape", [(N_QUERIES, 1), (1, N_KEYS), (N_KEYS,), (1,), (), (N_KEYS, N_QUERIES), (6, N_QUERIES, N_KEYS)]
)
def test_a_mask_of_another_shape_is_refused_and_never_stretched(qkv, shape):
    q, k, _ = qkv
    scores = attention.scores(q, k)
    with pytest.raises(ValueError, match=r"mask has shape .*, scores need \(5, 13\): \(n_queries, n_keys\)"):
        attention.weights(scores, np.ones(shape, dtype=bool))


def test_a_mask_of_numbers_is_refused(qkv):
    q, k, _ = qkv
    with pytest.raises(ValueError, match="mask holds float64, expected bool"):
        attention.weights(attention.scores(q, k), np.tril(np.ones((N_QUERIES, N_KEYS))))


def test_a_mask_of_no_queries_is_empty_and_masked_without_one_is_the_scores():
    assert attention.causal_mask(0, 4).shape == (0, 4)
    scores = np.ones((1, 2, 3))
    assert attention.masked(scores, None) is scores
