"""Reads a reader's own model, as transformers saves one: ``config.json`` and ``*.safetensors`` in a folder.

    >>> from glassbox import model
    >>> m = model.load("path/to/folder")                                        # doctest: +SKIP

What is read, in order: the config says which family it is and what its sizes are (``families``); the headers
of the files say where each tensor lies (``safetensors``); every tensor must be there, in the shape that the
config promises, and none may be left over; only then are numbers read, slice by slice, each to its place.

A file may come from anywhere. Whatever is wrong with it is one sentence, a ``ValueError`` that names file and
field.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

from glassbox.model.checkpoint import families, filling, safetensors, texts
from glassbox.model.checkpoint.filling import Progress
from glassbox.model.transformer import Model

CONFIG = "config.json"


def read(folder: str | Path, memory: int | None = None) -> Model:
    """Reads a model.

    Args:
        folder: Where its files lie.
        memory: Bytes that its weights may take; None for as many as they need. Where 32 bits a number would
            not fit, matrices stay as the files have them; where 16 would not, they are rounded to 8 bits in
            groups of 32 numbers.

    Raises:
        ValueError: A file or a field of one is wrong, or the model is too large.
    """
    steps = reading(folder, memory)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            model: Model = done.value
            return model


def reading(folder: str | Path, memory: int | None = None) -> Generator[Progress, None, Model]:
    """Reads a model some megabytes at a time, for a page that shows how far it is and may stop.

    Yields:
        How far it is; the model itself is what the generator returns.
    """
    where = Path(folder)
    if not where.is_dir():
        raise ValueError(f"{where.name} is no folder; a model is a folder with {CONFIG} and *.safetensors")
    found = safetensors.parsed(where / CONFIG)
    family, fields, kind = families.named(found, CONFIG)
    config = families.config(family, fields)
    tensors = safetensors.find(where)
    plan = filling.plan(family, config, tensors, kind)
    bits = filling.width(plan, memory)
    tokenizer, prefix, ends = texts.of(where, found, config.vocab_size)
    params = yield from filling.fill(family, plan, bits)
    return Model(config, params, tokenizer, texts.name(found, where, kind), prefix, ends, found)
