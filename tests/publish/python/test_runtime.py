"""The browser's Python: pinned by content, from wherever it comes, whole or not at all."""

from __future__ import annotations

import base64
import dataclasses
import errno
import gzip
import hashlib
import importlib
import importlib.util
import io
import itertools
import json
import os
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from glassbox.page import whole
from glassbox.publish.errors import BuildError
from glassbox.publish.python import apart, archive, compiled, imported, runtime, sources
from glassbox.publish.site import Site
from tests import serve

ROOT = Path(__file__).resolve().parents[3]
CORE = b"the interpreter " * 1000
Json = dict[str, Any]


def wheel_bytes(name: str, version: str, files: dict[str, str], tag: str = "py3-none-any") -> bytes:
    out = io.BytesIO()
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(out, "w") as made:
        for path, text in files.items():
            made.writestr(path, text)
        made.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        made.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n")
        made.writestr(f"{info}/RECORD", "")
    return out.getvalue()


INNER = wheel_bytes("inner", "1.0", {"inner.py": "x = 1\n"})


@dataclasses.dataclass
class World:
    """A small manifest, a CDN on this machine, and registries that are folders."""

    site: Site
    cdn: Path
    wheels: Path
    faults: dict[str, serve.Fault]
    server: serve.Server

    def cached(self) -> list[str]:
        folder = self.site.cache / "runtime"
        return sorted(p.name for p in folder.rglob("*") if p.is_file())


def pin(name: str, data: bytes, registry: Json, cdn: str | None) -> Json:
    file = {"name": name, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "registry": registry}
    return file | ({"cdn": cdn} if cdn else {})


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    outer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(wheel_bytes("outer", "2.0", {}))) as bare,
        zipfile.ZipFile(outer, "w") as made,
    ):
        for name in bare.namelist():
            made.writestr(name, bare.read(name))
        made.writestr("outer/held/inner-1.0-py3-none-any.whl", INNER)
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    (wheels / "outer-2.0-py3-none-any.whl").write_bytes(outer.getvalue())
    alone = wheel_bytes("alone", "3.0", {"alone.py": "y = 2\n"})
    (wheels / "alone-3.0-py3-none-any.whl").write_bytes(alone)
    cdn = tmp_path / "cdn"
    (cdn / "v1").mkdir(parents=True)
    (cdn / "v1" / "core.wasm").write_bytes(CORE)
    (cdn / "v1" / "inner.whl").write_bytes(INNER)
    held = {"pip": "outer==2.0", "member": "outer/held/inner-1.0-py3-none-any.whl"}
    pins = {
        "cdn": "http://127.0.0.1:9/",
        "downloads": {},
        "files": [
            pin("core.wasm", CORE, {"npm": "core@1.0.0", "member": "package/core.wasm"}, "v1/core.wasm"),
            pin("inner-1.0-py3-none-any.whl", INNER, held, "v1/inner.whl"),
            pin("alone-3.0-py3-none-any.whl", alone, {"pip": "alone==3.0"}, None),
        ],
    }
    root = tmp_path / "root"
    (root / "site").mkdir(parents=True)
    (root / "site" / "runtime.json").write_text(json.dumps(pins), encoding="utf-8")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PATH", f"{fake_npm(tmp_path / 'bin')}{os.pathsep}{os.environ['PATH']}")
    faults: dict[str, serve.Fault] = {}
    with serve.serve(cdn, fault=faults.get) as server:
        site = Site(root, tmp_path / "out", tmp_path / "cache", "auto", cdn=server.address)
        yield World(site, cdn, wheels, faults, server)


def fake_npm(folder: Path) -> Path:
    """An ``npm`` whose ``pack`` copies an archive, as the real one does for ``--pack-destination``."""
    folder.mkdir()
    with tarfile.open(folder / "core-1.0.0.tgz", "w:gz") as made:
        entry = tarfile.TarInfo("package/core.wasm")
        entry.size = len(CORE)
        made.addfile(entry, io.BytesIO(CORE))
    npm = folder / "npm"
    npm.write_text('#!/bin/sh\ncp "$(dirname "$0")"/*.tgz "$4"/\n', encoding="utf-8")
    npm.chmod(0o755)
    return folder


def fetched(world: World, **changes: Any) -> dict[str, bytes]:
    site = dataclasses.replace(world.site, **changes)
    found = runtime.fetch(site)
    return {f["name"]: found.path(f).read_bytes() for f in found.pins["files"]}


