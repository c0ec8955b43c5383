"""A draft takes the browser's Python from the site before, as long as all that it is made of is as it was."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from glassbox.publish import names
from glassbox.publish.python import again
from glassbox.publish.site import Site


@pytest.fixture
def draft(tmp_path: Path) -> Site:
    """A draft of a site whose runtime was laid from ``wheel`` and the files in ``site``."""
    for name in ("runtime.json", "interpreter.json"):
        (tmp_path / "site").mkdir(exist_ok=True)
        (tmp_path / "site" / name).write_text("{}")
    laid = Site(tmp_path, tmp_path / "dist", tmp_path / "cache")
    for name, text in {
        "numpy-1/numpy.whl": "numpy",
        "numpy-1/numpy.whl.br": "n",
        "manifest.json": "{}",
    }.items():
        path = laid.out / "runtime" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    again.remember(laid, wheel(tmp_path))
    plain = laid.out / "runtime" / "manifest.json"
    plain.rename(plain.with_name(f"manifest.{names.short(b'{}')}.json"))
    return dataclasses.replace(laid, out=tmp_path / "part", before=laid.out)


def wheel(folder: Path, of: str = "one") -> Path:
    return folder / "cache" / "wheel" / of / "glassbox.whl"


def test_a_draft_has_what_the_site_before_had(draft: Site, tmp_path: Path) -> None:
    assert again.taken(draft, wheel(tmp_path))
    found = {p.relative_to(draft.out).as_posix() for p in draft.out.rglob("*") if p.is_file()}
    assert found == {"runtime/numpy-1/numpy.whl", "runtime/manifest.json", "brotli.bin"}


def test_what_a_step_writes_into_the_manifest_stays_out_of_the_site_before(
    draft: Site, tmp_path: Path
) -> None:
    again.taken(draft, wheel(tmp_path))
    (draft.out / "runtime" / "manifest.json").write_text("changed")
    assert [p.read_text() for p in (tmp_path / "dist/runtime").glob("manifest.*")] == ["{}"]


def test_another_wheel_pin_or_manifest_is_laid_anew(draft: Site, tmp_path: Path) -> None:
    assert not again.taken(draft, wheel(tmp_path, "two"))
    (tmp_path / "site" / "runtime.json").write_text("[]")
    assert not again.taken(draft, wheel(tmp_path))
    (tmp_path / "site" / "runtime.json").write_text("{}")
    (manifest,) = (tmp_path / "dist/runtime").glob("manifest.*")
    manifest.write_text('{"model": 1}')
    assert not again.taken(draft, wheel(tmp_path))


def test_a_build_that_is_to_be_published_lays_its_own(draft: Site, tmp_path: Path) -> None:
    assert not again.taken(dataclasses.replace(draft, before=None), wheel(tmp_path))
