"""Splits a WebAssembly module in two: the functions that are run, and the rest, which comes when missed.

The first module has every function that something in it can reach. One of the rest is a few bytes there: they
call the import ``rest.load`` when the rest has not come, and then the function itself, through a table of its
own. The rest takes the memory, tables and globals of the first, so that the two are one program: whatever is
called, the answer is that of the whole. Data that only the rest reads goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from glassbox.publish.python import contents
from glassbox.publish.python import instructions as i
from glassbox.publish.python import wasm as w

FIRST = "first"  # the rest's name for the first module
LOAD = w.Import("rest", "load", w.A_FUNCTION, b"")  # what brings the rest
HIDDEN = "rest "  # how names of exports begin that are for the rest alone
LOADED = f"{HIDDEN}loaded"  # a global that is 1 from then on
_TABLE = f"{HIDDEN}table "
_I32_MUTABLE = b"\x7f\x01"
Range = tuple[int, int]


@dataclass
class _Whole:
    """A module's functions, each by its number among all, the imported ones first."""

    module: w.Module
    imports: list[w.Import]
    exports: list[w.Export]
    types: list[int] = field(init=False)  # of each function
    bodies: list[bytes] = field(init=False)  # of those that are not imported
    called: list[list[tuple[int, int, int, int]]] = field(init=False)  # what each of those refers to

    def __post_init__(self) -> None:
        taken = [w.unsigned(m.described, 0)[0] for m in self.imports if m.kind == w.A_FUNCTION]
        self.imported = len(taken)
        self.types = taken + contents.numbers(self.module.get(w.FUNCTION))
        self.bodies = bodies(self.module)
        self.called = [list(i.references(body)) for body in self.bodies]
        if any(op == i.FUNCTION_AT for found in self.called for op, *_ in found):
            raise ValueError("functions taken by reference within code cannot be moved")

    def kinds(self, kind: int) -> int:
        """How many of a kind are imported."""
        return sum(m.kind == kind for m in self.imports)


def bodies(module: w.Module) -> list[bytes]:
    """The code of a module's own functions, each without its length."""
    data, found = module.get(w.CODE), []
    count, at = w.unsigned(data, 0)
    for _ in range(count):
        length, at = w.unsigned(data, at)
        found.append(data[at : at + length])
        at += length
    return found


def noting(data: bytes, prefix: str) -> bytes:
    """The module where each of its functions notes that it ran.

    Args:
        data: The module.
        prefix: How the names of the exported globals begin, each followed by a function's number; it is 1
            once that function has run.
    """
    module = w.Module.read(data)
    old, start = w.unsigned(module.get(w.GLOBAL), 0)
    before = sum(m.kind == w.A_GLOBAL for m in w.imports(module)) + old
    code = bodies(module)
    given = w.exports(module) + [w.Export(f"{prefix}{n}", w.A_GLOBAL, before + n) for n in range(len(code))]
    globals_ = module.get(w.GLOBAL)[start:] + (_I32_MUTABLE + b"\x41\x00\x0b") * len(code)
    module.put(w.GLOBAL, w.leb(old + len(code)) + globals_)
    module.put(w.EXPORT, w.export_section(given))
    module.put(w.CODE, w.vector(w.sized(_noted(body, before + n)) for n, body in enumerate(code)))
    return module.write()


def _noted(body: bytes, number: int) -> bytes:
    count, at = w.unsigned(body, 0)
    for _ in range(count):
        at = w.unsigned(body, at)[1] + 1
    return body[:at] + b"\x41\x01\x24" + w.leb(number) + body[at:]


def split(
    data: bytes, run: Iterable[int], wanted: set[str], apart: Iterable[Range] = ()
) -> tuple[bytes, bytes]:
    """Splits a module.

    Args:
        data: The module; its data lies in active segments of one memory.
        run: Its own functions that stay, by their number among its own.
        wanted: Names of the exports that stay.
        apart: Ranges of its memory that go with the rest, each from its first byte to after its last.

    Returns:
        The first module, and the rest.

    Raises:
        ValueError: Code that stays names an address in a range that goes; or the module cannot be split.
    """
    module = w.Module.read(data)
    whole = _Whole(module, w.imports(module), [e for e in w.exports(module) if e.name in wanted])
    stays = {whole.imported + n for n in run}
    apart = sorted(apart)
    _refuse(whole, stays, apart)
    return _Split(whole, stays, apart).write()


