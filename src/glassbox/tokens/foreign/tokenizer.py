"""A tokenizer put together from the parts of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from glassbox.tokens import replay
from glassbox.tokens.foreign import added, cuts, letters, normals
from glassbox.tokens.foreign.merging import Merging, Token
from glassbox.tokens.foreign.traced import Traced
from glassbox.tokens.pieces import Piece, utf8

_CACHED_PARTS = 50_000


class Method(Protocol):
    """Turns one part into ids."""

    @property
    def vocab(self) -> Mapping[str, int]: ...  # noqa: D102

    def cut(self, part: str) -> list[Token]: ...  # noqa: D102


@dataclass(frozen=True)
class Surface:
    """How entries are written, and so what bytes they stand for.

    Attributes:
        byte_level: An entry's characters are bytes (see ``letters``).
        byte_fallback: ``<0x0A>`` is a byte.
        space: What is written for a space, as ``▁``; empty where nothing is.
        begins: Whether a space was put before the text, which no reader wrote.
        continues: What entries begin with inside a word, as ``##``; a space belongs before others.
        closes: What entries end with that end a word, as ``</w>``.
    """

    byte_level: bool = False
    byte_fallback: bool = False
    space: str = ""
    begins: bool = False
    continues: str = ""
    closes: str = ""

    def data(self, entry: str) -> bytes:
        """The bytes of an entry."""
        if self.byte_level and (data := letters.data(entry)) is not None:
            return data
        if self.byte_fallback and (byte := _BYTE.fullmatch(entry)):
            return bytes([int(byte[1], 16)])
        if self.closes and entry.endswith(self.closes):
            entry = entry.removesuffix(self.closes) + " "
        return (entry.replace(self.space, " ") if self.space else entry).encode("utf-8", "surrogatepass")

    def joined(self, parts: Sequence[bytes]) -> bytes:
        """Puts the bytes of several entries together."""
        inside = self.continues.encode()
        if inside:
            words = [p.removeprefix(inside) if p.startswith(inside) else b" " + p for p in parts]
            return b"".join(words).removeprefix(b" ")
        whole = b"".join(parts)
        if self.closes:
            return whole.removesuffix(b" ")
        return whole.removeprefix(b" ") if self.begins else whole


_BYTE = re.compile("<0x([0-9A-F]{2})>")


@dataclass(frozen=True)
class Plan:
    """The steps of a file, in the order in which a text goes through them.

    Attributes:
        added: Entries that are found first.
        normal: How text is normalised.
        cut: How it is cut into parts.
        method: How a part becomes ids.
        surface: How entries are written.
        before: Ids that the file puts before a text, as a start token.
        after: Ids that it puts behind one.
        kind: The method's name, as a reader knows it.
        steps: What happens to a text on its way, in a sentence.
    """

    added: Sequence[added.Entry]
    normal: normals.Normal
    cut: cuts.Cut
    method: Method
    surface: Surface = field(default_factory=Surface)
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    kind: str = "byte-level BPE"
    steps: str = ""


class Tokenizer:
    """Text to ids and back, as the file's own program does it.

    Attributes:
        special: Control token to id.
        vocab_size: One more than the largest id.
        before: Ids that the file puts before a text (``wrapped``).
        after: Ids that it puts behind one.
        steps: What happens to a text on its way, in a sentence.
        kind: ``byte-level BPE``, ``BPE with byte fallback``, ``Unigram``, ``WordPiece`` or ``BPE``.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        entries = {token: entry for entry, token in plan.method.vocab.items()}
        self._data = {token: plan.surface.data(entry) for token, entry in entries.items()}
        self._data |= {e.id: e.content.encode() for e in plan.added}
        self.special = {e.content: e.id for e in plan.added if e.special}
        self.vocab_size = max(self._data, default=-1) + 1
        self.before, self.after = plan.before, plan.after
        self.kind, self.steps = plan.kind, plan.steps
        self._first = added.Finder([e for e in plan.added if not e.normalized])
        self._then = added.Finder([e for e in plan.added if e.normalized], self._written)
        self._cache: dict[str, list[Token]] = {}

    def _written(self, content: str) -> str:
        return self._plan.normal(Traced.of(content)).text

    def encode(self, text: str, special: bool = False) -> list[int]:
        """Turns text into ids.

        Args:
            text: Any text.
            special: Read control tokens such as ``<|endoftext|>`` as such; else they are ordinary text.

        Raises:
            ValueError: The text holds half of a surrogate pair.
        """
        utf8(text)
        ids: list[int] = []
        for entry, part in self._parts(text, special):
            ids += [entry.id] if entry else [token for token, _, _ in self._tokens(part.text)]
        return ids

    def wrapped(self, ids: Sequence[int]) -> list[int]:
        """The ids of a text with those that the file puts before and behind it."""
        return [*self.before, *ids, *self.after]

    def pieces(self, text: str, special: bool = False) -> list[Piece]:
        """Encodes text, and tells each token's bytes and place.

        Bytes are those of the entry; where the file rewrites text they differ from what stands in that place.
        """
        utf8(text)
        out: list[Piece] = []
        for entry, part in self._parts(text, special):
            tokens = [(entry.id, 0, len(part.text))] if entry else self._tokens(part.text)
            out += [Piece(token, self._data[token], *part.spans(start, end)) for token, start, end in tokens]
        return out

    def _parts(self, text: str, special: bool) -> Iterator[tuple[added.Entry | None, Traced]]:
        """Added entries, and the parts that everything between them is cut into."""
        for first, stretch in self._first.split(Traced.of(text), special):
            if first:
                yield first, stretch
                continue
            for entry, rest in self._then.split(self._plan.normal(stretch), special):
                if entry:
                    yield entry, rest
                else:
                    yield from ((None, part) for part in self._plan.cut(rest) if part.text)

    def _tokens(self, part: str) -> list[Token]:
        known = self._cache.get(part)
        if known is None:
            if len(self._cache) >= _CACHED_PARTS:
                self._cache.clear()
            known = self._cache[part] = self._plan.method.cut(part)
        return known

    def data(self, token: int) -> bytes:
        """The bytes of one id.

        Raises:
            ValueError: The id is not in the vocabulary.
        """
        if token not in self._data:
            raise ValueError(f"id {token} is not in this vocabulary of {len(self._data):,}")
        return self._data[token]

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Turns ids into bytes; the inverse of ``encode`` as far as the file's steps lose nothing."""
        return self._plan.surface.joined([self.data(i) for i in ids])

    def replay(self, text: str) -> list[list[list[bytes]]]:
        """Shows how a text is built; see ``bpe.Tokenizer.replay``.

        Raises:
            ValueError: The file's method does not merge.
        """
        method = self._plan.method
        if not isinstance(method, Merging):
            raise ValueError(f"{self.kind} does not build its pieces by merging: nothing to replay")
        parts = [part.text for entry, part in self._parts(text, False) if not entry]
        singles = [[token for token, _, _ in method.singles(part)] for part in parts]
        states = replay.replay(singles, method.find)
        return [[[self._data[i] for i in ids] for ids in state] for state in states]

    def trace(self, word: str) -> list[list[bytes]]:
        """The states of ``replay`` without the cuts."""
        return [[piece for part in state for piece in part] for state in self.replay(word)]
