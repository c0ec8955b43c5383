"""Chapter 3's figures, one function each: plain values in, a ``Figure`` out."""

from glassbox.figures.kv_cache.corrupt import corrupt
from glassbox.figures.kv_cache.corrupt import survey as corrupt_survey
from glassbox.figures.kv_cache.facts import facts
from glassbox.figures.kv_cache.landscape import CONTEXTS as LANDSCAPE_CONTEXTS
from glassbox.figures.kv_cache.landscape import landscape
from glassbox.figures.kv_cache.memory import CONTEXTS, PRECISIONS, USERS, memory
from glassbox.figures.kv_cache.notepad import notepad
from glassbox.figures.kv_cache.paging import paging
from glassbox.figures.kv_cache.per_step import per_step
from glassbox.figures.kv_cache.per_token import per_token
from glassbox.figures.kv_cache.precision import PROMPTS, precision
from glassbox.figures.kv_cache.prefix import SYSTEM, prefix
from glassbox.figures.kv_cache.prompt_cache import prompt_cache
from glassbox.figures.kv_cache.race import race
from glassbox.figures.kv_cache.roofline import MODELS as ROOFLINE_MODELS
from glassbox.figures.kv_cache.roofline import roofline
from glassbox.figures.kv_cache.sharing import sharing_heads
from glassbox.figures.kv_cache.speculative import DRAFTS, speculative
from glassbox.figures.kv_cache.speculative import PROMPTS as GUESSED
from glassbox.figures.kv_cache.steps import steps
from glassbox.figures.kv_cache.tail import CHUNKS as TAIL_CHUNKS
from glassbox.figures.kv_cache.tail import tail
from glassbox.figures.kv_cache.window import window

__all__ = [
    "CONTEXTS",
    "DRAFTS",
    "GUESSED",
    "LANDSCAPE_CONTEXTS",
    "PRECISIONS",
    "PROMPTS",
    "ROOFLINE_MODELS",
    "SYSTEM",
    "TAIL_CHUNKS",
    "USERS",
    "corrupt",
    "corrupt_survey",
    "facts",
    "landscape",
    "memory",
    "notepad",
    "paging",
    "per_step",
    "per_token",
    "precision",
    "prefix",
    "prompt_cache",
    "race",
    "roofline",
    "sharing_heads",
    "speculative",
    "steps",
    "tail",
    "window",
]
