"""What reads weights one by one knows how a plain model uses them, and no other.

A forward pass computes every family that ``checkpoint`` reads. What splits a logit into what each part added,
or works out what a unit of the MLP does, holds where norms, MLPs and the read-out are the shipped model's.
"""

from __future__ import annotations

import dataclasses

from glassbox.model.config import Config
from glassbox.model.narrow import Narrow
from glassbox.model.transformer import Model

_DEFAULTS = {f.name: f.default for f in dataclasses.fields(Config)}
MATTER = (
    "norm",
    "post_norms",
    "activation",
    "gated",
    "bias_qkv",
    "bias_out",
    "bias_mlp",
    "tied",
    "logit_cap",
)


def require(model: Model, what: str) -> None:
    """Checks that a model is plain.

    Args:
        model: The model.
        what: What is about to be worked out, in a sentence's words.

    Raises:
        ValueError: It is not; the sentence names what differs.
    """
    differs = [name for name in MATTER if getattr(model.config, name) != _DEFAULTS[name]]
    if any(isinstance(w, Narrow) for w in model.params.values()):
        differs.append("weights kept in 16 bits")
    if differs:
        raise ValueError(
            f"{what} can be worked out for plain models only; this one differs in {', '.join(differs)}"
        )
