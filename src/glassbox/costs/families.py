"""What each layer of a model keeps, read from its config by the rules of its own family.

A config's fields mean different things in different families: ``sliding_window`` counts for every layer of
a Mistral, for five in six of a Gemma 3, and for none of a Qwen 2 whose ``use_sliding_window`` is false. So
every family is listed with its rule, and one that is not listed is refused.

Source: the ``configuration_*.py`` and ``modeling_*.py`` files of transformers 5.24.0.
"""

from __future__ import annotations

from collections.abc import Callable

from glassbox.costs import attending, compressing, every_head, gemma, hybrids, recurrent, windows
from glassbox.costs.fields import Fields, shown
from glassbox.costs.layers import Layer

Rule = Callable[[Fields], list[Layer]]

RULES: dict[str, Rule] = {
    **dict.fromkeys(
        [
            "llama",
            "phi",
            "olmo",
            "olmo2",
            "olmoe",
            "granite",
            "granitemoe",
            "stablelm",
            "gemma",
            "cohere",
            "glm",
            "glm4",
            "glm4_moe",
            "minimax_m2",
            "hunyuan_v1_dense",
            "ernie4_5",
            "ernie4_5_moe",
            "seed_oss",
            "nemotron",
            "apertus",
            "arcee",
            "helium",
            "qwen3_vl_text",
            "qwen3_vl_moe_text",
            "exaone",
            "internlm3",
            "hunyuan_v1_moe",
            "bitnet",
            "nanochat",
            "diffllama",
            "flex_olmo",
            "aria_text",
            "jais2",
            "granitemoeshared",
            "doge",
            "hyperclovax",
            "hy_v3",
            "iquestcoder",
            "sarvam_moe",
            "solar_open",
            "apertus1p5_text",
            "minimax_m3_vl_text",
            "glm4v_text",
            "glm4v_moe_text",
            "granite_docling_text",
            "molmo2_text",
        ],
        attending.full,
    ),
    **dict.fromkeys(
        [
            "mistral",
            "mixtral",
            "ministral",
            "ministral3",
            "phi3",
            "phi4_multimodal",
            "phimoe",
            "starcoder2",
        ],
        attending.windowed,
    ),
    **dict.fromkeys(
        ["qwen2", "qwen3", "qwen2_vl", "qwen2_5_vl", "qwen2_vl_text", "qwen2_5_vl_text"],
        attending.switched(lambda i, last: i >= last),
    ),
    "qwen2_moe": attending.switched(lambda i, last: i % 2 == 0 and i < last),
    "qwen3_moe": attending.switched(lambda i, last: True),
    "gemma2": windows.every(2),
    "gpt_oss": windows.every(2),
    "olmo3": windows.every(4),
    "cohere2": windows.every(4, "sliding_window_pattern"),
    "exaone4": windows.every(4, "sliding_window_pattern"),
    "exaone_moe": windows.every(4, "sliding_window_pattern"),
    "gemma3_text": windows.every(6, "sliding_window_pattern"),
    "vaultgemma": windows.every(2),
    "kolibri1": windows.every(5),
    "afmoe": windows.every(4, "global_attn_every_n_layers"),
    "smollm3": windows.smollm3,
    "cohere2_moe": windows.listed(windows.behind_dense),
    "dots1": windows.listed(windows.last_layers),
    **dict.fromkeys(["cwm", "granite_swa", "granitemoe_swa"], windows.listed(lambda f, i, n: i % 4 != 0)),
    **dict.fromkeys(["mellum", "laguna"], windows.listed(lambda f, i, n: False)),
    "beam": windows.listed(lambda f, i, n: (i + 1) % 6 != 0 and i != n - 1),
    "flint": windows.listed(lambda f, i, n: i >= 2 and i % 4 != 1 and i != n - 1),
    **dict.fromkeys(
        ["muse_glimmer_text", "muse_spark_text"], windows.listed(lambda f, i, n: (n - 1 - i) % 4 != 0)
    ),
    "modernbert-decoder": windows.modernbert,
    "mimo_v2_flash": windows.mimo,
    "jetmoe": attending.jetmoe,
    "gemma3n_text": gemma.shared_tail,
    **dict.fromkeys(["gemma4_text", "gemma4_unified_text"], gemma.gemma4),
    "llama4_text": windows.chunked,
    **dict.fromkeys(
        [
            "deepseek_v2",
            "deepseek_v3",
            "kimi_k2",
            "glm4_moe_lite",
            "minicpm3",
            "youtu",
            "sarvam_mla",
            "axk1",
            "mistral4",
        ],
        compressing.latent,
    ),
    "deepseek_v4": compressing.few,
    "longcat_flash": compressing.twice_latent,
    **dict.fromkeys(["deepseek_v32", "glm_moe_dsa", "hy_v4", "hy_v4_vl_text", "axk2"], compressing.indexed),
    "gpt2": every_head.every_head("n_layer", "n_head", "n_embd"),
    **dict.fromkeys(["gptj", "codegen", "ctrl"], every_head.every_head("n_layer", "n_head", "n_embd")),
    "gpt_neo": every_head.gpt_neo,
    "xglm": every_head.every_head("num_layers", "attention_heads", "d_model"),
    "bloom": every_head.every_head("n_layer", "n_head", "hidden_size"),
    "mpt": every_head.mpt,
    **dict.fromkeys(
        ["gpt_neox", "gpt_neox_japanese", "opt", "persimmon", "biogpt"],
        every_head.every_head("num_hidden_layers", "num_attention_heads", "hidden_size"),
    ),
    "gpt_bigcode": every_head.bigcode,
    "falcon": every_head.falcon,
    "mamba": recurrent.mamba,
    "falcon_mamba": recurrent.mamba,
    "mamba2": recurrent.mamba2,
    **{name: hybrids.hybrid(name) for name in hybrids.HYBRIDS},
}

