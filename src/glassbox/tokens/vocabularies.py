"""Named vocabularies, shipped with the package.

In the browser each is a file of the site, loaded on first use (``want``). ``gpt2``, ``cl100k_base``,
``o200k_base``, ``tekken`` and ``qwen`` hold exactly the published ranks and are run by tiktoken, which is
imported on first use. ``clinical`` and ``everyday`` were trained for Glassbox and are run by ``bpe``.

    >>> load("clinical").encode("thrombocytopenia")
    [19402]
    >>> load("gpt2").decode_bytes([15496, 11])
    b'Hello,'
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from types import ModuleType
from typing import Protocol

from glassbox.tokens import bpe, packing, replay
from glassbox.tokens.foreign.normals import unicode_form
from glassbox.tokens.foreign.traced import Traced
from glassbox.tokens.patterns import FIRST, NORMALISED, PATTERNS, SPECIAL
from glassbox.tokens.pieces import Piece, pieces, utf8

# The packed files, by what they must hash to (SHA-256).
FILES = {
    "gpt2": "8d4fe30129c0d8cd2421ebe88d2a46d47dd1eb86369fba4f9a0fb295d78c157c",
    "cl100k_base": "83826a1b3eea4895cfe127b9058dcce73c4d2823af3154ff055b603193c504aa",
    "o200k_base": "e5f9213955c6898a146c3ce0e3f9123971f56decb172d9f20b0bb45dd4672944",
    "tekken": "cfd6a3f9097fcab4a12b183dcbea55b698f8dba0b6a8d9a4467b5ee6cd63deab",
    "qwen": "97e60451d5dd2dacab105cfc2533f4b195913a89b615c639c8f817c1b8a3cc16",
    "clinical": "84310a61493e013ec9865c9e3d34fd43b89e6a5e7183a1a6a0eb9226e840165b",
    "everyday": "386d8b97cb308754f3dd84ef2a75ff81d04804b05b5e71ef677279e8412a5857",
}
NAMES = tuple(FILES)
HELD = FILES | {  # with what else lies beside them: four small tokenizers, see ``methods``
    "methods": "430984731641f0416ecac9cea178462b97565a4529d2530e3d3cad73faab9de5",
}


class Vocabulary(Protocol):
    """What every tokenizer of this package can do; see ``bpe.Tokenizer`` for the meaning of each."""

    vocab_size: int

    @property
    def special(self) -> Mapping[str, int]: ...  # noqa: D102

    def encode(self, text: str, special: bool = False) -> list[int]: ...  # noqa: D102

    def decode_bytes(self, ids: Iterable[int]) -> bytes: ...  # noqa: D102

    def data(self, token: int) -> bytes: ...  # noqa: D102

    def pieces(self, text: str, special: bool = False) -> list[Piece]: ...  # noqa: D102

    def replay(self, text: str) -> list[list[list[bytes]]]: ...  # noqa: D102

    def trace(self, word: str) -> list[list[bytes]]: ...  # noqa: D102


# tiktoken's pattern engine panics, which would stop the whole page, on a million white spaces in a row.
_LONG_RUN = 500_000
_LONG = re.compile(rf"\s{{{_LONG_RUN}}}")


@dataclass(frozen=True)
class About:
    """What a reader should know of a vocabulary.

    Attributes:
        label: Its name in a sentence.
        entries: Its size without special tokens.
        origin: Where it comes from, in one sentence.
    """

    label: str
    entries: int
    origin: str


ABOUT = {
    "gpt2": About("GPT-2", 50_256, "The vocabulary of GPT-2 (OpenAI, 2019), learned from web pages."),
    "cl100k_base": About("cl100k", 100_256, "The vocabulary of GPT-3.5 and GPT-4 (OpenAI, 2022)."),
    "o200k_base": About("o200k", 199_998, "The vocabulary of GPT-4o (OpenAI, 2024)."),
    "tekken": About("Tekken", 130_072, "The vocabulary of Mistral's models since 2024."),
    "qwen": About("Qwen", 151_643, "The vocabulary of Alibaba's Qwen models (2023 to Qwen3)."),
    "clinical": About("clinical", 24_000, "Trained for Glassbox on ICD-10-CM, the code list of diagnoses."),
    "everyday": About("everyday", 24_000, "Trained for Glassbox on WordNet's definitions and examples."),
}


@functools.cache
def load(name: str) -> Vocabulary:
    """Loads a vocabulary, once.

    Args:
        name: One of ``NAMES``.

    Raises:
        ValueError: There is no such vocabulary, or its file has been changed.
        ModuleNotFoundError: tiktoken, which runs the published ones, is not there.
    """
    if name in PATTERNS:
        return Published(name)
    return merges(name)


@functools.cache
def merges(name: str) -> bpe.Tokenizer:
    """Loads a vocabulary as plain merges, run by ``bpe``: for traces, and without tiktoken.

    A published vocabulary cuts text into words with its own pattern; this one uses ``bpe.words`` instead,
    so take it for single words.
    """
    return bpe.Tokenizer.from_bytes(packed(name))


def packed(name: str) -> bytes:
    """Reads a packed vocabulary and checks its hash.

    Raises:
        ValueError: There is no such vocabulary, or its file has been changed.
    """
    if name not in HELD:
        raise ValueError(f"no vocabulary named {name!r}; there are {', '.join(NAMES)}")
    want(name)
    content = _file(name).read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != HELD[name]:
        raise ValueError(f"{_file(name).name} has been changed: its SHA-256 is {found}, not {HELD[name]}")
    return content


def _file(name: str) -> Traversable:
    kind = "bpe" if name in FILES else "json.gz"
    return resources.files("glassbox").joinpath("data", "vocabularies", f"{name}.{kind}")


def want(*names: str) -> None:
    """Asks for vocabularies together, where each is a package of its own: in the browser.

    Raises:
        ModuleNotFoundError: Some are not there yet. The page's worker reads the names in the sentence, loads
            those packages all at once, and asks again.
    """
    missing = [name for name in names if name in HELD and not _file(name).is_file()]
    if missing:
        listed = ", ".join(f"'{module_of(name)}'" for name in missing)
        raise ModuleNotFoundError(f"No module named {listed}", name=module_of(missing[0]))


def module_of(name: str) -> str:
    """The name under which the browser loads a vocabulary."""
    return f"glassbox_{name}"


class Published:
    """A vocabulary of others, encoded by tiktoken over the shipped ranks."""

    def __init__(self, name: str) -> None:
        plain = bpe.Tokenizer.from_bytes(packed(name))
        self.name = name
        self.special = SPECIAL[name]
        self._vocab = plain.vocab
        self._first = FIRST.get(name, 0)
        self._normal = unicode_form("NFC") if name in NORMALISED else None
        self.vocab_size = max(*self.special.values(), self._first + len(self._vocab) - 1) + 1
        self._control = re.compile("(" + "|".join(map(re.escape, self.special)) + ")")
        self._special_data = {i: s.encode() for s, i in self.special.items()}
        self._ranks = {data: rank for rank, data in enumerate(self._vocab)}
        self._encoding = _tiktoken().Encoding(
            name, pat_str=PATTERNS[name], mergeable_ranks=self._ranks, special_tokens={}
        )

    def encode(self, text: str, special: bool = False) -> list[int]:
        """Turns text into ids; see ``bpe.Tokenizer.encode``."""
        utf8(text)
        return self._encode(self._normalised(text).text, special)

    def _normalised(self, text: str) -> Traced:
        return self._normal(Traced.of(text)) if self._normal else Traced.of(text)

    def _encode(self, text: str, special: bool) -> list[int]:
        if special:
            ids: list[int] = []
            for part in self._control.split(text):
                ids += [self.special[part]] if part in self.special else self._encode(part, False)
            return ids
        if len(text) > _LONG_RUN and _LONG.search(text):
            found = self._plain().encode(text)
        else:
            found = self._encoding.encode_ordinary(text)
        return [self._first + i for i in found] if self._first else list(found)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Turns ids into bytes: the exact inverse of ``encode``; for ``qwen``, of the text in form NFC."""
        return b"".join(self.data(i) for i in ids)

    def data(self, token: int) -> bytes:
        """The bytes of one id.

        Raises:
            ValueError: The id is not in the vocabulary.
        """
        if 0 <= token - self._first < len(self._vocab):
            return self._vocab[token - self._first]
        if token not in self._special_data:
            raise ValueError(f"id {token} is not in {self.name}, which has {self.vocab_size:,} ids")
        return self._special_data[token]

    def pieces(self, text: str, special: bool = False) -> list[Piece]:
        """Encodes text, and tells each token's bytes and place."""
        utf8(text)
        read = self._normalised(text)
        ids = self._encode(read.text, special)
        vocab, first = self._vocab, self._first
        found = pieces(ids, [vocab[i - first] if 0 <= i - first < len(vocab) else self.data(i) for i in ids])
        if read.text == text:
            return found
        return [Piece(p.id, p.data, *read.spans(p.start, p.end)) for p in found]

    def replay(self, text: str) -> list[list[list[bytes]]]:
        """Shows how a text is built; see ``bpe.Tokenizer.replay``."""
        utf8(text)
        text = self._normalised(text).text
        pieces = [self.data(i) for i in self.encode(text)]
        states = self._replay([part.encode() for part in self._cuts(text)])
        if [piece for part in states[-1] for piece in part] != pieces:
            # The two pattern engines know different versions of Unicode; tiktoken's cuts count.
            states = self._replay(pieces)
        return states

    def trace(self, word: str) -> list[list[bytes]]:
        """The states of ``replay`` without the cuts."""
        return [[piece for part in state for piece in part] for state in self.replay(word)]

    def _replay(self, parts: Sequence[bytes]) -> list[list[list[bytes]]]:
        # As tiktoken merges: two neighbours become the entry that has their bytes.
        def find(pair: tuple[int, int]) -> int | None:
            return self._ranks.get(self._vocab[pair[0]] + self._vocab[pair[1]])

        singles = [[self._ranks[part[n : n + 1]] for n in range(len(part))] for part in parts]
        states = replay.replay(singles, find)
        return [[[self._vocab[i] for i in ids] for ids in state] for state in states]

    def _plain(self) -> bpe.Tokenizer:
        """The same vocabulary run by ``bpe``: slower, and at ease with a million spaces in a row."""
        base, pairs, _ = packing.unpack(packed(self.name))
        return bpe.Tokenizer(pairs, (), base, self._cuts)

    def _cuts(self, text: str) -> list[str]:
        """The parts that the vocabulary's pattern cuts a text into."""
        regex = importlib.import_module("regex")  # tiktoken's own companion, for \p{L} and its like
        cuts: list[str] = regex.findall(PATTERNS[self.name], text)
        return cuts


def _tiktoken() -> ModuleType:
    try:
        import tiktoken
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "the published vocabularies are run by the package tiktoken, which is not installed; clinical "
            "and everyday work without it",
            name="tiktoken",
        ) from error
    return tiktoken
