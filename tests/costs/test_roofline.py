import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassbox.costs import catalogue, roofline, scores

LLAMA = roofline.Shape(8e9, 32, 32, 128, 131_072)
A100 = roofline.Machine(312, 2039)


def test_the_work_of_scores_is_two_products_of_a_head_s_length_each():
    """One score of a head of 3: 3 multiply-adds to make it, 3 to mix by it, and each counts as two."""
    assert scores.work(1, 1, 1, 3) == 12
    assert scores.work(50_005_000, 32, 32, 128) == 4 * 128 * 32 * 32 * 50_005_000


def test_one_decode_step_by_hand():
    """16 GB of weights and 1 GiB of cache at 2,039 GB/s: 8.37 ms."""
    step = roofline.decode(LLAMA, A100, context=8192)
    assert step.bytes_moved == 16e9 + 2**30
    assert step.seconds == pytest.approx((16e9 + 2**30) / 2039e9)
    assert step.flops == 2 * 8e9 + 4 * 32 * 32 * 128 * 8192
    assert step.bound == "bandwidth"


def test_one_prefill_by_hand():
    read = roofline.prefill(LLAMA, A100, tokens=3)
    assert read.flops == 3 * 2 * 8e9 + 4 * 32 * 32 * 128 * (1 + 2 + 3)


def test_a_long_prompt_is_short_of_arithmetic_and_one_token_of_bandwidth():
    assert roofline.prefill(LLAMA, A100, 8192).bound == "compute"
    assert roofline.prefill(LLAMA, A100, 1).bound == "bandwidth"
    assert roofline.decode(LLAMA, A100, 8192).bound == "bandwidth"


def test_the_batch_where_decode_turns_is_the_first_that_is_compute_bound():
    batch = roofline.compute_bound_batch(LLAMA, A100, context=100)
    assert roofline.decode(LLAMA, A100, 100, batch).bound == "compute"
    assert roofline.decode(LLAMA, A100, 100, batch - 1).bound == "bandwidth"


def test_with_a_long_context_no_batch_helps_because_each_brings_its_own_cache():
    assert roofline.compute_bound_batch(LLAMA, A100, context=8192) is None


def test_without_a_context_the_turn_is_at_the_ridge():
    free = roofline.Shape(8e9, 32, 32, 128, 0)
    assert roofline.compute_bound_batch(free, A100, 0) == math.ceil(A100.ridge)


def test_a_mixture_reads_its_share_for_one_token_and_everything_for_many():
    mixture = roofline.Shape(117e9, 36, 64, 64, 73_728, active=5.1e9, experts=128, chosen=4)
    assert roofline.decode(mixture, A100, 0).bytes_moved == pytest.approx(2 * 5.1e9)
    assert roofline.decode(mixture, A100, 0, 4096).bytes_moved == pytest.approx(2 * 117e9)


def test_a_batch_touches_as_many_experts_as_drawing_them_by_lot():
    """Qwen3-30B-A3B, 8 of 128 experts a token: eight users read 13.2 billion numbers."""
    qwen = roofline.Shape(30.5e9, 48, 32, 128, 98_304, active=3.3e9, experts=128, chosen=8)
    rng = np.random.default_rng(2)
    drawn = [len({e for _ in range(8) for e in rng.permutation(128)[:8]}) for _ in range(3000)]
    assert 128 * qwen.touched(8) == pytest.approx(np.mean(drawn), rel=0.01)
    assert roofline.decode(qwen, A100, 0, 8).bytes_moved / 2 == pytest.approx(13.2e9, rel=0.005)
    # All experts: 48 layers of 128, each three matrices of 2,048 by 768.
    assert qwen.expert_weights == pytest.approx(48 * 128 * 3 * 2048 * 768, rel=0.01)


@pytest.mark.parametrize(
    ("experts", "chosen", "active"), [(8, 2, None), (1, 1, 3e9), (8, 8, 3e9), (8, 9, 3e9)]
)
def test_a_mixture_that_does_not_add_up_is_refused(experts, chosen, active):
    with pytest.raises(ValueError, match=r"chosen is .* should be"):
        roofline.Shape(30e9, 48, 32, 128, 98_304, active, experts, chosen)


def test_the_gpus_are_the_published_ones():
    gpu = catalogue.gpus()
    assert (gpu["A100 80 GB"].memory_gb, gpu["A100 80 GB"].bandwidth_gb_s, gpu["A100 80 GB"].tflops) == (
        80,
        2039,
        312,
    )
    assert (gpu["H100 SXM"].memory_gb, gpu["H100 SXM"].bandwidth_gb_s, gpu["H100 SXM"].tflops) == (
        80,
        3350,
        989,
    )
    assert (gpu["H200"].memory_gb, gpu["H200"].bandwidth_gb_s, gpu["H200"].tflops) == (141, 4800, 989)
    # From the sheets of whole racks and boards: 360 PFLOP/s with sparsity and 13.4 TB on 72; 36 on 8, 1,440 GB.
    assert gpu["GB200"].tflops == 360_000 / 2 / 72
    assert gpu["GB200"].memory_gb == round(13_400 / 72)
    assert (gpu["B200"].tflops, gpu["B200"].memory_gb) == (36_000 / 2 / 8, 1440 / 8)
    assert {"RTX 4090", "RTX 5090", "MI355X", "Apple M4 Max"} <= set(gpu)
    assert all(g.source for g in gpu.values())


JUNK = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
)


def sentence(call):
    try:
        return call()
    except ValueError as refusal:
        assert "should be" in str(refusal)  # noqa: PT017
        return None


@settings(max_examples=300, deadline=None)
@given(JUNK, JUNK, JUNK, JUNK)
def test_junk_gets_a_time_or_a_sentence(a, b, c, d):
    found = sentence(lambda: roofline.decode(roofline.Shape(a, 32, b, 128, c), A100, d))
    assert found is None or found.seconds > 0
    found = sentence(lambda: roofline.prefill(LLAMA, roofline.Machine(a, b), c, d))
    assert found is None or found.seconds > 0


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 60), st.integers(1, 70))
def test_scores_are_what_a_loop_counts(n, window):
    assert scores.exact(n) == sum(1 for q in range(n) for k in range(n) if k <= q)
    assert scores.windowed(n, window) == sum(1 for q in range(n) for k in range(n) if q - window < k <= q)


def test_score_bytes_of_8192_tokens_in_one_head():
    assert scores.score_bytes(8192) == 128 * 2**20


@given(JUNK)
def test_junk_lengths_get_a_count_or_a_sentence(n):
    for count in (scores.exact, scores.square, scores.score_bytes, scores.rows_with_cache):
        sentence(lambda count=count: count(n))
