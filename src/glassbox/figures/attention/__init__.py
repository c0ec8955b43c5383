"""Figures of Chapter 2, Attention. One module per idea; the notebook calls the functions named here."""

from glassbox.figures.attention.matrix import heatmap
from glassbox.figures.attention.paint import paint

__all__ = ["heatmap", "paint"]