# Models of text and images keep their language model's config inside, under text_config.
WRAPPERS: dict[str, str] = {
    "gemma3": "gemma3_text",
    "gemma3n": "gemma3n_text",
    "gemma4": "gemma4_text",
    "llama4": "llama4_text",
    "qwen3_5": "qwen3_5_text",
    "qwen3_5_moe": "qwen3_5_moe_text",
    "qwen2_vl": "qwen2_vl_text",
    "qwen2_5_vl": "qwen2_5_vl_text",
    "qwen3_vl": "qwen3_vl_text",
    "qwen3_vl_moe": "qwen3_vl_moe_text",
    "mistral3": "mistral",
    "llava": "llama",
    "llava_next": "llama",
    "paligemma": "gemma",
    "idefics3": "llama",
    "smolvlm": "llama",
    "kimi_k25": "deepseek_v3",
    "minimax_m3_vl": "minimax_m3_vl_text",
    "gemma4_unified": "gemma4_unified_text",
    "exaone4_5": "exaone4",
    "glm4v": "glm4v_text",
    "glm4v_moe": "glm4v_moe_text",
    "aria": "aria_text",
    "apertus1p5": "apertus1p5_text",
    "hyperclovax_vision_v2": "hyperclovax",
    "lfm2_vl": "lfm2",
    "lfm3_vl": "lfm3",
    "cohere2_vision": "cohere2",
    "aya_vision": "cohere2",
    "internvl": "qwen2",
    "ovis2": "qwen2",
    "got_ocr2": "qwen2",
    "qwen2_audio": "qwen2",
    "llava_onevision": "qwen2",
    "llava_next_video": "llama",
    "video_llava": "llama",
    "vipllava": "llama",
    "perception_lm": "llama",
    "deepseek_vl": "llama",
    "voxtral": "llama",
    "idefics2": "mistral",
    "fuyu": "persimmon",
    "granite_docling": "granite_docling_text",
    "molmo2": "molmo2_text",
    "muse_glimmer": "muse_glimmer_text",
    "muse_spark": "muse_spark_text",
    "hy_v4_vl": "hy_v4_vl_text",
    "glm46v": "glm4v_text",
    "fast_vlm": "qwen2",
    "janus": "llama",
    "deepseek_vl_hybrid": "llama",
    "lighton_ocr": "qwen3",
    "qianfan_ocr": "qwen3",
    "minicpmv4_6": "qwen3_5_text",
    "minicpmv4_7": "qwen3_5_text",
    "nemotron_h_omni": "nemotron_h",
}

_SECOND = (
    "it writes while it looks at a second text, a sound or a picture, whose keys and values are kept too"
)
_STATE = "its state is kept apart from the library's cache, and could not be compared"
# Why a family that one may come across is not counted: what is missing here.
MISSING = {
    **dict.fromkeys(
        [
            *("bart", "mbart", "marian", "pegasus", "t5", "mt5", "umt5", "t5gemma", "t5gemma2", "whisper"),
            *("blenderbot", "prophetnet", "plbart", "florence2", "musicgen", "moshi", "mllama"),
            *("mllama_text_model", "blip-2", "instructblip"),
        ],
        f"{_SECOND}, and how many these are no config says",
    ),
    **dict.fromkeys(["rwkv", "xlstm", "reformer", "openai-gpt"], _STATE),
    **dict.fromkeys(
        [
            "inkling_text",
            "inkling2_text",
            "inkling2_loop_text",
            "inkling2",
            "inkling2_loop",
            "inkling_mm_model",
        ],
        "it keeps short convolutions at 32 bits beside its windows, for which there is no rule here",
    ),
    **dict.fromkeys(
        ["dots3_note", "dots3_note_text"],
        "its windows keep compressed vectors of another width, for which there is no rule here",
    ),
    **dict.fromkeys(
        ["qwen4_exp", "qwen4_exp_text", "glm5_next", "glm5_next_text"],
        "it keeps keys by which to choose beside states of constant size, for which there is no rule here",
    ),
    **dict.fromkeys(
        ["step3p5", "step3p7"],
        "the library that counts are compared with has no language model of it that runs alone",
    ),
    "dbrx": "its config keeps its heads in a part of its own, and the library could not run it to compare",
    "hrm_text": "it runs its layers several times and keeps each run, for which there is no rule here",
}

ENCODERS = frozenset(
    ["bert", "roberta", "distilbert", "deberta", "deberta-v2", "modernbert", "electra", "xlm-roberta", "vit"]
)


def rule_of(family: str) -> Rule:
    """The rule of one family.

    Raises:
        ValueError: The family is unknown here; nothing is guessed.
    """
    if family in RULES:
        return RULES[family]
    if family in ENCODERS:
        raise ValueError(
            f"model_type is {shown(family)}, which reads its whole text at once and keeps no KV cache; "
            "it should be a model that writes text, such as 'llama'"
        )
    why = "whose layers are not known here, and a guess could be wrong without a sign of it"
    if family in MISSING:
        why = f"which is not counted: {MISSING[family]}"
    raise ValueError(
        f"model_type is {shown(family)}, {why}; it should be one of the {len(RULES) + len(WRAPPERS)} known "
        "ones, such as 'llama', 'qwen3', 'gemma3' or 'deepseek_v3'"
    )
