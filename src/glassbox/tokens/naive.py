"""Byte-pair encoding as plainly as it can be said: count all pairs, join the best, and again.

Read this before ``bpe``, which gives the same merges and the same ids in a fraction of the time. Nothing is
remembered from one merge to the next, so training takes merges × text and encoding a word of n bytes takes
n² steps. The tests hold the fast one to this one.

    >>> train(["aaabdaaabac"], 259)
    [((97, 97), 256), ((97, 98), 257), ((256, 257), 258)]
    >>> encode("aaabdaaabac", train(["aaabdaaabac"], 259))
    [258, 100, 258, 97, 99]
    >>> decode([258, 100], train(["aaabdaaabac"], 259))
    b'aaabd'

Source: Sennrich et al. 2016, arXiv:1508.07909, algorithm 1, on bytes.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from glassbox.tokens import bpe

Pair = tuple[int, int]
Merge = tuple[Pair, int]

N_BYTES = 256


def train(texts: Iterable[str], vocab_size: int) -> list[Merge]:
    """Learns merges until the vocabulary is full or no pair occurs twice.

    Args:
        texts: What to learn from; no merge reaches across a cut between words.
        vocab_size: Entries in all, the 256 bytes among them.

    Returns:
        (pair, new id) in the order they were learned.
    """
    times = bpe.count_words(texts)
    spelled = {word: list(word.encode()) for word in times}
    merges: list[Merge] = []
    while len(merges) < vocab_size - N_BYTES:
        best = likeliest(count((ids, times[word]) for word, ids in spelled.items()))
        if best is None:
            break
        merges.append((best, N_BYTES + len(merges)))
        spelled = {word: join(ids, *merges[-1]) for word, ids in spelled.items()}
    return merges


def count(words: Iterable[tuple[Sequence[int], int]]) -> Counter[Pair]:
    """How often each pair stands together, over all words (ids, times) as often as they occur."""
    pairs: Counter[Pair] = Counter()
    for ids, times in words:
        for pair in itertools.pairwise(ids):
            pairs[pair] += times
    return pairs


def likeliest(pairs: Mapping[Pair, int]) -> Pair | None:
    """The most frequent pair, the smaller one of equals; None where none occurs twice."""
    best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
    return best if best is not None and pairs[best] >= 2 else None


def join(ids: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """Replaces each occurrence of the pair, from the left.

    >>> join([1, 1, 1, 2], (1, 1), 9)
    [9, 1, 2]
    """
    out: list[int] = []
    at = 0
    while at < len(ids):
        if tuple(ids[at : at + 2]) == pair:
            out.append(new_id)
            at += 2
        else:
            out.append(ids[at])
            at += 1
    return out


def encode(text: str, merges: Iterable[Merge]) -> list[int]:
    """Turns text into ids: in each word the earliest learned merge comes first, until none is left."""
    new_ids, out = dict(merges), []
    for word in bpe.words(text):
        ids = list(word.encode())
        while known := [pair for pair in itertools.pairwise(ids) if pair in new_ids]:
            first = min(known, key=new_ids.__getitem__)
            ids = join(ids, first, new_ids[first])
        out += ids
    return out


def decode(ids: Iterable[int], merges: Iterable[Merge]) -> bytes:
    """Turns ids into bytes: a merged id is its two parts, one after the other."""
    vocab = {n: bytes([n]) for n in range(N_BYTES)}
    for (left, right), new_id in merges:
        vocab[new_id] = vocab[left] + vocab[right]
    return b"".join(vocab[i] for i in ids)
