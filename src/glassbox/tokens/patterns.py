"""How each published vocabulary cuts text into words before it merges bytes, and its control tokens.

Sources: ``tiktoken_ext/openai_public.py`` (tiktoken 0.12, MIT) for OpenAI's three; ``tekken_240911.json`` and
``tokens/tokenizers/base.py`` of mistral-common 1.13 (Apache-2.0); ``tokenizers/qwen_tokenizer.py`` of
dashscope 2.0 (Apache-2.0).
"""

from __future__ import annotations

_CASED = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_SIGNS = [r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"]
PATTERNS = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|"
        r"\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k_base": "|".join(
        [
            rf"[^\r\n\p{{L}}\p{{N}}]?{_CASED[0]}*{_CASED[1]}+{_CONTRACTION}",
            rf"[^\r\n\p{{L}}\p{{N}}]?{_CASED[0]}+{_CASED[1]}*{_CONTRACTION}",
            r"\p{N}{1,3}",
            *_SIGNS,
        ]
    ),
    "tekken": "|".join(
        [
            rf"[^\r\n\p{{L}}\p{{N}}]?{_CASED[0]}*{_CASED[1]}+",
            rf"[^\r\n\p{{L}}\p{{N}}]?{_CASED[0]}+{_CASED[1]}*",
            r"\p{N}",
            *_SIGNS,
        ]
    ),
    "qwen": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
        r"\s+(?!\S)|\s+"
    ),
}
_MISTRAL = (
    "<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] "
    "[TOOL_CALLS] [IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] [SYSTEM_PROMPT] "
    "[/SYSTEM_PROMPT] [TOOL_CONTENT]"
)
SPECIAL = {
    "gpt2": {"<|endoftext|>": 50256},
    "cl100k_base": {
        "<|endoftext|>": 100257,
        "<|fim_prefix|>": 100258,
        "<|fim_middle|>": 100259,
        "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    },
    "o200k_base": {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    "tekken": {name: token for token, name in enumerate(_MISTRAL.split())},
    "qwen": {"<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645},
}
FIRST = {"tekken": 1_000}  # the id of the first byte, where control tokens stand before it
NORMALISED = {"qwen"}  # text is brought to Unicode's form NFC first: é is one character, however it was typed
