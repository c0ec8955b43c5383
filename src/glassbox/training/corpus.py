"""The texts the model learns from, split by a hash into training and held-out, packed into batches.

| source | licence | what it adds |
|---|---|---|
| ICD-10-CM descriptions (``simple-icd-10-cm``) | US government work | clinical words and their order |
| WordNet 3.1 definitions and examples | Princeton's, notice shipped | modern everyday English |
| our generator (``grammar``, ``notes``) | this project's | words with two meanings, recall, brackets |
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import simple_icd_10_cm  # type: ignore[import-untyped]

from glassbox.tokens import bpe
from glassbox.training import grammar, notes, words

START = "<|endoftext|>"
# The chapters' own examples are never trained on, whatever their hash says.
NEVER_TRAIN = ("Patient has severe chest", "wooden chest of", "The patient's name is Ada.")
Tokens = np.ndarray[tuple[int, int], np.dtype[np.int64]]
Batch = tuple[Tokens, Tokens]
BUCKETS = (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)


def icd() -> list[str]:
    """The descriptions of all ICD-10-CM codes, each once."""
    codes = simple_icd_10_cm.get_all_codes(False)
    return list(dict.fromkeys(simple_icd_10_cm.get_description(c).split("\t")[0].rstrip("/") for c in codes))


def wordnet(folder: Path) -> list[str]:
    """Definitions as ``word: definition.`` and the example sentences, from WordNet's ``dict/data.*``."""
    texts: list[str] = []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / "dict" / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith(" ") or "|" not in line:
                continue
            fields, _, gloss = line.partition("|")
            lemma = fields.split()[4].replace("_", " ").split("(")[0]
            examples = re.findall(r'"([^"]{8,})"', gloss)
            definition = gloss.split('; "')[0].strip()
            texts.append(f"{lemma}: {definition}.")
            texts += [e.strip() if e.strip()[-1] in ".!?" else e.strip() + "." for e in examples]
    return texts


def generated(rng: random.Random, filler: list[str]) -> str:
    """One text from our generator; a third of them are long."""

    def other() -> str:
        return grammar.sentence(rng) if rng.random() < 0.7 else rng.choice(filler)

    roll = rng.random()
    if roll < 0.60:
        return grammar.sentence(rng)
    if roll < 0.66:
        return notes.paragraph(rng)
    if roll < 0.76:
        return notes.repeated_list(rng)
    if roll < 0.80:
        return notes.brackets(rng)
    if roll < 0.85:
        return notes.copied(rng)
    # Short distances teach the trick, long ones stretch it.
    return notes.recall(rng, rng.choice([0, 0, 1, 2, 3, 4, 6, 9, 13, 18, 24, 32]), other)


def held_out(text: str) -> bool:
    """Whether a text is kept for measuring: one in fifty by hash, and the chapters' own examples."""
    digest = hashlib.sha256(text.encode()).digest()
    return digest[0] * 256 + digest[1] < 65536 // 50 or any(never in text for never in NEVER_TRAIN)


def lesson_words() -> list[str]:
    """The words that decide a meaning, so that most become one token and a heatmap's label is a word."""
    found = [f" {noun}" for noun in words.SENSES]
    for senses in words.SENSES.values():
        found += [f" {adjective}" for adjectives, _ in senses for adjective in adjectives.split("|")]
    return [*found, " drawers", " treasure", " pain", " tightness", "Patient", " wooden", " Ada"]


def learn_tokenizer(texts: list[str], vocab_size: int) -> bpe.Tokenizer:
    """A byte-level tokenizer of ``vocab_size`` entries, the last of which is the start token."""
    return bpe.train(texts, vocab_size, special=(START,))


def batches(texts: Iterator[list[int]], start: int, tokens: int) -> Iterator[Batch]:
    """Groups encoded texts of like length into batches of about ``tokens`` tokens.

    Yields:
        Inputs and targets, both (rows, length); every row begins with the start token, predicts it again
        at its end, and is padded with target -1, which the loss leaves out.
    """
    waiting: dict[int, list[list[int]]] = {b: [] for b in BUCKETS}
    for ids in texts:
        row = [start, *ids[: BUCKETS[-1]], start]
        size = next(b for b in BUCKETS if b >= min(len(row) - 1, BUCKETS[-1]))
        waiting[size].append(row[: size + 1])
        if len(waiting[size]) * size >= tokens:
            yield _pad(waiting[size], size, start)
            waiting[size] = []


def _pad(rows: list[list[int]], size: int, start: int) -> Batch:
    inputs = np.full((len(rows), size), start)
    targets = np.full((len(rows), size), -1)
    for i, row in enumerate(rows):
        inputs[i, : len(row) - 1] = row[:-1]
        targets[i, : len(row) - 1] = row[1:]
    return inputs, targets
