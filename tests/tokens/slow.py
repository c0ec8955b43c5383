"""The plainest trainer and encoder: count all, merge all, again and again. The oracle, and the benchmark's baseline."""

import itertools
from collections import Counter

from glassbox.tokens import bpe


def train(texts, vocab_size):
    """Counts every pair of every distinct word anew for each merge; same tie rule as ``bpe``."""
    counts = bpe.count_words(texts)
    spelled = {word: list(word.encode()) for word in counts}
    merges = []
    while len(merges) < vocab_size - 256:
        pairs = Counter()
        for word, ids in spelled.items():
            for pair in itertools.pairwise(ids):
                pairs[pair] += counts[word]
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], p))
        if pairs[best] < 2:
            break
        new = 256 + len(merges)
        merges.append((best, new))
        spelled = {word: replace(ids, best, new) for word, ids in spelled.items()}
    return merges


def encode(tokenizer, text):
    """Scans each word for its earliest merge until there is none."""
    order = dict(tokenizer.merges)
    out = []
    for word in bpe.words(text):
        ids = list(word.encode())
        while known := [p for p in itertools.pairwise(ids) if p in order]:
            best = min(known, key=order.__getitem__)
            ids = replace(ids, best, order[best])
        out += ids
    return out


def replace(ids, pair, new):
    """Replaces a pair from the left."""
    out, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            out.append(new)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out


def one_merge(spelled, weights, new):
    """Counts all pairs and merges the best in place: what a rescanning trainer does for each merge."""
    pairs = Counter()
    for ids, weight in zip(spelled, weights, strict=True):
        for pair in itertools.pairwise(ids):
            pairs[pair] += weight
    best = min(pairs, key=lambda p: (-pairs[p], p))
    for i, ids in enumerate(spelled):
        spelled[i] = replace(ids, best, new)
    return best
