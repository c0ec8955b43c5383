"""Training a tokenizer in the page, on a mix of everyday and clinical text."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from glassbox.figures import vega
from glassbox.figures.figure import Cell, Figure, Table, Work
from glassbox.figures.markup import Kept, Markup, el
from glassbox.figures.tokens.bricks import listed, plain_brick, shown
from glassbox.tokens import bpe, measure

TITLE = "Train a tokenizer"
WORDS = ("thrombocytopenia", "harbaugh")
TONES = {"thrombocytopenia": "cat-4", "harbaugh": "cat-2"}
MAX_SIZE = 2_000
_SLICE_SECONDS = 0.08
_N_NEWEST = 8
_N_WON = 10


def train(clinical_percent: int, vocab_size: int, runs: int = 0) -> Work:
    """Trains on a mix and shows merges as they arrive; stoppable.

    Args:
        clinical_percent: Share of clinical text, 0 to 100; the rest is everyday text.
        vocab_size: Entries to stop at, 256 bytes included.
        runs: How often the button was pressed: from the first press on, training starts from nothing.
    """

    def steps() -> Iterator[Figure]:
        run = Run(clinical_percent) if runs else _run(clinical_percent)
        target = vocab_size - bpe.N_BYTES
        while run.advance(target):
            yield _figure(run, len(run.merges), vocab_size)
        yield _figure(run, target, vocab_size)

    return Work(steps)


@dataclass
class Run:
    """One training under way: what was learned so far, and what the two words look like after each merge."""

    clinical_percent: int
    merges: list[bpe.Merge] = field(default_factory=list)
    tokens: list[bytes] = field(default_factory=lambda: [bytes([b]) for b in range(bpe.N_BYTES)])
    done: bool = False

    def __post_init__(self) -> None:
        self.counts = mixed(self.clinical_percent)
        self._found = bpe.learn(self.counts)
        self._ids = {w: list(f" {w}".encode()) for w in WORDS}
        self.pieces: dict[str, list[list[int]]] = {w: [self._ids[w]] for w in WORDS}

    def advance(self, target: int) -> bool:
        """Learns for a moment; tells whether merges up to ``target`` are still missing."""
        until = time.perf_counter() + _SLICE_SECONDS
        while len(self.merges) < target and not self.done:
            merge = next(self._found, None)
            if merge is None:
                self.done = True
                break
            self._take(merge)
            if time.perf_counter() > until:
                break
        return len(self.merges) < target and not self.done

    def _take(self, merge: bpe.Merge) -> None:
        self.merges.append(merge)
        self.tokens.append(self.tokens[merge.pair[0]] + self.tokens[merge.pair[1]])
        for word in WORDS:
            ids = self.pieces[word][-1]
            self.pieces[word].append(bpe.join(ids, merge.pair, merge.id))


@functools.lru_cache(maxsize=4)
def _run(clinical_percent: int) -> Run:
    """The run for a mix, kept: a larger vocabulary goes on where the smaller one ended."""
    return Run(clinical_percent)


def learned(word: str, clinical_percent: int, vocab_size: int) -> int:
    """How many pieces one of ``WORDS``, a space before it, has in a vocabulary that was learned from a mix."""
    run, target = _run(clinical_percent), vocab_size - bpe.N_BYTES
    while run.advance(target):
        pass
    return len(run.pieces[word][min(target, len(run.merges))])


@functools.cache
def _word_counts() -> dict[str, dict[str, int]]:
    return {kind: dict(bpe.count_words(texts)) for kind, texts in measure.mix().items()}


def mixed(clinical_percent: int) -> dict[str, int]:
    """Counts of words in the mix: each text's counts times its share of 100."""
    clinical_percent = max(0, min(100, int(clinical_percent)))
    mixed_counts: dict[str, int] = {}
    for kind, share in (("everyday", 100 - clinical_percent), ("clinical", clinical_percent)):
        for word, times in _word_counts()[kind].items():
            if share:
                mixed_counts[word] = mixed_counts.get(word, 0) + times * share
    return mixed_counts


