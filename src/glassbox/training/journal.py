"""What the model could do on its way: measured afterwards from the weights that training kept.

The result is shipped as ``log.json``, small enough for a figure.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from glassbox.model import experiments, weights
from glassbox.model.config import Config
from glassbox.model.transformer import Model
from glassbox.tokens import bpe
from glassbox.training import causes, copying, measure
from glassbox.training.corpus import Texts

Json = dict[str, Any]
SENTENCES = (
    "Patient has severe chest",
    "She opened a wooden chest",
    "The patient's name is Ada. The nurse was late. The patient's name is",
    "kettle violin ladder mirror kettle violin ladder",
)
CHOSEN = 10  # steps at which predictions and weights are kept


def journal(folder: Path, texts: Texts) -> Json:
    """Losses and habits at every kept step, and at ten of them what was predicted and where it was looked."""
    config = Config(**json.loads((folder / "config.json").read_text(encoding="utf-8")))
    tokenizer = bpe.Tokenizer.from_bytes((folder / "tokenizer.bin").read_bytes())
    record = json.loads((folder / "losses.json").read_text(encoding="utf-8"))
    steps = sorted(int(path.stem) for path in (folder / "steps").glob("*.npz"))
    chosen = {steps[round(i)] for i in np.linspace(0, len(steps) - 1, CHOSEN)}
    rows, seen = [], []
    for step in steps:
        params = dict(np.load(folder / "steps" / f"{step}.npz"))
        model = weights.build(params, config, tokenizer)
        rows.append({"step": step, "loss": _near(record["losses"], step)} | habits(model, texts))
        if step in chosen:
            seen.append({"step": step, "sentences": [looked(model, text) for text in SENTENCES]})
    return {
        "tokens": record["tokens"],
        "predicted": record["predicted"],
        "seconds": record["seconds"],
        "rows": rows,
        "labels": [_labels(model, text) for text in SENTENCES],
        "seen": seen,
    }


def _near(losses: list[float], step: int) -> float | None:
    """Mean training loss of up to fifty steps before."""
    return round(float(np.mean(losses[max(0, step - 50) : step])), 3) if step else None


def habits(model: Model, texts: Texts) -> Json:
    """Held-out loss in nats, recall near and far, repeats, and what a bare *chest* leads to."""
    near, far = (copying.questions(model, n, 16, 21) for n in (1, 24))

    def right(asked: list[copying.Copy]) -> float:
        return round(float(np.mean([copy.right(model.forward(copy.ids)) for copy in asked])), 3)

    return {
        "held_out": round(measure.loss(model, texts.held_icd[:60] + texts.held_wordnet[:60]), 3),
        "recall_near": right(near),
        "recall_far": right(far),
        "repeats": copying.repeats(model, 8),
        "chest": [
            round(causes.chance(model, f"{before} chest", "pain"), 3)
            for before in ("The", "The severe", "The wooden")
        ],
    }


def looked(model: Model, text: str) -> Json:
    """The likeliest next tokens with their probabilities, and the last row of every head in thousandths."""
    forward = model.forward(model.encode(text))
    probs = experiments.probabilities(forward.logits[-1])
    best = [int(i) for i in np.argsort(-probs)[:3]]
    rows = np.array([w[:, -1] for w in forward.weights])
    return {
        "next": [[_word(model, i), round(float(probs[i]), 3)] for i in best],
        "rows": np.round(1000 * rows).astype(int).tolist(),
    }


def _labels(model: Model, text: str) -> list[str]:
    return [_word(model, i) for i in model.encode(text)]


def _word(model: Model, token: int) -> str:
    return model.piece(token).decode("utf-8", "replace")
