"""Where a value lies on an axis, which values get a tick, and how they are written.

>>> Axis(0, 87).ticks
(0, 20, 40, 60, 80)
>>> Axis(1, 1_000_000, log=True).words
('1', '100', '10,000', '1,000,000')
>>> Axis(0, 200).place(50)
25.0
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from glassbox.figures.written import plain, si

_FAR = 10_000.0  # percent; where log(0) and the like end up, well outside the picture


@dataclass(frozen=True)
class Axis:
    """One axis with a fixed domain, so that it holds still while the data moves.

    Attributes:
        low: The value at the start (left or bottom).
        high: The value at the end; above ``low``.
        label: What is measured, in words.
        unit: Written after each number with ``si`` and for %, else once, behind the label.
        log: Equal steps are equal ratios; ``low`` must be positive.
        si: Numbers are written with the prefixes k, M, G … (powers of 1,000) instead of in full.
        at: The values that get a tick; chosen if left out.
        about: Roughly how many ticks to choose.
    """

    low: float
    high: float
    label: str = ""
    unit: str = ""
    log: bool = False
    si: bool = False
    at: tuple[float, ...] = ()
    about: int = 5

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"an axis goes up from a number to a number, not from {self.low} to {self.high}")
        if self.log and self.low <= 0:
            raise ValueError(f"a log axis starts above 0, not at {self.low}")

    def place(self, value: float) -> float:
        """Where ``value`` lies in percent: 0 at ``low``, 100 at ``high``, beyond them outside that range."""
        if self.log:
            if value <= 0:
                return -_FAR
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return min(max(100 * share, -_FAR), _FAR)

    def holds(self, value: float) -> bool:
        """Whether ``value`` lies within the domain."""
        return self.low <= value <= self.high

    @property
    def ticks(self) -> tuple[float, ...]:
        """The values that get a tick, all within the domain."""
        if self.at:
            return tuple(v for v in self.at if self.holds(v))
        return tuple(_log_ticks(self) if self.log else _linear_ticks(self))

    @property
    def words(self) -> tuple[str, ...]:
        """The ticks as they are written."""
        return tuple(self.write(v) for v in self.ticks)

    @property
    def title(self) -> str:
        """The label, with the unit where the ticks do not carry it."""
        if not self.unit or self.si or self.unit == "%":
            return self.label
        return f"{self.label} ({self.unit})" if self.label else self.unit

    def write(self, value: float) -> str:
        """Writes a value as its tick does: ``1,500``, ``1.5 kB``, ``15 %``."""
        if self.si:
            return si(value, self.unit)
        return f"{plain(value)}\u00a0%" if self.unit == "%" else plain(value)


def _linear_ticks(axis: Axis) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten, as near to ``about`` of them as these steps allow."""
    rough = (axis.high - axis.low) / max(axis.about, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = min((power * f for f in (1, 2, 5, 10)), key=lambda s: abs(math.log(s / rough)))
    first, last = math.ceil(axis.low / step - 1e-9), math.floor(axis.high / step + 1e-9)
    return [_exact(n * step) for n in range(first, last + 1)]


def _log_ticks(axis: Axis) -> list[float]:
    """Powers of ten, every second or third if there are many; 1, 2 and 5 of each if there are few."""
    first = math.ceil(math.log10(axis.low) - 1e-9)
    last = math.floor(math.log10(axis.high) + 1e-9)
    if last - first >= 2:
        every = math.ceil((last - first) / max(axis.about, 1))
        return [_exact(10.0**e) for e in range(first, last + 1, every)]
    fine = [_exact(f * 10.0**e) for e in range(first - 1, last + 1) for f in (1, 2, 5)]
    return [v for v in fine if axis.holds(v)]


def _exact(value: float) -> float:
    """The whole number, or the shortest decimal, that ``value`` stands for."""
    short = float(f"{value:.10g}")
    return int(short) if short.is_integer() else short
