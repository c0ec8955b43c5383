"""Array aliases and shape checks, so that a wrong shape is named where it is made.

Sizes go by these names everywhere: ``n_layers n_heads n_kv_heads d_model d_head d_ff vocab_size n_queries
n_keys``. ``n_queries`` and ``n_keys`` stay apart: with a cache they differ, and that is the lesson.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]


def check_shape(name: str, array: NDArray[Any], expected: tuple[int | None, ...]) -> None:
    """Checks that ``array`` has the expected shape; ``None`` stands for any size.

    Raises:
        ValueError: It has not; the sentence names both shapes.
    """
    fits = array.ndim == len(expected) and all(
        e is None or e == got for e, got in zip(expected, array.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join("any" if e is None else str(e) for e in expected)
        raise ValueError(f"{name} has shape {array.shape}, expected ({wanted})")
