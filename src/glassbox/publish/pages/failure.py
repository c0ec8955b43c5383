"""Says where an author's code stopped: the state, the error, the file, the line and what stands there."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def sentence(error: Exception, cell: str, values: Mapping[str, Any]) -> str:
    """Describes an error of a figure's code.

    Args:
        error: What was raised.
        cell: The figure's cell, whose code was compiled under this name.
        values: The control values that it was asked for.
    """
    state = ", ".join(f"{name} = {value!r}" for name, value in values.items())
    return f"stops {f'at {state} ' if state else ''}with {named(error)}{_place(error, cell)}"


def stopped(error: Exception, module: Path) -> str:
    """Describes an error of an author's module: what it stops with, and its last line that was running."""
    own = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(module)]
    place = f", line {own[-1].lineno}: {own[-1].line}" if own else _place(error, "")
    return f"stops with {named(error)}{place}"


def named(error: BaseException) -> str:
    """The error's kind and its own words."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _place(error: Exception, cell: str) -> str:
    """The innermost line of the cell or of glassbox that was running."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if f.filename == cell or _within(f.filename)[:1] not in ((), ("page",))]
    if not ours or _within(ours[-1].filename)[:1] == ("publish",):
        return ""
    last = ours[-1]
    if last.filename == cell:
        return f", line {last.lineno} of its cell"
    code = linecache.getline(last.filename, last.lineno or 0).strip()
    return f", glassbox/{'/'.join(_within(last.filename))} line {last.lineno}: {code}"


def _within(filename: str) -> tuple[str, ...]:
    """The parts of a path below the package glassbox."""
    parts = Path(filename).parts
    return parts[len(parts) - parts[::-1].index("glassbox") :] if "glassbox" in parts else ()
