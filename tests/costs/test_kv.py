"""The cache calculator: golden values, real caches of tiny models, and every way a config can be wrong."""

import json
import math
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassbox.costs import catalogue, families, kv, layers, shapes

LLAMA = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_size": 4096,
}
DEEPSEEK = {"num_attention_heads": 128, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
KIMI_LINEAR = {
    "hidden_size": 2304,
    "linear_attn_config": {
        "full_attn_layers": [4, 8, 12, 16, 20, 24, 27],
        "head_dim": 128,
        "num_heads": 32,
        "short_conv_kernel_size": 4,
    },
}
REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))


def preset(name):
    return catalogue.models()[name].config


@pytest.mark.parametrize(
    ("name", "bytes_per_token"),
    [
        ("Llama 3 8B", 131_072),
        ("Llama 3 70B", 327_680),
        ("Llama 2 7B", 524_288),
        ("Qwen3 4B", 147_456),
        ("Qwen2.5 7B", 57_344),
        ("DeepSeek-V3", 70_272),
        ("Falcon 7B", 2 * 32 * 1 * 64 * 2),
        ("gpt-oss 120B", 2 * 36 * 8 * 64 * 2),
        ("Kimi K2.5", 70_272),
        ("DeepSeek-V3.2", 85_888),
        ("Kimi-Linear 48B-A3B", 8_064),
        ("Gemma 4 31B", 901_120),
        ("GLM-5", 78 * (576 + 128) * 2),
        ("MiMo-V2-Flash", 9 * 4 * (192 + 128) * 2 + 39 * 8 * (192 + 128) * 2),
    ],
)
def test_bytes_per_token_of_published_models(name, bytes_per_token):
    assert kv.plan(preset(name), 1).bytes_per_token == bytes_per_token


def test_gemma_3_27b_at_its_full_context_needs_a_sixth_of_what_ignoring_the_window_takes():
    plan = kv.plan(preset("Gemma 3 27B"), 131_072)
    assert plan.kinds == {"full": 10, "sliding": 52}
    assert round(plan.state_bytes / 2**30, 2) == 10.41
    assert plan.reserved_bytes == 62 * 2**30


def test_llama_at_8000_and_at_8192_tokens_differ_by_which_unit_is_round():
    assert kv.plan(LLAMA, 8000).state_bytes / 10**9 == 1.048576
    assert kv.plan(LLAMA, 8192).state_bytes == 2**30
    assert (80 - 16) * 10**9 // kv.plan(LLAMA, 8000).state_bytes == 61
    assert (80 - 16) * 10**9 // kv.plan(LLAMA, 8192).state_bytes == 59


def test_eight_bit_groups_carry_their_scales():
    assert kv.plan(LLAMA, 8192, dtype="q8_0").state_bytes == 544 * 2**20
    assert kv.plan(LLAMA, 8192, dtype="q4_0").state_bytes == 288 * 2**20
    assert layers.element_bytes("q8_0") == 1.0625
    assert layers.element_bytes("q4_0") == 0.5625


@pytest.mark.parametrize("dtype", ["q8_0", "q4_0"])
def test_groups_of_32_want_vectors_that_fill_them(dtype):
    """llama.cpp refuses such a cache; a padded one would be a guess."""
    phi = {**LLAMA, "model_type": "phi", "hidden_size": 32 * 80}
    assert kv.plan(phi, 1).bytes_per_token == 2 * 32 * 8 * 80 * 2
    with pytest.raises(
        ValueError, match=r"vectors of 80 numbers; blocks of 32 .* should be a multiple of 32"
    ):
        kv.plan(phi, 1, dtype=dtype)
    for model in catalogue.models().values():
        assert kv.plan(model.config, 1, dtype=dtype)


