"""Every fixed number a page prints: its kind, its source and the line that recomputes it.

A *computed* number has a line of Python that gives it, with the names in ``IMPORTS``; a test evaluates every
one. A *measured* number was counted or timed once and says how. A *reported* number was published by others
and is shown as theirs, never as measured here.

    >>> example("llama3-8b-token").text
    '131,072 bytes'
"""

from __future__ import annotations

from collections.abc import Iterator

from glassbox.examples.memory import KV_CACHE
from glassbox.examples.pieces import TOKENS
from glassbox.examples.records import Example, Work
from glassbox.examples.reported import REPORTED
from glassbox.examples.works import CREDITS, PAPERS

__all__ = [
    "CREDITS",
    "IMPORTS",
    "KV_CACHE",
    "PAPERS",
    "REPORTED",
    "TOKENS",
    "Example",
    "Work",
    "all_examples",
    "example",
]

# What the lines of computed numbers may use.
IMPORTS = """
from glassbox.costs import catalogue, kv, layers, roofline, scores
from glassbox.serving import paging
from glassbox.tokens import vocabularies
def config(name): return catalogue.models()[name].config
def count(text, name="gpt2"): return len(vocabularies.load(name).encode(text))
def words(text, name="gpt2"):
    return tuple(p.data.decode() for p in vocabularies.load(name).pieces(text))
"""


def all_examples() -> Iterator[Example]:
    """Every fixed number, chapter by chapter: the reported ones, then ours."""
    yield from (*REPORTED, *TOKENS, *KV_CACHE)


def example(key: str) -> Example:
    """The number with this key.

    Raises:
        ValueError: There is none.
    """
    for found in all_examples():
        if found.key == key:
            return found
    raise ValueError(f"no example {key!r}; there are {', '.join(e.key for e in all_examples())}")
