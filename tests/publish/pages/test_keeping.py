"""After a change only the cells that it reaches are run; what the others showed is kept."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from glassbox.publish.errors import BuildError
from glassbox.publish.pages import cutting, notebook
from glassbox.publish.pages.chapter import Chapter
from glassbox.publish.pages.dependencies import Tree
from glassbox.publish.pages.keeping import Keeping

CODE = """
import marimo
app = marimo.App()
with app.setup:
    import marimo as mo
    from glassbox import facts
    from glassbox.figures import Figure, Table, el
    from glassbox.page import check

@app.cell
def _():
    mo.md("# Title")
    return

@app.cell
def _():
    seven = 7
    return (seven,)

@app.cell
def _(seven):
    mo.md(f"The seventh is {seven}.")
    return

@app.cell
def _():
    mo.md(f"It is {facts.word}.")
    return

@app.cell
def _():
    check.reveal("Why?", "Because.", name="why")
    return

@app.cell
def _():
    share = mo.ui.slider(0, 10, value=4, label="Share")
    share
    return (share,)

@app.cell
def picture(share):
    Figure("T", f"{share.value}", el("b", share.value), Table((), ()))
    return
"""
FACTS = "src/glassbox/facts.py"


class Book:
    """A notebook in a folder of its own, and which of its cells ran when it was last cut."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.ran = folder, list[str]()
        (folder / "src/glassbox/data").mkdir(parents=True)
        (folder / FACTS).write_text('word = "blue"')
        (folder / "src/glassbox/__init__.py").write_text("")
        run = cutting.Cut._output

        def noted(cut: cutting.Cut, cell_id: str) -> object:
            self.ran.append(cut._cells[cell_id].code.split("(")[0].strip())
            cut._scope["facts"] = type("facts", (), {"word": (folder / FACTS).read_text().split('"')[1]})
            return run(cut, cell_id)

        monkeypatch.setattr(cutting.Cut, "_output", noted)

    def cut(self, code: str) -> Chapter:
        self.ran.clear()
        path = self.folder / "chapter.py"
        path.write_text(code.replace("from glassbox import facts", "import glassbox.facts as facts"))
        keeping = Keeping(self.folder / "kept" / "chapter.json", Tree(self.folder / "src"), "import re")
        return notebook.load(path, keeping)


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Book:
    monkeypatch.setitem(sys.modules, "glassbox.facts", types.ModuleType("glassbox.facts"))
    monkeypatch.setattr("glassbox.facts", sys.modules["glassbox.facts"], raising=False)
    return Book(tmp_path, monkeypatch)


CONTROL = "share = mo.ui.slider"


def test_nothing_but_controls_runs_again_where_nothing_changed(book: Book) -> None:
    first = book.cut(CODE)
    assert len(book.ran) == 6
    assert book.cut(CODE) == first
    assert book.ran == [CONTROL]


def test_a_changed_sentence_runs_its_cell_and_those_it_depends_on(book: Book) -> None:
    book.cut(CODE)
    chapter = book.cut(CODE.replace("The seventh", "Number seven"))
    assert "Number seven is 7." in chapter.blocks[1].html
    assert sorted(book.ran) == ["mo.md", "seven = 7", CONTROL]


def test_a_changed_value_reaches_the_cells_that_use_it(book: Book) -> None:
    book.cut(CODE)
    assert "The seventh is 8." in book.cut(CODE.replace("seven = 7", "seven = 8")).blocks[1].html


def test_a_changed_module_reaches_the_cells_that_use_it_alone(book: Book) -> None:
    book.cut(CODE)
    (book.folder / FACTS).write_text('word = "red"')
    assert "It is red." in book.cut(CODE).blocks[2].html
    assert book.ran == ["mo.md", CONTROL]


def test_lines_are_those_of_the_notebook_as_it_is_now(book: Book) -> None:
    before = book.cut(CODE).blocks[2].cell
    after = book.cut(CODE.replace("\n\n@app.cell", "\n\n\n@app.cell", 1)).blocks[2].cell
    assert before != after


def test_a_name_that_is_taken_later_is_still_refused(book: Book) -> None:
    book.cut(CODE)
    with pytest.raises(BuildError, match="another check or figure is called why"):
        book.cut(CODE + '\n@app.cell\ndef _():\n    check.reveal("Who?", "Me.", name="why")\n    return\n')


def test_an_image_is_looked_at_each_time(book: Book) -> None:
    (book.folder / "public").mkdir()
    image = book.folder / "public" / "a.svg"
    code = CODE.replace("# Title", "# Title\\n\\n![A dot](public/a.svg)")
    for width in (10, 20):
        image.write_text(f'<svg viewBox="0 0 {width} 5"></svg>')
        assert f'width="{width}"' in book.cut(code).blocks[0].html
