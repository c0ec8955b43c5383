"""Reads fields of a config.json one by one, and refuses by the field's name.

    >>> Fields({"model_type": "llama", "num_hidden_layers": "32"}, "llama").whole("num_hidden_layers", 2000)
    Traceback (most recent call last):
    ValueError: num_hidden_layers is '32'; it should be a whole number from 1 to 2,000

A field that is left out takes the default of the model family's own class, as the library that wrote the
config would, and that is noted. The fields that make a model what it is have no default.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

MAX_LAYERS = 2_000
MAX_HEADS = 4_096
MAX_EXPERTS = 65_536
MAX_HEAD_DIM = 65_536
MAX_WIDTH = 4_000_000
MAX_WINDOW = 1_000_000_000
MAX_TOKENS = 1_000_000_000
MAX_SEQUENCES = 1_000_000_000


class Fields:
    """One config (or its ``text_config``) with its family's defaults, and notes of what was assumed."""

    def __init__(
        self,
        config: Mapping[str, Any],
        family: str,
        defaults: Mapping[str, Any] | None = None,
        where: str = "",
    ) -> None:
        self.config = config
        self.family = family
        self.defaults = defaults or {}
        self.where = where
        self.notes: list[str] = []

    def whole(self, name: str, high: int, low: int = 1, required: bool = False) -> int:
        """A whole number; left out, it takes the family's default unless it is required.

        Raises:
            ValueError: It is missing without a default, or not a whole number from ``low`` to ``high``.
        """
        value = self._take(name, required)
        if value is None:
            raise ValueError(
                f"{self.where}{name} is missing; in a {self.family} config it should be a whole number "
                f"from {low:,} to {high:,}"
            )
        return check_whole(from_json(value), self.where + name, high, low)

    def whole_or_none(self, name: str, high: int, low: int = 1) -> int | None:
        """A whole number, or None where the field is null or left out without a default."""
        value = self._take(name)
        return None if value is None else check_whole(from_json(value), self.where + name, high, low)

    def flag(self, name: str) -> bool:
        """A boolean; left out, it takes the family's default, else false."""
        value = self._take(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise ValueError(f"{self.where}{name} is {shown(value)}; it should be true or false")
        return value

    def words(self, name: str, length: int | None = None) -> list[str] | None:
        """A list of words, one a layer, or None where it is null or left out."""
        value = self.config.get(name)
        if value is None:
            return None
        if not isinstance(value, (list, tuple)) or not all(isinstance(w, str) for w in value):
            raise ValueError(
                f"{self.where}{name} is {shown(value)}; it should be a list of words, one a layer"
            )
        if length is not None and len(value) != length:
            raise ValueError(
                f"{self.where}{name} names {len(value)} layers and num_hidden_layers is {length}; "
                "the two should be equal"
            )
        return list(value)

    def numbers(self, name: str, high: int, low: int = 0) -> list[int] | None:
        """A list of whole numbers, or None where it is null or left out."""
        value = self.config.get(name)
        if value is None:
            return None
        if not isinstance(value, (list, tuple)) or len(value) > MAX_LAYERS:
            raise ValueError(f"{self.where}{name} is {shown(value)}; it should be a list of whole numbers")
        return [check_whole(from_json(v), f"{self.where}{name}[{n}]", high, low) for n, v in enumerate(value)]

    def given(self, *names: str) -> str:
        """The first of several names for one field that the config uses; the first if none is there."""
        return next((n for n in names if self.config.get(n) is not None), names[0])

    def _take(self, name: str, required: bool = False) -> Any:
        if name in self.config or required:
            return self.config.get(name)
        default = self.defaults.get(name)
        if default is not None:
            written = str(default).lower() if isinstance(default, bool) else default
            self.notes.append(
                f"{self.where}{name} is not given; the default of {self.family}, {written}, is used"
            )
        return default


def from_json(value: object) -> object:
    """A number as a config means it: JSON has one kind of number, and some writers say 4096.0 for 4096."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def check_whole(value: object, name: str, high: int, low: int = 1) -> int:
    """Returns ``value`` if it is an int from ``low`` to ``high``.

    Raises:
        ValueError: It is not; the sentence says what it is and what it should be.
    """
    should = f"it should be a whole number from {low:,} to {high:,}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} is {shown(value)}; {should}")
    if not low <= value <= high:
        raise ValueError(f"{name} is {shown(value)}; {should}")
    return value


def shown(value: object) -> str:
    """A value as a sentence can show it: short, whatever it is."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 10**15 else "a number of more than 15 digits"
    if isinstance(value, float):
        return f"{value:g}" if math.isfinite(value) else "not a finite number"
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else repr(value[:40] + "…")
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    return f"a {type(value).__name__}"
