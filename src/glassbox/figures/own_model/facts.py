"""The numbers that the chapter says in its prose; all of them speak of the model of these pages."""

from __future__ import annotations

from glassbox import model
from glassbox.model.checkpoint.families import FAMILIES

# How a reader knows the families that ``checkpoint`` names by their model_type.
KNOWN_AS = {
    "llama": "Llama 2 and 3 (SmolLM2 among them)",
    "mistral": "Mistral",
    "smollm3": "SmolLM3",
    "qwen2": "Qwen 2 and 2.5",
    "qwen3": "Qwen 3",
    "phi3": "Phi-3",
    "gemma": "Gemma",
    "gemma2": "Gemma 2",
    "gemma3_text": "Gemma 3",
    "gpt2": "GPT-2",
}


def families() -> str:
    """The families that are read, as a list in words."""
    names = [KNOWN_AS[name] for name in FAMILIES]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def times_ours(numbers: int) -> int:
    """How many times as many learned numbers as ours."""
    return round(numbers / model.load().config.n_params())


def heads() -> int:
    """The heads of our model, in all layers."""
    c = model.load().config
    return c.n_layers * c.n_heads


def bytes_a_token(layers: int, kv_heads: int, d_head: int) -> int:
    """Bytes of a key and a value in every layer, at 16 bits."""
    return 2 * layers * kv_heads * d_head * 2
