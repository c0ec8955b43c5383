r"""How numbers are written, in every chapter: counts, shares, bytes, seconds, money.

    >>> count(50_005_000), si(50_005_000), plural(1, "user")
    ('50 million', '50\xa0M', '1 user')
    >>> decimal(1_048_576_000), both(1_048_576_000)
    ('1.0486 GB', '1.0486 GB (0.9766 GiB)')
    >>> seconds(0.0084), seconds(93), seconds(7200)
    ('8.4 ms', '93 s', '2 hours')
    >>> percent(0.0312, 1), percent(0.0004), percent(0.0)
    ('3.1\xa0%', 'under 1\xa0%', '0\xa0%')
    >>> percent(0.9999), percent(0.9999, 1), percent(1.0)
    ('over 99\xa0%', 'over 99.9\xa0%', '100\xa0%')
    >>> dollars(1234.5), dollars(0.0042)
    ('$1,234.50', '$0.0042')

A gigabyte (GB) is 10**9 bytes, a gibibyte (GiB) 2**30; the two are 7 % apart, so each goes by its right name.
"""

from __future__ import annotations

import math

_PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_WORDS = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"))
_DECIMAL = ((10**15, "PB"), (10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
_BINARY = ((2**50, "PiB"), (2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_TIMES = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"))
_LONG = 600.0  # seconds; what takes longer is told in minutes, hours or days


def plain(value: float) -> str:
    """Writes a number in full, with thousands separated and a true minus: ``−1,500`` or ``0.25``."""
    return f"{round(value, 12):,.10g}".replace("-", "−")


def si(value: float, unit: str = "") -> str:
    """Writes a number with a prefix and at most three figures: ``1.05 GB``, ``300 ns``, ``20 k``."""
    if value == 0:
        return f"0\u00a0{unit}".rstrip("\u00a0")
    exponent = min(max(3 * math.floor(math.log10(abs(value)) / 3 + 1e-12), -9), 18)
    if abs(value) / 10.0**exponent >= 999.5 and exponent < 18:
        exponent += 3
    scaled = value / 10.0**exponent
    digits = max(0, 2 - max(0, math.floor(math.log10(abs(scaled)) + 1e-12)))
    number = plain(round(scaled, digits))
    return f"{number}\u00a0{_PREFIXES[exponent]}{unit}".rstrip("\u00a0")


def count(number: int) -> str:
    """A count as one says it: in full below a million, then in millions and more, three figures."""
    for size, name in _WORDS:
        if number >= size:
            return f"{number / size:,.3g} {name}" if number < 1000 * size else f"{number / size:,.0f} {name}"
    return f"{number:,}"


def plural(number: int, one: str, many: str = "") -> str:
    """A number with what it counts: ``1 user``, ``61 users``, ``2 stretches``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(share: float, digits: int = 0) -> str:
    """A share of one in percent; ``0 %`` is nothing at all and ``100 %`` is all.

    What would round to them is ``under`` the least step, or ``over`` the last one. The space does not break, so
    that no line begins with the sign.
    """
    least = 10.0**-digits
    if 0 < 100 * share < least / 2:
        return f"under {least:g}\u00a0%"
    if 100 - least / 2 <= 100 * share < 100:
        return f"over {100 - least:.{digits}f}\u00a0%"
    return f"{100 * share:.{digits}f}\u00a0%" if share else "0\u00a0%"


def both(size: float) -> str:
    """Bytes in powers of ten and, in brackets, in powers of two."""
    for (least, _), second in zip(_DECIMAL, _BINARY, strict=True):
        if size >= least:
            return f"{decimal(size)} ({_scaled(size, (second,), least=0)})"
    return decimal(size)


def decimal(size: float) -> str:
    """Bytes with a prefix that is a power of 1,000."""
    return _scaled(size, _DECIMAL)


def binary(size: float) -> str:
    """Bytes with a prefix that is a power of 1,024."""
    return _scaled(size, _BINARY)


def _scaled(size: float, units: tuple[tuple[int, str], ...], least: float = 1) -> str:
    for unit, name in units:
        if size >= least * unit:
            return f"{plain(round(size / unit, 4 if size / unit < 10 else 2))} {name}"
    return f"{plain(size)} bytes" if size != 1 else "1 byte"


def seconds(time: float) -> str:
    """A time in the unit that suits it: ``8.4 ms``, ``1.27 s``, ``25 minutes``."""
    if time < 1e-6:
        return f"{time * 1e9:.3g} ns"
    if time < 1e-3:
        return f"{time * 1e6:.3g} µs"
    if time < 1:
        return f"{time * 1e3:.3g} ms"
    if time < _LONG:
        return f"{time:,.3g} s"
    size, name = next((s, n) for s, n in _TIMES if time >= s)
    number = plain(float(f"{time / size:.3g}"))
    return f"{number} {name if number != '1' else name[:-1]}"


def dollars(amount: float) -> str:
    """Money to the cent, and small change to a hundredth of one.

    >>> dollars(12.5), dollars(0.0207), dollars(0.000005)
    ('$12.50', '$0.0207', 'under $0.0001')
    """
    if 0 < amount < 0.00005:
        return "under $0.0001"
    return f"${amount:.4f}" if 0 < amount < 0.1 else f"${amount:,.2f}"
