"""What a WebAssembly function's instructions refer to.

Source: WebAssembly Core Specification 2.0, section 5.4, with exceptions as browsers have had them since 2021.
"""

from __future__ import annotations

from collections.abc import Iterator

from glassbox.publish.python.wasm import signed, unsigned

# What follows an instruction's byte: nothing unless named here.
_INDEX = dict.fromkeys((0x0C, 0x0D, 0x08, 0x09, 0x07, 0x18, 0x20, 0x21, 0x22, 0x25, 0x26, 0xD0), 1)
_BLOCK = frozenset((0x02, 0x03, 0x04, 0x06))
CALL, CALL_INDIRECT, GET, SET, CONSTANT, FUNCTION_AT = 0x10, 0x11, 0x23, 0x24, 0x41, 0xD2
ADDRESS = range(0x28, 0x3F)  # loads and stores; what is found of them is the offset


def references(code: bytes) -> Iterator[tuple[int, int, int, int]]:
    """What a function's instructions refer to.

    Args:
        code: Its locals and instructions, as the code section holds them without their length.

    Yields:
        The instruction's byte, the number it names, where that number's LEB128 begins and where it ends: of
        calls, globals, the i32 constants, loads and stores (their offset), and functions taken by reference.

    Raises:
        ValueError: There is an instruction of a kind that is not known here.
    """
    count, at = unsigned(code, 0)
    for _number in range(count):
        _times, at = unsigned(code, at)
        at += 1
    end = len(code)
    while at < end:
        op = code[at]
        at += 1
        if op in (CALL, GET, SET, FUNCTION_AT):
            value, after = unsigned(code, at)
            yield op, value, at, after
            at = after
        elif op == CONSTANT:
            value, after = signed(code, at)
            yield op, value, at, after
            at = after
        elif op in ADDRESS:
            _align, start = unsigned(code, at)
            value, at = unsigned(code, start)
            yield op, value, start, at
        else:
            at = _after(code, at, op)


def _after(code: bytes, at: int, op: int) -> int:
    """Where an instruction ends whose byte ``op`` stands before ``at``."""
    if op in _INDEX:
        return unsigned(code, at)[1]
    if op in _BLOCK:
        return signed(code, at)[1]
    if op == CALL_INDIRECT:
        return unsigned(code, unsigned(code, at)[1])[1]
    if op == 0x42:
        return signed(code, at)[1]
    if op in (0x43, 0x44):
        return at + (4 if op == 0x43 else 8)
    if op == 0x0E:
        count, at = unsigned(code, at)
        for _number in range(count + 1):
            at = unsigned(code, at)[1]
        return at
    if op in (0x3F, 0x40):
        return at + 1
    if op == 0x1C:
        count, at = unsigned(code, at)
        return at + count
    if op == 0xFC:
        return _after_more(code, at)
    if (op > 0xC4 and op != 0xD1) or op in (0x12, 0x13, 0x14, 0x15, 0x16, 0x17):
        raise ValueError(f"the instruction {op:#x} is not known here")
    return at


def _after_more(code: bytes, at: int) -> int:
    op, at = unsigned(code, at)
    for _number in range({8: 2, 9: 1, 10: 2, 11: 1, 12: 2, 13: 1, 14: 2}.get(op, 1 if op > 14 else 0)):
        at = unsigned(code, at)[1]
    return at
