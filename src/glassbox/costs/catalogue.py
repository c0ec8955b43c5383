"""The models and GPUs a figure offers, read from ``glassbox/data``; sources and licences lie beside them."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Model:
    """A model that figures offer.

    Attributes:
        name: As people call it.
        released: The month in which its weights were first published, as ``2024-04``.
        licence: The licence of its weights, by name.
        parameters: How many weights it has in all, in billions.
        active: How many of them one token uses, in billions; fewer in a mixture of experts.
        config: The fields of its config.json that say what a layer keeps.
        source: Where these come from.
        weights_gb: The weights in GB where they are published in fewer than 16 bits a number.
    """

    name: str
    released: str
    licence: str
    parameters: float
    active: float
    config: Mapping[str, Any]
    source: str
    weights_gb: float | None = None

    @property
    def weight_bytes(self) -> int:
        """The weights as published: at 16 bits a number unless ``weights_gb`` says otherwise."""
        return round(self.parameters * 1e9) * 2 if self.weights_gb is None else round(self.weights_gb * 1e9)


@dataclass(frozen=True)
class Gpu:
    """A GPU as its data sheet states it: gigabytes (10**9), GB/s and dense 16-bit TFLOP/s."""

    name: str
    memory_gb: float
    bandwidth_gb_s: float
    tflops: float
    source: str


@functools.lru_cache(maxsize=1)
def models() -> dict[str, Model]:
    """The models by name, in the order they are offered."""
    return {row["name"]: Model(**row) for row in _load("models.json")}


@functools.lru_cache(maxsize=1)
def gpus() -> dict[str, Gpu]:
    """The GPUs by name, in the order they are offered."""
    return {row["name"]: Gpu(**row) for row in _load("gpus.json")}


@functools.lru_cache(maxsize=1)
def defaults() -> dict[str, dict[str, Any]]:
    """By model_type, what a field means that a config leaves out."""
    found: dict[str, dict[str, Any]] = _load("defaults.json")
    return found


@functools.lru_cache(maxsize=1)
def aliases() -> dict[str, dict[str, str]]:
    """By model_type, another name of a field and the one that its rule reads."""
    found: dict[str, dict[str, str]] = _load("aliases.json")
    return found


def _load(name: str) -> Any:
    package = resources.files("glassbox.data") / "costs" / name
    return json.loads(package.read_text(encoding="utf-8"))
