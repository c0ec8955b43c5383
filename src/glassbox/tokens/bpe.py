"""Byte-pair encoding: start from the 256 bytes, and keep joining the pair that occurs most often.

By hand, from the text ``aaabdaaabac``:

    aa occurs most often           -> 256    256 a b d 256 a b a c
    (a b) and (256 a) occur twice  -> 257    256 257 d 256 257 a c      a tie: the smaller pair of ids wins
    (256 257) occurs twice         -> 258    258 d 258 a c

    >>> train(["aaabdaaabac"], 259).encode("aaabdaaabac")
    [258, 100, 258, 97, 99]

Text is first cut into words (``words``) and no token reaches across a cut. Nothing is normalised: case,
accents and spaces are kept, so ``decode_bytes`` is the exact inverse of ``encode`` for every text.

Source: Gage 1994, "A New Algorithm for Data Compression"; Sennrich et al. 2016, arXiv:1508.07909;
the byte level is from Radford et al. 2019 (GPT-2).
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from glassbox.tokens import packing, replay
from glassbox.tokens.pieces import Piece, pieces, utf8

Pair = tuple[int, int]

N_BYTES = 256
_CACHED_WORDS = 50_000

# A space belongs to the word that follows it. Letters, digits and signs are kept apart, as in GPT-2; the
# last alternative but one leaves a word its space when several spaces stand before it.
_WORD = re.compile(r" ?[^\W\d_]+| ?\d+| ?(?:[^\w\s]|_)+|\s+(?!\S)|\s+")


def words(text: str) -> list[str]:
    """Cuts text into the words that are encoded one by one; joined they are the text.

    >>> words("Give 25 mg,  twice.")
    ['Give', ' 25', ' mg', ',', ' ', ' twice', '.']
    """
    return _WORD.findall(text)


class Merge(NamedTuple):
    """One step of training: these two became this one, because they stood together so many times."""

    pair: Pair
    id: int
    times: int


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Counts the words of all texts: what training needs to know of them."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(words(text))
    return counts


def learn(word_counts: Mapping[str, int]) -> Iterator[Merge]:
    """Finds merges one by one, the most frequent pair first, until no pair occurs twice.

    Equal counts: the pair with the smaller left id wins, then the smaller right id.
    """
    pairs = _Pairs(word_counts)
    heap = [(-times, pair) for pair, times in pairs.times.items()]
    heapq.heapify(heap)
    new_id = N_BYTES
    while heap:
        times, pair = heapq.heappop(heap)
        if pairs.times.get(pair) != -times:
            continue  # an old entry: this pair's count has changed since
        if -times < 2:
            return
        for changed in pairs.merge(pair, new_id):
            heapq.heappush(heap, (-pairs.times[changed], changed))
        yield Merge(pair, new_id, -times)
        new_id += 1


class _Pairs:
    """How often each pair stands together, kept right while pairs are merged.

    Only the words that hold the merged pair are counted anew, so that a merge costs what it changes and
    not what the text weighs.
    """

    def __init__(self, word_counts: Mapping[str, int]) -> None:
        self.times: dict[Pair, int] = defaultdict(int)
        self._where: dict[Pair, set[int]] = defaultdict(set)  # the words that hold, or once held, a pair
        self._weight = list(word_counts.values())
        self._spelled = [list(utf8(word)) for word in word_counts]
        for index in range(len(self._spelled)):
            self._count(index, 1)

    def merge(self, pair: Pair, new_id: int) -> list[Pair]:
        """Merges a pair in all words; returns the pairs whose count has changed and is not 0."""
        changed: set[Pair] = set()
        for index in self._where.pop(pair):
            merged = join(self._spelled[index], pair, new_id)
            if len(merged) == len(self._spelled[index]):
                continue
            changed.update(self._count(index, -1))
            self._spelled[index] = merged
            changed.update(self._count(index, 1))
        for gone in [p for p in changed if not self.times[p]]:
            del self.times[gone]
            changed.discard(gone)
        return list(changed)

    def _count(self, index: int, sign: int) -> list[Pair]:
        ids, weight = self._spelled[index], sign * self._weight[index]
        pairs = list(itertools.pairwise(ids))
        for pair in pairs:
            self.times[pair] += weight
            if sign > 0:
                self._where[pair].add(index)
        return pairs


def join(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    """Replaces each occurrence of the pair, from the left.

    >>> join([1, 1, 1, 2], (1, 1), 9)
    [9, 1, 2]
    """
    left, right = pair
    out: list[int] = []
    at, last = 0, len(ids) - 1
    while at <= last:
        if at < last and ids[at] == left and ids[at + 1] == right:
            out.append(new_id)
            at += 2
        else:
            out.append(ids[at])
            at += 1
    return out


def train(texts: Iterable[str], vocab_size: int, special: Sequence[str] = ()) -> Tokenizer:
    """Learns a tokenizer.

    Args:
        texts: What to learn from.
        vocab_size: Entries in all: 256 bytes, the merges, the special tokens. It is smaller in the end
            when no pair occurs twice any more.
        special: Control tokens such as ``<|endoftext|>``; they take the last ids.

    Raises:
        ValueError: The size has no room for the bytes and the special tokens.
    """
    n_merges = vocab_size - N_BYTES - len(special)
    if n_merges < 0:
        raise ValueError(f"vocab_size={vocab_size} is below {N_BYTES} bytes + {len(special)} special tokens")
    found = learn(count_words(texts))
    merges = [merge.pair for merge, _ in zip(found, range(n_merges), strict=False)]
    return Tokenizer(merges, special)


class Tokenizer:
    """Text to ids and back.

    Attributes:
        merges: ``((left id, right id), new id)`` in the order they were learned.
        vocab: The bytes of every id.
        special: Control token to id.
        vocab_size: Number of ids.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        special: Sequence[str] = (),
        base: bytes = bytes(range(N_BYTES)),
        split: Callable[[str], list[str]] = words,
    ) -> None:
        """Builds a tokenizer from its merges.

        Args:
            pairs: The merged pairs; the first makes id 256.
            special: Control tokens, which take the ids after the last merge.
            base: The byte that each of the ids 0 to 255 stands for.
            split: Cuts a text into words.
        """
        if sorted(base) != list(range(N_BYTES)):
            raise ValueError(f"base must hold each of {N_BYTES} bytes once, not {len(set(base))} of them")
        self.merges = [(pair, N_BYTES + n) for n, pair in enumerate(pairs)]
        self.vocab = [bytes([b]) for b in base]
        for (left, right), new_id in self.merges:
            if not (0 <= left < new_id and 0 <= right < new_id):
                raise ValueError(f"merge {new_id} joins {left} and {right}; both must come before it")
            self.vocab.append(self.vocab[left] + self.vocab[right])
        self.special = {name: len(self.vocab) + n for n, name in enumerate(special)}
        self.vocab += [name.encode() for name in special]
        self.vocab_size = len(self.vocab)
        self._joined = dict(self.merges)
        self._byte_ids = [base.index(b) for b in range(N_BYTES)]
        self._split = split
        self._cache: dict[str, list[int]] = {}
        self._special = re.compile("(" + "|".join(map(re.escape, special)) + ")") if special else None

    def encode(self, text: str, special: bool = False) -> list[int]:
        """Turns text into ids.

        Args:
            text: Any text.
            special: Read control tokens such as ``<|endoftext|>`` as such; else they are ordinary text.

        Raises:
            ValueError: The text holds half of a surrogate pair.
        """
        utf8(text)
        if special and self._special:
            ids: list[int] = []
            for part in self._special.split(text):
                ids += [self.special[part]] if part in self.special else self.encode(part)
            return ids
        ids = []
        cache = self._cache
        for word in self._split(text):
            known = cache.get(word)
            if known is None:
                known = merge_word([self._byte_ids[b] for b in word.encode()], self._joined.get)
                if len(cache) >= _CACHED_WORDS:
                    cache.clear()
                cache[word] = known
            ids += known
        return ids

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Turns ids into bytes: the exact inverse of ``encode``.

        Raises:
            ValueError: An id is not in the vocabulary.
        """
        return b"".join(self.data(i) for i in ids)

    def data(self, token: int) -> bytes:
        """The bytes of one id."""
        if not 0 <= token < self.vocab_size:
            raise ValueError(f"id {token} is not in this vocabulary of {self.vocab_size:,}")
        return self.vocab[token]

    def pieces(self, text: str, special: bool = False) -> list[Piece]:
        """Encodes text, and tells each token's bytes and place."""
        ids = self.encode(text, special)
        return pieces(ids, [self.vocab[i] for i in ids])

    def replay(self, text: str) -> list[list[list[bytes]]]:
        """Shows how a text is built: its single bytes, then the text after each merge.

        Returns:
            One state for the start and for each merge: the pieces of each part that ``split`` cuts first. A
            merge joins every place where its pair stands. The last state is what ``encode`` makes.
        """
        utf8(text)
        parts = [[self._byte_ids[b] for b in word.encode()] for word in self._split(text)]
        states = replay.replay(parts, self._joined.get)
        return [[[self.vocab[i] for i in ids] for ids in state] for state in states]

    def trace(self, word: str) -> list[list[bytes]]:
        """The states of ``replay`` without the cuts: the pieces of the word after each merge."""
        return [[piece for part in state for piece in part] for state in self.replay(word)]

    def to_bytes(self) -> bytes:
        """Packs the tokenizer (not its ``split``) into a few bytes a merge; see ``packing``."""
        base = b"".join(self.vocab[:N_BYTES])
        return packing.pack(base, [pair for pair, _ in self.merges], tuple(self.special))

    @classmethod
    def from_bytes(cls, packed: bytes, split: Callable[[str], list[str]] = words) -> Tokenizer:
        """Restores what ``to_bytes`` packed."""
        base, pairs, special = packing.unpack(packed)
        return cls(pairs, special, base, split)


