"""Writes checkpoints by NumPy alone: safetensors as transformers saves them, of weights that follow from their names."""

import hashlib
import json
import math
import struct

import numpy as np

from glassbox.tokens import vocabularies
from glassbox.tokens.foreign import letters


def numbers(name, shape, gain=1.0):
    """A tensor's weights: the same wherever they are made, told by its name."""
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    drawn = np.random.default_rng(seed).normal(size=shape)
    if len(shape) > 1:
        return (0.3 * drawn).astype(np.float32)
    return (
        0.2 * drawn + (gain if "norm" in name or ("ln_" in name and name.endswith("weight")) else 0)
    ).astype(np.float32)


def half(array):
    """Rounded to bfloat16, as uint16."""
    bits = array.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def stored(array, dtype):
    """An array's bytes in one of the three types."""
    if dtype == "BF16":
        return half(array).tobytes()
    return array.astype({"F32": "<f4", "F16": "<f2"}[dtype]).tobytes()


def safetensors(path, tensors, dtype="F32", edit=None, tail=b""):
    """Writes one file; ``edit`` may change the header, ``tail`` goes behind the numbers."""
    header, data, at = {}, [], 0
    for name, array in tensors.items():
        data.append(stored(array, dtype))
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [at, at + len(data[-1])]}
        at += len(data[-1])
    text = json.dumps(header if edit is None else edit(header)).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data) + tail)


def sharded(folder, tensors, count, dtype="F32"):
    """Writes several files and their index."""
    names = list(tensors)
    weight_map = {}
    for n in range(count):
        file = f"model-{n + 1:05}-of-{count:05}.safetensors"
        mine = {name: tensors[name] for name in names[n::count]}
        weight_map |= dict.fromkeys(mine, file)
        safetensors(folder / file, mine, dtype)
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": weight_map})
    )


def config(**changes):
    """A small Llama's config.json."""
    return {
        "model_type": "llama", "vocab_size": 61, "hidden_size": 12, "intermediate_size": 20, "num_hidden_layers": 2,
        "num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 6, "max_position_embeddings": 64,
        "rms_norm_eps": 1e-5, "rope_theta": 500.0, "hidden_act": "silu", "tie_word_embeddings": False,
        "bos_token_id": 1, "eos_token_id": 2, **changes,
    }  # fmt: skip


def shapes(c):
    """The names and shapes of a plain Llama's tensors."""
    d, h, kv = (
        c["hidden_size"],
        c["num_attention_heads"] * c["head_dim"],
        c["num_key_value_heads"] * c["head_dim"],
    )
    found = {"model.embed_tokens.weight": (c["vocab_size"], d)}
    for n in range(c["num_hidden_layers"]):
        at, f = f"model.layers.{n}.", c["intermediate_size"]
        found |= {
            at + "self_attn.q_proj.weight": (h, d), at + "self_attn.k_proj.weight": (kv, d),
            at + "self_attn.v_proj.weight": (kv, d), at + "self_attn.o_proj.weight": (d, h),
            at + "mlp.gate_proj.weight": (f, d), at + "mlp.up_proj.weight": (f, d), at + "mlp.down_proj.weight": (d, f),
            at + "input_layernorm.weight": (d,), at + "post_attention_layernorm.weight": (d,),
        }  # fmt: skip
    return found | {"model.norm.weight": (d,), "lm_head.weight": (c["vocab_size"], d)}


def llama(folder, dtype="F32", shards=1, **changes):
    """Writes a small Llama; returns its tensors."""
    c = config(**changes)
    tensors = {name: numbers(name, shape) for name, shape in shapes(c).items()}
    (folder / "config.json").write_text(json.dumps(c))
    if shards == 1:
        safetensors(folder / "model.safetensors", tensors, dtype)
    else:
        sharded(folder, tensors, shards, dtype)
    return tensors


BEGIN = 260  # the start token of ``tokenizer``


MERGES = (("Ġ", "t"), ("Ġt", "h"), ("Ġth", "e"), ("i", "n"))


def tokenizer(folder, merges=MERGES, **changes):
    """Writes a byte-level tokenizer.json: the bytes, the merges, and a start token; 261 entries with four merges."""
    entries = [*letters.OF_BYTE, *("".join(pair) for pair in merges)]
    begin = {"id": len(entries), "content": "<|begin|>", "special": True, "normalized": False}
    around = [{"SpecialToken": {"id": "<|begin|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    known = {"<|begin|>": {"id": "<|begin|>", "ids": [len(entries)], "tokens": ["<|begin|>"]}}
    found = {
        "added_tokens": [begin],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
        "post_processor": {"type": "TemplateProcessing", "single": around, "special_tokens": known},
        "decoder": {"type": "ByteLevel"},
        "model": {
            "type": "BPE",
            "vocab": {e: i for i, e in enumerate(entries)},
            "merges": [list(m) for m in merges],
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(found | changes))


# The sizes in the config.json of SmolLM2-135M: 134,515,008 numbers, 269 MB in 16 bits.
SHAPE_135M = {
    "vocab_size": 49_152, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
    "num_attention_heads": 9, "num_key_value_heads": 3, "head_dim": 64, "max_position_embeddings": 8192,
    "rope_theta": 100_000.0, "tie_word_embeddings": True, "bos_token_id": 49_151, "eos_token_id": 49_151,
}  # fmt: skip


def shaped_135m(folder, name):
    """Writes a checkpoint of that shape in a second or two, of random weights, with a tokenizer as large as its own."""
    c = config(_name_or_path=f"made/{name}", **SHAPE_135M)
    (folder / "config.json").write_text(json.dumps(c))
    shaped = {n: shape for n, shape in shapes(c).items() if n != "lm_head.weight"}
    header, at = {}, 0
    for n, shape in shaped.items():
        end = at + 2 * math.prod(shape)
        header[n] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    rng = np.random.default_rng(135)
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for n, shape in shaped.items():
            # Sign and digits by chance; the exponent of numbers from 1/32 to 1/16, and of 1 for gains.
            drawn = np.frombuffer(rng.bytes(2 * math.prod(shape)), dtype="<u2") & 0x807F
            file.write((np.full_like(drawn, 0x3F80) if "norm" in n else drawn | 0x3D00).tobytes())
    merges = vocabularies.merges("gpt2")
    said = ["".join(letters.OF_BYTE[b] for b in data) for data in merges.vocab]
    pairs = [(said[a], said[b]) for (a, b), _ in merges.merges]
    tokenizer(folder, pairs[: c["vocab_size"] - 257])