def test_last_inputs_are_as_wide_as_the_models_numbers_and_sums_always_32_bits():
    mamba = {"model_type": "mamba", "num_hidden_layers": 1, "hidden_size": 10, "expand": 2, "state_size": 3}
    conv, sums = 20 * 4, 20 * 3
    for dtype, width in (("fp32", 4), ("fp16", 2), ("fp8", 2), ("q8_0", 2)):
        assert kv.plan({**mamba, "conv_kernel": 4}, 9, dtype=dtype).state_bytes == conv * width + sums * 4


def test_the_published_falcon_mamba_keeps_36_mib():
    """Its config states a width of 8,192 beside a factor of 16, which the width wins over."""
    config = {
        "model_type": "falcon_mamba",
        "num_hidden_layers": 64,
        "hidden_size": 4096,
        "intermediate_size": 8192,
        "expand": 16,
        "state_size": 16,
        "conv_kernel": 4,
    }
    assert kv.plan(config, 10**6).state_bytes == 36 * 2**20


@pytest.mark.parametrize(
    ("config", "bytes_per_token"),
    [
        ({"model_type": "deepseek_v32", "num_hidden_layers": 61, **DEEPSEEK, "index_head_dim": 128}, 85_888),
        ({"model_type": "kimi_k25", "text_config": {"num_hidden_layers": 61, **DEEPSEEK}}, 70_272),
        ({"model_type": "kimi_linear", "num_hidden_layers": 27, **DEEPSEEK, **KIMI_LINEAR}, 8_064),
    ],
)
def test_bytes_per_token_of_this_years_models(config, bytes_per_token):
    assert kv.plan(config, 1).bytes_per_token == bytes_per_token


V4_PRO = {
    "model_type": "deepseek_v4",
    "num_hidden_layers": 61,
    "head_dim": 512,
    "index_head_dim": 128,
    "sliding_window": 128,
    "compress_ratios": [128, 128, *([4, 128] * 29), 4],
}


def test_deepseek_v4_pro_keeps_9_62_gib_at_a_million_tokens():
    """As reported at 1,048,576 tokens and 16 bits; windows and what waits are ten megabytes more."""
    plan = kv.plan(V4_PRO, 2**20)
    assert plan.kinds == {"compressed": 61}
    assert plan.state_bytes / 2**30 == pytest.approx(9.62, abs=0.01)
    sparse = 2**18 * (512 + 128) * 2 + 4 * (512 + 128) * 6
    assert plan.layers[2].summary_bytes == sparse
    assert plan.layers[0].summary_bytes == 2**13 * 512 * 2