def test_the_cdn_and_the_registries_give_the_same_bytes(world: World, tmp_path: Path) -> None:
    from_cdn = fetched(world, runtime="cdn")
    assert {r.path for r in world.server.requests} == {"/v1/core.wasm", "/v1/inner.whl"}
    world.server.requests.clear()
    from_registries = fetched(world, runtime="registries", cache=tmp_path / "other")
    assert world.server.requests == []
    assert from_cdn == from_registries
    assert from_cdn["core.wasm"] == CORE


def test_a_second_build_asks_nobody(world: World) -> None:
    fetched(world)
    world.server.requests.clear()
    shutil.rmtree(world.wheels)
    fetched(world)
    assert world.server.requests == []


def test_a_damaged_file_in_the_cache_is_fetched_again(world: World) -> None:
    found = runtime.fetch(world.site)
    path = found.path(found.pins["files"][0])
    path.write_bytes(CORE[:-1] + b"?")
    assert fetched(world)["core.wasm"] == CORE


def test_a_cdn_out_of_reach_is_left_for_the_registries(world: World) -> None:
    assert fetched(world, cdn="http://127.0.0.1:9/")["core.wasm"] == CORE
    with pytest.raises(BuildError, match="use --runtime registries"):
        fetched(world, cdn="http://127.0.0.1:9/", runtime="cdn", cache=world.site.cache / "new")


@pytest.mark.parametrize("place", ["cdn", "auto"])
def test_an_altered_file_is_refused_and_not_kept(world: World, place: str) -> None:
    world.faults["v1/core.wasm"] = "altered"
    with pytest.raises(BuildError, match=r"where site/runtime\.json pins") as refused:
        fetched(world, runtime=place)
    assert refused.value.path == "core.wasm"
    assert "core.wasm" not in world.cached()


def test_an_altered_package_from_a_registry_is_refused(world: World) -> None:
    other = wheel_bytes("alone", "3.0", {"alone.py": "import os\n"})
    (world.wheels / "alone-3.0-py3-none-any.whl").write_bytes(other)
    with pytest.raises(BuildError, match=r"where site/runtime\.json pins") as refused:
        fetched(world, runtime="registries")
    assert refused.value.path == "alone-3.0-py3-none-any.whl"
    assert "alone-3.0-py3-none-any.whl" not in world.cached()


@pytest.mark.parametrize("fault", ["drop", "404", "empty"])
def test_a_download_cut_short_leaves_nothing_half_written(world: World, fault: serve.Fault) -> None:
    world.faults["v1/inner.whl"] = fault
    with pytest.raises(BuildError):
        fetched(world, runtime="cdn")
    assert world.cached() == ["core.wasm"]
    del world.faults["v1/inner.whl"]
    assert fetched(world, runtime="cdn")["core.wasm"] == CORE


def test_a_package_that_a_registry_does_not_have_is_named(world: World) -> None:
    (world.wheels / "outer-2.0-py3-none-any.whl").unlink()
    with pytest.raises(BuildError, match="pip did not deliver it") as refused:
        fetched(world, runtime="registries")
    assert "outer==2.0" in str(refused.value.path)
    assert list((world.site.cache / "runtime").glob("tmp*")) == []


def test_without_npm_the_error_says_what_to_install(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BuildError, match=r"npm is not installed; install Node\.js"):
        fetched(world, runtime="registries")


