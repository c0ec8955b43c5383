"""Byte-pair encoding over the characters of a part, by the merges of a file.

    >>> vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}
    >>> Merging(vocab, [("a", "b"), ("ab", "c")]).cut("abcab")
    [(4, 0, 3), (3, 3, 5)]

Unlike in ``tokens.bpe`` a merge's place in the list, not the number it makes, says how early it was learned.
Where the vocabulary lacks a character, a file may spell it in bytes (``<0xE2>``) or write ``<unk>``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from glassbox.tokens import bpe, replay
from glassbox.tokens.foreign import fields
from glassbox.tokens.foreign.fields import Json, UnknownError

Token = tuple[int, int, int]  # id, start, end: which characters of the part it stands for


class Merging:
    """Turns parts into ids by merges.

    Attributes:
        vocab: Entry to id.
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Sequence[tuple[str, str]],
        unknown: int | None = None,
        fuse_unknown: bool = False,
        byte_fallback: bool = False,
        whole_first: bool = False,
        prefix: str = "",
        suffix: str = "",
    ) -> None:
        """Ties merges to ids.

        Args:
            vocab: Entry to id.
            merges: Pairs of entries, the earliest learned first.
            unknown: The id for a character that the vocabulary lacks; without one it is left out.
            fuse_unknown: One id for a run of such characters.
            byte_fallback: Spell such a character in ``<0x00>`` to ``<0xFF>`` instead.
            whole_first: A part that is itself an entry needs no merges (``ignore_merges`` in the file).
            prefix: What entries that do not begin a part are written with.
            suffix: What entries that end a part are written with.
        """
        self.vocab = vocab
        self._ranks = _ranks(vocab, merges, len(prefix))
        self._unknown, self._fuse = unknown, fuse_unknown
        self._bytes = [vocab.get(f"<0x{b:02X}>") for b in range(256)] if byte_fallback else []
        self._whole, self._prefix, self._suffix = whole_first, prefix, suffix

    def cut(self, part: str) -> list[Token]:
        """Cuts one part into (id, start, end)."""
        if self._whole and part in self.vocab:
            return [(self.vocab[part], 0, len(part))]
        singles = self.singles(part)
        if not singles:  # the vocabulary has none of its characters, and nothing that stands for them
            return []
        places = bpe.merge_places([token for token, _, _ in singles], self.find)
        heads = [n for n, token in enumerate(places) if token >= 0]
        lasts = [n - 1 for n in [*heads[1:], len(singles)]]
        return [(places[n], singles[n][1], singles[m][2]) for n, m in zip(heads, lasts, strict=True)]

    def find(self, pair: tuple[int, int]) -> int | None:
        """What a pair becomes, its place in the list of merges above ``replay.ORDER`` bits of its id."""
        return self._ranks.get(pair)

    def singles(self, part: str) -> list[Token]:
        """A part before any merge: its characters, or what stands for those that the vocabulary lacks."""
        out: list[Token] = []
        waiting: Token | None = None  # an unknown one that the next may join
        for at, c in enumerate(part):
            entry = (self._prefix if at else "") + c + (self._suffix if at == len(part) - 1 else "")
            token = self.vocab.get(entry)
            if token is not None:
                out += [*([waiting] if waiting else []), (token, at, at + 1)]
                waiting = None
                continue
            spelled = [self._bytes[b] for b in entry.encode()] if self._bytes else [None]
            if None not in spelled:
                out += [(b, at, at + 1) for b in spelled if b is not None]
            elif self._unknown is not None:
                if waiting and not self._fuse:
                    out.append(waiting)
                start = waiting[1] if waiting and self._fuse else at
                waiting = (self._unknown, start, at + 1)
        return [*out, waiting] if waiting else out


def _ranks(
    vocab: Mapping[str, int], merges: Sequence[tuple[str, str]], skip: int
) -> dict[tuple[int, int], int]:
    ranks: dict[tuple[int, int], int] = {}
    for order, (left, right) in enumerate(merges):
        try:
            pair, new_id = (vocab[left], vocab[right]), vocab[left + right[skip:]]
        except KeyError as error:
            raise ValueError(
                f"merge {order + 1:,} joins {left!r} and {right!r}, and the vocabulary has no {error}"
            ) from None
        ranks[pair] = order << replay.ORDER | new_id
    return ranks


def make(step: Json) -> Merging:
    """A ``BPE`` model as a file describes it.

    Raises:
        UnknownError: It has a field that is not known here.
        ValueError: A field has a value that it cannot have, or a merge is not in the vocabulary.
    """
    fields.only(step, _FIELDS)
    if fields.get(step, "dropout", (int, float), 0):
        raise UnknownError("the file leaves out merges at random (dropout), so one text has many splits")
    vocab = entries(step)
    unknown = fields.get(step, "unk_token", str)
    if unknown is not None and unknown not in vocab:
        raise ValueError(f"unk_token is {unknown!r}, which the vocabulary does not hold")
    return Merging(
        vocab,
        [_pair(merge, n) for n, merge in enumerate(fields.get(step, "merges", list, []), 1)],
        None if unknown is None else vocab[unknown],
        fields.get(step, "fuse_unk", bool, False),
        fields.get(step, "byte_fallback", bool, False),
        fields.get(step, "ignore_merges", bool, False),
        fields.get(step, "continuing_subword_prefix", str, ""),
        fields.get(step, "end_of_word_suffix", str, ""),
    )


_FIELDS = (
    "vocab merges unk_token fuse_unk byte_fallback ignore_merges dropout "
    "continuing_subword_prefix end_of_word_suffix"
)


def entries(step: Json) -> dict[str, int]:
    """The vocabulary of a model, entry to id.

    Raises:
        ValueError: It is missing, or an id is not a number that an id can be.
    """
    vocab = fields.need(step, "vocab", dict)
    for entry, token in vocab.items():
        if not isinstance(token, int) or not 0 <= token <= replay.ID:
            raise ValueError(f"the vocabulary gives {entry[:40]!r} the id {token!r}, which no id can be")
    return dict(vocab)


def _pair(merge: object, place: int) -> tuple[str, str]:
    parts = merge.split(" ") if isinstance(merge, str) else merge
    if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(p, str) for p in parts):
        raise ValueError(f"merge {place:,} is {str(merge)[:60]!r}; it should be two entries")
    return parts[0], parts[1]
