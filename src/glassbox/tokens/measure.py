"""What a text costs on a vocabulary: pieces per word, the tax on a language, the bill."""

from __future__ import annotations

import functools
import gzip
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from glassbox.tokens import notes, vocabularies
from glassbox.tokens.vocabularies import Vocabulary


@dataclass(frozen=True)
class Size:
    """How much a text is, in five units.

    A word is what stands between white space, as a word processor counts.
    """

    pieces: int
    words: int
    characters: int
    utf8_bytes: int

    @property
    def per_word(self) -> float:
        """Pieces per word; 0 for a text without words."""
        return self.pieces / self.words if self.words else 0.0

    @property
    def per_character(self) -> float:
        """Pieces per character; 0 for an empty text."""
        return self.pieces / self.characters if self.characters else 0.0

    @property
    def per_byte(self) -> float:
        """Pieces per UTF-8 byte, at most 1; 0 for an empty text."""
        return self.pieces / self.utf8_bytes if self.utf8_bytes else 0.0


def size(vocabulary: Vocabulary, texts: str | Sequence[str]) -> Size:
    """Measures one text, or several together.

    Raises:
        ValueError: A text holds half of a surrogate pair.
    """
    texts = [texts] if isinstance(texts, str) else texts
    return Size(
        pieces=sum(len(vocabulary.encode(t)) for t in texts),
        words=sum(len(t.split()) for t in texts),
        characters=sum(map(len, texts)),
        utf8_bytes=sum(len(t.encode()) for t in texts),
    )


@dataclass(frozen=True)
class Tax:
    """How much more one language costs than English for the same content.

    Attributes:
        code: The language's code in the shipped declarations.
        name: Its name in English.
        pieces: Pieces of the text in this language.
        relative: The same divided by the pieces of the English text.
    """

    code: str
    name: str
    pieces: int
    relative: float


def language_tax(vocabulary: Vocabulary) -> list[Tax]:
    """Measures the shipped articles of the declaration of human rights in all languages, English first."""
    return _taxes({code: _pieces(vocabulary, language) for code, language in declarations().items()})


def count_declarations(name: str) -> dict[str, int]:
    """How many pieces a shipped vocabulary makes of each language's articles: what ``pieces.json`` keeps."""
    return {tax.code: tax.pieces for tax in language_tax(vocabularies.load(name))}


def _pieces(vocabulary: Vocabulary, language: Mapping[str, str]) -> int:
    return sum(len(vocabulary.encode(text)) for text in articles(language).values())


def _taxes(pieces: Mapping[str, int]) -> list[Tax]:
    english, names = next(iter(pieces.values())), declarations()
    return [Tax(code, names[code]["name"], n, n / english) for code, n in pieces.items()]


def counted_tax(name: str) -> list[Tax]:
    """The same for a shipped vocabulary by its name, from the counts that lie beside the texts.

    They are what ``language_tax`` counts, which a test repeats; a page then needs no vocabulary for them.

    Raises:
        ValueError: There is no such vocabulary.
    """
    counts: Mapping[str, Mapping[str, int]] = json.loads(_text("pieces.json"))
    if name not in counts:
        raise ValueError(f"no vocabulary named {name!r}; there are {', '.join(counts)}")
    return _taxes(counts[name])


@dataclass(frozen=True)
class Bill:
    """What a document costs.

    Attributes:
        pieces: How many tokens it takes.
        dollars: For reading it once, at the price given.
        context_share: The part of the context that it fills; above 1 it does not fit.
    """

    pieces: int
    dollars: float
    context_share: float


def bill(words: float, pieces_per_word: float, dollars_per_million: float, context: int) -> Bill:
    """Estimates what a document of so many words costs.

    Raises:
        ValueError: A number is negative, or the context has no room.
    """
    if min(words, pieces_per_word, dollars_per_million) < 0 or context <= 0:
        raise ValueError(
            f"words={words}, pieces_per_word={pieces_per_word} and dollars_per_million={dollars_per_million} "
            f"must not be negative, and context={context} must be positive"
        )
    pieces = round(words * pieces_per_word)
    return Bill(pieces, pieces * dollars_per_million / 1e6, pieces / context)