def _figure(run: Run, n_merges: int, vocab_size: int) -> Figure:
    n_merges = min(n_merges, len(run.merges))
    spelled = {w: [run.tokens[i] for i in run.pieces[w][n_merges]] for w in WORDS}
    n = {w: len(spelled[w]) for w in WORDS}
    sentence = (
        f"With {bpe.N_BYTES + n_merges:,} entries learned from {run.clinical_percent} % clinical text, "
        f"thrombocytopenia takes {_pieces(n['thrombocytopenia'])} and harbaugh {_pieces(n['harbaugh'])}."
    )
    won = won_words(run.merges[:n_merges], run.tokens)
    picture = el(
        "div",
        _progress(n_merges, vocab_size - bpe.N_BYTES),
        el("div", [_word(w, spelled[w]) for w in WORDS], class_="train-words"),
        _lines(run, n_merges, sentence),
        el("div", _newest(run, n_merges), _won(won), class_="train-lists"),
        class_="train",
    )
    rows: list[tuple[Cell, ...]] = [(Kept(w), n[w], listed(spelled[w])) for w in WORDS]
    rows += [("whole words in the vocabulary", len(won), Kept(", ".join(won[-_N_WON:])))]
    note = (
        "Texts in lower case: sentences from WordNet and a sports page, written for Glassbox, that names Harbaugh often; "
        "descriptions of diagnoses from a part of ICD-10-CM: blood, metabolism, tuberculosis, parasites, blood "
        "pressure, kidneys. At 50 % both are counted once, about 12,000 and 8,400 words."
    )
    return Figure(TITLE, sentence, picture, Table(("word", "pieces", "split"), tuple(rows)), "computed", note)


def _pieces(number: int) -> str:
    return "one piece" if number == 1 else f"{number} pieces"


def won_words(merges: Sequence[bpe.Merge], tokens: Sequence[bytes]) -> list[str]:
    """Whole words of the texts that have an entry of their own, in the order they won it."""
    known = _spelled_words()
    return [known[data] for data in (tokens[m.id] for m in merges) if data in known]


@functools.cache
def _spelled_words() -> dict[bytes, str]:
    """Every word of four letters or more of the texts, by its bytes with the space before it."""
    words = {w for counts in _word_counts().values() for w in counts}
    return {w.encode(): w.strip() for w in words if w[0] == " " and len(w) > 4}


def _progress(n_merges: int, target: int) -> Markup:
    share = 100 * n_merges / max(1, target)
    bar = el("span", class_="meter", style=f"--share:{share:.4g}%")
    return el("p", el("span", f"{n_merges:,} of {target:,} merges"), bar, class_="train-progress")


def _word(word: str, pieces: Sequence[bytes]) -> Markup:
    bricks = [plain_brick(piece) for piece in pieces]
    title = el("span", word, translate="no", class_="train-name", style=f"--c:var(--{TONES[word]})")
    return el(
        "div", title, el("span", bricks, class_="bricks"), el("span", _pieces(len(pieces)), class_="soft")
    )


def _lines(run: Run, n_merges: int, sentence: str) -> Markup:
    """How many pieces each word takes, as the vocabulary grows."""
    rows: list[vega.Row] = []
    for word in WORDS:
        lengths = [len(ids) for ids in run.pieces[word][: n_merges + 1]]
        last = len(lengths) - 1
        steps = [0, *(at for at in range(1, last + 1) if lengths[at] != lengths[at - 1]), last]
        rows += [
            {"entries": bpe.N_BYTES + at, "pieces": lengths[at], "series": word}
            for at in dict.fromkeys(steps)
        ]
    return vega.drawn("tokens.train", {"lines": rows}, sentence)


def _newest(run: Run, n_merges: int) -> Markup:
    """The last merges, newest first."""
    lines = []
    for merge in reversed(run.merges[max(0, n_merges - _N_NEWEST) : n_merges]):
        left, right = (shown(run.tokens[i]) for i in merge.pair)
        lines.append(
            el("li", el("b", shown(run.tokens[merge.id])), el("span", f"{left} + {right}"), translate="no")
        )
    return el("div", el("p", "Newest entries", class_="soft small"), el("ol", lines, class_="train-newest"))


def _won(won: Sequence[str]) -> Markup:
    """The whole words that won an entry last, and which text they are from."""
    counts = _word_counts()
    lines = []
    for word in reversed(won[-_N_WON:]):
        clinical = counts["clinical"].get(f" {word}", 0) > counts["everyday"].get(f" {word}", 0)
        kind = "clinical" if clinical else "everyday"
        lines.append(el("li", el("b", word, translate="no"), el("span", kind), class_=kind))
    head = el("p", f"Newest of {len(won):,} whole words with an entry", class_="soft small")
    return el("div", head, el("ol", lines, class_="train-won"))
