"""Figures of Chapter 4, The whole machine. One module per idea; the notebook calls the functions named here."""

from glassbox.figures.attention.reading import head_names
from glassbox.figures.machine import facts
from glassbox.figures.machine.embedding import embed
from glassbox.figures.machine.heads_join import heads_join
from glassbox.figures.machine.kept import kept
from glassbox.figures.machine.learning import learning, sentences
from glassbox.figures.machine.lens import lens
from glassbox.figures.machine.mlp import SILENCED, mlp
from glassbox.figures.machine.project import MATRICES, project
from glassbox.figures.machine.residual import residual
from glassbox.figures.machine.state import BESIDE
from glassbox.figures.machine.tour import STOPS
from glassbox.figures.machine.unembed import unembed
from glassbox.figures.machine.voting import contributions
from glassbox.figures.machine.whole import machine

__all__ = [
    "BESIDE",
    "MATRICES",
    "SILENCED",
    "STOPS",
    "contributions",
    "embed",
    "facts",
    "head_names",
    "heads_join",
    "kept",
    "learning",
    "lens",
    "machine",
    "mlp",
    "project",
    "residual",
    "sentences",
    "unembed",
]
