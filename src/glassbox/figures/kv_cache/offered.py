"""The models that a figure's list offers: those of the catalogue, and the reader's own where one was brought."""

from __future__ import annotations

from collections.abc import Collection

from glassbox.costs import catalogue
from glassbox.figures import subject
from glassbox.figures.choices import one_of


def named(model: str, listed: Collection[str] | None = None) -> catalogue.Model:
    """A model by its name; the reader's own with the sizes of its config.json.

    Args:
        model: The name.
        listed: The names that the figure offers; None for all of the catalogue.

    Raises:
        ValueError: It is neither listed nor the reader's.
    """
    if subject.is_ours() or model != subject.name():
        return catalogue.models()[one_of("model", model, listed or catalogue.models())]
    own = subject.model()
    c, billions = own.config, own.config.n_params() / 1e9
    sizes = {  # by the names that most families use; GPT-2 has others
        "hidden_size": c.d_model,
        "num_hidden_layers": c.n_layers,
        "num_attention_heads": c.n_heads,
    }
    return catalogue.Model(
        own.name, "", "", billions, billions, {**sizes, **own.described}, "its own config.json"
    )
