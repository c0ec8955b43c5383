"""The forms of a fixed number and of a work that is credited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Value = float | str | tuple[float | str, ...]
Provenance = Literal["computed", "measured", "reported"]


@dataclass(frozen=True)
class Example:
    """One fixed figure.

    Attributes:
        key: A short name, the same for ever.
        chapter: Its chapter's name.
        what: What it is the number of.
        value: The number itself, or several in the order that ``what`` names them.
        unit: Of the value; empty for a plain count.
        text: As a page writes it.
        provenance: Computed, measured or reported.
        source: Who published it, or which rule it follows.
        recompute: For a computed one, the line of Python that gives ``value``; otherwise how to check it.
    """

    key: str
    chapter: str
    what: str
    value: Value
    unit: str
    text: str
    provenance: Provenance
    source: str
    recompute: str


@dataclass(frozen=True)
class Work:
    """An article, a paper or a data set that these pages stand on."""

    authors: str
    year: int
    title: str
    where: str
    for_what: str


def computed(
    key: str, chapter: str, what: str, value: Value, unit: str, text: str, line: str, source: str = ""
) -> Example:
    """A number that a line of code gives."""
    return Example(key, chapter, what, value, unit, text, "computed", source, line)
