"""The interpreter of the reading pages: split in two, it is the same program."""

import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from glassbox.publish.errors import BuildError
from glassbox.publish.python import interpreter, splitting, wasm
from glassbox.publish.site import Site

HALVES = Path(__file__).with_name("halves.mjs")


def run(folder: Path, *lines: str):
    command = ["node", "--no-warnings", str(HALVES), str(folder), *lines]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def body(code: bytes) -> bytes:
    return wasm.sized(b"\x00" + code + b"\x0b")


def module() -> bytes:
    """Four functions of one number, over a memory that holds 7 at 100 and 9 at 200, and a global that is 4.

    0: x + 1; 1: that of 0, and what memory holds at 100 (through the table: 0 stands in it); 2: what 3 gives;
    3: x + the global + what memory holds at 200, and of that what 0 gives.
    """
    at = lambda place: b"\x41" + wasm.sleb(place) + b"\x28\x02\x00"  # noqa: E731
    bodies = [
        body(b"\x20\x00\x41\x01\x6a"),
        body(b"\x20\x00\x41\x00\x11\x00\x00" + at(100) + b"\x6a"),
        body(b"\x20\x00\x10\x03"),
        body(b"\x20\x00\x23\x00\x6a" + at(200) + b"\x6a\x10\x00"),
    ]
    names = [wasm.Export(n, wasm.A_FUNCTION, k) for k, n in enumerate(("one", "two", "three", "four"))]
    given = [*names, wasm.Export("memory", wasm.A_MEMORY, 0)]
    held = [
        b"\x00\x41" + wasm.sleb(a) + b"\x0b" + wasm.sized(bytes([v, 0, 0, 0]))
        for a, v in ((100, 7), (200, 9))
    ]
    sections = [
        (wasm.TYPE, wasm.vector([b"\x60\x01\x7f\x01\x7f"])),
        (wasm.IMPORT, b"\x00"),
        (wasm.FUNCTION, wasm.vector([b"\x00"] * 4)),
        (wasm.TABLE, wasm.vector([b"\x70\x00\x01"])),
        (wasm.MEMORY, wasm.vector([b"\x00\x01"])),
        (wasm.GLOBAL, wasm.vector([b"\x7f\x01\x41\x04\x0b"])),
        (wasm.EXPORT, wasm.export_section(given)),
        (wasm.ELEMENT, b"\x01\x00\x41\x00\x0b" + wasm.vector([b"\x00"])),
        (wasm.CODE, wasm.vector(bodies)),
        (wasm.DATA, wasm.vector(held)),
    ]
    return wasm.Module(sections).write()


ALL = {"one", "two", "three", "four", "memory"}
ANSWERS = {"one": 6, "two": 13, "three": 19, "four": 19}


@pytest.mark.parametrize("stays", [{0, 1, 2, 3}, {0, 1, 2}, {1}, set(), {3}])
def test_a_split_module_gives_the_same_and_loads_its_rest_once_when_it_is_missed(
    tmp_path: Path, stays
) -> None:
    first, rest = splitting.split(module(), stays, ALL, [] if 3 in stays else [(190, 210)])
    (tmp_path / "a.wasm").write_bytes(first)
    (tmp_path / "rest.wasm").write_bytes(rest)
    found = run(tmp_path)
    assert {name: value for name, value, _ in found} == ANSWERS
    reaches = {"one": {0}, "two": {0, 1}, "three": {0, 2, 3}, "four": {0, 3}}
    missed = 0
    for name, _, came in found:
        missed = missed or int(not reaches[name] <= stays)
        assert came == missed, name


def test_an_export_that_nobody_wants_is_gone_with_what_only_it_reaches() -> None:
    first, _ = splitting.split(module(), [0, 1], {"two", "memory"})
    read = wasm.Module.read(first)
    assert {e.name for e in wasm.exports(read) if not e.name.startswith(splitting.HIDDEN)} == {
        "two",
        "memory",
    }
    assert len(splitting.bodies(read)) == 2


def test_data_that_code_which_stays_reads_does_not_go() -> None:
    with pytest.raises(ValueError, match=r"function 1 stays and reads 100, which goes \(90 to 110\)"):
        splitting.split(module(), [0, 1], ALL, [(90, 110)])


