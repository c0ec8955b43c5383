"""Refuses a value that a figure does not have, and names those it has.

>>> one_of("bits", 5, (16, 8, 4))
Traceback (most recent call last):
ValueError: bits is 5; it should be one of 16, 8, 4
"""

from __future__ import annotations

import reprlib
from collections.abc import Collection
from typing import TypeVar

T = TypeVar("T")


def one_of(name: str, value: T, choices: Collection[T]) -> T:
    """Returns ``value`` if it is among ``choices``.

    Args:
        name: The argument's name, for the sentence.
        value: What was asked for.
        choices: What there is.

    Raises:
        ValueError: It is not; the sentence says what is possible.
    """
    if not any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in choices):
        shown = reprlib.repr(value) if isinstance(value, str) else str(value)[:40]
        listed = ", ".join(str(c) if not isinstance(c, str) else repr(c) for c in choices)
        raise ValueError(f"{name} is {shown}; it should be one of {listed}")
    return value
