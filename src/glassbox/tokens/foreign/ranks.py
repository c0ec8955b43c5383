"""Byte-pair encoding by ranks: two neighbours join where the vocabulary holds their bytes as one entry.

So tiktoken merges. There is no list of pairs; an entry's number says how early it was learned.

    >>> Ranks({b"a": 0, b"b": 1, b"ab": 2}).cut("abb")
    [(2, 0, 2), (1, 2, 3)]

A ``.tiktoken`` file is a line for each entry, its bytes in base64 and its number. It does not say how text is
cut first; where the number of entries tells whose file it is, that firm's pattern is taken.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from glassbox.tokens import bpe, patterns
from glassbox.tokens.foreign import cuts, fields, letters, normals
from glassbox.tokens.foreign.added import Entry
from glassbox.tokens.foreign.fields import Json
from glassbox.tokens.foreign.merging import Token
from glassbox.tokens.foreign.tokenizer import Plan, Surface, Tokenizer

# Entries of known files, and the pattern that their programs use; Llama 3's is that of cl100k_base.
KNOWN = {
    50_256: ("GPT-2", "gpt2"),
    100_256: ("cl100k", "cl100k_base"),
    128_000: ("Llama 3", "cl100k_base"),
    151_643: ("Qwen", "qwen"),
    199_998: ("o200k", "o200k_base"),
}


class Ranks:
    """Turns parts into ids by ranks.

    Attributes:
        vocab: Entry, written in ``letters``, to id.
    """

    def __init__(self, ranks: Mapping[bytes, int], first: int = 0) -> None:
        """Keeps the entries.

        Args:
            ranks: Bytes to number.
            first: The id of number 0.
        """
        self._ranks, self._first = ranks, first
        self._data = {rank: data for data, rank in ranks.items()}
        self.vocab = {"".join(letters.OF_BYTE[b] for b in d): first + r for d, r in ranks.items()}

    def cut(self, part: str) -> list[Token]:
        """Cuts one part into (id, start, end), in characters."""
        data = part.encode()
        if data in self._ranks:  # an entry need not be made of two others
            return [(self._first + self._ranks[data], 0, len(part))]
        owner = [n for n, c in enumerate(part) for _ in c.encode()]  # the character that a byte is of
        places = bpe.merge_places([self._ranks[data[n : n + 1]] for n in range(len(data))], self.find)
        heads = [n for n, rank in enumerate(places) if rank >= 0]
        ends = [*heads[1:], len(data)]
        return [
            (self._first + places[n], owner[n], owner[m - 1] + 1) for n, m in zip(heads, ends, strict=True)
        ]

    def find(self, pair: tuple[int, int]) -> int | None:
        """The number of the entry that two entries' bytes make, None where there is none."""
        if pair[0] < 0 or pair[1] < 0:
            return None
        return self._ranks.get(self._data[pair[0]] + self._data[pair[1]])


def read_lines(content: bytes) -> Tokenizer:
    """Reads a ``.tiktoken`` file.

    Raises:
        ValueError: A line is not one, or a byte has no entry.
    """
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error):
            shown = line[:40].decode("utf-8", "replace")
            raise ValueError(
                f"line {number:,} of this file is {shown!r}; in a .tiktoken file it is an entry in base64 "
                "and its number"
            ) from None
    name, cut = KNOWN.get(len(ranks), ("", "cl100k_base"))
    whose = f"as {name} does" if name else "as GPT-4 does: the file does not say how"
    return _tokenizer(ranks, patterns.PATTERNS[cut], whose, form="NFC" if cut in patterns.NORMALISED else "")


def read_tekken(content: Json) -> Tokenizer:
    """Reads a ``tekken.json``, Mistral's own form.

    Raises:
        ValueError: A field is missing or of another kind.
    """
    config = fields.need(content, "config", dict)
    n_special = fields.need(config, "default_num_special_tokens", int)
    used = fields.need(config, "default_vocab_size", int) - n_special
    ranks: dict[bytes, int] = {}
    for n, entry in enumerate(fields.need(content, "vocab", list)[: max(0, used)]):
        try:
            ranks[base64.b64decode(entry["token_bytes"], validate=True)] = n
        except (TypeError, KeyError, ValueError):
            raise ValueError(f"entry {n:,} of the vocabulary has no token_bytes in base64") from None
    pattern = fields.need(config, "pattern", str)
    special = [_special(s, n) for n, s in enumerate(fields.get(content, "special_tokens", list, []))]
    return _tokenizer(ranks, pattern, "by the file's pattern", n_special, special)


def _special(entry: Any, place: int) -> Entry:
    if not isinstance(entry, dict) or not isinstance(entry.get("token_str"), str):
        raise ValueError(f"special token {place} of the file has no token_str")
    return Entry(fields.get(entry, "rank", int, place), entry["token_str"], special=True, normalized=False)


def _tokenizer(
    ranks: dict[bytes, int],
    pattern: str,
    whose: str,
    first: int = 0,
    special: list[Entry] | None = None,
    form: str = "",
) -> Tokenizer:
    missing = [b for b in range(256) if bytes([b]) not in ranks]
    if missing:
        raise ValueError(f"no entry of this file is the byte {missing[0]:02X}, and all 256 are needed")
    return Tokenizer(
        Plan(
            special or [],
            normals.make({"type": form} if form else None),
            cuts.pattern(pattern),
            Ranks(ranks, first),
            Surface(byte_level=True),
            kind="byte-level BPE",
            steps=f"Text is cut {whose}.",
        )
    )
