"""Matrices kept in 16 or 8 bits, and widened to 32 a few rows at a time when they are used.

So a model takes a half or a quarter of the memory, and no more than one band of it is ever wide.

    >>> half = Narrow(np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float16).view(np.uint16), "f16")
    >>> half[np.array([1])].tolist(), half.nbytes
    ([[3.0, 4.0]], 8)

``Narrow`` keeps 16 bits as checkpoints store them, and loses nothing: ``bf16`` is the upper half of a 32-bit
float, and ``f16`` another way to write fewer digits. ``Packed`` rounds to 8 bits, in groups of 32 numbers
that share a scale (see ``quantized``).
"""

from __future__ import annotations

import abc
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from glassbox.arrays import Floats, Ints
from glassbox.model import quantized

Kind = Literal["f16", "bf16"]
BAND = 1 << 17  # numbers that are wide at one time: half a megabyte, which stays in a core's own cache
GROUP = quantized.GROUP


def widen(bits: NDArray[np.uint16], kind: Kind, out: NDArray[np.uint32] | None = None) -> Floats:
    """The finite 32-bit floats that 16 bits stand for; exact.

    Args:
        bits: Any shape.
        kind: What they mean.
        out: Where to write them, of the same shape; else a new array is made.
    """
    out = np.empty(bits.shape, dtype=np.uint32) if out is None else out
    if kind == "bf16":
        return np.left_shift(bits, 16, out=out, dtype=np.uint32, casting="unsafe").view(np.float32)
    # NumPy's own conversion goes number by number. Digits and exponent move into place, 112 is added to the
    # exponent by a product, which is right for numbers near zero too, and the sign comes last.
    sign = np.bitwise_and(bits, 0x8000)
    np.left_shift(bits ^ sign, 13, out=out, dtype=np.uint32, casting="unsafe")
    out.view(np.float32)[...] *= np.float32(2.0**112)
    out |= np.left_shift(sign, 16, dtype=np.uint32, casting="unsafe")
    return out.view(np.float32)


class Kept(abc.ABC):
    """A matrix that reads like one of 32 bits where the model reads one: by rows."""

    ndim = 2
    shape: tuple[int, ...]  # (outputs, inputs)

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return self.shape[0] * self.shape[1]

    @property
    @abc.abstractmethod
    def nbytes(self) -> int:
        """Bytes in memory."""

    def __len__(self) -> int:
        """Rows."""
        return self.shape[0]

    def __getitem__(self, rows: Ints | slice) -> Floats:
        """Some rows, in 32 bits."""
        return self._wide(rows, None)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """All of it in 32 bits, for code that needs a plain array; a large one takes twice its own memory."""
        return self[:].astype(dtype or np.float32, copy=False)

    def bands(self) -> Iterator[Floats]:
        """All rows in order, some at a time; each band is gone when the next one comes."""
        step = max(1, BAND // max(1, self.shape[1]))
        room = np.empty((min(step, len(self)), self.shape[1]), dtype=np.uint32)
        for top in range(0, len(self), step):
            yield self._wide(slice(top, top + step), room[: len(self) - top])

    @abc.abstractmethod
    def _wide(self, rows: Ints | slice, out: NDArray[np.uint32] | None) -> Floats:
        """Some rows in 32 bits, written to ``out`` where it is given."""


class Narrow(Kept):
    """A matrix of 16-bit floats.

    Attributes:
        bits: (outputs, inputs) of uint16.
        kind: What the bits mean.
    """

    def __init__(self, bits: NDArray[np.uint16], kind: Kind) -> None:
        self.bits, self.kind = bits, kind
        self.shape = bits.shape

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.bits.nbytes

    def _wide(self, rows: Ints | slice, out: NDArray[np.uint32] | None) -> Floats:
        return widen(self.bits[rows], self.kind, out)


class Packed(Kept):
    """A matrix of 8-bit codes with a 16-bit scale for every 32 of them.

    A number is off by half its scale at most.

    Attributes:
        codes: (outputs, inputs) of int8; inputs divide by 32.
        scales: (outputs, inputs / 32) of float16.
    """

    def __init__(self, codes: NDArray[np.int8], scales: NDArray[np.float16]) -> None:
        self.codes, self.scales = codes, scales
        self.shape = codes.shape

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> Packed:
        """A matrix to be filled."""
        return cls(np.empty(shape, np.int8), np.empty((shape[0], shape[1] // GROUP), np.float16))

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.codes.nbytes + self.scales.nbytes

    def put(self, first: int, numbers: Floats) -> None:
        """Packs numbers that follow one another row by row.

        Args:
            first: Where they begin, counted over all rows; divides by 32.
            numbers: (n,), n divides by 32.
        """
        codes, scales = quantized.pack(numbers, 8)
        self.codes.reshape(-1)[first : first + len(numbers)] = codes.view(np.int8).reshape(-1)
        self.scales.reshape(-1)[first // GROUP : (first + len(numbers)) // GROUP] = scales

    def _wide(self, rows: Ints | slice, out: NDArray[np.uint32] | None) -> Floats:
        codes, scales = self.codes[rows], self.scales[rows]
        wide: Floats = np.empty(codes.shape, np.float32) if out is None else out.view(np.float32)
        np.copyto(wide, codes)
        groups = wide.reshape(*codes.shape[:-1], -1, GROUP)
        groups *= scales.astype(np.float32)[..., None]
        return wide
