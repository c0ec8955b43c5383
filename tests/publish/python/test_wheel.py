"""The wheel: the same bytes every time, small, and without what a page does not need."""

from __future__ import annotations

import random
import shutil
import zipfile
from pathlib import Path

import pytest

from glassbox.publish.errors import BuildError
from glassbox.publish.python import parts, wheel
from glassbox.publish.site import Site

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of the same shape, quick to pack and not changed by anybody meanwhile."""
    root = tmp_path_factory.mktemp("project")
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        (root / name).write_bytes((ROOT / name).read_bytes())
    package = root / "src" / "glassbox"
    for folder in ("figures", "publish", "training"):
        (package / folder).mkdir(parents=True)
        (package / folder / "__init__.py").write_text('"""One."""\n', encoding="utf-8")
    (package / "__init__.py").write_text('"""All."""\n\n__version__ = "0.1.0"\n', encoding="utf-8")
    (package / "figures" / "figures.css").write_text("p {}\n", encoding="utf-8")
    return root


def build(root: Path, cache: Path) -> Path:
    return wheel.make(Site(root, cache / "out", cache))


def test_two_builds_give_the_same_bytes(small: Path, tmp_path: Path) -> None:
    first, second = build(small, tmp_path / "a"), build(small, tmp_path / "b")
    assert first != second
    assert first.read_bytes() == second.read_bytes()


def test_an_unchanged_source_is_taken_from_the_cache_and_a_changed_one_is_not(
    small: Path, tmp_path: Path
) -> None:
    first = build(small, tmp_path)
    stamp = first.stat().st_mtime_ns
    assert build(small, tmp_path).stat().st_mtime_ns == stamp
    extra = small / "src" / "glassbox" / "extra.py"
    extra.write_text('"""New."""\n', encoding="utf-8")
    try:
        changed = build(small, tmp_path)
    finally:
        extra.unlink()
    assert changed.parent != first.parent
    assert "glassbox/extra.py" in zipfile.ZipFile(changed).namelist()


def test_what_only_builds_or_trains_stays_out_and_data_files_come_along(small: Path, tmp_path: Path) -> None:
    names = zipfile.ZipFile(build(small, tmp_path)).namelist()
    assert "glassbox/figures/figures.css" in names
    assert not [n for n in names if n.startswith(("glassbox/publish", "glassbox/training"))]
    assert any(n.endswith("licenses/NOTICE") for n in names)


def test_a_wheel_too_large_for_a_reader_is_refused_and_not_kept(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel, "MAX_BYTES", 1000)
    with pytest.raises(BuildError, match="at most 1,000") as refused:
        build(small, tmp_path)
    assert refused.value.step == "wheel"
    assert list((tmp_path / "wheel").iterdir()) == []


def test_a_broken_project_gives_one_sentence(small: Path, tmp_path: Path) -> None:
    root = tmp_path / "broken"
    root.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        (root / name).write_text("[nonsense", encoding="utf-8")
    with pytest.raises(BuildError, match="hatchling made no wheel"):
        build(root, tmp_path / "cache")


def test_each_vocabulary_becomes_a_package_of_its_own(small: Path, tmp_path: Path) -> None:
    folder = small / "src" / "glassbox" / "data" / "vocabularies"
    folder.mkdir(parents=True)
    (folder / "gpt2.bpe").write_bytes(b"ranks")
    (folder / "clinical.bpe").write_bytes(b"merges")
    (folder / "LICENSE.md").write_text("terms", encoding="utf-8")
    try:
        whole = build(small, tmp_path)
        again = parts.split(Site(small, tmp_path / "out", tmp_path), whole)
        lean, found = parts.split(Site(small, tmp_path / "out", tmp_path), whole)
    finally:
        shutil.rmtree(folder.parent)
    assert [(p.name, p.depends) for p in found] == [
        ("glassbox-clinical", []),
        ("glassbox-gpt2", ["tiktoken"]),
    ]
    names = zipfile.ZipFile(lean).namelist()
    assert "glassbox/data/vocabularies/LICENSE.md" in names
    assert not [n for n in names if n.endswith(".bpe")]
    with zipfile.ZipFile(found[1].path) as gpt2:
        assert gpt2.read("glassbox/data/vocabularies/gpt2.bpe") == b"ranks"
        assert gpt2.read("glassbox_gpt2-0.1.0.dist-info/licenses/LICENSE.md") == b"terms"
    assert [p.path.read_bytes() for p in again[1]] == [p.path.read_bytes() for p in found]


def test_a_wheel_without_vocabularies_stays_whole(small: Path, tmp_path: Path) -> None:
    whole = build(small, tmp_path)
    assert parts.split(Site(small, tmp_path / "out", tmp_path), whole) == (whole, [])


def test_vocabularies_do_not_count_among_what_every_page_downloads(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel, "MAX_BYTES", 20_000)
    folder = small / "src" / "glassbox" / "data" / "vocabularies"
    folder.mkdir(parents=True)
    (folder / "gpt2.bpe").write_bytes(random.Random(1).randbytes(30_000))
    try:
        build(small, tmp_path)
    finally:
        shutil.rmtree(folder.parent)


def test_the_real_wheel_stays_below_its_limit(tmp_path: Path) -> None:
    made = build(ROOT, tmp_path)
    lean, _ = parts.split(Site(ROOT, tmp_path / "out", tmp_path), made)
    assert lean.stat().st_size <= wheel.MAX_BYTES
    assert "glassbox/page/runner.py" in zipfile.ZipFile(made).namelist()
