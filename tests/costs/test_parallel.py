"""Several GPUs that hold one model: heads are shared out, what belongs to no head is copied."""

import pytest

from glassbox.costs import catalogue, kv, parallel


def plan(name, context=100):
    return kv.plan(catalogue.models()[name].config, context)


@pytest.mark.parametrize("gpus", [1, 2, 4, 8])
def test_keys_and_values_go_with_their_heads(gpus):
    llama = plan("Llama 3 8B")
    assert parallel.each_keeps(llama, gpus) == llama.sequence_bytes / gpus
    assert parallel.copies(llama, gpus) == 1


def test_a_head_is_never_cut():
    assert parallel.copies(plan("Llama 3 8B"), 16) == 2
    assert parallel.copies(plan("Falcon 7B"), 8) == 8
    assert parallel.each_keeps(plan("Llama 3 8B"), 3) == plan("Llama 3 8B").sequence_bytes * 3 / 8


@pytest.mark.parametrize("name", ["DeepSeek-V3", "DeepSeek-V3.2", "GLM-5"])
def test_what_belongs_to_no_head_is_kept_by_all(name):
    for gpus in (1, 8, 16):
        assert parallel.each_keeps(plan(name), gpus) == plan(name).sequence_bytes
        assert parallel.copies(plan(name), gpus) == gpus


def test_constant_states_are_shared_out_by_their_heads():
    jamba = plan("Jamba v0.1", 0)
    assert parallel.each_keeps(jamba, 4) == jamba.fixed_bytes / 4


def test_no_gpu_is_refused():
    with pytest.raises(ValueError, match="gpus is 0; it should be"):
        parallel.each_keeps(plan("Llama 3 8B"), 0)
