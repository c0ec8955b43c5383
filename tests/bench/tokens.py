"""How fast the tokenizer is, as ratios measured in one run: ``python -m tests.bench.tokens``.

* training on 1 MB to 4,000 entries, against a trainer that counts every pair anew for each merge;
* the time of one merge, on 1 MB and on the same text four times over;
* encoding, against the encoder that tiktoken ships for teaching, on the same ranks and words.

Times are processor time, so that other work on the machine does not count.
"""

# ruff: noqa: T201 - a benchmark prints

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import regex
import tiktoken._educational as educational

from glassbox.tokens import bpe, measure, naive, packing, vocabularies

SIZE = 4_000
SLOW_MERGES = 16  # of the rescanning trainer, spread over the run; all of them would take many minutes


def megabyte() -> list[str]:
    """About 1 MB of text with many different words: sample texts, the training mix, all languages."""
    mix = measure.mix()
    texts = [t for kind in ("everyday", "clinical") for t in mix[kind]]
    texts += [t for d in measure.declarations().values() for t in measure.articles(d).values()]
    # the same texts with every word spelled backwards, and in capitals, bring new words rather than repeats
    texts += [" ".join(w[::-1] for w in t.split()) for t in texts] + [t.upper() for t in texts]
    size = sum(len(t.encode()) for t in texts)
    return texts * (1_000_000 // size + 1)


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The median time of a piece of work."""
    times = []
    for _ in range(repeats):
        before = time.process_time()
        work()
        times.append(time.process_time() - before)
    return statistics.median(times)


def rescanning(texts: list[str], merges: list[tuple[bpe.Pair, int]], distinct: bool) -> float:
    """Estimates how long a rescanning trainer takes, from ``SLOW_MERGES`` of its merges.

    Args:
        texts: What it trains on.
        merges: All merges, as found by ``bpe``.
        distinct: Rescan each distinct word once with its count, rather than the whole text.
    """
    counts = bpe.count_words(texts)
    words = list(counts) if distinct else [w for t in texts for w in bpe.words(t)]
    every = len(merges) // SLOW_MERGES
    spent = 0.0
    for start in range(0, len(merges), every):
        plain = bpe.Tokenizer([pair for pair, _ in merges[:start]])
        spelled = [plain.encode(w) for w in words]
        times = [counts[w] if distinct else 1 for w in words]
        before = time.process_time()
        best = naive.likeliest(naive.count(zip(spelled, times, strict=True)))
        if best is not None:
            spelled = [naive.join(ids, best, 256 + start) for ids in spelled]
        spent += time.process_time() - before
    return spent * every


def training() -> None:
    """Prints the training ratios."""
    texts = megabyte()
    n_bytes = sum(len(t.encode()) for t in texts)
    ours = seconds(lambda: bpe.train(texts, SIZE))
    merges = bpe.train(texts, SIZE).merges
    print(f"training on {n_bytes / 1e6:.2f} MB to {SIZE:,} entries: {ours:.2f} s")
    whole, distinct = rescanning(texts, merges, False), rescanning(texts, merges, True)
    print(
        f"  rescanning the text for each merge: {whole:.0f} s, {whole / ours:.0f} times as long (at least 20)"
    )
    print(f"  rescanning the distinct words only: {distinct:.0f} s, {distinct / ours:.0f} times as long")
    one, four = per_merge(texts), per_merge(texts * 4)
    print(f"time per merge: {one * 1e6:.0f} µs on 1 MB, {four * 1e6:.0f} µs on 4 MB, ratio {four / one:.2f}")
    early, late = halves(texts)
    print(
        f"  last quarter of the merges against the first: ratio {late / early:.2f} (not growing: at most 1)"
    )


def per_merge(texts: list[str]) -> float:
    """Seconds per merge, without counting the words."""
    counts = bpe.count_words(texts)

    def merge() -> None:
        for _, _ in zip(bpe.learn(counts), range(SIZE - bpe.N_BYTES), strict=False):
            pass

    return seconds(merge) / (SIZE - bpe.N_BYTES)


def halves(texts: list[str]) -> tuple[float, float]:
    """Seconds of the first quarter of the merges and of the last; the first pair is counted before."""
    found = bpe.learn(bpe.count_words(texts))
    next(found)
    quarter = (SIZE - bpe.N_BYTES) // 4
    marks = []
    for n, _ in enumerate(found):
        if n % quarter == 0:
            marks.append(time.process_time())
        if len(marks) == 5:
            break
    return marks[1] - marks[0], marks[-1] - marks[-2]


def encoding() -> None:
    """Prints the encoding ratio, with the cache of words and with a cache that is emptied each time."""
    base, pairs, _ = packing.unpack(vocabularies.packed("gpt2"))
    pattern = vocabularies.PATTERNS["gpt2"]
    ours = bpe.Tokenizer(pairs, (), base, regex.compile(pattern).findall)
    theirs = educational.SimpleBytePairEncoding(
        pat_str=pattern, mergeable_ranks={data: rank for rank, data in enumerate(ours.vocab)}
    )
    text = " ".join(t for kind in ("clinical", "everyday") for t in measure.samples()[kind]) * 20
    if ours.encode(text) != theirs.encode(text, visualise=None):
        raise SystemExit("the two encoders disagree")
    slow_s = seconds(lambda: theirs.encode(text, visualise=None))
    warm = seconds(lambda: ours.encode(text))

    def cold() -> None:
        ours._cache.clear()
        ours.encode(text)

    cold_s = seconds(cold)
    print(
        f"encoding {len(text) / 1e3:.0f} KB with GPT-2's ranks: {cold_s * 1e3:.0f} ms, {warm * 1e3:.0f} ms the second time"
    )
    print(
        f"  tiktoken's encoder for teaching: {slow_s * 1e3:.0f} ms, {slow_s / cold_s:.1f} and {slow_s / warm:.1f} times as long (at least 5)"
    )


if __name__ == "__main__":
    training()
    encoding()
