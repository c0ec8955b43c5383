"""How much work an answer is, counted: the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def calls(function: Callable[[], object]) -> int:
    """How many functions are called, Python's and C's, until ``function`` returns."""
    count = 0

    def seen(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count
