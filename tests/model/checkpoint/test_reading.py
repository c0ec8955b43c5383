"""Layouts and types of files, memory, and the words around a model."""

import dataclasses
import json

import numpy as np
import pytest

from glassbox import model
from glassbox.model import checkpoint
from glassbox.model.checkpoint import families, safetensors
from glassbox.model.narrow import Narrow, Packed, widen
from tests.model.checkpoint import files

IDS = [1, 7, 43, 9, 20, 7]


@pytest.fixture
def shipped_logits():
    return model.load().forward([5, 6, 7]).logits


@pytest.mark.parametrize("shards", [2, 3, 7])
def test_shards_hold_what_one_file_holds(tmp_path, shards):
    one, many = tmp_path / "one", tmp_path / "many"
    one.mkdir(), many.mkdir()
    files.llama(one), files.llama(many, shards=shards)
    np.testing.assert_array_equal(model.load(many).forward(IDS).logits, model.load(one).forward(IDS).logits)


@pytest.mark.parametrize("dtype", ["F32", "F16", "BF16"])
def test_a_weight_is_read_to_the_bit(tmp_path, dtype):
    tensors = files.llama(tmp_path, dtype)
    m = model.load(tmp_path)
    name = "model.layers.1.mlp.down_proj.weight"
    exact = {"F32": lambda a: a, "F16": lambda a: a.astype(np.float16).astype(np.float32)}
    widened = exact.get(dtype, lambda a: (files.half(a).astype(np.uint32) << 16).view(np.float32))
    np.testing.assert_array_equal(m.params["1.w_down"], widened(tensors[name]))
    q, k = (widened(tensors[f"model.layers.1.self_attn.{n}_proj.weight"]) for n in "qk")
    np.testing.assert_array_equal(m.params["1.w_qkv"][: len(q) + len(k)], np.concatenate([q, k]))


@pytest.mark.parametrize("dtype", ["F16", "BF16"])
def test_weights_kept_in_16_bits_give_the_same_answer_in_half_the_memory(tmp_path, dtype):
    files.llama(tmp_path, dtype)
    wide = model.load(tmp_path)
    size = sum(w.nbytes for w in wide.params.values())
    narrow = model.load(tmp_path, memory=int(0.6 * size))
    assert isinstance(narrow.params["0.w_qkv"], Narrow)
    assert sum(w.nbytes for w in narrow.params.values()) < 0.53 * size
    np.testing.assert_allclose(narrow.forward(IDS).logits, wide.forward(IDS).logits, rtol=1e-5, atol=1e-5)
    assert narrow.layer_products == wide.layer_products


def test_every_finite_half_is_widened_to_the_bit():
    bits = np.arange(1 << 16, dtype=np.uint16)
    for kind, exact in (
        ("f16", bits.view(np.float16).astype(np.float32)),
        ("bf16", (bits.astype(np.uint32) << 16).view(np.float32)),
    ):
        finite = np.isfinite(exact)
        found = widen(bits[finite], kind)
        np.testing.assert_array_equal(found, exact[finite])
        np.testing.assert_array_equal(np.signbit(found), np.signbit(exact[finite]))


