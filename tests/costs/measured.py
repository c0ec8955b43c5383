"""Counts, layer by layer, the bytes that transformers' own cache holds for a tiny model of a config.

``reference.json`` keeps what was counted; with the library installed (the extra ``train``) a test counts again.
To add a case, give the family and the fields that make it small beside ``SMALL``:

    python -m tests.costs.measured smollm3
    python -m tests.costs.measured dots1 '{"sliding_window": 11, "layer_types": ["sliding_attention", …]}'

Models are run at 16 bits, 23 tokens: a prompt of 17 and six more, one by one, so that windows fill and slide.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).parent / "reference.json"
CONTEXT, PROMPT = 23, 17

# Sizes that differ where they may. Only those that a family's own config class knows are used.
SMALL: dict[str, Any] = {
    "vocab_size": 97,
    "hidden_size": 48,
    "intermediate_size": 32,
    "num_hidden_layers": 6,
    "num_attention_heads": 6,
    "num_key_value_heads": 3,
    "max_position_embeddings": 256,
    "head_dim": 10,
    "num_experts": 4,
    "num_local_experts": 4,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
    "shared_expert_intermediate_size": 16,
    "n_group": 1,
    "topk_group": 1,
    "n_shared_experts": 1,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def small(family: str, own: dict[str, Any]) -> dict[str, Any]:
    """A tiny config of a family: what its class knows of ``SMALL``, then its own fields."""
    from transformers import CONFIG_MAPPING

    cls = CONFIG_MAPPING[family]
    known = set(cls().to_dict()) | set(getattr(cls, "attribute_map", {}))
    return {**{k: v for k, v in SMALL.items() if k in known}, **own, "model_type": family}


def type_of(config: dict[str, Any]) -> str:
    """The type by which the library knows a config."""
    return str(config["model_type"])


def count(config: dict[str, Any], dtype: str = "bfloat16") -> list[int]:
    """Bytes in each layer's cache after ``CONTEXT`` tokens, vectors and constant states together."""
    import torch
    from transformers import CONFIG_MAPPING, AutoModel, AutoModelForCausalLM, DynamicCache

    made = CONFIG_MAPPING[type_of(config)].from_dict(dict(config))
    torch.manual_seed(0)
    try:
        model = AutoModelForCausalLM.from_config(made, dtype=getattr(torch, dtype))
    except ValueError:
        model = AutoModel.from_config(made, dtype=getattr(torch, dtype))
    model.eval()
    ids = torch.arange(3, 3 + CONTEXT)[None]
    # Griffin's model gives no cache back: it takes one, and keeps its states in the layers themselves.
    griffin = type_of(config) == "recurrent_gemma"
    cache = DynamicCache(config=made) if griffin else None
    with torch.no_grad():
        for part in (ids[:, :PROMPT], *ids[:, PROMPT:].T[:, None]):
            held = {"cache" if griffin else "past_key_values": cache}
            out = model(part, use_cache=True, **held)
            cache = cache if griffin else out.past_key_values
    found = [_layer_bytes(layer) for layer in cache.layers]
    if griffin:
        found = [n + _state_bytes(b.temporal_block) for n, b in zip(found, model.model.layers, strict=True)]
    for n, held in enumerate(getattr(cache, "linear_cache", [])):  # MiniMax keeps its sums beside the layers
        found += [0] * (n + 1 - len(found))
        found[n] += held.numel() * held.element_size() if len(held) else 0
    return found


def _layer_bytes(layer: Any) -> int:
    tensors = [getattr(layer, name, None) for name in ("keys", "values", "indexer_keys")]
    for name in ("conv_states", "recurrent_states"):
        tensors += list((getattr(layer, name, None) or {}).values())
    if getattr(layer, "values", None) is getattr(layer, "keys", None):
        tensors[1] = None  # one vector is both
    for name in ("compressed_kv", "buffer_kv", "buffer_gate", "overlap_kv", "overlap_gate"):
        tensors += list((getattr(layer, name, None) or {}).values())
    return sum(t.numel() * t.element_size() for t in tensors if t is not None)


def _state_bytes(block: Any) -> int:
    states = [getattr(block, "conv1d_state", None), getattr(block, "rg_lru", None)]
    states[1] = getattr(states[1], "recurrent_states", None)
    return sum(t.numel() * t.element_size() for t in states if t is not None)


def main(arguments: list[str]) -> None:
    """Counts one family and keeps it, under its own name or another."""
    own = json.loads(arguments[1]) if len(arguments) > 1 else {}
    keep(arguments[2] if len(arguments) > 2 else arguments[0], small(arguments[0], own))


def keep(name: str, config: dict[str, Any]) -> None:
    """Counts one config and writes it to the reference."""
    kept = json.loads(REFERENCE.read_text(encoding="utf-8"))
    kept[name] = {"config": config, "context": CONTEXT, "bytes": count(config)}
    lines = (f" {json.dumps(name)}: {json.dumps(case)}" for name, case in kept.items())
    REFERENCE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
