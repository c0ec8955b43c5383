"""Figures of Chapter 4, The whole machine. One module per idea; the notebook calls the functions named here."""

from glassbox.figures.machine import facts
from glassbox.figures.machine.state import BESIDE
from glassbox.figures.machine.whole import machine

__all__ = ["BESIDE", "facts", "machine"]