@functools.cache
def samples() -> Mapping[str, Any]:
    """The sample texts written for Glassbox: ``clinical`` (synthetic notes), ``everyday``, ``code``, ..."""
    content: Mapping[str, Any] = json.loads(_text("samples.json"))
    return content


@functools.cache
def declarations() -> Mapping[str, Mapping[str, str]]:
    """The declaration of human rights by language: name, lang, dir, and articles by number."""
    content: Mapping[str, Mapping[str, str]] = json.loads(_text("udhr.json"))
    return content


def articles(language: Mapping[str, str]) -> dict[str, str]:
    """The articles of one language, by number."""
    return {number: text for number, text in language.items() if number.isdigit()}


@functools.cache
def mix() -> Mapping[str, Sequence[str]]:
    """Small texts in lower case to train a tokenizer on: ``everyday`` and ``clinical``."""
    content: Mapping[str, Sequence[str]] = _packed("mix.json.gz")
    return content


@functools.cache
def base() -> Mapping[str, Sequence[str]]:
    """The texts that rates are measured on, so many that random halves of each agree to 2 %.

    ``everyday``: every tenth example sentence of WordNet; ``clinical``: notes by a program (``notes``);
    ``diagnoses``: every fifth description of ICD-10-CM, from which the vocabulary *clinical* learned.
    A page that is read does not carry the first and the last: it has what was counted on them (``counted``).
    """
    texts: Mapping[str, Sequence[str]] = _packed("base.json.gz")
    return {"everyday": texts["everyday"], "clinical": notes.written(), "diagnoses": texts["diagnoses"]}


def count(texts: Sequence[str]) -> dict[str, Any]:
    """Counts texts, words, and each vocabulary's pieces: what ``rates.json`` keeps of a kind of text."""
    pieces = {name: size(vocabularies.load(name), texts).pieces for name in vocabularies.NAMES}
    return {"texts": len(texts), "words": sum(len(t.split()) for t in texts), "pieces": pieces}


@dataclass(frozen=True)
class Counted:
    """What ``count`` found on one kind of text.

    Attributes:
        texts: How many there are.
        words: How many words they have together.
        pieces: How many pieces each vocabulary makes of them.
    """

    texts: int
    words: int
    pieces: Mapping[str, int]

    def per_word(self, vocabulary: str) -> float:
        """Pieces per word in one vocabulary."""
        return self.pieces[vocabulary] / self.words


@functools.cache
def counted() -> Mapping[str, Counted]:
    """The counts that lie beside the texts of ``base``, by kind: a page needs neither text nor vocabulary.

    A test counts them again.
    """
    return {kind: Counted(**found) for kind, found in json.loads(_text("rates.json")).items()}


def apart(vocabulary: Vocabulary, texts: Sequence[str], cuts: int = 200) -> float:
    """By how much the rates of two random halves differ, at most, in nineteen of twenty cuts.

    Args:
        vocabulary: What the texts are cut with.
        texts: What is halved, a text falling into either half with the same chance.
        cuts: How often; the same numbers give the same halves on every machine.

    Returns:
        The difference as a share of the smaller rate: 0.02 are 2 %.

    Raises:
        ValueError: There are fewer than twenty texts or cuts, too few to speak of.
    """
    if min(len(texts), cuts) < 20:
        raise ValueError(f"{len(texts)} texts cut {cuts} times; both should be 20 or more")
    sizes = [(len(vocabulary.encode(t)), len(t.split())) for t in texts]
    return sorted(_halved(sizes, random.Random(seed).random) for seed in range(cuts))[cuts * 19 // 20]


def _halved(sizes: Sequence[tuple[int, int]], chance: Callable[[], float]) -> float:
    halves = [[0, 0], [0, 0]]
    for pieces, words in sizes:
        half = halves[chance() < 0.5]
        half[0] += pieces
        half[1] += words
    one, other = (pieces / words for pieces, words in halves)
    return max(one, other) / min(one, other) - 1


def _packed(name: str) -> Any:
    path = resources.files("glassbox").joinpath("data", "texts", name)
    return json.loads(gzip.decompress(path.read_bytes()))


def _text(name: str) -> str:
    return resources.files("glassbox").joinpath("data", "texts", name).read_text(encoding="utf-8")
