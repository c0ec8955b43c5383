import dataclasses
import hashlib
from pathlib import Path

import pytest

from glassbox import chapters
from glassbox.publish.errors import BuildError
from glassbox.publish.site import Site
from tests.conftest import ROOT, load_build


def fingerprint(folder: Path) -> dict[str, str]:
    return {
        p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def small(tmp_path: Path, cache: Path, name: str) -> Site:
    """A build of one chapter that shares downloads with the others but computes its states and packs afresh."""
    own = tmp_path / f"cache-{name}"
    own.mkdir()
    for part in cache.iterdir():
        if part.name not in ("states", "zip"):
            (own / part.name).symlink_to(part.resolve())
    return Site(ROOT, tmp_path / name / "dist", own, only="attention")


def test_two_builds_give_the_same_bytes(tmp_path, cache, site):
    build = load_build()
    trees = []
    for name in ("one", "two"):
        wanted = small(tmp_path, cache, name)
        build.build(wanted)
        trees.append(fingerprint(wanted.out))
    assert trees[0] == trees[1]
    assert {"index.html", "attention.html", "embed/attention/paint.html", "edit/attention.html"} <= set(
        trees[0]
    )


def test_a_failing_step_leaves_the_old_site_and_no_half_of_a_new_one(tmp_path, cache, monkeypatch):
    build = load_build()
    out = tmp_path / "dist"
    out.mkdir()
    (out / "index.html").write_text("the site that was there")

    def fail(state):
        (state.site.out / "half.html").write_text("half")
        raise BuildError("shell", "half.html", "this step fails on purpose.")

    monkeypatch.setattr(build, "STEPS", (("shell", fail),))
    with pytest.raises(BuildError, match="on purpose"):
        build.build(Site(ROOT, out, cache))
    assert [p.name for p in tmp_path.iterdir()] == ["dist"]
    assert fingerprint(out).keys() == {"index.html"}


def test_a_folder_with_other_peoples_files_is_never_replaced(tmp_path, cache, monkeypatch):
    build = load_build()
    out = tmp_path / "home"
    out.mkdir()
    (out / "thesis.txt").write_text("mine")
    monkeypatch.setattr(build, "STEPS", ())
    with pytest.raises(BuildError, match="holds other files"):
        build.build(Site(ROOT, out, cache))
    assert (out / "thesis.txt").read_text() == "mine"


def test_a_build_says_what_to_do_and_exits_with_one(tmp_path, monkeypatch, capsys):
    build = load_build()

    def fail(state):
        raise BuildError("runtime", "npm", "npm is not installed; install Node.js and build again.")

    monkeypatch.setattr(build, "STEPS", (("runtime", fail),))
    monkeypatch.setattr("sys.argv", ["build.py", "--out", str(tmp_path / "dist")])
    assert build.main() == 1
    assert "install Node.js" in capsys.readouterr().out


def test_site_options_are_plain_data():
    site = Site(Path("r"), Path("o"), Path("c"), only="tokens")
    assert site.chapters == ("tokens",)
    assert dataclasses.replace(site, only=None).chapters == chapters.NAMES
