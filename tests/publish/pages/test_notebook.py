from pathlib import Path
from types import SimpleNamespace

import pytest

from glassbox import chapters
from glassbox.page.runner import Runner
from glassbox.publish.errors import BuildError
from glassbox.publish.pages import notebook
from glassbox.publish.pages.chapter import excerpt
from glassbox.publish.site import Site
from glassbox.publish.state import Build
from tests.conftest import ROOT

HEAD = """
import marimo
app = marimo.App()
with app.setup:
    import marimo as mo
    import math
    from glassbox.figures import Figure, Table, el
"""

GOOD = (
    HEAD
    + '''
@app.cell
def _():
    mo.md(r"""# Title

    The promise $x^2$.""")
    return

@app.cell
def _():
    mo.md("## A question?")
    return

@app.cell
def _():
    share = mo.ui.slider(0, 10, value=4, label="Share")
    share
    return (share,)

@app.cell
def _():
    root = math.sqrt(16)
    return (root,)

@app.cell
def picture(share, root):
    Figure("T", f"{share.value * root:g}", el("b", share.value), Table((), ()))
    return
'''
)


def write(tmp_path: Path, code: str) -> Path:
    path = tmp_path / "chapter.py"
    path.write_text(code, encoding="utf-8")
    return path


def test_a_notebook_becomes_prose_controls_and_figures(tmp_path):
    chapter = notebook.load(write(tmp_path, GOOD))
    assert (chapter.title, [b.kind for b in chapter.blocks]) == ("Title", ["prose", "prose", "figure"])
    assert "<math" in chapter.blocks[0].html
    assert chapter.blocks[2].question == "A question?"
    assert chapter.program["figures"] == [{"name": "picture", "cells": [0, 1], "controls": ["share"]}]
    assert "marimo" not in chapter.program["imports"]
    assert Runner(chapter.program).figure("picture", {"share": 5}).sentence == "20"


def test_a_control_that_reaches_a_figure_through_another_cell_is_the_figure_s(tmp_path):
    code = GOOD.replace("root = math.sqrt(16)", "root = math.sqrt(4 * share.value)")
    code = code.replace("def _():\n    root", "def _(share):\n    root")
    code = code.replace("def picture(share, root)", "def picture(root)").replace("share.value * root", "root")
    code = code.replace('el("b", share.value)', 'el("b", root)')
    chapter = notebook.load(write(tmp_path, code))
    assert chapter.program["figures"] == [{"name": "picture", "cells": [0, 1], "controls": ["share"]}]
    assert Runner(chapter.program).figure("picture", {"share": 9}).sentence == "6"


GUESS = """
@app.cell
def _():
    guess.number("How much is a share of 5?", (10, 20), 20, opens="?share=5#{}")
    return
"""


def guessing(figure: str) -> str:
    code = GOOD.replace("    import math\n", "    import math\n    from glassbox.page import guess\n")
    before, figures = code.split("@app.cell\ndef picture")
    return before + GUESS.format(figure) + "\n@app.cell\ndef picture" + figures


def test_a_guess_stands_before_its_figure_and_its_state_is_computed_ahead(tmp_path):
    chapter = notebook.load(write(tmp_path, guessing("picture")))
    assert [b.kind for b in chapter.blocks] == ["prose", "prose", "guess", "figure"]
    assert chapter.blocks[2].question == "A guess first. How much is a share of 5?"
    assert chapter.presets == {"picture": [{"share": 5}]}


def test_a_guess_that_opens_another_figure_than_the_next_is_named(tmp_path):
    other = "\n@app.cell\ndef other():\n    Figure('O', '', el('b'), Table((), ()))\n    return\n"
    before, after = guessing("picture").split("\n@app.cell\ndef picture")
    said = r"“A guess first. How much is a share of 5\?” opens #picture, and the figure after it is other"
    with pytest.raises(BuildError, match=said):
        notebook.load(write(tmp_path, before + other + "\n@app.cell\ndef picture" + after))


def test_a_figure_is_cut_out_with_what_it_needs_and_nothing_else(tmp_path):
    more = GOOD + "\n@app.cell\ndef other():\n    Figure('O', '', el('b'), Table((), ()))\n    return\n"
    program = notebook.load(write(tmp_path, more)).program
    alone = excerpt(program, "other")
    assert [c["name"] for c in alone["cells"]] == ["other"]
    assert alone["controls"] == []
    assert "math" not in alone["imports"]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("@app.cell\ndef _(share):\n    mo.md(f'{share.value}')\n    return\n", "prose does not depend on a control"),
        ("@app.cell\ndef bad(share):\n    mo.md(f'{share.value}')\n    return\n", "a figure's cells do not use mo"),
        ("@app.cell\ndef _():\n    3 + 4\n    return\n", "name a figure's cell"),
        ("@app.cell\ndef _():\n    math.sqrt(-1)\n    return\n", "math domain error|nonnegative input"),
        ("@app.cell\ndef _():\n    idle = mo.ui.switch(label='Idle')\n    idle\n    return (idle,)\n", "no figure uses this control"),
        ("@app.cell\ndef _():\n    a = mo.ui.switch()\n    b = mo.ui.switch()\n    return (a, b)\n", "one control to a cell"),
    ],
)  # fmt: skip
def test_a_cell_that_breaks_a_rule_is_named_with_the_rule(tmp_path, cell, said):
    with pytest.raises(BuildError, match=said):
        notebook.load(write(tmp_path, GOOD + "\n" + cell))


def test_a_notebook_without_a_title_is_refused(tmp_path):
    with pytest.raises(BuildError, match="# Title"):
        notebook.load(write(tmp_path, HEAD + "\n@app.cell\ndef _():\n    mo.md('hello')\n    return\n"))


def test_the_share_of_a_check_does_not_break_before_its_sign(tmp_path):
    asked = 'check.number("What is left of 50 %?", answer=25, tolerance=0, unit="%", explain="Half of 50 % is 25 %.")'
    cell = f"@app.cell\ndef _():\n    {asked}\n    return\n"
    code = GOOD.replace("import math", "import math\n    from glassbox.page import check") + cell
    block = notebook.load(write(tmp_path, code)).blocks[-1]
    assert "left of 50\xa0%?" in block.html
    assert "Half of 50\xa0% is 25\xa0%." in block.answer


def test_the_cover_is_one_of_the_chapter_s_figures(monkeypatch):
    site = Site(ROOT, ROOT / "dist", ROOT / ".cache", only="tides")
    monkeypatch.setattr(chapters, "record", lambda name: chapters.Record(name, cover="pairs"))
    monkeypatch.setattr(
        notebook, "_kept", lambda *given: SimpleNamespace(program={"figures": [{"name": "level"}]})
    )
    monkeypatch.setattr(chapters, "NAMES", ("tides",))
    with pytest.raises(
        BuildError, match=r"chapters.py: the cover of tides is pairs, and its figures are level"
    ):
        notebook.step(Build(site))


def test_a_chapter_has_one_record(monkeypatch):
    monkeypatch.setattr(chapters, "NAMES", ("tides", "moon", "tides"))
    with pytest.raises(BuildError, match=r"chapters.py: tides has two records"):
        notebook.step(Build(Site(ROOT, ROOT / "dist", ROOT / ".cache")))
