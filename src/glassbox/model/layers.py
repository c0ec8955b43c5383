"""What surrounds attention in a decoder: linear maps, norms, rotary positions, the MLP."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from glassbox.arrays import Floats, Ints
from glassbox.model.narrow import Kept
from glassbox.model.rope import Rope

Weights = Floats | Kept

# NumPy in the browser has no BLAS: there einsum over two rows that lie in memory one after the other is
# several times faster than matmul, and matmul over columns is slowest of all. Hence weights lie as
# (outputs, inputs), and this one function decides.
_IN_BROWSER = sys.platform == "emscripten"


def linear(x: Floats, w: Weights, bias: Floats | None = None) -> Floats:
    """Multiplies rows by a weight matrix.

    Args:
        x: (n, inputs).
        w: (outputs, inputs); numbers kept in 16 or 8 bits are widened some rows at a time.
        bias: (outputs,), added.

    Returns:
        (n, outputs).
    """
    if isinstance(w, Kept):
        out: Floats = np.concatenate([linear(x, rows) for rows in w.bands()], axis=1)
    else:
        out = np.einsum("ni,oi->no", x, w) if _IN_BROWSER else x @ w.T
    return out if bias is None else out + bias


def rms_norm(x: Floats, gain: Floats, eps: float) -> Floats:
    """Divides each row by its root mean square, then scales every feature.

    Source: Zhang & Sennrich 2019, equation 4.
    """
    mean_square = np.einsum("ij,ij->i", x, x)[:, None] / np.asarray(x.shape[1], dtype=x.dtype)
    out: Floats = x / np.sqrt(mean_square + np.asarray(eps, dtype=x.dtype)) * gain
    return out


def layer_norm(x: Floats, gain: Floats, bias: Floats, eps: float) -> Floats:
    """Takes each row's mean off, divides it by its spread, then scales and shifts every feature.

    Source: Ba et al. 2016, equation 4.
    """
    return rms_norm(x - x.mean(axis=1, keepdims=True), gain, eps) + bias


def rotation(positions: Ints, d_head: int, rope: Rope | float) -> tuple[Floats, Floats]:
    """Cosines and sines of the angles by which each position turns each pair of numbers.

    Args:
        positions: (n_positions,).
        d_head: Numbers in a query.
        rope: How fast each pair turns, or the base of the plain rule.

    Returns:
        Two arrays (n_positions, d_head / 2) of float32.
    """
    rope = rope if isinstance(rope, Rope) else Rope(rope)
    angles = np.asarray(positions)[:, None] * rope.frequencies(d_head)
    return (rope.gain * np.cos(angles)).astype(np.float32), (rope.gain * np.sin(angles)).astype(np.float32)


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


def gelu(x: Floats) -> Floats:
    """X times the share of a normal distribution that lies below it.

    Source: Hendrycks & Gimpel 2016, equation 1; erf after Abramowitz & Stegun 7.1.26, in double precision.
    """
    z = np.abs(x.astype(np.float64)) / np.sqrt(2.0)
    t = 1 / (1 + 0.3275911 * z)
    powers = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - powers * np.exp(-z * z))
    out: Floats = (0.5 * x * (1 + erf)).astype(x.dtype)
    return out


def gelu_tanh(x: Floats) -> Floats:
    """GELU by a tanh, as GPT-2 and Gemma compute it.

    Source: Hendrycks & Gimpel 2016, section 2.
    """
    half, root = np.asarray(0.5, dtype=x.dtype), np.asarray(np.sqrt(2 / np.pi), dtype=x.dtype)
    out: Floats = x * half * (1 + np.tanh(root * (x + np.asarray(0.044715, dtype=x.dtype) * x * x * x)))
    return out


ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {"silu": silu, "gelu": gelu, "gelu_tanh": gelu_tanh}


def capped(x: Floats, cap: float) -> Floats:
    """Bends numbers to lie between minus ``cap`` and ``cap``; 0 leaves them.

    Source: Gemma Team 2024, *Gemma 2*, section 2.
    """
    if not cap:
        return x
    wide = np.asarray(cap, dtype=x.dtype)
    out: Floats = wide * np.tanh(x / wide)
    return out


def gated_mlp(
    x: Floats,
    w_gate_up: Weights,
    w_down: Weights,
    b_gate_up: Floats | None = None,
    b_down: Floats | None = None,
    act: Callable[[Floats], Floats] = silu,
) -> Floats:
    """(act(x @ gate) * (x @ up)) @ down, with gate and up stacked in one matrix (2 d_ff, d_model).

    Source: Shazeer 2020, *GLU variants improve transformer*, equation 6.
    """
    both = linear(x, w_gate_up, b_gate_up)
    d_ff = w_gate_up.shape[0] // 2
    return linear(act(both[:, :d_ff]) * both[:, d_ff:], w_down, b_down)


def plain_mlp(
    x: Floats,
    w_up: Weights,
    w_down: Weights,
    b_up: Floats | None = None,
    b_down: Floats | None = None,
    act: Callable[[Floats], Floats] = gelu,
) -> Floats:
    """act(x @ up + b_up) @ down + b_down: the MLP without a gate.

    Source: Vaswani et al. 2017, equation 2, with another activation.
    """
    return linear(act(linear(x, w_up, b_up)), w_down, b_down)
