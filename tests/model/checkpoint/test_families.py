"""Every family, read from files and run, against what transformers computed for the same tiny checkpoint."""

import dataclasses
import json

import numpy as np
import pytest

from glassbox import model
from glassbox.model import experiments, generate
from tests.model.checkpoint import files, golden

STORED = json.loads(golden.STORED.read_text())


def load(folder, name, **changes):
    found = STORED[name]
    (folder / "config.json").write_text(json.dumps(found["config"] | changes))
    files.safetensors(folder / "model.safetensors", golden.tensors(found))
    return model.load(folder)


@pytest.mark.parametrize("name", STORED)
def test_a_family_computes_what_transformers_does(tmp_path, name):
    found, m = STORED[name], load(tmp_path, name)
    forward = m.forward(golden.IDS)
    np.testing.assert_allclose(forward.logits[-1], found["logits"], atol=3e-4)
    for ours, theirs in zip(forward.weights, found["weights"], strict=True):
        np.testing.assert_allclose(ours[1, -1], theirs, atol=1e-4)
    for use_cache in (True, False):
        assert generate.greedy(m, golden.IDS, golden.NEW, use_cache=use_cache).ids == found["said"]


@pytest.mark.parametrize("name", STORED)
def test_a_familys_cache_gives_what_reading_anew_gives_however_the_text_is_cut(tmp_path, name):
    m = load(tmp_path, name)
    whole = m.forward(golden.IDS).logits
    for sizes in ((1,) * 14, (13, 1), (4, 10), (6, 1, 7)):
        cache, at, parts = m.new_cache(), 0, []
        for size in sizes:
            parts.append(m.forward(golden.IDS[at : at + size], cache, keep=False).logits)
            at += size
        np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", STORED)
def test_what_a_family_adds_matters_to_its_answer(tmp_path, name):
    """A switch that was read and not used would pass every other test on a family that does not need it."""
    m = load(tmp_path, name)
    plain = {"score_cap": 0.0, "logit_cap": 0.0, "score_scale": 1.0, "embedding_scale": 1.0, "windows": ()}
    logits = m.forward(golden.IDS).logits
    for field, without in plain.items():
        if getattr(m.config, field) != without:
            bare = model.Model(
                dataclasses.replace(m.config, **{field: without}),
                m.params,
                m.tokenizer,
                m.name,
                (),
                frozenset(),
            )
            assert abs(bare.forward(golden.IDS).logits - logits).max() > 1e-3, field


def test_the_words_of_older_files_mean_the_same(tmp_path):
    new = load(tmp_path, "llama 3.1").forward(golden.IDS).logits
    old = {**golden.LLAMA3}
    theta = old.pop("rope_theta")
    for kind in ("rope_type", "type"):
        scaling = {kind if k == "rope_type" else k: v for k, v in old.items()}
        m = load(tmp_path, "llama 3.1", rope_parameters=None, rope_scaling=scaling, rope_theta=theta)
        np.testing.assert_array_equal(m.forward(golden.IDS).logits, new)


def test_gemma_3_in_older_files_turns_near_layers_by_their_own_base(tmp_path):
    new = load(tmp_path, "gemma3").forward(golden.IDS).logits
    old = {"rope_parameters": None, "rope_theta": 900.0, "rope_local_base_freq": 100.0}
    m = load(tmp_path, "gemma3", **old, rope_scaling={"rope_type": "linear", "factor": 8.0})
    np.testing.assert_array_equal(m.forward(golden.IDS).logits, new)


def test_the_language_model_inside_one_for_pictures_is_read_alone(tmp_path):
    found = STORED["gemma3"]
    plain = load(tmp_path, "gemma3").forward(golden.IDS).logits
    inside = tmp_path / "inside"
    inside.mkdir()
    outer = {"model_type": "gemma3", "text_config": found["config"], "vision_config": {"hidden_size": 8}}
    (inside / "config.json").write_text(json.dumps(outer))
    named = {f"language_model.{n}": w for n, w in golden.tensors(found).items()}
    named["vision_tower.vision_model.embeddings.patch_embedding.weight"] = files.numbers("patch", (3, 2))
    files.safetensors(inside / "model.safetensors", named)
    np.testing.assert_array_equal(model.load(inside).forward(golden.IDS).logits, plain)


def test_switching_positions_off_leaves_a_bag_of_words_in_every_family(tmp_path):
    """Without a mask and without positions, shuffling the words before the last changes nothing for it."""
    shuffled = [*golden.IDS[-2::-1], golden.IDS[-1]]
    for name in ("llama 3.1", "gpt2", "qwen3"):
        folder = tmp_path / name
        folder.mkdir()
        m, off = load(folder, name), model.Switches(mask=False, positions=False)
        a, b = (m.forward(ids, switches=off).logits[-1] for ids in (golden.IDS, shuffled))
        np.testing.assert_allclose(a, b, atol=1e-4)


REFUSED = {
    "llama, biases": "biases behind its heads and biases in its MLPs",
    "gpt2": "a LayerNorm, which also takes the mean off and biases behind its heads and biases in its MLPs",
    "gemma2": "norms behind its parts and a cap on its logits",
    "gemma3": "norms behind its parts",
}


@pytest.mark.parametrize("name", STORED)
def test_parts_add_up_to_a_logit_where_they_do_and_elsewhere_a_sentence_says_why_not(tmp_path, name):
    m = load(tmp_path, name)
    if name in REFUSED:
        with pytest.raises(ValueError, match=f"not worked out for a model with {REFUSED[name]}$"):
            experiments.contributions(m, golden.IDS, 7)
        return
    parts = experiments.contributions(m, golden.IDS, 7)
    total = parts.embedding + parts.heads.sum() + parts.mlps.sum()
    assert total == pytest.approx(parts.logit, abs=1e-3)
    assert parts.logit == pytest.approx(m.forward(golden.IDS).logits[-1, 7], abs=1e-3)


@pytest.mark.parametrize("name", STORED)
def test_what_each_part_writes_adds_up_to_the_stream_in_every_family(tmp_path, name):
    m = load(tmp_path, name)
    flow = experiments.flow(m, golden.IDS)
    stream = flow.embedding
    for layer in range(m.config.n_layers):
        stream = stream + flow.heads[layer].sum(axis=0) + m.params.get(f"{layer}.b_o", 0)
        np.testing.assert_allclose(stream, flow.streams[2 * layer + 1], atol=1e-4)
        stream = stream + flow.mlps[layer]
    np.testing.assert_allclose(stream, flow.streams[-1], atol=1e-4)


@pytest.mark.parametrize("name", STORED)
def test_units_write_what_their_mlp_writes_where_a_gate_makes_them(tmp_path, name):
    m = load(tmp_path, name)
    flow = experiments.flow(m, golden.IDS)
    if name == "gpt2" or m.config.post_norms:
        with pytest.raises(ValueError, match="how strongly units fire is not worked out for a model with"):
            experiments.units(m, flow, 0)
        return
    written = experiments.units(m, flow, 0) @ np.asarray(m.params["0.w_down"]).T + m.params.get("0.b_down", 0)
    np.testing.assert_allclose(written, flow.mlps[0], atol=1e-4)


@pytest.mark.parametrize("name", STORED)
def test_the_lens_ends_in_the_models_own_logits(tmp_path, name):
    m = load(tmp_path, name)
    lens = experiments.lens(m, golden.IDS)
    assert len(lens) == m.config.n_layers + 1
    np.testing.assert_allclose(lens[-1], m.forward(golden.IDS).logits[-1], atol=1e-4)