@pytest.mark.parametrize("shape", [{}, {"turned": True}])
def test_weights_in_8_bits_take_a_quarter_and_answer_nearly_the_same(tmp_path, shape, monkeypatch):
    sizes = {
        "hidden_size": 64,
        "intermediate_size": 96,
        "head_dim": 32,
        "num_attention_heads": 2,
        "vocab_size": 160,
    }
    files.llama(tmp_path, "BF16", **sizes)
    if shape:  # GPT-2 lays its matrices the other way round
        monkeypatch.setitem(
            families.FAMILIES, "llama", dataclasses.replace(families.FAMILIES["llama"], turned=True)
        )
        c = files.config(**sizes)
        flipped = {
            n: files.numbers(n, s).T if len(s) == 2 and ".layers." in n else files.numbers(n, s)
            for n, s in files.shapes(c).items()
        }
        files.safetensors(tmp_path / "model.safetensors", flipped, "BF16")
    monkeypatch.setattr(safetensors, "SLICE", 4096)
    wide = model.load(tmp_path)
    size = sum(w.nbytes for w in wide.params.values())
    packed = model.load(tmp_path, memory=int(0.4 * size))
    assert isinstance(packed.params["1.w_down"], Packed)
    assert sum(w.nbytes for w in packed.params.values()) < 0.28 * size
    for name, exact in wide.params.items():
        kept = np.asarray(packed.params[name])
        step = np.abs(exact).max() / 127
        np.testing.assert_allclose(kept, exact, atol=0.51 * step if exact.ndim == 2 else 0)
    a, b = (m.forward(IDS).logits[-1] for m in (wide, packed))
    assert np.corrcoef(a, b)[0, 1] > 0.999
    assert packed.params["embedding"][np.array([3])].shape == (1, 64)


def test_a_model_that_does_not_fit_is_refused_with_numbers_before_it_is_read(tmp_path):
    files.llama(tmp_path, "BF16")
    with pytest.raises(
        ValueError, match=r"million numbers, which take 0\.00 GB of memory; there is room for 0\.00 GB"
    ):
        model.load(tmp_path, memory=1000)


def test_a_product_in_bands_is_the_whole_one(monkeypatch):
    rng = np.random.default_rng(3)
    bits = files.half(rng.normal(size=(37, 11)).astype(np.float32))
    x = rng.normal(size=(3, 11)).astype(np.float32)
    monkeypatch.setattr("glassbox.model.narrow.BAND", 40)
    narrow = Narrow(bits, "bf16")
    assert len(list(narrow.bands())) > 5
    np.testing.assert_allclose(model.layers.linear(x, narrow), x @ np.asarray(narrow).T, rtol=1e-5, atol=1e-5)


def test_reading_goes_in_slices_and_says_how_far_it_is(tmp_path, monkeypatch):
    files.llama(tmp_path)
    monkeypatch.setattr(safetensors, "SLICE", 256)
    seen = list(checkpoint.reading(tmp_path))
    assert len(seen) > 50
    done = [p.read for p in seen]
    assert done == sorted(done)
    assert done[-1] == seen[-1].total == (tmp_path / "model.safetensors").stat().st_size - _head(tmp_path)
    np.testing.assert_array_equal(
        model.load(tmp_path).forward(IDS).logits, _whole(tmp_path).forward(IDS).logits
    )


def _head(folder):
    return 8 + int.from_bytes((folder / "model.safetensors").read_bytes()[:8], "little")


def _whole(folder):
    safetensors.SLICE = 1 << 23  # the fixture restores it
    return model.load(folder)


def test_a_tied_head_is_the_embedding_and_an_own_one_is_read(tmp_path):
    files.llama(tmp_path, tie_word_embeddings=True)  # the file still has a head, as some do
    assert "head" not in model.load(tmp_path).params
    files.llama(tmp_path)
    m = model.load(tmp_path)
    np.testing.assert_array_equal(m.forward(IDS).logits, m.forward(IDS).hidden @ m.params["head"].T)


def test_start_and_end_tokens_come_from_generation_config_first(tmp_path):
    files.llama(tmp_path)
    m = model.load(tmp_path)
    assert (m.begins, m.stops, m.start) == ((1,), frozenset({2}), 1)
    (tmp_path / "generation_config.json").write_text(
        json.dumps({"bos_token_id": None, "eos_token_id": [2, 9]})
    )
    assert model.load(tmp_path).stops == frozenset({2, 9})
    files.llama(tmp_path, bos_token_id=None)
    with pytest.raises(ValueError, match="begin with no token"):
        _ = model.load(tmp_path).start


