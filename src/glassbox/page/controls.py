"""The controls a page can show, as plain data, and the values they may take.

A control's *wire value* is what travels in a URL, in a frame's key and to the worker: a number, a string,
a boolean, or (for a button) the number of presses. ``value`` turns it into what the notebook's cell sees.

| kind     | in the notebook                     | wire value                    |
|----------|-------------------------------------|-------------------------------|
| slider   | ``mo.ui.slider``                    | number, one of the steps      |
| number   | ``mo.ui.number``                    | number between start and stop |
| select   | ``mo.ui.dropdown``                  | the chosen label              |
| radio    | ``mo.ui.radio``                     | the chosen label              |
| switch   | ``mo.ui.switch``, ``mo.ui.checkbox``| true or false                 |
| text     | ``mo.ui.text``, ``mo.ui.text_area`` | the text                      |
| button   | ``mo.ui.button`` that counts        | how often it was pressed      |
| file     | ``mo.ui.file``                      | where it lies, or ""          |
"""

from __future__ import annotations

import functools
import math
import reprlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]

MAX_TEXT = 1_200_000  # characters; a paste beyond this is refused with a sentence


def value(control: Json, wire: Any) -> Any:
    """Turns a wire value into the value that the notebook's cell sees.

    Raises:
        ValueError: The wire value is not one this control can take; the sentence names what it can.
    """
    kind, name = control["kind"], control["name"]
    if kind in ("slider", "number", "button"):
        if not _finite(wire):
            raise ValueError(f"{name} takes a number, not {reprlib.repr(wire)}")
        return _number(control, wire)
    if kind == "switch":
        if not isinstance(wire, bool):
            raise ValueError(f"{name} is on or off, not {reprlib.repr(wire)}")
        return wire
    if kind == "file":
        return _chosen(name, wire)
    if kind == "text":
        if not isinstance(wire, str):
            raise ValueError(f"{name} takes text, not {type(wire).__name__}")
        if len(wire) > MAX_TEXT:
            raise ValueError(f"this text has {len(wire):,} characters; the page takes up to {MAX_TEXT:,}")
        return wire
    options = control["options"]
    if not isinstance(wire, str) or wire not in options:
        raise ValueError(f"{name} has no option {reprlib.repr(wire)}; it has {', '.join(options)}")
    return options[wire]


@dataclass(frozen=True)
class File:
    """A file that a reader chose, as ``mo.ui.file`` gives it.

    Attributes:
        name: Its name.
        contents: Its bytes.
    """

    name: str
    contents: bytes


CHOSEN = "/chosen/"  # the folder in which the page's worker lays the files that a reader chose


def _chosen(name: str, wire: Any) -> list[File]:
    if wire == "":
        return []
    if not isinstance(wire, str) or not wire.startswith(CHOSEN) or ".." in wire.split("/"):
        raise ValueError(f"{name} takes a file that was chosen in the page, not {reprlib.repr(wire)}")
    return [_read(wire)]


@functools.lru_cache(maxsize=2)  # another file has another place
def _read(place: str) -> File:
    path = Path(place)
    return File(path.name, path.read_bytes())


def _finite(wire: Any) -> bool:
    """Whether it is a number that arithmetic can take."""
    if isinstance(wire, bool) or not isinstance(wire, (int, float)):
        return False
    try:
        return math.isfinite(wire)
    except OverflowError:  # a whole number beyond every float
        return False


def _number(control: Json, wire: float) -> float:
    if control["kind"] == "button":
        return int(wire)
    steps: list[float] | None = control.get("steps")
    if steps:
        wire = min(max(wire, min(steps)), max(steps))
        return min(steps, key=lambda s: abs(s - wire))
    low, high = float(control["start"]), float(control["stop"])
    inside = float(min(max(wire, low), high))
    if control["kind"] == "slider":
        step = float(control["step"])
        last = math.floor((high - low) / step + 1e-9)
        inside = round(low + min(round((inside - low) / step), last) * step, 9)
    whole = all(isinstance(control[k], int) for k in ("start", "step"))
    return int(inside) if whole and inside.is_integer() else inside
