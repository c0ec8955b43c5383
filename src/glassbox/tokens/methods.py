"""Four ways to cut, each trained on the same small text to the same size.

    >>> {name: len(one.encode(" unhappiness")) for name, one in load().items()}
    {'bytes': 5, 'fallback': 5, 'wordpiece': 4, 'unigram': 5}

The files are tokenizers as ``foreign`` reads them; ``training.methods`` made them.
"""

from __future__ import annotations

import functools
import gzip
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass

from glassbox.tokens import vocabularies
from glassbox.tokens.foreign import reading, unigram
from glassbox.tokens.foreign.tokenizer import Tokenizer


@functools.cache
def files() -> Mapping[str, Mapping[str, object]]:
    """The four ``tokenizer.json``: ``bytes``, ``fallback``, ``wordpiece`` and ``unigram``."""
    content: Mapping[str, Mapping[str, object]] = json.loads(gzip.decompress(vocabularies.packed("methods")))
    return content


@functools.cache
def load() -> Mapping[str, Tokenizer]:
    """The four tokenizers."""
    return {name: reading.read(file) for name, file in files().items()}


@dataclass(frozen=True)
class Weighed:
    """One way to cut a word, as Unigram weighs it.

    Attributes:
        pieces: The entries, joined the word.
        share: Its part of the probability of all ways together, 0 to 1.
    """

    pieces: tuple[str, ...]
    share: float


def weigh(word: str, n: int) -> list[Weighed]:
    """The likeliest ways in which Unigram would cut a word with a space before it, the best first."""
    model = _unigram()
    part = f"▁{word}"
    total = model.total(part)
    return [
        Weighed(tuple(part[a:b].replace("▁", " ") for _, a, b in way.tokens), math.exp(way.score - total))
        for way in model.ways(part, n)
    ]


@functools.cache
def _unigram() -> unigram.Unigram:
    model = files()["unigram"]["model"]
    return unigram.make(model if isinstance(model, dict) else {})
