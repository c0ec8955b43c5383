"""The fields of a ``config.json``, each taken with its type and bounds, and missed by its name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from glassbox.model.checkpoint.safetensors import shown


class Fields:
    """A JSON object from a file that may come from anywhere.

    Args:
        found: The object.
        where: What a sentence calls it: the file's name, and the field that holds the object.
        defaults: What the family's own code takes where a field is missing.
    """

    def __init__(
        self, found: Mapping[str, Any], where: str, defaults: Mapping[str, Any] | None = None
    ) -> None:
        self._found, self.where, self._defaults = found, where, defaults or {}

    def get(self, *names: str) -> Any:
        """The first of these fields that is there and not null; else the family's default, else None."""
        for source in (self._found, self._defaults):
            for name in names:
                if source.get(name) is not None:
                    return source[name]
        return None

    def _called(self, names: tuple[str, ...]) -> str:
        """Which of a field's names the file uses; the first where it uses none."""
        return next((n for n in names if self._found.get(n) is not None), names[0])

    def fault(self, name: str, what: str) -> ValueError:
        """A sentence about one field."""
        return ValueError(f"{self.where}: {name} {what}")

    def _given(self, names: tuple[str, ...], default: Any) -> Any:
        value = self.get(*names)
        if value is None and default is None:
            raise self.fault(names[0], "is missing")
        return default if value is None else value

    def whole(self, *names: str, low: int = 1, high: int = 1 << 20, default: int | None = None) -> int:
        """A whole number between two bounds, both allowed."""
        value = self._given(names, default)
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.fault(
                self._called(names), f"is {shown(value)}; expected a whole number from {low:,} to {high:,}"
            )
        return value

    def number(self, *names: str, low: float, high: float, default: float | None = None) -> float:
        """A finite number between two bounds, both allowed."""
        value = self._given(names, default)
        fits = isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high
        if not fits or not math.isfinite(value):
            raise self.fault(
                self._called(names), f"is {shown(value)}; expected a number from {low:g} to {high:g}"
            )
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        """True or false."""
        value = self._given((name,), default)
        if not isinstance(value, bool):
            raise self.fault(name, f"is {shown(value)}; expected true or false")
        return value

    def word(self, *names: str, of: Mapping[str, Any], default: str | None = None) -> str:
        """One of some words."""
        value = self._given(names, default)
        if not isinstance(value, str) or value not in of:
            raise self.fault(self._called(names), f"is {shown(value)}; expected one of {', '.join(of)}")
        return value

    def each(self, name: str, count: int) -> list[Any] | None:
        """A list with one entry a layer, or None where there is none."""
        value = self.get(name)
        if value is not None and (not isinstance(value, list) or len(value) != count):
            raise self.fault(name, f"is {shown(value)}; expected a list of {count} entries, one a layer")
        return value

    def inner(self, name: str) -> Fields | None:
        """An object in a field, or None where there is none."""
        value = self.get(name)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self.fault(name, f"is {shown(value)}; expected names and values in braces")
        return Fields(value, f"{self.where}: {name}")

    def refuse(self, name: str, why: str, harmless: tuple[Any, ...] = (False, 0)) -> None:
        """Stops where a field switches on what is not computed here."""
        value = self.get(name)
        if value is not None and value not in harmless:
            raise self.fault(name, f"is {shown(value)}; {why}")
