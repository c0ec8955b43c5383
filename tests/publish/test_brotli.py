"""Files compressed ahead for hosts that send Brotli."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import pytest

from glassbox.publish import brotli
from glassbox.publish.errors import BuildError
from glassbox.publish.site import Site
from glassbox.publish.state import Build

WORDS = "the same again and again, " * 400


def unpacked(path: Path) -> str:
    script = "process.stdout.write(require('zlib').brotliDecompressSync(require('fs').readFileSync(process.argv[1])))"
    done = subprocess.run(["node", "-e", script, str(path)], capture_output=True, check=True)
    return done.stdout.decode()


@pytest.fixture
def build(tmp_path: Path) -> Build:
    out = tmp_path / "out"
    for name in ("page.html", "other.html", "edit/assets/a.js", "runtime/lean-1/a.whl", "runtime/b.whl"):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(WORDS, encoding="utf-8")
    (out / "runtime/lean-1/a.whl.gz.bin").write_bytes(b"packed")
    (out / "short.html").write_text("short", encoding="utf-8")
    (out / "picture.png").write_text(WORDS, encoding="utf-8")
    (tmp_path / "cache").mkdir()
    return Build(Site(tmp_path, out, tmp_path / "cache"))


def test_text_and_uncompressed_archives_have_a_small_form_beside_them(build: Build) -> None:
    brotli.step(build)
    out = build.site.out
    beside = sorted(p.relative_to(out).as_posix() for p in out.rglob("*.br"))
    assert beside == [
        "brotli.bin.br",
        "edit/assets/a.js.br",
        "other.html.br",
        "page.html.br",
        "runtime/lean-1/a.whl.br",
    ]
    assert unpacked(out / "page.html.br") == WORDS
    assert (out / "page.html.br").stat().st_size < len(WORDS) / 50


def test_what_the_editor_alone_loads_is_compressed_in_less_time(build: Build) -> None:
    out = build.site.out
    for number, name in enumerate(
        ("runtime/pyodide-1/a.wasm", "runtime/lean-1/a.wasm", "static/pyodide-1.js")
    ):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(f"{WORDS}{number}", encoding="utf-8")
    kept = lambda: {p.name.split("-")[1] for p in (build.site.cache / "brotli").glob("*.br")}  # noqa: E731
    brotli.packed(build.site, [out / "runtime/lean-1/a.wasm", out / "static/pyodide-1.js"])
    assert kept() == {"11.br"}
    brotli.packed(build.site, [out / "runtime/pyodide-1/a.wasm"])
    assert kept() == {"11.br", "9.br"}


def test_it_is_the_same_every_time_and_kept(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    brotli.step(build)
    first = {p: p.read_bytes() for p in build.site.out.rglob("*.br")}
    monkeypatch.setenv("PATH", "")  # the cache holds all of it: nothing is run
    brotli.step(build)
    assert {p: p.read_bytes() for p in build.site.out.rglob("*.br")} == first
    monkeypatch.undo()
    anew = dataclasses.replace(build, site=dataclasses.replace(build.site, cache=build.site.root / "anew"))
    anew.site.cache.mkdir()
    brotli.step(anew)
    assert {p: p.read_bytes() for p in build.site.out.rglob("*.br")} == first


def test_without_node_the_error_says_what_to_install(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BuildError, match=r"brotli: node: Node\.js is not installed"):
        brotli.step(build)


def test_a_draft_does_without(build: Build) -> None:
    brotli.step(dataclasses.replace(build, site=dataclasses.replace(build.site, before=build.site.out)))
    assert not list(build.site.out.rglob("*.br"))
