"""What transformers computes for a tiny checkpoint of every family; ``python -m tests.model.checkpoint.golden`` writes it.

Needs the ``train`` extra. The weights follow from their names (``files.numbers``), so that only configs, shapes and
answers are kept, and a machine without torch can check our reading and our arithmetic against them.
"""

import json
from pathlib import Path

import numpy as np

from tests.model.checkpoint import files

STORED = Path(__file__).with_name("golden.json")
IDS = [int(i) for i in np.random.default_rng(0).integers(3, 61, 14)]
NEW = 8
SIZES = {
    "vocab_size": 61, "hidden_size": 12, "intermediate_size": 20, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 64, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
}  # fmt: skip
LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 500.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}  # fmt: skip
YARN = {"rope_type": "yarn", "rope_theta": 900.0, "factor": 4.0, "original_max_position_embeddings": 16}
KINDS = ["sliding_attention", "full_attention", "sliding_attention"]
GEMMA3 = {
    "full_attention": {"rope_type": "linear", "rope_theta": 900.0, "factor": 8.0},
    "sliding_attention": {"rope_type": "default", "rope_theta": 100.0},
}

# Name to (class of the config, its fields).
FAMILIES = {
    "llama 2": ("LlamaConfig", {"head_dim": 6, "tie_word_embeddings": False}),
    "llama 3.1": ("LlamaConfig", {"head_dim": 8, "rope_parameters": LLAMA3, "tie_word_embeddings": True}),
    "llama, linear": ("LlamaConfig", {"head_dim": 8, "rope_parameters": {"rope_type": "linear", "rope_theta": 900.0, "factor": 4.0}}),
    "llama, yarn": ("LlamaConfig", {"head_dim": 16, "rope_parameters": YARN}),
    "llama, biases": ("LlamaConfig", {"head_dim": 6, "attention_bias": True, "mlp_bias": True}),
    "mistral": ("MistralConfig", {"head_dim": 8, "sliding_window": 5}),
    "smollm2": ("LlamaConfig", {"head_dim": 4, "num_attention_heads": 3, "num_key_value_heads": 1, "tie_word_embeddings": True}),
    "smollm3": ("SmolLM3Config", {"hidden_size": 16, "num_hidden_layers": 3, "no_rope_layers": [1, 0, 1]}),
    "qwen2.5": ("Qwen2Config", {"hidden_size": 16, "tie_word_embeddings": True}),
    "qwen2, windows": ("Qwen2Config", {"hidden_size": 16, "use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1}),
    "qwen3": ("Qwen3Config", {"head_dim": 10}),
    "phi3": ("Phi3Config", {"hidden_size": 16}),
    "gpt2": ("GPT2Config", {"n_embd": 12, "n_layer": 2, "n_head": 3, "n_positions": 64, "vocab_size": 61, "bos_token_id": 1, "eos_token_id": 2}),
    "gemma": ("GemmaConfig", {"head_dim": 10}),
    "gemma2": ("Gemma2Config", {"head_dim": 8, "query_pre_attn_scalar": 11, "sliding_window": 5, "final_logit_softcapping": 4.0, "attn_logit_softcapping": 3.0}),
    "gemma3": ("Gemma3TextConfig", {"head_dim": 8, "query_pre_attn_scalar": 11, "sliding_window": 5, "num_hidden_layers": 3, "layer_types": KINDS, "rope_parameters": GEMMA3}),
}  # fmt: skip


def tensors(found):
    """A stored family's weights."""
    gain = 0.0 if found["config"]["model_type"].startswith("gemma") else 1.0
    return {name: files.numbers(name, shape, gain) for name, shape in found["shapes"].items()}


def made(name):
    """One family's tiny model in transformers, with our numbers."""
    import torch
    import transformers

    kind, fields = FAMILIES[name]
    base = {} if kind == "GPT2Config" else SIZES
    config = getattr(transformers, kind)(**{**base, **fields})
    config._attn_implementation = "eager"
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    tied = {"lm_head.weight"} if config.tie_word_embeddings else set()
    shapes = {n: list(p.shape) for n, p in model.state_dict().items() if n not in tied}
    found = {"config": config.to_dict(), "shapes": shapes}
    state = {n: torch.from_numpy(a) for n, a in tensors(found).items()}
    if tied:
        state["lm_head.weight"] = state[
            next(n for n in state if n.endswith(("embed_tokens.weight", "wte.weight")))
        ]
    model.load_state_dict(state)
    return model, found


def answers(model):
    """Logits of every position, attention weights of every layer, and the greedy text."""
    import torch

    with torch.no_grad():
        out = model(torch.tensor([IDS]), output_attentions=True)
        said = model.generate(torch.tensor([IDS]), max_new_tokens=NEW, do_sample=False, eos_token_id=None)
    weights = [w[0].numpy() for w in out.attentions]
    return out.logits[0].numpy(), weights, said[0, len(IDS) :].tolist()


def _rounded(array):
    return [float(f"{x:.5g}") for x in array]


def main():
    """Writes the answers."""
    kept = {}
    for name in FAMILIES:
        model, found = made(name)
        logits, weights, said = answers(model)
        config = {k: v for k, v in found["config"].items() if v is not None and k not in _IDLE}
        kept[name] = {
            "config": config,
            "shapes": found["shapes"],
            "logits": _rounded(logits[-1]),
            "weights": [_rounded(w[1, -1]) for w in weights],
            "said": said,
        }
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in kept.items())
    STORED.write_text(f"{{\n{lines}\n}}\n")


# Fields that say nothing of the arithmetic.
_IDLE = {
    "output_hidden_states", "return_dict", "dtype", "chunk_size_feed_forward", "is_encoder_decoder", "architectures",
    "id2label", "label2id", "problem_type", "_name_or_path", "transformers_version", "output_attentions", "use_cache",
    "initializer_range", "attention_dropout", "resid_pdrop", "embd_pdrop", "attn_pdrop", "summary_type",
    "summary_use_proj", "summary_proj_to_labels", "summary_first_dropout", "pretraining_tp",
}  # fmt: skip

if __name__ == "__main__":
    main()
