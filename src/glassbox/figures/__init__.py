"""One function per figure: plain values in, a ``Figure`` out. Modules: one per chapter.

``glassbox.figures.attention.paint(50)`` is what the notebook's cell *paint* calls.
"""

from glassbox.figures.figure import Figure, Table, Work, percents
from glassbox.figures.markup import Markup, el, join, raw, text

__all__ = ["Figure", "Markup", "Table", "Work", "el", "join", "percents", "raw", "text"]
