"""The numbers of the chapter's prose, computed where the prose is shown."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from glassbox import examples
from glassbox.figures.markup import Kept, Markup, el, join
from glassbox.figures.tokens import texts
from glassbox.figures.tokens.bricks import listed
from glassbox.figures.tokens.cost import rates
from glassbox.figures.tokens.languages import moved
from glassbox.figures.tokens.languages import tax as taxes
from glassbox.figures.tokens.methods import ways_of
from glassbox.figures.tokens.train import learned
from glassbox.tokens import bpe, measure, methods, vocabularies

CODE = texts.TEXTS["code"]


def n_pieces(text: str, vocabulary: str = "gpt2") -> int:
    """How many pieces a text has."""
    return len(vocabularies.load(vocabulary).encode(text))


def spelled(text: str, vocabulary: str = "gpt2", after: str = "") -> Markup:
    """A text's pieces with dots between them, and what the sentence goes on with.

    Where a piece begins with a space, that is the dot, and bars stand between the pieces.
    """
    pieces = [p.data for p in vocabularies.load(vocabulary).pieces(text)]
    spaced = any(data.startswith(b" ") for data in pieces)
    dotted = listed(pieces) if spaced else Kept("·".join(d.decode("utf-8", "replace") for d in pieces))
    return join([el("span", dotted), after])


def four_ways(word: str) -> dict[str, Markup]:
    """A word in the middle of a sentence as each of the four methods cuts it, with dots between the pieces."""
    found = {name: one.pieces(f"a {word}") for name, one in methods.load().items()}
    ways = ways_of(found, 2, 2 + len(word))
    return {name: el("span", Kept("·".join(way))) for name, way in ways.items()}


def text_of(chosen: str) -> str:
    """A text of the figure ``compare``, by its name in the list."""
    return texts.text_of(chosen, "")


def mover(least: bool = False) -> str:
    """The language whose price changed most from GPT-2 to o200k, or least."""
    return moved("gpt2", "o200k_base", least)


def n_different(text: str, vocabulary: str = "gpt2") -> int:
    """How many different tokens a text has."""
    return len(set(vocabularies.load(vocabulary).encode(text)))


def n_trained(word: str, clinical_percent: int, vocab_size: int = 1000) -> int:
    """How many pieces a word has in a vocabulary that the page trains."""
    return learned(word, clinical_percent, vocab_size)


def percent_more(a: float, b: float) -> int:
    """By how many percent b is more than a."""
    return round(100 * (b / a - 1))


def entries(vocabulary: str) -> int:
    """How many entries a vocabulary has, without control tokens."""
    return vocabularies.ABOUT[vocabulary].entries


def rate(kind: str, vocabulary: str = "gpt2") -> float:
    """Pieces per word on a text of ``measure.base``: ``everyday``, ``clinical`` or ``diagnoses``."""
    return rates(kind)[vocabulary]


def without_digits(vocabulary: str) -> float:
    """Pieces per word on the notes, all digits left out."""
    texts = [re.sub(r"\d", "", text) for text in measure.base()["clinical"]]
    return measure.size(vocabularies.load(vocabulary), texts).per_word


def spread(kind: str, vocabulary: str = "gpt2") -> tuple[float, float]:
    """The lowest and the highest pieces per word among the three texts of one kind that were written by hand."""
    known = vocabularies.load(vocabulary)
    found = [measure.size(known, text).per_word for text in measure.samples()[kind]]
    return min(found), max(found)


def code(vocabulary: str, indented: bool = True) -> int:
    """How many pieces the shipped lines of Python are, with the white space before them or without."""
    text = CODE if indented else "\n".join(line.strip() for line in CODE.splitlines())
    return n_pieces(text, vocabulary)


def n_texts(kind: str) -> int:
    """On how many texts of one kind rates were measured."""
    return measure.counted()[kind].texts


@functools.cache
def apart(kind: str, vocabulary: str = "gpt2") -> float:
    """By how many percent halves of the texts of one kind differ, at most, in nineteen of twenty random cuts."""
    return 100 * measure.apart(vocabularies.load(vocabulary), measure.base()[kind])


def n_long_digits(vocabulary: str = "gpt2") -> int:
    """How many pieces of a vocabulary are four digits or more, with a space before them or without."""
    tokens = (vocabularies.load(vocabulary).data(i).removeprefix(b" ") for i in range(entries(vocabulary)))
    return sum(len(t) > 3 and t.isdigit() for t in tokens)


@functools.cache
def same_ids(written: str, read: str) -> int:
    """How many ids of one vocabulary, control tokens left out, mean the same bytes in another."""
    one, other = vocabularies.load(written), vocabularies.load(read)
    shared = min(entries(written), entries(read))
    return sum(one.data(i) == other.data(i) for i in range(shared))


def tax(code: str, vocabulary: str = "gpt2") -> float:
    """Pieces of the declaration in one language relative to English."""
    return next(t.relative for t in taxes(vocabulary) if t.code == code)


def n_dear(vocabulary: str = "gpt2") -> int:
    """How many languages cost more than twice what English does."""
    return sum(t.relative > 2 for t in taxes(vocabulary))


def per_character(code: str, vocabulary: str = "gpt2") -> float:
    """Pieces per character of the declaration in one language, spaces and signs counted."""
    text = "\n".join(measure.articles(measure.declarations()[code]).values())
    return n_pieces(text, vocabulary) / len(text)


def reported(key: str) -> tuple[float, ...]:
    """A published number, or several."""
    value = examples.example(key).value
    return tuple(float(v) for v in (value if isinstance(value, tuple) else (value,)))


@dataclass(frozen=True)
class ByHand:
    """The worked example of byte-pair encoding.

    Attributes:
        text: What it is learned from.
        times: How often each merged pair stood there.
        left: How many tokens the text has after the merges.
    """

    text: str
    times: tuple[int, ...]
    left: int


@functools.cache
def by_hand(text: str = "aaabdaaabac", n_merges: int = 3) -> ByHand:
    """Learns the merges of a short text."""
    merges = [m for m, _ in zip(bpe.learn({text: 1}), range(n_merges), strict=False)]
    tokenizer = bpe.Tokenizer([m.pair for m in merges])
    return ByHand(text, tuple(m.times for m in merges), len(tokenizer.encode(text)))


def n_languages() -> int:
    """In how many languages the declaration is shipped."""
    return len(measure.declarations())
