"""Stores the shipped model in half precision and loads it once.

``weights.bin`` holds every array of ``Config.shapes`` in that order as 16-bit floats, split into two byte
planes: first all high bytes (sign and exponent, which repeat and so compress well in a wheel), then all low
ones. ``tokenizer.bin`` and ``config.json`` lie beside it; ``card.md`` says what the model is.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from glassbox.arrays import Floats, check_shape
from glassbox.model.config import Config
from glassbox.model.transformer import Model
from glassbox.tokens import bpe

FOLDER = "data/model"


def pack(params: Mapping[str, Floats], config: Config) -> bytes:
    """Packs named arrays, matrices as (inputs, outputs) as training stores them, into bytes."""
    flat = []
    for name, shape in config.shapes().items():
        check_shape(name, params[name], shape)
        flat.append(np.asarray(params[name], dtype=np.float16).ravel())
    planes = np.concatenate(flat).astype("<f2").view(np.uint8).reshape(-1, 2)
    return planes[:, 1].tobytes() + planes[:, 0].tobytes()


def unpack(packed: bytes, config: Config) -> dict[str, Floats]:
    """Restores the named arrays in float32.

    Raises:
        ValueError: The length is not what the config needs.
    """
    if len(packed) != 2 * config.n_params():
        raise ValueError(f"{len(packed):,} bytes of weights; the config needs {2 * config.n_params():,}")
    planes = np.frombuffer(packed, dtype=np.uint8).reshape(2, -1)
    numbers = np.ascontiguousarray(planes[::-1].T).view("<f2").astype(np.float32).ravel()
    params: dict[str, Floats] = {}
    at = 0
    for name, shape in config.shapes().items():
        size = int(np.prod(shape))
        params[name] = numbers[at : at + size].reshape(shape)
        at += size
    return params


def build(params: Mapping[str, Floats], config: Config, tokenizer: bpe.Tokenizer) -> Model:
    """Lays weights out for use: (outputs, inputs), with q, k and v, and gate and up, stacked.

    Args:
        params: As ``unpack`` gives them.
        config: The sizes.
        tokenizer: It must have ``config.vocab_size`` entries.
    """
    if tokenizer.vocab_size != config.vocab_size:
        raise ValueError(f"tokenizer has {tokenizer.vocab_size} entries, the config {config.vocab_size}")
    laid: dict[str, Floats] = {"embedding": params["embedding"], "norm_out": params["norm_out"]}
    for layer in range(config.n_layers):

        def stacked(*names: str, layer: int = layer) -> Floats:
            return np.ascontiguousarray(np.concatenate([params[f"{layer}.{n}"] for n in names], axis=1).T)

        laid |= {
            f"{layer}.norm_attention": params[f"{layer}.norm_attention"],
            f"{layer}.w_qkv": stacked("w_q", "w_k", "w_v"),
            f"{layer}.w_o": stacked("w_o"),
            f"{layer}.norm_mlp": params[f"{layer}.norm_mlp"],
            f"{layer}.w_gate_up": stacked("w_gate", "w_up"),
            f"{layer}.w_down": stacked("w_down"),
        }
    return Model(config, laid, tokenizer)


def load(folder: str | Path | None = None, memory: int | None = None) -> Model:
    """The shipped model; read once, then shared. Do not write to its arrays.

    Args:
        folder: Of a model of your own, as transformers saves one (see ``checkpoint``); read anew each time.
        memory: Bytes that the weights of your own may take.

    Raises:
        ValueError: A file of your own model is wrong; the sentence names it and the field.
    """
    if folder is None:
        return _shipped()
    from glassbox.model import checkpoint  # 24 modules that only a reader's model needs

    return checkpoint.read(folder, memory)


@functools.lru_cache(maxsize=1)
def _shipped() -> Model:
    folder = resources.files("glassbox").joinpath(FOLDER)
    config = Config(**json.loads(folder.joinpath("config.json").read_text(encoding="utf-8")))
    tokenizer = bpe.Tokenizer.from_bytes(folder.joinpath("tokenizer.bin").read_bytes())
    packed = folder.joinpath("weights.bin")
    if not packed.is_file():  # in the browser they are a package of their own, which the worker then loads
        raise ModuleNotFoundError("No module named 'glassbox_weights'", name="glassbox_weights")
    return build(unpack(packed.read_bytes(), config), config, tokenizer)


@functools.lru_cache(maxsize=1)
def card() -> dict[str, Any]:
    """What was measured when the model was trained: data, losses, heads. ``card.md`` is the same in prose."""
    text = resources.files("glassbox").joinpath(FOLDER, "card.json").read_text(encoding="utf-8")
    numbers: dict[str, Any] = json.loads(text)
    return numbers


@functools.lru_cache(maxsize=1)
def log() -> dict[str, Any]:
    """How training went: losses and habits at its kept steps, and at some of them what was predicted.

    Keys are ``tokens`` and ``seconds`` of the run, ``rows`` with ``step``, ``loss`` and ``held_out`` in nats,
    ``labels`` with the tokens of a few sentences, and ``seen`` with the likeliest next tokens of each.
    """
    text = resources.files("glassbox").joinpath(FOLDER, "log.json").read_text(encoding="utf-8")
    record: dict[str, Any] = json.loads(text)
    return record
