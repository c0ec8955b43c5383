"""A matrix kept in 16 bits, as checkpoints store it, and widened to 32 a few rows at a time when it is used.

So a model takes half the memory, and no more than one block of it is ever wide.

    >>> half = Narrow(np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float16).view(np.uint16), "f16")
    >>> half[np.array([1])].tolist(), half.nbytes
    ([[3.0, 4.0]], 8)

``bf16`` is the upper half of a 32-bit float: widening it is a shift.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from glassbox.arrays import Floats, Ints

Kind = Literal["f16", "bf16"]
BLOCK = 1 << 20  # numbers that are wide at one time: 4 MB


def widen(bits: NDArray[np.uint16], kind: Kind) -> Floats:
    """The 32-bit floats that 16 bits stand for; exact."""
    if kind == "f16":
        return bits.view(np.float16).astype(np.float32)
    return (bits.astype(np.uint32) << 16).view(np.float32)


class Narrow:
    """A matrix of 16-bit floats that reads like one of 32 bits where the model reads one: by rows.

    Attributes:
        bits: (outputs, inputs) of uint16.
        kind: What the bits mean.
    """

    ndim = 2

    def __init__(self, bits: NDArray[np.uint16], kind: Kind) -> None:
        self.bits, self.kind = bits, kind

    @property
    def shape(self) -> tuple[int, ...]:
        """(outputs, inputs)."""
        return self.bits.shape

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return self.bits.size

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.bits.nbytes

    def __len__(self) -> int:
        """Rows."""
        return len(self.bits)

    def __getitem__(self, rows: Ints | slice) -> Floats:
        """Some rows, in 32 bits."""
        return widen(self.bits[rows], self.kind)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """All of it in 32 bits, for code that needs a plain array; a large one takes twice its own memory."""
        return self[:].astype(dtype or np.float32, copy=False)

    def blocks(self) -> Iterator[Floats]:
        """All rows in order, some at a time."""
        step = max(1, BLOCK // max(1, self.shape[1]))
        for top in range(0, len(self), step):
            yield self[slice(top, top + step)]
