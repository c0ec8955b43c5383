"""What surrounds attention in a decoder: linear maps, RMSNorm, rotary positions, the gated MLP."""

from __future__ import annotations

import sys

import numpy as np

from glassbox.arrays import Floats, Ints

# NumPy in the browser has no BLAS: there einsum over two rows that lie in memory one after the other is
# several times faster than matmul, and matmul over columns is slowest of all. Hence weights lie as
# (outputs, inputs), and this one function decides.
_IN_BROWSER = sys.platform == "emscripten"


def linear(x: Floats, w: Floats) -> Floats:
    """Multiplies rows by a weight matrix.

    Args:
        x: (n, inputs).
        w: (outputs, inputs).

    Returns:
        (n, outputs).
    """
    out: Floats = np.einsum("ni,oi->no", x, w) if _IN_BROWSER else x @ w.T
    return out


def rms_norm(x: Floats, gain: Floats, eps: float) -> Floats:
    """Divides each row by its root mean square, then scales every feature.

    Source: Zhang & Sennrich 2019, equation 4.
    """
    mean_square = np.einsum("ij,ij->i", x, x)[:, None] / np.asarray(x.shape[1], dtype=x.dtype)
    out: Floats = x / np.sqrt(mean_square + np.asarray(eps, dtype=x.dtype)) * gain
    return out


def rotation(positions: Ints, d_head: int, base: float) -> tuple[Floats, Floats]:
    """Cosines and sines of the angles by which each position turns each pair of numbers.

    Returns:
        Two arrays (n_positions, d_head / 2) of float32.
    """
    half = d_head // 2
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(half) / half)
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def rotate(x: Floats, cos: Floats, sin: Floats) -> Floats:
    """Turns queries or keys, so that their dot product depends on how far apart they are.

    Args:
        x: (heads, n, d_head); the pair (i, i + d_head / 2) turns by position times frequency i.
        cos: (n, d_head / 2).
        sin: (n, d_head / 2).

    Source: Su et al. 2021, *RoFormer*, equation 34, in the half-split order that Llama uses.
    """
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    out = np.empty_like(x)
    out[..., :half] = first * cos - second * sin
    out[..., half:] = first * sin + second * cos
    return out


def silu(x: Floats) -> Floats:
    """X times its logistic; written with tanh, which cannot overflow."""
    half = np.asarray(0.5, dtype=x.dtype)
    out: Floats = x * half * (1 + np.tanh(x * half))
    return out


def gated_mlp(x: Floats, w_gate_up: Floats, w_down: Floats) -> Floats:
    """(silu(x @ gate) * (x @ up)) @ down, with gate and up stacked in one matrix (2 d_ff, d_model).

    Source: Shazeer 2020, *GLU variants improve transformer*, equation 6.
    """
    both = linear(x, w_gate_up)
    d_ff = w_gate_up.shape[0] // 2
    return linear(silu(both[:, :d_ff]) * both[:, d_ff:], w_down)