def test_tokens_wait_until_their_group_is_full():
    for context, groups, waiting in ((0, 0, 0), (127, 0, 127), (128, 1, 0), (300, 2, 44)):
        row = kv.plan(V4_PRO, context).layers[0]
        assert row.summary_bytes == groups * 512 * 2 + waiting * 2 * 512 * 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"compress_ratios": [4, 128]}, "compress_ratios is a list of 2; it should have 0, 4 or 128"),
        ({"compress_ratios": [5] * 61}, "compress_ratios is a list of 61; it should have 0, 4 or 128"),
        ({"compress_rates": 7}, "compress_rates is 7; it should map"),
        (
            {"compress_rates": {"heavily_compressed_attention": 0}},
            "compress_rates.heavily_compressed_attention is 0",
        ),
        ({"layer_types": ["odd"] * 61}, "layer_types holds 'odd'"),
    ],
)
def test_a_wrong_compression_is_refused_by_name(change, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        kv.plan({**V4_PRO, **change}, 1)


def test_letters_and_numbers_of_a_window_pattern_mean_the_same_and_nought_means_none():
    exaone = {**LLAMA, "model_type": "exaone4", "sliding_window": 4096}
    letters, number = ({**exaone, "sliding_window_pattern": p} for p in ("LLLG", 4))
    assert kv.plan(letters, 9000) == kv.plan(number, 9000)
    assert kv.plan(letters, 9000).kinds == {"full": 8, "sliding": 24}
    assert kv.plan({**exaone, "sliding_window_pattern": 0}, 9000).kinds == {"full": 32}
    assert kv.plan({**exaone, "sliding_window": None, "sliding_window_pattern": None}, 1).kinds == {
        "full": 32
    }
    with pytest.raises(ValueError, match=r"sliding_window_pattern is 'LLX'; it should be .* letters such as"):
        kv.plan({**exaone, "sliding_window_pattern": "LLX"}, 1)


def test_a_pattern_field_counts_only_where_its_family_reads_it():
    gemma2 = {**preset("Gemma 2 9B"), "sliding_window_pattern": 6}
    assert kv.plan(gemma2, 1).kinds == {"full": 21, "sliding": 21}


def test_a_list_of_layers_says_how_many_there_are():
    config = REFERENCE["nemotron_h by its list"]["config"]
    assert "num_hidden_layers" not in config
    assert len(kv.plan(config, 1).layers) == 5


def test_falcons_grouped_heads_are_explained():
    falcon = {**preset("Falcon 7B"), "new_decoder_architecture": True, "num_kv_heads": 71}
    assert kv.plan({**falcon, "num_attention_heads": 71}, 1).notes == ()
    wide = {**falcon, "num_attention_heads": 128, "hidden_size": 8192, "num_kv_heads": 8}
    plan = kv.plan(wide, 1)
    assert plan.bytes_per_token == 2 * 32 * 8 * 64 * 2
    assert any("transformers stores each" in note for note in plan.notes)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([1], "per_layer_config is a list of 1"),
        ({"6": {}}, "per_layer_config names layer '6' of 6"),
        ({"-1": {}}, "per_layer_config names layer '-1' of 6"),
        ({"5": {"head_dim": 0}}, r"per_layer_config\.5\.head_dim is 0"),
        ({"5": 7}, "per_layer_config is a mapping"),
    ],
)
def test_a_wrong_list_of_layers_own_fields_is_refused_by_name(given, words):
    config = {**REFERENCE["gemma4_text per layer"]["config"], "per_layer_config": given}
    with pytest.raises(ValueError, match=words):
        kv.plan(config, 1)


@pytest.mark.parametrize("family", sorted(REFERENCE))
def test_a_real_cache_of_a_tiny_model_takes_these_bytes_in_every_layer(family):
    """Bytes counted in the cache objects of transformers 5.24.0 after 23 tokens, at 16 bits.

    That library keeps one token less than the window once it is full: it drops the one that the next token
    could not see.
    """
    case = REFERENCE[family]
    assert ours(case["config"], case["context"]) == case["bytes"]


def ours(config, context):
    """What the calculator says, for a library that keeps one token less of a window that is full."""
    rows = kv.plan(config, context).layers
    return [r.state_bytes - r.bytes_per_token * (r.window is not None and r.tokens == r.window) for r in rows]


# Types that transformers reads with another one's class: Kimi K2, and older configs of models with images,
# whose language model's fields stand beside the others.
SAME_CLASS = {"kimi_k2": "deepseek_v3", "qwen2_vl": "qwen2_vl_text", "qwen2_5_vl": "qwen2_5_vl_text"}


def test_every_family_that_is_called_known_has_been_compared():
    compared = {case["config"]["model_type"] for case in REFERENCE.values()}
    assert {SAME_CLASS.get(f, f) for f in families.RULES} <= compared
    assert set(families.WRAPPERS.values()) <= set(families.RULES)


def test_every_preset_is_answered_without_an_assumption():
    for model in catalogue.models().values():
        plan = kv.plan(model.config, 4096)
        assert plan.notes == (), model.name
        assert 0 < plan.state_bytes <= plan.reserved_bytes


def test_every_preset_says_when_it_came_and_under_which_licence():
    for model in catalogue.models().values():
        year, month = map(int, model.released.split("-"))
        assert 2019 <= year <= 2026
        assert 1 <= month <= 12
        assert model.licence
        assert model.source
        experts, chosen = shapes.experts(kv.read(model.config))
        assert (model.active < model.parameters) == (chosen < experts) or model.name == "Gemma 3n E4B"


