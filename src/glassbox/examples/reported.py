"""Numbers that others published: shown as theirs, never as measured here."""

from __future__ import annotations

from glassbox.examples.records import Example, Value

_TOKENS = "Ashish Pandey, “Tokens: how text becomes numbers”, 19 September 2026"
_ATTENTION = "Ashish Pandey, “Attention: how a model decides what matters”, 19 September 2026"
_KV = "Ashish Pandey, “The KV cache: why generation is fast at all”, 19 September 2026"
_SEE = "Compare with the article; nothing here depends on it."


def _reported(
    key: str, chapter: str, what: str, value: Value, unit: str, text: str, recompute: str = _SEE
) -> Example:
    source = {"tokens": _TOKENS, "attention": _ATTENTION, "kv_cache": _KV}[chapter]
    return Example(key, chapter, what, value, unit, text, "reported", source, recompute)


REPORTED: tuple[Example, ...] = (
    _reported(
        "pieces-general",
        "tokens",
        "Pieces per word with a general tokenizer: everyday text, clinical text",
        (1.08, 1.97),
        "pieces per word",
        "1.08 and 1.97, that is +82 %",
    ),
    _reported(
        "pieces-medical",
        "tokens",
        "Pieces per word with a medical tokenizer: everyday text, clinical text",
        (1.17, 1.37),
        "pieces per word",
        "1.17 and 1.37, that is +17 %",
    ),
    _reported(
        "note-pieces",
        "tokens",
        "A clinical note of 400 words: pieces on the general tokenizer, pieces if it were everyday text, "
        "pieces on the medical tokenizer",
        (788, 432, 548),
        "pieces",
        "788, 432 and 548, that is −30 % with the medical one",
    ),
    _reported(
        "next-words",
        "attention",
        "Next word after “The patient has” on a model that the article does not name: been, a, not, no, had",
        (20.1, 8.3, 4.6, 3.9, 2.2),
        "%",
        "been 20.1 %, a 8.3 %, not 4.6 %, no 3.9 %, had 2.2 %",
    ),
    _reported(
        "severe-attention",
        "attention",
        "Attention of the last position over the words Patient, has, severe, chest",
        (10, 2, 85, 3),
        "%",
        "10, 2, 85 and 3 %",
        "The four shares sum to 100 %; the last stays on chest itself.",
    ),
    _reported(
        "generation-seconds",
        "kv_cache",
        "The same text generated without and with a cache",
        (2.97, 0.18),
        "seconds",
        "2.97 s and 0.18 s, output identical",
    ),
    _reported("generation-ratio", "kv_cache", "How many times faster", 16.5, "×", "16.5×"),
    _reported(
        "cache-8000",
        "kv_cache",
        "Cache of a model with 32 layers, 8 KV heads of 128 numbers at 16 bits, at 8,000 tokens",
        1.0486,
        "GB",
        "1.0486 GB",
        "It follows from the shape; see the computed number beside it.",
    ),
    _reported(
        "users-8000",
        "kv_cache",
        "How many such users fit into 80 GB less 16 GB of weights",
        61,
        "users",
        "61 users",
        "It follows from the shape; see the computed number beside it.",
    ),
)
