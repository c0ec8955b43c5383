"""The numbers that the chapter says in its prose; all of them speak of the model of these pages."""

from __future__ import annotations

from glassbox import model
from glassbox.figures.own_model.depth import depth
from glassbox.figures.own_model.guesses import guesses
from glassbox.figures.own_model.rest import shares_on_first
from glassbox.model import Config
from glassbox.model.checkpoint.families import FAMILIES

RESTING = "The patient has a history of asthma and was seen for a cough that would not go away."
LLAMA_3_8B = Config(128_256, 4096, 32, 32, 8, 128, 14_336, context=8192, rope_base=500_000.0, tied=False)

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


def large_mlps() -> int:
    """The share of Llama 3 8B's learned numbers that its MLPs hold, in percent."""
    c = LLAMA_3_8B
    return round(100 * 3 * c.n_layers * c.d_model * c.d_ff / c.n_params())


def resting() -> int:
    """What our model leaves on the start token of ``RESTING``, in percent, as the figure says it."""
    return round(100 * float(shares_on_first(RESTING)[1].mean()))


def likeliest(text: str) -> str:
    """The next token that our model finds likeliest."""
    return str(guesses(text).last().table.rows[0][0])


def settled(text: str) -> str:
    """From where on our model says of a text what it says in the end: ``layer 3``."""
    rows = depth(text).table.rows
    first = next(n for n in range(len(rows)) if all(r[1] == rows[-1][1] for r in rows[n:]))
    return str(rows[first][0])


def times_weights(tokens: int) -> float:
    """How many times the room of its weights our model's cache of a text takes, both at 16 bits."""
    c = model.load().config
    return bytes_a_token(c.n_layers, c.n_kv_heads, c.d_head) * tokens / (2 * c.n_params())


def outgrown_ours() -> int:
    """After how many tokens our model's cache is larger than its weights, both at 16 bits, in hundreds."""
    return _outgrown(model.load().config)


def outgrown_large() -> int:
    """The same for Llama 3 8B, in hundreds."""
    return _outgrown(LLAMA_3_8B)


def _outgrown(c: Config) -> int:
    return 100 * round(2 * c.n_params() / bytes_a_token(c.n_layers, c.n_kv_heads, c.d_head) / 100)
