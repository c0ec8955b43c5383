"""Figures of Chapter 2, Attention. One module per idea; the notebook calls the functions named here."""

from glassbox.figures.attention import facts
from glassbox.figures.attention.breaks import dilution, sink
from glassbox.figures.attention.cheaper import KINDS as PATTERNS
from glassbox.figures.attention.cheaper import WINDOWS, cheaper
from glassbox.figures.attention.head_map import head_map
from glassbox.figures.attention.heads import heads
from glassbox.figures.attention.mask import mask
from glassbox.figures.attention.next_word import next_word
from glassbox.figures.attention.order import ARRANGEMENTS, distance, order
from glassbox.figures.attention.paint import NEXT_WORDS, paint, paint_reverse
from glassbox.figures.attention.qkv import STAGES, qkv
from glassbox.figures.attention.quadratic import LENGTHS, quadratic, tiled
from glassbox.figures.attention.reading import best_head, head_names
from glassbox.figures.attention.reasons import not_explanation
from glassbox.figures.attention.scaling import WIDTHS, scaling
from glassbox.figures.attention.trained import loss
from glassbox.figures.attention.trained import steps as kept_steps

__all__ = [
    "ARRANGEMENTS",
    "LENGTHS",
    "NEXT_WORDS",
    "PATTERNS",
    "STAGES",
    "WIDTHS",
    "WINDOWS",
    "best_head",
    "cheaper",
    "dilution",
    "distance",
    "facts",
    "head_map",
    "head_names",
    "heads",
    "kept_steps",
    "loss",
    "mask",
    "next_word",
    "not_explanation",
    "order",
    "paint",
    "paint_reverse",
    "qkv",
    "quadratic",
    "scaling",
    "sink",
    "tiled",
]