def test_there_are_enough_presets_of_every_kind():
    kinds = {k for m in catalogue.models().values() for k in kv.plan(m.config, 10).kinds}
    assert {"full", "sliding", "chunked", "latent", "linear", "shared"} <= kinds
    assert len(catalogue.models()) >= 15
    assert len(catalogue.gpus()) >= 6


def test_sequences_multiply_everything():
    assert kv.plan(LLAMA, 1000, 7).state_bytes == 7 * kv.plan(LLAMA, 1000).state_bytes


def test_a_constant_state_is_there_before_the_first_token():
    plan = kv.plan(preset("Jamba v0.1"), 0)
    assert plan.state_bytes == plan.fixed_bytes == 28 * (8192 * 4 * 2 + 8192 * 16 * 4)


def test_a_window_counts_only_where_its_family_says_so():
    qwen = preset("Qwen2.5 7B")
    assert kv.plan(qwen, 200_000).kinds == {"full": 28}
    assert kv.plan({**qwen, "use_sliding_window": True, "sliding_window": 10}, 9).kinds == {"full": 28}
    early = {**qwen, "use_sliding_window": True, "sliding_window": 10, "max_window_layers": 21}
    assert kv.plan(early, 9).kinds == {"full": 21, "sliding": 7}
    assert kv.plan(preset("Mistral 7B v0.1"), 10_000).layers[0].tokens == 4096
    assert kv.plan(preset("Mistral 7B v0.3"), 10_000).layers[0].tokens == 10_000


def test_missing_kv_heads_mean_one_for_each_query_head():
    old = {k: v for k, v in LLAMA.items() if k != "num_key_value_heads"}
    assert kv.plan(old, 1).bytes_per_token == 524_288


def test_a_default_that_is_used_is_named():
    config = {"model_type": "gemma3", "text_config": {"num_hidden_layers": 34, "hidden_size": 2560}}
    plan = kv.plan({**config, "text_config": {**config["text_config"], "sliding_window": 1024}}, 10)
    assert plan.bytes_per_token == kv.plan(preset("Gemma 3 4B"), 10).bytes_per_token
    assert any("num_key_value_heads is not given" in n for n in plan.notes)


def test_falcon_shares_one_key_unless_it_is_of_the_new_architecture():
    falcon = preset("Falcon 7B")
    assert kv.plan(falcon, 1).bytes_per_token == 8192
    grouped = {**falcon, "new_decoder_architecture": True, "num_kv_heads": 71}
    assert kv.plan(grouped, 1).bytes_per_token == 71 * 8192


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"model_type": None}, "model_type"),
        ({"model_type": 7}, "model_type"),
        ({"model_type": "llamma"}, "model_type"),
        ({"model_type": "bert"}, "model_type"),
        ({"num_hidden_layers": None}, "num_hidden_layers"),
        ({"num_hidden_layers": 0}, "num_hidden_layers"),
        ({"num_hidden_layers": -32}, "num_hidden_layers"),
        ({"num_hidden_layers": True}, "num_hidden_layers"),
        ({"num_hidden_layers": 32.5}, "num_hidden_layers"),
        ({"num_hidden_layers": 10**30}, "num_hidden_layers"),
        ({"num_attention_heads": "32"}, "num_attention_heads"),
        ({"num_attention_heads": [32]}, "num_attention_heads"),
        ({"num_key_value_heads": 5}, "num_key_value_heads"),
        ({"num_key_value_heads": math.nan}, "num_key_value_heads"),
        ({"hidden_size": 4097}, "hidden_size"),
        ({"head_dim": {"a": 1}}, "head_dim"),
        ({"sliding_window": 4096}, "sliding_window"),
        ({"layer_types": ["full_attention"]}, "layer_types"),
        ({"layer_types": ["odd"] * 32}, "layer_types"),
        ({"layer_types": "full_attention"}, "layer_types"),
        ({"text_config": {}}, "text_config"),
        ({"model_type": "gemma3"}, "text_config"),
        ({"model_type": "gemma3", "text_config": [1]}, "text_config"),
        (
            {"model_type": "gemma3", "text_config": {"num_hidden_layers": "x"}},
            "text_config.num_hidden_layers",
        ),
        ({"model_type": "gemma3", "text_config": {"model_type": 5}}, "text_config.model_type"),
        ({"model_type": "jamba", "attn_layer_period": 0}, "attn_layer_period"),
        ({"model_type": "gpt2", "num_attention_heads": None}, "n_head"),
    ],
)
def test_a_wrong_field_is_refused_by_name(change, field):
    with pytest.raises(ValueError, match=rf"(?<!\w){re.escape(field)}\b") as refusal:
        kv.plan({**LLAMA, **change}, 100)
    assert "should" in str(refusal.value) or "guess" in str(refusal.value)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("x", 1), "config"),
        ((LLAMA, -1), "context"),
        ((LLAMA, True), "context"),
        ((LLAMA, 1, 0), "sequences"),
        ((LLAMA, 1, 1, "int8"), "dtype"),
        ((LLAMA, 1, 1, ["fp16"]), "dtype"),
    ],
)
def test_a_wrong_argument_is_refused_by_name(arguments, field):
    with pytest.raises(ValueError, match=field):
        kv.plan(*arguments)


