"""Reads what sections of a WebAssembly module hold: types, tables, globals, functions in tables, and memory.

Source: WebAssembly Core Specification 2.0, section 5.5.
"""

from __future__ import annotations

from collections.abc import Callable

from glassbox.publish.python.instructions import CONSTANT
from glassbox.publish.python.wasm import signed, sized, sleb, unsigned, vector


def numbers(data: bytes) -> list[int]:
    """A vector of numbers."""
    count, at = unsigned(data, 0)
    found = []
    for _ in range(count):
        value, at = unsigned(data, at)
        found.append(value)
    return found


def entries(data: bytes, after: Callable[[bytes, int], int]) -> list[bytes]:
    """A vector's items, of which ``after`` tells where each ends."""
    count, at = unsigned(data, 0)
    found = []
    for _ in range(count):
        end = after(data, at)
        found.append(data[at:end])
        at = end
    return found


def after_type(data: bytes, at: int) -> int:
    """Where a function's type ends."""
    taken, start = unsigned(data, at + 1)
    given, start = unsigned(data, start + taken)
    return start + given


def parameters(types: bytes) -> list[int]:
    """How many values a function of each type takes."""
    return [unsigned(t, 1)[0] for t in entries(types, after_type)]


def with_type(types: bytes) -> tuple[bytes, int]:
    """The types with that of a function that takes and gives nothing, and its number."""
    listed = entries(types, after_type)
    plain = b"\x60\x00\x00"
    listed += [] if plain in listed else [plain]
    return vector(listed), listed.index(plain)


def after_table(data: bytes, at: int) -> int:
    """Where a table's description ends."""
    end = unsigned(data, at + 2)[1]
    return unsigned(data, end)[1] if data[at + 1] & 1 else end


def after_global(data: bytes, at: int) -> int:
    """Where a global ends."""
    if data[at + 2] != CONSTANT:
        raise ValueError("a global begins with what is not a constant of 32 bits")
    return signed(data, at + 3)[1] + 1


def elements(data: bytes) -> tuple[bytes, list[int]]:
    """Where the one segment of a table begins (as LEB128), and its functions."""
    if data[:3] != b"\x01\x00\x41":
        raise ValueError("the functions in tables are not one segment with a constant before it")
    end = signed(data, 3)[1]
    return data[3:end], numbers(data[end + 1 :])


def memory(data: bytes, apart: list[tuple[int, int]]) -> tuple[list[bytes], list[bytes]]:
    """The segments of memory within ranges, in order, and those outside of them."""
    count, at = unsigned(data, 0)
    inside: list[bytes] = []
    outside: list[bytes] = []
    for _ in range(count):
        if data[at : at + 2] != b"\x00\x41":
            raise ValueError("a segment of memory has no constant address")
        start, at = signed(data, at + 2)
        length, at = unsigned(data, at + 1)
        content = data[at : at + length]
        at += length
        here = start
        for low, high in [*apart, (start + length, start + length)]:
            low, high = max(low, here), min(high, start + length)
            if low > high:
                continue
            outside += segment(here, content[here - start : low - start])
            inside += segment(low, content[low - start : high - start])
            here = high
    return inside, outside


def segment(start: int, content: bytes) -> list[bytes]:
    """A segment of memory, unless it is empty."""
    return [b"\x00\x41" + sleb(start) + b"\x0b" + sized(content)] if content else []
