"""A real small transformer in NumPy. Read in order: ``attention``, ``layers``, ``transformer``, ``cache``.

>>> m = load()
>>> m.tokenizer.decode_bytes(generate.greedy(m, m.encode("Patient has severe chest"), 1).ids)
b' pain'
"""

from importlib import import_module
from types import ModuleType

from glassbox.model import attention, cache, generate, layers, quantized, speculative, weights
from glassbox.model.cache import Cache, Growing, Half, Quantized, Sliding
from glassbox.model.config import Config
from glassbox.model.transformer import Forward, Model, Switches
from glassbox.model.weights import card, load, log

__all__ = [
    "Cache",
    "Config",
    "Forward",
    "Growing",
    "Half",
    "Model",
    "Quantized",
    "Sliding",
    "Switches",
    "attention",
    "cache",
    "card",
    "checkpoint",
    "generate",
    "layers",
    "load",
    "log",
    "quantized",
    "speculative",
    "weights",
]


def __getattr__(name: str) -> ModuleType:
    """``checkpoint`` is imported when it is asked for: most readers bring no model of their own."""
    if name == "checkpoint":
        return import_module("glassbox.model.checkpoint")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
