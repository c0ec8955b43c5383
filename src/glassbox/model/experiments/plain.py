"""What reads weights one by one knows how a plain model uses them, and not what each family does beside.

A forward pass computes every family that ``checkpoint`` reads. What splits a logit into what each part added,
or works out what a unit of the MLP does, holds where the parts that it reads are the shipped model's.
"""

from __future__ import annotations

import dataclasses

from glassbox.model.config import Config
from glassbox.model.transformer import Model

_DEFAULTS = {f.name: f.default for f in dataclasses.fields(Config)}
SAID = {
    "norm": "a LayerNorm, which also takes the mean off",
    "post_norms": "norms behind its parts",
    "gated": "MLPs without a gate",
    "bias_qkv": "biases in its queries and keys",
    "bias_out": "biases behind its heads",
    "bias_mlp": "biases in its MLPs",
    "logit_cap": "a cap on its logits",
    "tied": "a read-out of its own beside the embedding",
    "ropes": "layers that positions do not turn",
}


def require(model: Model, what: str, *fields: str) -> None:
    """Checks that a model is plain.

    Args:
        model: The model.
        what: What is about to be worked out, in a sentence's words.
        fields: The fields of its config that must be as the shipped model's; names of ``SAID``.

    Raises:
        ValueError: It is not; the sentence names what differs.
    """
    differs = [SAID[name] for name in fields if getattr(model.config, name) != _DEFAULTS[name]]
    if differs:
        raise ValueError(f"{what} is not worked out for a model with {' and '.join(differs)}")
