"""A new chapter: a few files that build, and one line of the book's record."""

import runpy
import shutil
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from glassbox.page.runner import Runner
from glassbox.publish import scaffold
from glassbox.publish.errors import BuildError
from tests.conftest import ROOT, load_build


def book(tmp_path: Path) -> Path:
    record = tmp_path / "src" / "glassbox" / "chapters.py"
    record.parent.mkdir(parents=True)
    shutil.copyfile(ROOT / "src" / "glassbox" / "chapters.py", record)
    return record


def test_a_new_chapter_takes_six_files_at_most_and_ends_the_book(tmp_path):
    record = book(tmp_path)
    before = runpy.run_path(str(record))["NAMES"]
    written = scaffold.chapter(tmp_path, "lane")
    assert len(written) <= 6
    assert {p for p in tmp_path.rglob("*") if p.is_file()} == set(written)
    after = runpy.run_path(str(record))
    assert after["NAMES"] == (*before, "lane")
    assert after["record"]("lane").cover == "lane_pairs"


def test_its_figure_answers_and_its_cells_call_it(tmp_path):
    book(tmp_path)
    scaffold.chapter(tmp_path, "lane")
    made = runpy.run_path(str(tmp_path / "src" / "glassbox" / "figures" / "lane" / "pairs.py"))
    assert made["pairs"](7).sentence == "7 words make 49 pairs."
    text = (tmp_path / "notebooks" / "lane.py").read_text(encoding="utf-8")
    assert "def lane_pairs(lane_pairs_words):" in text
    program = {
        "imports": f"import runpy\npairs = runpy.run_path({str(tmp_path / 'src/glassbox/figures/lane/pairs.py')!r})['pairs']",
        "cells": [
            {
                "name": "lane_pairs",
                "code": "pairs(lane_pairs_words.value)",
                "defs": [],
                "refs": ["lane_pairs_words"],
            }
        ],
        "controls": [
            {"name": "lane_pairs_words", "kind": "slider", "value": 5, "start": 2, "stop": 20, "step": 1}
        ],
        "figures": [{"name": "lane_pairs", "cells": [0], "controls": ["lane_pairs_words"]}],
    }
    assert Runner(program).figure("lane_pairs", {"lane_pairs_words": 10}).table.rows == ((10, 100),)


@pytest.mark.parametrize(
    "name", ["Lane", "2nd", "a-b", "class", "tokens", "index", "edit", "numpy", "random", "../x"]
)
def test_a_name_that_cannot_be_one_or_is_taken_writes_nothing(tmp_path, name):
    record = book(tmp_path)
    before = record.read_text()
    with pytest.raises(BuildError, match=r"taken|a word of small letters|Python has a module of this name"):
        scaffold.chapter(tmp_path, name)
    assert record.read_text() == before
    assert len([p for p in tmp_path.rglob("*") if p.is_file()]) == 1


def test_the_address_ends_in_one_slash_and_is_whole():
    address = load_build().address
    assert address("https://x.example/g") == address("https://x.example/g/") == "https://x.example/g/"
    assert address("") == ""
    with pytest.raises(ArgumentTypeError, match="write it whole"):
        address("x.example/g")