FIELDS = sorted(
    {k for case in REFERENCE.values() for k in case["config"]} | {"text_config", "layer_types", "head_dim"}
)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=8,
)


def answer(*arguments):
    """A plan, or the sentence of its refusal; anything else fails the test."""
    try:
        return kv.plan(*arguments)
    except ValueError as refusal:
        return str(refusal)


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(sorted(REFERENCE)),
    st.dictionaries(st.sampled_from(FIELDS), JUNK, max_size=4),
    st.sets(st.sampled_from(FIELDS), max_size=3),
)
def test_a_malformed_config_gets_an_answer_or_a_sentence(family, changes, dropped):
    config = {**REFERENCE[family]["config"], **changes}
    found = answer({k: v for k, v in config.items() if k not in dropped}, 100)
    if isinstance(found, str):
        assert " should be " in found or " should " in found
        assert len(found) < 400
    else:
        assert 0 <= found.state_bytes <= found.reserved_bytes


@settings(max_examples=200, deadline=None)
@given(JUNK, JUNK, JUNK)
def test_junk_for_arguments_gets_an_answer_or_a_sentence(context, sequences, dtype):
    found = answer(LLAMA, context, sequences, dtype)
    assert not isinstance(found, str) or "should be" in found


def test_a_whole_number_written_as_a_float_is_taken_as_the_whole_number():
    assert kv.plan({**LLAMA, "num_hidden_layers": 32.0}, 100) == kv.plan(LLAMA, 100)


@pytest.mark.parametrize("name", sorted(families.MISSING))
def test_a_family_that_is_refused_is_told_what_is_missing(name):
    assert name not in families.RULES
    assert name not in families.WRAPPERS
    with pytest.raises(ValueError, match="which is not counted: ") as refused:
        kv.plan({"model_type": name, "text_config": {"model_type": name}}, 10)
    assert families.MISSING[name] in str(refused.value)
    assert families.MISSING[name].split()[0] in ("it", "its", "the")


@pytest.mark.parametrize(("wrapper", "inner"), [("janus", "llama"), ("minicpmv4_6", "qwen3_5_text")])
def test_a_model_of_text_and_images_is_counted_by_its_language_model(wrapper, inner):
    case = next(c for c in REFERENCE.values() if c["config"]["model_type"] == inner)
    own = {k: v for k, v in case["config"].items() if k != "model_type"}
    assert ours({"model_type": wrapper, "text_config": own}, case["context"]) == case["bytes"]