def test_a_module_that_notes_tells_which_of_its_functions_ran(tmp_path: Path) -> None:
    (tmp_path / "noting.wasm").write_bytes(splitting.noting(module(), "ran "))
    script = """const { readFileSync } = require("fs");
      const { exports: e } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(process.argv[1])));
      e.two(5); console.log([0, 1, 2, 3].map((n) => e[`ran ${n}`].value).join(""));"""
    done = subprocess.run(
        ["node", "-e", script, str(tmp_path / "noting.wasm")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1100"


def test_the_script_loses_the_exports_that_nobody_wants() -> None:
    script = (
        'var _a,_q,_c,wasmTable;function assignWasmExports(wasmExports){_a=Module["_a"]=wasmExports["a"];'
        '_q=Module["_q"]=wasmExports["q"];_c=Module["_c"]=wasmExports["c"].value>>>0;'
        'wasmTable=wasmExports["__table"]}_b();'
    )
    given = [wasm.Export(n, wasm.A_FUNCTION, 0) for n in ("a", "q", "b", "c", "__table")]
    assert interpreter.named(script, "Module._c", given) == {"b", "c", "__table"}
    assert interpreter.without(script, {"c", "__table"}) == (
        'var _c,wasmTable;function assignWasmExports(wasmExports){_c=Module["_c"]=wasmExports["c"].value>>>0;'
        'wasmTable=wasmExports["__table"]}_b();'
    )
    with pytest.raises(ValueError, match="in another way"):
        interpreter.without("var a;", set())


def test_a_list_of_another_interpreter_s_functions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "interpreter.json").write_text(json.dumps({"sha256": "0" * 64}), encoding="utf-8")
    (tmp_path / "pyodide.asm.wasm").write_bytes(b"another")
    site = Site(tmp_path, tmp_path / "out", tmp_path / "cache")
    with pytest.raises(BuildError, match="record it again"):
        interpreter.cut(site, [tmp_path / "pyodide.asm.wasm"], [])


def manifest(site: Path):
    (path,) = (site / "runtime").glob("manifest*.json")
    return json.loads(path.read_text(encoding="utf-8"))


def given(path: Path) -> set[str]:
    return {e.name for e in wasm.exports(wasm.Module.read(path.read_bytes()))}


def test_every_archive_finds_in_the_split_interpreter_what_it_finds_in_the_whole(site: Path) -> None:
    listed = manifest(site)
    whole = given(site / listed["edit_index"] / "pyodide.asm.wasm")
    cut = given(site / listed["index"] / "pyodide.asm.wasm")
    assert len(cut) < len(whole) / 4
    archives = [f["url"] for f in listed["whole"].values()]
    archives += [f["holds"] for f in [*listed["start"], *listed["packages"].values()] if "holds" in f]
    seen = 0
    for path in (site / a for a in archives if a.endswith((".whl", ".zip"))):
        with zipfile.ZipFile(path) as archive:
            for name in (n for n in archive.namelist() if n.endswith(".so")):
                taken = {i.name for i in wasm.imports(wasm.Module.read(archive.read(name)))}
                assert taken & whole <= cut, f"{path.name}: {name}"
                seen += 1
    assert seen > 20


RARE = (
    "import _codecs_tw, _codecs_jp; _codecs_tw.getcodec('big5').encode('東京')[0].hex()"
    " + _codecs_jp.getcodec('euc_jp').decode(b'\\xc5\\xec\\xb5\\xfe')[0]"
)


def test_the_split_interpreter_answers_as_the_whole_and_fetches_its_rest_once(
    site: Path, tmp_path: Path
) -> None:
    listed = manifest(site)
    for path in (site / listed["index"]).glob("pyodide*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (tmp_path / "python_stdlib.zip").write_bytes((site / listed["stdlib"]).read_bytes())
    (tmp_path / "lock.json").write_bytes((site / listed["lock"]).read_bytes())
    lines = [
        "sum(range(10)) + len('Grüße'.encode())",
        RARE,
        "str(7**900 // 3**400)",
        "'%.17g' % (2**0.5 + 1e300)",
    ]
    found = run(tmp_path, *lines)
    assert [value for value, _ in found] == [
        52,
        "aa46a8ca東京",
        str(7**900 // 3**400),
        "%.17g" % (2**0.5 + 1e300),
    ]
    assert [came for _, came in found[1:]] == [1, 1, 1]  # in Node the start itself may miss something
