"""Glassbox: how a language model reads, attends and remembers, computed in NumPy.

Read the packages in this order: ``tokens``, ``model``, ``costs``, ``serving``, ``figures``.
"""

__version__ = "0.1.0"
