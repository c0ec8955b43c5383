"""Trains four tokenizers on the same text to the same size, one for each way to cut: ``methods.json.gz``.

    python -m glassbox.training.methods

Byte-level BPE, BPE over characters that falls back to bytes, WordPiece and Unigram, trained by Hugging Face's
``tokenizers`` on ``measure.mix`` and run in the page by ``tokens.foreign``. The library trains WordPiece by
counting pairs, as BPE does; its authors joined the pair that makes the text likeliest.
"""

from __future__ import annotations

import gzip
import json
from importlib import resources
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from glassbox.tokens import measure

SIZE = 2_000  # entries of each, all told
_BYTES = [f"<0x{b:02X}>" for b in range(256)]
Json = dict[str, Any]


def _spaces(made: Any) -> Any:
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    return made


def _byte_level() -> tuple[Any, Any]:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return made, trainers.BpeTrainer(vocab_size=SIZE, initial_alphabet=alphabet, show_progress=False)


def _byte_fallback() -> tuple[Any, Any]:
    made = _spaces(Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True)))
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    special = ["<unk>", *_BYTES]
    return made, trainers.BpeTrainer(vocab_size=SIZE, special_tokens=special, show_progress=False)


def _wordpiece() -> tuple[Any, Any]:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece(cleanup=False)
    words = {w for text in _texts() for w, _ in made.pre_tokenizer.pre_tokenize_str(text)}
    first, later = sorted({w[0] for w in words}), sorted({f"##{c}" for w in words for c in w[1:]})
    special = ["[UNK]", *first, *later]  # named here, so that equal counts are told apart alike in every run
    return made, trainers.WordPieceTrainer(vocab_size=SIZE, special_tokens=special, show_progress=False)


def _unigram() -> tuple[Any, Any]:
    made = _spaces(Tokenizer(models.Unigram()))
    made.decoder = decoders.Metaspace(prepend_scheme="never")
    trainer = trainers.UnigramTrainer(
        vocab_size=SIZE, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
    )
    return made, trainer


METHODS = {"bytes": _byte_level, "fallback": _byte_fallback, "wordpiece": _wordpiece, "unigram": _unigram}


def train(name: str) -> Json:
    """Trains one method; returns it as its ``tokenizer.json``."""
    made, trainer = METHODS[name]()
    made.train_from_iterator(_texts(), trainer)
    held: Json = json.loads(made.to_str())
    held["added_tokens"] = []  # <unk> and the bytes are entries; nobody types them to steer a model
    if name == "unigram":
        held["model"]["vocab"] = _by_score(held["model"]["vocab"])
    return held


def _texts() -> list[str]:
    return [text for texts in measure.mix().values() for text in texts]


def _by_score(vocab: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """The same entries, the likeliest first, with scores to four digits, which every run agrees on."""
    unknown, *entries = [(entry, round(score, 4)) for entry, score in vocab]
    return [unknown, *sorted(entries, key=lambda e: (-e[1], e[0]))]


def main() -> None:
    """Writes the four of them into one file."""
    file = Path(str(resources.files("glassbox"))) / "data" / "vocabularies" / "methods.json.gz"
    text = json.dumps({name: train(name) for name in METHODS}, ensure_ascii=False, separators=(",", ":"))
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
