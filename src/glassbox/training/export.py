"""Ships a checkpoint: half-precision weights and the card, measured on the weights as shipped.

    python -m glassbox.training.export --wordnet package --checkpoint build/model --to src/glassbox/data/model

With ``--fixtures tests/training`` it also writes what the tests compare with: logits from torch, and the
held-out texts whose loss the card records.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

from glassbox.model import weights
from glassbox.model.config import Config
from glassbox.tokens import bpe
from glassbox.training import journal, measure
from glassbox.training.corpus import Texts
from glassbox.training.network import Network
from glassbox.training.prose import prose
from glassbox.training.train import Plan

Json = dict[str, Any]
PROMPTS = (
    "Patient has severe chest",
    "She opened a wooden chest of",
    "The patient's name is Ada. The patient's",
)


def main() -> None:
    """Reads a checkpoint, rounds it to half precision, measures it, writes everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--fixtures", type=Path)
    options = parser.parse_args()

    config = Config(**json.loads((options.checkpoint / "config.json").read_text(encoding="utf-8")))
    packed = weights.pack(dict(np.load(options.checkpoint / "weights.npz")), config)
    tokenizer = bpe.Tokenizer.from_bytes((options.checkpoint / "tokenizer.bin").read_bytes())
    params = weights.unpack(packed, config)  # from here on the rounded weights, as they are shipped
    model = weights.build(params, config, tokenizer)
    card = measure.card(model, Texts.load(options.wordnet))
    held_out = card.pop("held_out_texts")
    log = journal.journal(options.checkpoint, Texts.load(options.wordnet))
    card |= {f"trained_{what}": log[what] for what in ("tokens", "predicted", "seconds")}

    options.to.mkdir(parents=True, exist_ok=True)
    (options.to / "weights.bin").write_bytes(packed)
    (options.to / "tokenizer.bin").write_bytes(tokenizer.to_bytes())
    _write(options.to / "config.json", json.loads((options.checkpoint / "config.json").read_text()))
    _write(options.to / "card.json", card)
    (options.to / "log.json").write_text(json.dumps(log, ensure_ascii=False, separators=(",", ":")) + "\n")
    (options.to / "card.md").write_text(prose(card, config, Plan()), encoding="utf-8")
    if options.fixtures:
        options.fixtures.mkdir(parents=True, exist_ok=True)
        _write(options.fixtures / "held_out.json", held_out)
        np.savez_compressed(options.fixtures / "torch_logits.npz", **_logits(config, params, model))


def _logits(config: Config, params: dict[str, Any], model: Any) -> dict[str, Any]:
    """Torch's logits of a few prompts, by prompt."""
    network = Network(config)
    network.load(params)
    with torch.no_grad():
        return {p: network(torch.tensor([model.encode(p)]))[0].numpy() for p in PROMPTS}


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