def test_a_full_disk_ends_in_one_sentence(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(runtime, "write_whole", full)
    with pytest.raises(BuildError, match="the disk is full"):
        fetched(world, runtime="cdn")
    assert world.cached() == []


def test_a_write_that_fails_in_the_middle_leaves_no_file(tmp_path: Path) -> None:
    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    target = tmp_path / "file"
    with pytest.MonkeyPatch.context() as patch:

        def half_open(handle: int, mode: str) -> Full:
            os.close(handle)
            return Full()

        patch.setattr(os, "fdopen", half_open)
        with pytest.raises(OSError, match="No space left"):
            runtime.write_whole(target, b"data")
    assert list(tmp_path.iterdir()) == []


def test_pip_on_a_full_disk_is_called_a_full_disk() -> None:
    assert "the disk is full" in sources._why("pip", "ERROR: [Errno 28] No space left on device")


def test_progress_counts_up_to_the_total(world: World) -> None:
    lines: list[str] = []
    fetched(world, runtime="cdn", report=lines.append)
    assert any(line.endswith("MB from the CDN") for line in lines)


def test_the_pinned_manifest_names_every_file_once_and_no_registry_host() -> None:
    pins = json.loads((ROOT / "site" / "runtime.json").read_text(encoding="utf-8"))
    names = [f["name"] for f in pins["files"]]
    assert len(names) == len(set(names))
    for file in pins["files"]:
        assert len(file["sha256"]) == 64
        assert file["size"] > 0
        assert "npm" in file["registry"] or "pip" in file["registry"]
        assert "://" not in json.dumps(file)
    assert urlsplit(pins["cdn"]).scheme == "https"


def test_a_pure_wheel_keeps_python_files_and_licences_and_is_the_same_every_time() -> None:
    files = {"yaml/__init__.py": "z = 3\n", "yaml/_yaml.cpython-314.so": "\x7fELF", "yaml/_yaml.c": "int"}
    source = wheel_bytes("pyyaml", "6.0", files, "cp314-cp314-linux")
    made = sources.pure_wheel(source)
    assert made == sources.pure_wheel(source)
    with zipfile.ZipFile(io.BytesIO(made)) as wheel:
        assert [n for n in wheel.namelist() if n.startswith("yaml")] == ["yaml/__init__.py"]
        assert b"Tag: py3-none-any" in wheel.read("pyyaml-6.0.dist-info/WHEEL")
        record = wheel.read("pyyaml-6.0.dist-info/RECORD").decode().splitlines()
        assert {line.split(",")[0] for line in record} == set(wheel.namelist())


def test_compiling_keeps_what_is_not_python_and_replaces_what_is(tmp_path: Path) -> None:
    source, target, again = (tmp_path / n for n in ("a.whl", "b.whl", "c.whl"))
    files = {"pkg/__init__.py": "x = 1\n", "pkg/template.py": "{{ not python }", "pkg/data.css": "p {}"}
    source.write_bytes(wheel_bytes("pkg", "1.0", files))
    archive.compile_archive(str(source), str(target), "/site", "whole")
    archive.compile_archive(str(source), str(again), "/site", "whole")
    assert target.read_bytes() == again.read_bytes()
    with zipfile.ZipFile(target) as made:
        names = set(made.namelist())
        assert {"pkg/__init__.pyc", "pkg/template.py", "pkg/data.css"} <= names
        assert "pkg/__init__.py" not in names
        record = made.read("pkg-1.0.dist-info/RECORD").decode().splitlines()
        assert {line.split(",")[0] for line in record} == names
        digest = base64.urlsafe_b64encode(hashlib.sha256(made.read("pkg/data.css")).digest()).rstrip(b"=")
        assert f"pkg/data.css,sha256={digest.decode()},4" in record


def test_of_a_large_package_only_what_was_imported_is_compiled(tmp_path: Path) -> None:
    source, target = tmp_path / "a.zip", tmp_path / "b.zip"
    with zipfile.ZipFile(source, "w") as made:
        made.writestr("json/__init__.py", "x = 1\n")
        made.writestr("never_imported_by_anybody.py", "y = 2\n")
    archive.compile_archive(str(source), str(target), "/lib", "touched")
    assert zipfile.ZipFile(target).namelist() == ["json/__init__.pyc", "never_imported_by_anybody.py"]


def test_a_lean_archive_holds_what_was_imported_uncompressed_and_without_docstrings(tmp_path: Path) -> None:
    source, target = tmp_path / "a.zip", tmp_path / "b.zip"
    with zipfile.ZipFile(source, "w") as made:
        made.writestr("json/__init__.py", '"""Much said."""\nx = 1\n')
        made.writestr("json/tool_that_nobody_imports.py", "y = 2\n")
        made.writestr("_json.cpython-314-wasm32-emscripten.so", "code")
        made.writestr("pkg-1.0.dist-info/METADATA", "Name: pkg\n")
        made.writestr("pkg/include/header.h", "")
    archive.compile_archive(str(source), str(target), "/lib", "lean")
    with zipfile.ZipFile(target) as lean:
        assert lean.namelist() == [
            "_json.cpython-314-wasm32-emscripten.so",
            "json/__init__.pyc",
            "pkg-1.0.dist-info/METADATA",
            "pkg-1.0.dist-info/RECORD",
        ]
        assert {e.compress_type for e in lean.infolist()} == {zipfile.ZIP_STORED}
        assert b"Much said" not in lean.read("json/__init__.pyc")


def test_a_lean_archive_leaves_out_what_the_interpreter_carries_within_itself(tmp_path: Path) -> None:
    source, target = tmp_path / "a.zip", tmp_path / "b.zip"
    with zipfile.ZipFile(source, "w") as made:
        made.writestr("zipimport.py", "x = 1\n")
        made.writestr("json/__init__.py", "x = 1\n")
    assert "FrozenImporter" in repr(sys.modules["zipimport"].__spec__)
    archive.compile_archive(str(source), str(target), "/lib", "lean")
    assert zipfile.ZipFile(target).namelist() == ["json/__init__.pyc"]


def test_a_lean_archive_has_other_code_in_place_of_some_modules(tmp_path: Path) -> None:
    source, target = tmp_path / "a.zip", tmp_path / "b.zip"
    with zipfile.ZipFile(source, "w") as made:
        made.writestr("json/__init__.py", "x = 1\n")
        made.writestr("_json.cpython-314-wasm32-emscripten.so", "code")
    archive.compile_archive(str(source), str(target), "/lib", "lean", {"_json": "x = 'in its place'\n"})
    with zipfile.ZipFile(target) as lean:
        assert lean.namelist() == ["_json.pyc", "json/__init__.pyc"]
        assert b"in its place" in lean.read("_json.pyc")


def test_a_bare_wheel_holds_every_module_without_docstrings(tmp_path: Path) -> None:
    source, target = tmp_path / "a.whl", tmp_path / "b.whl"
    files = {"pkg/__init__.py": '"""Much said."""\nx = 1\n', "pkg/data.css": "p {}"}
    source.write_bytes(wheel_bytes("pkg", "1.0", files))
    archive.compile_archive(str(source), str(target), "/site", "bare")
    with zipfile.ZipFile(target) as made:
        assert {"pkg/__init__.pyc", "pkg/data.css"} <= set(made.namelist())
        assert {e.compress_type for e in made.infolist()} == {zipfile.ZIP_STORED}
        assert b"Much said" not in made.read("pkg/__init__.pyc")


def test_glassbox_is_taken_apart_by_modules_and_nothing_is_lost_but_styles_and_texts_counted(
    tmp_path: Path,
) -> None:
    source = tmp_path / "glassbox-0.1.0-py3-none-any.whl"
    files = {
        "glassbox/__init__.py": "",
        "glassbox/data/model/weights.bin": "w",
        "glassbox/data/texts/mix.json.gz": "t",
        "glassbox/data/texts/base.json.gz": "much",
        "glassbox/tokens/measure.py": "",
        "glassbox/figures/chart.py": "",
        "glassbox/figures/attention.css": "",
        "glassbox/figures/attention/paint.py": "",
        "glassbox/serving/paging.py": "",
    }
    source.write_bytes(wheel_bytes("glassbox", "0.1.0", files))
    base, taken = apart.glassbox(source, tmp_path / "apart")
    held = {p.name: _modules_in(p.path) for p in taken} | {"": _modules_in(base)}
    assert held == {
        "": {"glassbox/__init__.py", "glassbox/figures/chart.py"},
        "glassbox-figures-attention": {"glassbox/figures/attention/paint.py"},
        "glassbox-serving": {"glassbox/serving/paging.py"},
        "glassbox-tokens-measure": {"glassbox/data/texts/mix.json.gz", "glassbox/tokens/measure.py"},
        "glassbox-weights": {"glassbox/data/model/weights.bin"},
    }


def _modules_in(wheel: Path) -> set[str]:
    return {n for n in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in n}


def test_a_lean_numpy_finds_its_lapack_once_it_lies_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Path(importlib.import_module("numpy.linalg._umath_linalg").__file__ or "")
    place = tmp_path / "_umath_linalg.py"
    place.write_bytes((ROOT / "src/glassbox/publish/python/late.py").read_bytes())
    spec = importlib.util.spec_from_file_location("numpy.linalg._umath_linalg", place)
    assert spec is not None
    assert spec.loader is not None
    late = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(late)
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'numpy\.linalg\._umath_linalg'"):
        late.solve  # noqa: B018 - asking is what raises
    shutil.copyfile(library, tmp_path / library.name)
    assert late.solve([[2.0]], [[4.0]]).tolist() == [[2.0]]


def test_what_a_wheel_imports_is_read_from_its_source(tmp_path: Path) -> None:
    code = (
        "import os.path as p, numpy as np\nfrom importlib import resources\nfrom json import loads\n"
        "from . import mine\nfrom collections import abc, OrderedDict\nimport tiktoken\n"
        "def late():\n    from numpy import linalg\n"
    )
    wheel = tmp_path / "a.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("pkg/a.py", code)
        made.writestr("pkg/a.txt", "import shelve")
    expected = [
        "collections",
        "collections.abc",
        "importlib",
        "importlib.resources",
        "json",
        "numpy",
        "numpy.linalg",
        "os.path",
    ]
    assert imported.modules(wheel, tmp_path / "imported.json") == expected


def test_a_wheels_sources_are_parsed_once_and_again_when_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wheel(**sources: str) -> Path:
        path = tmp_path / "a.whl"
        with zipfile.ZipFile(path, "w") as made:
            for name, code in sources.items():
                made.writestr(f"pkg/{name}.py", code)
        return path

    parsed: list[str] = []
    parse = imported.ast.parse
    monkeypatch.setattr(imported.ast, "parse", lambda code, name: (parsed.append(name), parse(code, name))[1])
    kept = tmp_path / "imported.json"
    for _ in range(2):
        assert imported.modules(wheel(a="import json", b="import os"), kept) == ["json", "os"]
    assert imported.modules(wheel(a="import json", b="import re"), kept) == ["json", "re"]
    assert parsed == ["pkg/a.py", "pkg/b.py", "pkg/b.py"]


def test_a_package_installed_in_part_is_completed_where_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "partial_pkg").mkdir()
    (tmp_path / "partial_pkg" / "__init__.py").write_text("kept = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("partial_pkg")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("partial_pkg.rare")
    archived = tmp_path / "whole.zip"
    with zipfile.ZipFile(archived, "w") as made:
        made.writestr("partial_pkg/__init__.py", "kept = 2\n")
        made.writestr("partial_pkg/rare.py", "found = 3\n")
    whole.complete(str(archived), "partial_pkg")
    assert importlib.import_module("partial_pkg.rare").found == 3
    assert "kept = 1" in (tmp_path / "partial_pkg" / "__init__.py").read_text(encoding="utf-8")
    assert not archived.exists()


def test_a_standard_library_in_a_zip_is_replaced_by_the_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, members in (
        ("lib.zip", ["a_lib/__init__.py"]),
        ("whole.zip", ["a_lib/__init__.py", "a_lib/rare.py"]),
    ):
        with zipfile.ZipFile(tmp_path / name, "w") as made:
            for member in members:
                made.writestr(member, "found = 3\n")
    monkeypatch.setattr(
        sys, "path", [str(tmp_path / "lib.zip"), *(p for p in sys.path if not p.endswith(".zip"))]
    )
    importlib.import_module("a_lib")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("a_lib.rare")
    whole.complete(str(tmp_path / "whole.zip"), "")
    assert importlib.import_module("a_lib.rare").found == 3


def test_without_node_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    stdlib = tmp_path / "python_stdlib.zip"
    stdlib.write_bytes(b"")
    pins = {"imports": "", "abi": "", "platform": "", "python": ""}
    site = Site(ROOT, tmp_path / "out", tmp_path / "cache")
    with pytest.raises(BuildError, match=r"Node\.js is not installed"):
        compiled.compile_all(site, pins, [stdlib], [(stdlib, "lean")], "json")


def read_manifest(site: Path) -> Json:
    (path,) = (site / "runtime").glob("manifest*.json")
    manifest: Json = json.loads(path.read_text(encoding="utf-8"))
    return manifest


RANKS = {f"glassbox-{name}" for name in ("gpt2", "cl100k-base", "o200k-base", "tekken", "qwen")}
READ = {
    "glassbox",
    "numpy",
    "regex",
    "tiktoken",
    "glassbox-clinical",
    "glassbox-everyday",
    "glassbox-methods",
    "glassbox-weights",
    "numpy-random",
    *map(apart.package_of, apart.MODULES),
    *RANKS,
}


def test_the_editor_loads_the_vocabularies_with_glassbox(site: Path) -> None:
    lock = json.loads((site / read_manifest(site)["edit_lock"]).read_text(encoding="utf-8"))
    assert set(lock["packages"]["glassbox"]["depends"]) >= RANKS


def test_the_built_manifest_holds_for_every_file_of_the_site(site: Path) -> None:
    manifest = read_manifest(site)
    assert [f["url"].rsplit("/", 1)[1] for f in manifest["core"]] == [
        "pyodide.js",
        "pyodide.asm.js",
        "pyodide.asm.wasm",
        "python_stdlib.zip",
    ]
    assert set(manifest["packages"]) == READ - {"glassbox", "numpy"}
    assert set(manifest["whole"]) == {"", "numpy", "regex", "tiktoken"}
    assert set(manifest["first"]) == {"glassbox", "numpy"}
    assert all("tiktoken" in manifest["packages"][name]["depends"] for name in RANKS)
    files = [manifest["core"], manifest["start"], manifest["packages"].values(), manifest["whole"].values()]
    for file in itertools.chain(*files):
        data = (site / file["url"]).read_bytes()
        assert len(data) == file["bytes"]
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        assert file["integrity"] == f"sha256-{digest}"


def test_what_lies_there_twice_is_the_same_and_sent_small_with_brotli(site: Path) -> None:
    manifest = read_manifest(site)
    twice = [f for f in [*manifest["start"], *manifest["packages"].values()] if "holds" in f]
    assert len(twice) >= 8
    for file in twice:
        raw = (site / file["holds"]).read_bytes()
        assert gzip.decompress((site / file["url"]).read_bytes()) == raw
        assert file["raw"]["bytes"] == len(raw)
        digest = base64.b64encode(hashlib.sha256(raw).digest()).decode()
        assert file["raw"]["integrity"] == f"sha256-{digest}"
        beside = site / f"{file['holds']}.br"
        assert file["raw"]["sent"] == beside.stat().st_size < file["bytes"]


def test_a_page_starts_with_compressed_files_that_hold_what_pyodide_asks_for(site: Path) -> None:
    manifest = read_manifest(site)
    held = {f["holds"] for f in manifest["start"] if f["url"].endswith(".gz.bin")}
    assert {name.rsplit("/", 1)[1].split("-")[0] for name in held} == {
        "pyodide.asm.wasm",
        "python_stdlib.zip",
        "numpy",
        "glassbox",
    }
    assert manifest["stdlib"] in held
    assert f"{manifest['index']}pyodide.asm.wasm" in held
    size = {f["url"].rsplit("/", 1)[1].split("-")[0]: f["bytes"] for f in manifest["start"]}
    assert size["python_stdlib.zip.gz.bin"] < 0.5 * manifest["whole"][""]["bytes"]
    assert size["numpy"] < 0.7 * manifest["whole"]["numpy"]["bytes"]


@pytest.mark.parametrize("use", ["lock", "edit_lock"])
def test_each_lock_file_agrees_with_the_files_it_names(site: Path, use: str) -> None:
    manifest = read_manifest(site)
    lock = json.loads((site / manifest[use]).read_text(encoding="utf-8"))
    for name, package in lock["packages"].items():
        path = (site / manifest["index"] / package["file_name"]).resolve()
        packed = path.with_name(f"{path.name}.gz.bin")
        data = gzip.decompress(packed.read_bytes()) if packed.exists() else path.read_bytes()
        assert hashlib.sha256(data).hexdigest() == package["sha256"], name
        assert set(package["depends"]) <= set(lock["packages"])
        assert package["sha256"][:8] in path.parent.name or path.parent.name.startswith("lean-")


def test_the_editor_s_glassbox_brings_along_what_its_figures_import(site: Path) -> None:
    manifest = read_manifest(site)
    lock = json.loads((site / manifest["edit_lock"]).read_text(encoding="utf-8"))
    assert {"altair", *RANKS} <= set(lock["packages"]["glassbox"]["depends"])


def test_nothing_in_a_reading_page_s_lock_is_of_the_editor(site: Path) -> None:
    manifest = read_manifest(site)
    lock = json.loads((site / manifest["lock"]).read_text(encoding="utf-8"))
    assert set(lock["packages"]) == READ
