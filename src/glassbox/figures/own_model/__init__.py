"""Figures of the chapter on the reader's own model: each shows the model that ``subject`` names.

Until a reader brings one, that is the model of these pages. One module per question.
"""

from glassbox.figures import subject
from glassbox.figures.own_model import facts
from glassbox.figures.own_model.depth import depth
from glassbox.figures.own_model.guesses import guesses
from glassbox.figures.own_model.looks import looks
from glassbox.figures.own_model.pace import pace
from glassbox.figures.own_model.parts import parts
from glassbox.figures.own_model.rest import rest
from glassbox.figures.own_model.room import LENGTHS, NUMBERS, room

__all__ = [
    "LENGTHS",
    "NUMBERS",
    "depth",
    "facts",
    "guesses",
    "heads",
    "layers",
    "looks",
    "pace",
    "parts",
    "rest",
    "room",
]


def layers() -> int:
    """How many layers there are to open."""
    return subject.model().config.n_layers


def heads() -> int:
    """How many heads a layer has."""
    return subject.model().config.n_heads
