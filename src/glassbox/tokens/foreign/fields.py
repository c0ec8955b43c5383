"""Reads fields of somebody else's file, and says in a sentence what is wrong with one."""

from __future__ import annotations

import importlib
import reprlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any, TypeVar

Json = Mapping[str, Any]


class UnknownError(ValueError):
    """The file asks for something that is not known here; the sentence names it."""


def get(step: Json, name: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
    """The field ``name`` of a step, ``default`` where it is missing or null.

    Raises:
        ValueError: It is of another kind.
    """
    value = step.get(name)
    if value is None:
        return default
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wanted = " or ".join(_NAMES.get(k, k.__name__) for k in kinds)
        raise ValueError(f"{_of(step)}{name} is {reprlib.repr(value)}; it should be {wanted}")
    return value


def need(step: Json, name: str, kind: type | tuple[type, ...]) -> Any:
    """The field ``name`` of a step, which must be there.

    Raises:
        ValueError: It is missing, or of another kind.
    """
    if step.get(name) is None:
        raise ValueError(f"{_of(step)}{name} is missing from the file")
    return get(step, name, kind)


T = TypeVar("T")


def kind(step: Json, known: Mapping[str, T], doing: str) -> T:
    """What the step's ``type`` stands for.

    Raises:
        UnknownError: The type is not among the known ones.
    """
    name = need(step, "type", str)
    if name not in known:
        raise UnknownError(f"{doing} {name}, which is not known here; known are {', '.join(known)}")
    return known[name]


def only(step: Json, known: str) -> None:
    """Refuses a step with fields beside the known ones (names with spaces between).

    Raises:
        UnknownError: It has; a field that is null, false or empty asks for nothing.
    """
    more = [name for name, value in step.items() if value and name not in {*known.split(), "type"}]
    if more:
        raise UnknownError(f"{_of(step)}{more[0]} is set in the file, and is not known here")


def pattern(step: Json, name: str = "pattern") -> Any:
    """A compiled pattern from ``{"String": …}`` or ``{"Regex": …}``.

    Raises:
        ValueError: The pattern cannot be read.
    """
    regex = _regex()
    held = step.get(name)
    if isinstance(held, str):
        return regex.compile(regex.escape(held))
    if not isinstance(held, Mapping) or not isinstance(next(iter(held.values()), None), str):
        raise ValueError(f'{_of(step)}{name} should be {{"String": …}} or {{"Regex": …}}')
    if "String" in held:
        return regex.compile(regex.escape(held["String"]))
    return compiled(str(held.get("Regex", "")))


def compiled(text: str) -> Any:
    r"""A pattern with ``\p{L}`` and its like.

    Raises:
        ValueError: It cannot be read.
    """
    regex = _regex()
    try:
        return regex.compile(text)
    except regex.error as error:
        raise ValueError(f"the pattern {reprlib.repr(text)} cannot be read ({error})") from None


def _regex() -> ModuleType:
    return importlib.import_module("regex")  # loaded when a file needs it


def _of(step: Json) -> str:
    name = step.get("type")
    return f"{name}’s " if isinstance(name, str) else ""


_NAMES = {str: "a text", bool: "true or false", int: "a whole number", list: "a list", dict: "an object"}
_NAMES |= {float: "a number"}
