"""The texts the model learns from, split by a hash into training and held-out.

| source | licence | what it adds |
|---|---|---|
| ICD-10-CM descriptions (``simple-icd-10-cm``) | US government work | clinical words and their order |
| WordNet 3.1 definitions and examples | Princeton's, notice shipped | modern everyday English |
| our generator (``grammar``, ``notes``) | this project's | words with two meanings, recall, brackets |
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import simple_icd_10_cm  # type: ignore[import-untyped]

from glassbox.tokens import bpe
from glassbox.training import words

START = "<|endoftext|>"
# The chapters' own examples are never trained on, whatever their hash says.
NEVER_TRAIN = ("Patient has severe chest", "She opened a wooden chest", "The patient's name is Ada.")


@dataclass(frozen=True)
class Texts:
    """Training and held-out texts that come from books; generated ones are made as they are needed."""

    icd: list[str]
    wordnet: list[str]
    held_icd: list[str]
    held_wordnet: list[str]
    filler: list[str]

    @classmethod
    def load(cls, wordnet_folder: Path) -> Texts:
        """Reads both sources and splits them."""
        all_icd, all_wordnet = icd(), wordnet(wordnet_folder)
        kept = [t for t in all_wordnet if not held_out(t)]
        return cls(
            icd=[t for t in all_icd if not held_out(t)],
            wordnet=kept,
            held_icd=[t for t in all_icd if held_out(t)],
            held_wordnet=[t for t in all_wordnet if held_out(t)],
            filler=[t for t in kept if ":" not in t and 20 < len(t) < 90],
        )


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


def held_out(text: str) -> bool:
    """Whether a text is kept for measuring: one in fifty by hash, and the chapters' own examples."""
    digest = hashlib.sha256(text.encode()).digest()
    return digest[0] * 256 + digest[1] < 65536 // 50 or any(never in text for never in NEVER_TRAIN)


def lesson_words() -> list[str]:
    """The words that decide a meaning of the chapters' five: each becomes one token of its own."""
    found = [f" {noun}" for noun in words.SENSES]
    for noun in list(words.SENSES)[:5]:
        found += [f" {word}" for adjectives, _ in words.SENSES[noun] for word in adjectives.split("|")]
    return [*found, " drawers", " treasure", " pain", " tightness", "Patient", " wooden", " Ada", " grew"]


def learn_tokenizer(texts: list[str], vocab_size: int) -> bpe.Tokenizer:
    """A byte-level tokenizer of ``vocab_size`` entries, the last of which is the start token."""
    return bpe.train(texts, vocab_size, special=(START,))
