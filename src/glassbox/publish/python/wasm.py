"""Reads and writes WebAssembly modules: their sections, and the names that go in and out.

Source: WebAssembly Core Specification 2.0, chapter 5.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, CODE, DATA, DATA_COUNT, TAG = range(
    1, 14
)
A_FUNCTION, A_TABLE, A_MEMORY, A_GLOBAL, A_TAG = range(5)
_HEAD = b"\0asm\1\0\0\0"


@dataclass
class Module:
    """A module as its sections, in order: each with its kind (0 for one with a name) and its content."""

    sections: list[tuple[int, bytes]]

    @classmethod
    def read(cls, data: bytes) -> Module:
        """Takes a module apart.

        Raises:
            ValueError: These are no bytes of a module.
        """
        if data[:8] != _HEAD:
            raise ValueError(f"a WebAssembly module begins with {_HEAD!r}, these bytes with {data[:8]!r}")
        sections, at = [], 8
        while at < len(data):
            length, start = unsigned(data, at + 1)
            sections.append((data[at], data[start : start + length]))
            at = start + length
        return cls(sections)

    def write(self) -> bytes:
        """Puts it together again."""
        return _HEAD + b"".join(bytes([kind]) + sized(content) for kind, content in self.sections)

    def get(self, kind: int) -> bytes:
        """The content of a section; of one that is not there, that of an empty one."""
        return next((content for k, content in self.sections if k == kind), b"\0")

    def put(self, kind: int, content: bytes) -> None:
        """Replaces the content of a section that is there."""
        self.sections = [(k, content if k == kind else c) for k, c in self.sections]


@dataclass(frozen=True)
class Import:
    """What a module takes: from where, under which name, of which kind, and how that is described."""

    module: str
    name: str
    kind: int
    described: bytes


@dataclass(frozen=True)
class Export:
    """What a module gives: under which name, of which kind, and which of that kind."""

    name: str
    kind: int
    index: int


def imports(module: Module) -> list[Import]:
    """What a module takes, in order."""
    data = module.get(IMPORT)
    count, at = unsigned(data, 0)
    found = []
    for _number in range(count):
        place, at = _text(data, at)
        name, at = _text(data, at)
        end = _after_described(data, at)
        found.append(Import(place, name, data[at], data[at + 1 : end]))
        at = end
    return found


def exports(module: Module) -> list[Export]:
    """What a module gives, in order."""
    data = module.get(EXPORT)
    count, at = unsigned(data, 0)
    found = []
    for _number in range(count):
        name, at = _text(data, at)
        index, end = unsigned(data, at + 1)
        found.append(Export(name, data[at], index))
        at = end
    return found


def export_section(given: Iterable[Export]) -> bytes:
    """The content of an export section."""
    return vector(sized(e.name.encode()) + bytes([e.kind]) + leb(e.index) for e in given)


def import_section(taken: Iterable[Import]) -> bytes:
    """The content of an import section."""
    return vector(
        sized(i.module.encode()) + sized(i.name.encode()) + bytes([i.kind]) + i.described for i in taken
    )


def vector(items: Iterable[bytes]) -> bytes:
    """Items with their number before them."""
    listed = list(items)
    return leb(len(listed)) + b"".join(listed)


def sized(content: bytes) -> bytes:
    """Bytes with their length before them."""
    return leb(len(content)) + content


def leb(value: int) -> bytes:
    """An unsigned number in LEB128."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def sleb(value: int) -> bytes:
    """A signed number in LEB128."""
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value & 127)
    return bytes(out)


def unsigned(data: bytes, at: int) -> tuple[int, int]:
    """Reads an unsigned number; returns it and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def signed(data: bytes, at: int) -> tuple[int, int]:
    """Reads a signed number; returns it and where it ends."""
    start = at
    value, at = unsigned(data, at)
    bits = 7 * (at - start)
    return (value - (1 << bits) if data[at - 1] & 64 else value), at


def _text(data: bytes, at: int) -> tuple[str, int]:
    length, at = unsigned(data, at)
    return data[at : at + length].decode(), at + length


def _after_described(data: bytes, at: int) -> int:
    """Where the description of an import ends that begins at ``at`` with its kind."""
    kind = data[at]
    if kind == A_FUNCTION:
        return unsigned(data, at + 1)[1]
    if kind == A_GLOBAL:
        return at + 3
    if kind == A_TAG:
        return unsigned(data, at + 2)[1]
    at += 2 if kind == A_TABLE else 1
    limits, at = data[at], unsigned(data, at + 1)[1]
    return unsigned(data, at)[1] if limits & 1 else at
