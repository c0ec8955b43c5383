"""A real small transformer in NumPy. Read in order: ``attention``, ``layers``, ``transformer``, ``cache``."""

from glassbox.model import attention

__all__ = ["attention"]
