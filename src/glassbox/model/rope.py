"""How fast each pair of a query or key turns with its position, in the ways that model families stretch it.

A model trained on short texts meets angles in long ones that it has never seen. Each rule slows pairs down;
the better ones leave the fast pairs, which tell near words apart, as they are:

    >>> Rope(10_000.0).frequencies(8).round(4).tolist()
    [1.0, 0.1, 0.01, 0.001]
    >>> Rope(10_000.0, "linear", factor=4.0).frequencies(8).round(5).tolist()
    [0.25, 0.025, 0.0025, 0.00025]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from glassbox.arrays import Floats

Kind = Literal["default", "linear", "llama3", "yarn"]
KINDS: tuple[Kind, ...] = ("default", "linear", "llama3", "yarn")


@dataclass(frozen=True)
class Rope:
    """The rule of one layer.

    Attributes:
        base: Base of the frequencies.
        kind: ``default`` stretches nothing.
        factor: How many times longer texts may become.
        original: Positions that the model was trained for before it was stretched (``llama3``, ``yarn``).
        low: ``llama3``: pairs that turn fewer times than this over ``original`` are slowed by ``factor``.
        high: ``llama3``: pairs that turn more often than this stay.
        slow: ``yarn``: as ``low``.
        fast: ``yarn``: as ``high``.
        whole: ``yarn``: whether the bounds between slow and fast pairs are whole numbers.
        gain: Multiplies cosines and sines (``yarn``, where longer texts want larger scores).
    """

    base: float
    kind: Kind = "default"
    factor: float = 1.0
    original: int = 0
    low: float = 1.0
    high: float = 4.0
    slow: float = 1.0
    fast: float = 32.0
    whole: bool = True
    gain: float = 1.0

    def frequencies(self, d_head: int) -> Floats:
        """Angle per position of each pair, (d_head / 2,) in float64."""
        half = d_head // 2
        plain: Floats = self.base ** (-np.arange(half) / half)
        if self.kind == "linear":
            return plain / self.factor
        if self.kind == "llama3":
            return self._llama3(plain)
        if self.kind == "yarn":
            return self._yarn(plain)
        return plain

    def _llama3(self, plain: Floats) -> Floats:
        """Source: Dubey et al. 2024, *The Llama 3 herd of models*, section 3.4.3; as Meta's code does it."""
        turns = self.original * plain / (2 * math.pi)  # how often each pair turns over the original length
        kept = np.clip((turns - self.low) / (self.high - self.low), 0, 1)
        out: Floats = plain * (kept + (1 - kept) / self.factor)
        return out

    def _yarn(self, plain: Floats) -> Floats:
        """Source: Peng et al. 2023, *YaRN*, section 3.2."""
        half = len(plain)

        def pair(turns: float) -> float:  # the pair that turns so often over the original length
            return half * math.log(self.original / (turns * 2 * math.pi)) / math.log(self.base)

        low, high = pair(self.fast), pair(self.slow)
        if self.whole:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, 2 * half - 1)
        ramp = np.clip((np.arange(half) - low) / max(high - low, 1e-3), 0, 1)
        out: Floats = plain * (1 - ramp) + plain / self.factor * ramp
        return out
