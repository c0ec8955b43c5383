"""How this chapter writes amounts: bytes in both units, each by its right name.

A gigabyte (GB) is 10**9 bytes, a gibibyte (GiB) 2**30; the two are 7 % apart.

    >>> both(1_048_576_000)
    '1.0486 GB (0.9766 GiB)'
"""

from __future__ import annotations

from glassbox.figures.axis import plain

_DECIMAL = ((10**15, "PB"), (10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
_BINARY = ((2**50, "PiB"), (2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def both(count: float) -> str:
    """Bytes in powers of ten and, in brackets, in powers of two."""
    for (size, _), second in zip(_DECIMAL, _BINARY, strict=True):
        if count >= size:
            return f"{decimal(count)} ({_scaled(count, (second,), least=0)})"
    return decimal(count)


def decimal(count: float) -> str:
    """Bytes with a prefix that is a power of 1,000."""
    return _scaled(count, _DECIMAL)


def binary(count: float) -> str:
    """Bytes with a prefix that is a power of 1,024."""
    return _scaled(count, _BINARY)


def _scaled(count: float, units: tuple[tuple[int, str], ...], least: float = 1) -> str:
    for size, name in units:
        if count >= least * size:
            return f"{plain(round(count / size, 4 if count / size < 10 else 2))} {name}"
    return f"{plain(count)} bytes" if count != 1 else "1 byte"


def counted(number: int, noun: str) -> str:
    """``1 user``, ``61 users``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def seconds(value: float) -> str:
    """A time in the unit that suits it: ``8.4 ms``, ``1.27 s``."""
    if value < 1e-3:
        return f"{value * 1e6:.3g} µs"
    if value < 1:
        return f"{value * 1e3:.3g} ms"
    return f"{value:,.3g} s" if value < 100 else f"{value:,.0f} s"