def test_without_a_tokenizer_numbers_are_the_text_and_words_are_refused_by_name(tmp_path):
    files.llama(tmp_path)
    m = model.load(tmp_path)
    assert m.encode("12 7 43") == [1, 12, 7, 43]
    assert m.tokenizer.decode_bytes([12, 7]) == b" 12 7"
    for wrong in ("hello", "61", "-1", "1.5", "٣", "9" * 5000):
        with pytest.raises(ValueError, match=r"without tokenizer\.json.*0 to 60"):
            m.encode(wrong)


def test_a_model_is_called_as_it_was_saved_else_as_its_folder(tmp_path):
    folder = tmp_path / "tiny-llama"
    folder.mkdir()
    files.llama(folder)
    assert model.load(folder).name == "tiny-llama"
    files.llama(folder, _name_or_path="HuggingFaceTB/SmolLM2-135M")
    assert model.load(folder).name == "SmolLM2-135M"


def test_the_shipped_model_is_what_it_was(shipped_logits):
    m = model.load()
    assert m is model.load()
    assert (m.name, m.begins, m.stops) == ("", (m.start,), frozenset({m.start}))
    assert set(m.params) == set(m.config.laid())
    assert {n: w.shape for n, w in m.params.items()} == m.config.laid()


def test_a_long_text_goes_into_the_cache_in_chunks(tmp_path, monkeypatch):
    files.llama(tmp_path)
    m, ids = model.load(tmp_path), [int(i) for i in np.random.default_rng(1).integers(0, 61, 40)]
    whole = model.generate.greedy(m, ids, 6)
    monkeypatch.setattr(model.generate, "CHUNK", 7)
    assert model.generate.greedy(m, ids, 6).ids == whole.ids


def test_what_is_not_kept_is_not_there(tmp_path):
    files.llama(tmp_path)
    m = model.load(tmp_path)
    bare = m.forward(IDS, keep=False)
    assert [bare.weights, bare.scores, bare.q, bare.k, bare.v] == [[]] * 5
    np.testing.assert_array_equal(bare.logits, m.forward(IDS).logits)


def test_a_tokenizer_beside_the_weights_cuts_the_text_and_begins_it(tmp_path):
    files.llama(tmp_path, vocab_size=272)  # padded, as vocabularies are
    files.tokenizer(tmp_path)
    m = model.load(tmp_path)
    assert m.encode("in the") == [files.BEGIN, 259, 258]
    assert (m.begins, m.stops) == ((files.BEGIN,), frozenset({2}))
    assert m.tokenizer.decode_bytes([259, 258]) == b"in the"
    assert (m.piece(258), m.piece(271)) == (b" the", "⟨271⟩".encode())


def test_a_tokenizer_that_asks_for_what_is_unknown_leaves_numbers_and_says_why(tmp_path):
    files.llama(tmp_path, vocab_size=272)
    files.tokenizer(tmp_path, pre_tokenizer={"type": "Unheard"})
    m = model.load(tmp_path)
    assert m.encode("12 7") == [1, 12, 7]
    with pytest.raises(ValueError, match=r"has a tokenizer\.json that is not read here \(.*Unheard"):
        m.encode("in the")


@pytest.mark.parametrize(
    ("size", "changes", "expected"),
    [
        (200, {}, r"tokenizer\.json: it knows 261 tokens, the model 200: it belongs to another model"),
        (272, {"model": 7}, r"tokenizer\.json: .*model"),
        (
            272,
            {"added_tokens": [{"id": -1, "content": "x"}]},
            r"tokenizer\.json: an added token has the id -1",
        ),
    ],
)
def test_a_wrong_tokenizer_is_answered_by_a_sentence(tmp_path, size, changes, expected):
    files.llama(tmp_path, vocab_size=size)
    files.tokenizer(tmp_path, **changes)
    with pytest.raises(ValueError, match=expected):
        model.load(tmp_path)
