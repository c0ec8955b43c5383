"""A site on a course's own checkpoint: its files beside the pages, its name on the figures that run it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import jinja2
import pytest

from glassbox import model as core
from glassbox.figures import subject
from glassbox.page.runner import Runner
from glassbox.publish import model
from glassbox.publish.errors import BuildError
from glassbox.publish.pages import computing, notebook
from glassbox.publish.pages.ahead import Ahead
from glassbox.publish.pages.chapter import excerpt
from glassbox.publish.site import Site
from glassbox.publish.state import Build
from tests.conftest import ROOT
from tests.model.checkpoint import files, test_families

CHAPTERS = ("attention", "machine")


@pytest.fixture(scope="module")
def chapters() -> dict[str, Any]:
    return {name: notebook.load(ROOT / "notebooks" / f"{name}.py") for name in CHAPTERS}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "course-llama"
    folder.mkdir()
    files.llama(folder, "BF16", shards=2, num_hidden_layers=6, vocab_size=272, max_position_embeddings=512)
    files.tokenizer(folder)
    (folder / "notes.txt").write_text("not ours to publish")
    return folder


def started(folder: Path, tmp_path: Path, chapters: dict[str, Any]) -> Build:
    build = Build(Site(ROOT, tmp_path / "out", tmp_path / "cache", model=folder))
    build.chapters.update(chapters)
    manifest = build.site.out / build.manifest
    manifest.parent.mkdir(parents=True)
    manifest.write_text('{"first": ["numpy"]}')
    return build


def test_the_files_lie_beside_the_pages_with_their_hashes_and_python_begins_with_them(
    folder: Path, tmp_path: Path, chapters: dict[str, Any]
) -> None:
    build = started(folder, tmp_path, chapters)
    model.step(build)
    laid = build.site.out / "model"
    assert not (laid / "notes.txt").exists()
    names = sorted(p.name for p in folder.iterdir() if p.name != "notes.txt")
    sums = dict(reversed(line.split("  ")) for line in (laid / "SHA256SUMS").read_text().splitlines())
    assert sums == {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in names}
    listed = json.loads((build.site.out / build.manifest).read_text())
    assert listed["first"] == ["numpy"]
    assert listed["model"]["name"] == "course-llama"
    assert [f["url"] for f in listed["model"]["files"]] == [f"model/{n}" for n in names]
    assert [f["bytes"] for f in listed["model"]["files"]] == [(folder / n).stat().st_size for n in names]
    assert subject.is_ours()


def test_figures_are_computed_with_it_or_say_why_not(
    folder: Path, tmp_path: Path, chapters: dict[str, Any]
) -> None:
    build = started(folder, tmp_path, chapters)
    model.step(build)

    def ahead(chapter: str, name: str) -> Ahead:
        found = build.chapters[chapter]
        return computing.ahead(excerpt(found.program, name), name, found.presets.get(name, []), folder)

    heads = ahead("attention", "heads")
    assert heads.whose == {"name": "course-llama"}
    states = json.loads(heads.packed)["states"]
    assert 1 < len(states) <= 2 * computing.FEW
    program = excerpt(build.chapters["attention"].program, "heads")
    assert len(next(c for c in program["controls"] if c["name"] == "heads_open")["options"]) == 18
    subject.use(core.load(folder))
    try:
        shown = Runner(program).figure("heads", {})
    finally:
        subject.use(None)
    assert heads.first[1] == shown.sentence
    assert "of course-llama" in shown.sentence

    assert ahead("attention", "next_word").first[1].startswith("After “The patient has” course-llama finds")
    assert ahead("attention", "tiled").whose["stays"].startswith("Tiles give the same result")
    assert ahead("attention", "scaling").whose == {}
    path = tmp_path / "kept.json"
    heads.write(path)
    assert Ahead.read(path) == heads


def test_a_figure_that_refuses_the_model_shows_ours_and_says_so(
    tmp_path: Path, chapters: dict[str, Any]
) -> None:
    folder = tmp_path / "course-gpt2"
    folder.mkdir()
    test_families.load(folder, "gpt2")
    build = started(folder, tmp_path, chapters)
    model.step(build)
    program = build.chapters["machine"].program
    found = computing.ahead(excerpt(program, "contributions"), "contributions", [], folder)
    assert "course-gpt2 cannot be shown here: " in found.whose["stays"]
    assert "a LayerNorm" in found.whose["stays"]
    assert "votes most for it" in found.first[1]


def test_a_folder_that_holds_no_model_stops_the_build_with_its_file_and_field(
    folder: Path, tmp_path: Path, chapters: dict[str, Any]
) -> None:
    (folder / "config.json").write_text("{}")
    with pytest.raises(BuildError, match=r"config\.json: model_type is missing"):
        model.step(started(folder, tmp_path, chapters))
    assert subject.is_ours()


@pytest.mark.parametrize(
    ("whose", "said"),
    [
        ({"name": "course-llama"}, "course-llama"),
        ({"stays": "It was measured."}, "Our model all the same. It"),
    ],
)
def test_a_page_says_whose_model_a_figure_shows(whose: dict[str, str], said: str) -> None:
    """In the templates' own words: a missing key stops a page there."""
    loader = jinja2.FileSystemLoader(ROOT / "site" / "templates")
    env = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    texts = dict.fromkeys(
        ("name", "frames", "title", "sentence", "note", "provenance", "picture", "table"), "x"
    )
    shown = {**texts, "heights": [], "controls": [], "covers": "", "long": False, "whose": whose}
    page = env.get_template("figure.html").module.figure(shown, tools=False)  # type: ignore[attr-defined]
    line = re.search(r'<p class="whose">(.*?)</p>', page)
    assert line
    assert re.sub(r"<[^>]+>", "", line[1]).startswith(said)
