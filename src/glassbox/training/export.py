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
from glassbox.training import measure
from glassbox.training.network import Network
from glassbox.training.train import NUDGED, Plan, Texts

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
    card["nudged"] = {name: [layer + 1, head + 1] for name, (layer, head) in NUDGED.items()}

    options.to.mkdir(parents=True, exist_ok=True)
    (options.to / "weights.bin").write_bytes(packed)
    (options.to / "tokenizer.bin").write_bytes(tokenizer.to_bytes())
    _write(options.to / "config.json", json.loads((options.checkpoint / "config.json").read_text()))
    _write(options.to / "card.json", card)
    (options.to / "card.md").write_text(prose(card, config, Plan()), encoding="utf-8")
    if options.fixtures:
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


def prose(card: Json, config: Config, plan: Plan) -> str:
    """The card in words; every number in it comes from ``card`` or the configuration."""
    nudged = {name: f"layer {layer + 1}, head {head + 1}" for name, (layer, head) in NUDGED.items()}
    losses, right = card["held_out_loss"], card["right"]
    best = {name: _best(table) for name, table in card["heads"].items()}
    claims = "\n".join(
        f"* *{prompt}* → " + ", ".join(f"*{word.strip()}* {100 * p:.1f} %" for word, p in top[:3])
        for prompt, top in card["claims"].items()
    )
    answers = "\n".join(f"* {what}: {100 * share:.0f} % right" for what, share in right.items())
    recalled = "\n".join(
        f"| {row['tokens']:.0f} | {100 * row['right']:.0f} % | {100 * row['weight']:.0f} % |"
        for row in card["recall"]
    )
    return f"""# The model of these pages

A decoder with {card["parameters"]:,} learned numbers: {config.n_layers} layers, width {config.d_model},
{config.n_heads} query heads over {config.n_kv_heads} key-value heads of {config.d_head}, a gated MLP of
{config.d_ff}, RMSNorm, rotary positions, a tied embedding. Byte-level vocabulary of {config.vocab_size:,},
context {config.context}. Shipped in half precision.

## Data

ICD-10-CM descriptions (US government, public domain), WordNet 3.1 definitions and example sentences
(Princeton's licence lies beside the weights), and sentences from a seeded generator of this project: the
clinic and the house, words with two meanings, people and the pronouns that mean them, lists and random tokens
that repeat, brackets that close, a name to be remembered. One text in fifty, by hash, and every example of
the chapters is held out.

## Training

{plan.steps:,} steps of about {plan.tokens:,} tokens, then {plan.copying_steps:,} steps in which half of the
text can only be predicted by looking back. AdamW, one CPU thread. `python -m glassbox.training`, then
`python -m glassbox.training.export`.

In so short a training a habit that larger models find by themselves did not come up: copying what followed
the same token earlier. So two heads were nudged in the first half of the second phase, by an extra loss that
faded to nothing: {nudged["previous"]} towards the token before, {nudged["follower"]} towards what
followed the same token earlier, or the first token where there is none. What they do with it, and all other
heads, came from predicting the next token alone.

## Measured on held-out texts

Loss in nats a token: ICD-10-CM {losses["icd"]:.2f}, WordNet {losses["wordnet"]:.2f}, generated
{losses["generated"]:.2f}.

{claims}

Where only one answer fits:

{answers}

The head that gives most of its weight, on average, to

* the deciding adjective, when a noun with two meanings is read: {best["deciding"]} (heads that always read
  one token back are left out)
* the token before: {best["previous"]}
* the first token: {best["first"]}
* the token itself: {best["self"]}
* the same token earlier: {best["same"]}

*The patient's name is …*, other sentences, and the question again:

| tokens | right | largest weight on the name |
|---|---|---|
{recalled}

## What it cannot do

It knows no facts and follows no instructions. It writes short sentences of the kinds it was trained on and is
lost outside them. Nothing it says about health is advice. It is here to be looked into.
"""


def _best(table: list[list[float]]) -> str:
    layer, head = max(
        ((i, j) for i in range(len(table)) for j in range(len(table[0]))), key=lambda at: table[at[0]][at[1]]
    )
    return f"layer {layer + 1}, head {head + 1} ({100 * table[layer][head]:.0f} %)"


if __name__ == "__main__":
    main()
