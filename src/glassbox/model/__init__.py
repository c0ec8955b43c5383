"""A real small transformer in NumPy. Read in order: ``attention``, ``layers``, ``transformer``, ``cache``.

>>> m = load()
>>> m.tokenizer.decode_bytes(generate.greedy(m, m.encode("Patient has severe chest"), 1).ids)
b' pain'
"""

from glassbox.model import attention, blocks, cache, generate, layers, weights
from glassbox.model.cache import Blocks, Growing, Half, Sliding
from glassbox.model.config import Config
from glassbox.model.transformer import Forward, Model, Switches
from glassbox.model.weights import card, load

__all__ = [
    "Blocks",
    "Config",
    "Forward",
    "Growing",
    "Half",
    "Model",
    "Sliding",
    "Switches",
    "attention",
    "blocks",
    "cache",
    "card",
    "generate",
    "layers",
    "load",
    "weights",
]
