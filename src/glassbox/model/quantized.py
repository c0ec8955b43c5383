"""Numbers in groups of 32: a small integer each, and one 16-bit scale for all 32.

Engines call such a group a block; here a block is always memory for some tokens (see ``serving.paging``).

8 bits: 32 + 2 = 34 bytes for 32 numbers. 4 bits: 16 + 2 = 18 bytes, two numbers to a byte.

    >>> codes, scales = pack(np.linspace(-1, 1, 32, dtype=np.float32), 8)
    >>> codes.nbytes + scales.nbytes
    34
    >>> bool(abs(unpack(codes, scales, 8) - np.linspace(-1, 1, 32)).max() < 0.51 * scales[0])
    True
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from glassbox.arrays import Floats

GROUP = 32
_TOP = {8: 127, 4: 7}  # the largest code; codes are symmetric around 0


def code_bytes(bits: int) -> int:
    """Bytes of one group's codes."""
    return GROUP * bits // 8


def pack(x: Floats, bits: int) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Quantises the last axis in groups.

    Args:
        x: (..., d) with d divisible by 32, values below 65,504 times the largest code.
        bits: 8 or 4.

    Returns:
        Codes (..., d / 32, bytes) and scales (..., d / 32); a number is off by at most half its scale.
    """
    grouped = x.reshape(*x.shape[:-1], -1, GROUP)
    exact = np.abs(grouped).max(axis=-1) / _TOP[bits]
    scales = exact.astype(np.float16)
    # The rounded scale must not be smaller than the exact one, or the largest number would be cut off.
    scales = np.where(scales < exact, np.nextafter(scales, np.float16(np.inf)), scales)
    safe = np.where(scales > 0, scales, np.float16(1)).astype(np.float32)
    codes = np.rint(grouped / safe[..., None]).astype(np.int8)
    if bits == 8:
        return codes.view(np.uint8), scales
    low, high = (codes[..., :16] + 8).astype(np.uint8), (codes[..., 16:] + 8).astype(np.uint8)
    return low | (high << 4), scales


def unpack(codes: NDArray[np.uint8], scales: NDArray[Any], bits: int) -> Floats:
    """Restores (..., d) in float32."""
    if bits == 8:
        whole = codes.view(np.int8)
    else:
        whole = np.concatenate([codes & 15, codes >> 4], axis=-1).astype(np.int8) - np.int8(8)
    rows = whole.astype(np.float32) * scales.astype(np.float32)[..., None]
    out: Floats = rows.reshape(*rows.shape[:-2], -1)
    return out