def merge_word(ids: Sequence[int], find: Callable[[Pair], int | None]) -> list[int]:
    """Applies merges to one word, the earliest learned first, from the left; see ``merge_places``."""
    return [i for i in merge_places(ids, find) if i >= 0]


def merge_places(ids: Sequence[int], find: Callable[[Pair], int | None]) -> list[int]:
    """Applies merges to one word, the earliest learned first, from the left.

    The word is a linked list and the possible merges wait in a heap, so a word of n bytes takes
    n log n steps: twenty thousand times the letter a is no trap.

    Args:
        ids: What to merge.
        find: The id that a pair becomes, None where it was never merged. Ids are taken to stand in the
            order of learning; where they do not, the order stands above ``replay.ORDER`` bits of the id.

    Returns:
        As many as ``ids``: a merged id in the place of its first part, -1 in those of the others.
    """
    n = len(ids)
    ids = list(ids)
    if n < 2:
        return ids
    after, before = list(range(1, n + 1)), list(range(-1, n - 1))
    heap = [(to, i) for i, p in enumerate(itertools.pairwise(ids)) if (to := find(p)) is not None]
    heapq.heapify(heap)
    while heap:
        to, at = heapq.heappop(heap)
        following = after[at]
        if following >= n or find((ids[at], ids[following])) != to:
            continue  # one of the two has been merged elsewhere since
        new_id = to & replay.ID
        ids[at], ids[following] = new_id, -1
        after[at] = beyond = after[following]
        if beyond < n:
            before[beyond] = at
            if (candidate := find((new_id, ids[beyond]))) is not None:
                heapq.heappush(heap, (candidate, at))
        if (previous := before[at]) >= 0 and (candidate := find((ids[previous], new_id))) is not None:
            heapq.heappush(heap, (candidate, previous))
    return ids