def _refuse(whole: _Whole, stays: set[int], apart: list[Range]) -> None:
    """Raises where code that stays names an address of data that goes."""
    for number in stays:
        for op, value, *_ in whole.called[number - whole.imported]:
            found = next((r for r in apart if r[0] <= value < r[1]), None)
            if found and (op == i.CONSTANT or op in i.ADDRESS):
                what = f"function {number - whole.imported} stays and reads {value}"
                raise ValueError(f"{what}, which goes ({found[0]} to {found[1]})")


class _Split:
    def __init__(self, whole: _Whole, stays: set[int], apart: list[Range]) -> None:
        self.whole, self.apart = whole, apart
        self.parameters = contents.parameters(whole.module.get(w.TYPE))
        own = range(whole.imported, len(whole.types))
        self.offset, self.tables = contents.elements(whole.module.get(w.ELEMENT))
        reached = {*self.tables, *(e.index for e in whole.exports if e.kind == w.A_FUNCTION)}
        reached |= {v for n in own if n in stays for op, v, *_ in self.refers(n) if op == i.CALL}
        goes = [n for n in own if n not in stays]
        self.stays = [n for n in own if n in stays or n in reached]
        self.going = {n: k for k, n in enumerate(goes)}  # function -> its number in the rest
        self.entered = {n: k for k, n in enumerate(n for n in goes if n in reached)}  # -> place in the table
        called = {v for n in goes for op, v, *_ in self.refers(n) if op == i.CALL}
        self.back = {n: len(self.entered) + k for k, n in enumerate(sorted(called - self.going.keys()))}
        # The import that brings the rest comes after all others.
        self.number = {n: n for n in range(whole.imported)}
        self.number |= {n: whole.imported + 1 + k for k, n in enumerate(self.stays)}
        used = {v for n in goes for op, v, *_ in self.refers(n) if op in (i.GET, i.SET)}
        self.globals = {n: k for k, n in enumerate(sorted(used))}
        self.loaded = whole.kinds(w.A_GLOBAL) + w.unsigned(whole.module.get(w.GLOBAL), 0)[0]

    def refers(self, function: int) -> list[tuple[int, int, int, int]]:
        return self.whole.called[function - self.whole.imported]

    def patched(self, function: int, put: Callable[[int, int], bytes | None]) -> bytes:
        """A function's code where ``put`` gives other bytes in place of an instruction and its number."""
        body, out, at = self.whole.bodies[function - self.whole.imported], [], 0
        for op, value, start, end in self.refers(function):
            if op in (i.CALL, i.GET, i.SET) and (new := put(op, value)) is not None:
                out += [body[at : start - 1], new]
                at = end
        return b"".join([*out, body[at:]])

    def write(self) -> tuple[bytes, bytes]:
        inside, outside = contents.memory(self.whole.module.get(w.DATA), self.apart)
        return self.first(outside), self.rest(inside)

    def first(self, data: list[bytes]) -> bytes:
        whole, module = self.whole, w.Module(list(self.whole.module.sections))
        types, load = contents.with_type(module.get(w.TYPE))
        taken = w.Import(LOAD.module, LOAD.name, LOAD.kind, w.leb(load))
        table = w.unsigned(module.get(w.TABLE), 0)
        size = w.leb(len(self.entered) + len(self.back))
        old, start = w.unsigned(module.get(w.GLOBAL), 0)
        sections = {
            w.TYPE: types,
            w.IMPORT: w.import_section([*whole.imports, taken]),
            w.FUNCTION: w.vector(w.leb(whole.types[n]) for n in self.stays),
            w.TABLE: w.leb(table[0] + 1) + module.get(w.TABLE)[table[1] :] + b"\x70\x00" + size,
            w.GLOBAL: w.leb(old + 1) + module.get(w.GLOBAL)[start:] + _I32_MUTABLE + b"\x41\x00\x0b",
            w.EXPORT: w.export_section(self.given()),
            w.ELEMENT: self.elements(),
            w.CODE: w.vector(w.sized(self.code(n)) for n in self.stays),
            w.DATA_COUNT: w.leb(len(data)),
            w.DATA: w.vector(data),
        }
        for kind, content in sections.items():
            module.put(kind, content)
        return module.write()

    def given(self) -> list[w.Export]:
        """The first module's exports: those that are wanted, and what the rest takes."""
        own = [
            w.Export(e.name, e.kind, self.number[e.index] if e.kind == w.A_FUNCTION else e.index)
            for e in self.whole.exports
        ]
        places = [w.Export(f"{HIDDEN}{n}", w.A_GLOBAL, n) for n in self.globals]
        tables = [w.Export(f"{_TABLE}{n}", w.A_TABLE, n) for n in range(self.table_count() + 1)]
        return [*own, *places, *tables, w.Export(LOADED, w.A_GLOBAL, self.loaded)]

    def table_count(self) -> int:
        return self.whole.kinds(w.A_TABLE) + w.unsigned(self.whole.module.get(w.TABLE), 0)[0]

    def elements(self) -> bytes:
        first = b"\x00\x41" + self.offset + b"\x0b" + w.vector(w.leb(self.number[n]) for n in self.tables)
        back = w.vector(w.leb(self.number[n]) for n in self.back)
        more = b"\x02" + w.leb(self.table_count()) + b"\x41" + w.sleb(len(self.entered)) + b"\x0b\x00" + back
        return w.vector([first, more])

    def code(self, function: int) -> bytes:
        """A function of the first module: itself, or the call of the one in the rest."""
        if function not in self.going:
            return self.patched(
                function, lambda op, v: b"\x10" + w.leb(self.number[v]) if op == i.CALL else None
            )
        kind = self.whole.types[function]
        given = b"".join(b"\x20" + w.leb(n) for n in range(self.parameters[kind]))
        load = b"\x23" + w.leb(self.loaded) + b"\x45\x04\x40\x10" + w.leb(self.whole.imported) + b"\x0b"
        return b"\x00" + load + given + self.through(self.entered[function], kind) + b"\x0b"

    def through(self, place: int, kind: int) -> bytes:
        """A call through the table that both modules have."""
        return b"\x41" + w.sleb(place) + b"\x11" + w.leb(kind) + w.leb(self.table_count())

    def rest(self, data: list[bytes]) -> bytes:
        module, going = self.whole.module, list(self.going)
        functions = w.vector(w.leb(self.going[n]) for n in self.entered)
        placed = b"\x02" + w.leb(self.table_count()) + b"\x41\x00\x0b\x00" + functions
        return w.Module(
            [
                (w.TYPE, module.get(w.TYPE)),
                (w.IMPORT, w.import_section(self.taken())),
                (w.FUNCTION, w.vector(w.leb(self.whole.types[n]) for n in going)),
                (w.ELEMENT, w.vector([placed])),
                (w.CODE, w.vector(w.sized(self.patched(n, self.moved)) for n in going)),
                (w.DATA, w.vector(data)),
            ]
        ).write()

    def moved(self, op: int, value: int) -> bytes | None:
        """An instruction of the rest: what it names has other numbers there."""
        if op != i.CALL:
            return bytes([op]) + w.leb(self.globals[value])
        if value in self.going:
            return b"\x10" + w.leb(self.going[value])
        return self.through(self.back[value], self.whole.types[value])

    def taken(self) -> list[w.Import]:
        """What the rest takes from the first module, in the order of its numbers."""
        whole = self.whole
        given = {(e.kind, e.index): e.name for e in whole.exports}
        kinds = _global_kinds(whole)
        tags = contents.entries(whole.module.get(w.TAG), lambda d, at: w.unsigned(d, at + 1)[1])
        tables = [*contents.entries(whole.module.get(w.TABLE), contents.after_table), b"\x70"]
        return [
            *(w.Import(FIRST, f"{_TABLE}{n}", w.A_TABLE, t[:1] + b"\x00\x00") for n, t in enumerate(tables)),
            w.Import(FIRST, given[w.A_MEMORY, 0], w.A_MEMORY, b"\x00\x00"),
            *(w.Import(FIRST, f"{HIDDEN}{n}", w.A_GLOBAL, kinds[n]) for n in self.globals),
            *(w.Import(FIRST, given[w.A_TAG, n], w.A_TAG, tag) for n, tag in enumerate(tags)),
        ]


def _global_kinds(whole: _Whole) -> list[bytes]:
    """The type of each global."""
    taken = [m.described for m in whole.imports if m.kind == w.A_GLOBAL]
    return taken + [e[:2] for e in contents.entries(whole.module.get(w.GLOBAL), contents.after_global)]
