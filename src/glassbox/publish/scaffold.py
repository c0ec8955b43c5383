"""Writes a new chapter that builds and passes its tests: a notebook, a figure, and their test.

python build.py --new-chapter memory_lane
"""

from __future__ import annotations

import importlib.util
import keyword
import re
from pathlib import Path

from glassbox.publish.errors import BuildError

_NOTEBOOK = '''# /// script
# dependencies = ["altair", "glassbox", "marimo", "numpy"]
#
# [tool.uv.sources]
# glassbox = {{ path = "..", editable = true }}
# ///
import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium")

with app.setup:
    import marimo as mo

    from glassbox.figures import {name} as figures
    from glassbox.page import check


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # {title}: say here what the chapter shows

    Say here in one paragraph what a reader will be able to do in about ten minutes.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What question does this section answer?

    Two or three sentences, then something to move.
    """)
    return


@app.cell(hide_code=True)
def _():
    {name}_pairs_words = mo.ui.slider(2, 20, value=5, label="Words")
    {name}_pairs_words
    return ({name}_pairs_words,)


@app.cell
def {name}_pairs({name}_pairs_words):
    figures.pairs({name}_pairs_words.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Double the words: [ten words](?{name}_pairs_words=10#{name}_pairs) make four times as many
    pairs as [five](?{name}_pairs_words=5#{name}_pairs).

    **Remember.** Say here the one thing to keep.
    """)
    return


@app.cell(hide_code=True)
def _():
    check.number(
        "How many pairs do eight words make?",
        answer=8 * 8,
        tolerance=0,
        unit="pairs",
        explain="Each of the eight meets all eight.",
        name="eight-words",
    )
    return


if __name__ == "__main__":
    app.run()
'''

_PACKAGE = '''"""Figures of the chapter {title}. One module per idea; the notebook calls these functions."""

from glassbox.figures.{name}.pairs import pairs

__all__ = ["pairs"]
'''

_FIGURE = '''"""How many pairs some words make: replace this figure by your own."""

from __future__ import annotations

from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import el


def pairs(words: int) -> Figure:
    """Counts the pairs that words make, each with every other and with itself.

    Args:
        words: How many words there are, at least two.
    """
    if words < 2:
        raise ValueError(f"there must be at least two words, not {{words}}")
    count = words * words
    sentence = f"{{words}} words make {{count:,}} pairs."
    picture = el("p", el("strong", f"{{count:,}}"), " pairs")
    return Figure("Pairs of words", sentence, picture, Table(("words", "pairs"), ((words, count),)))
'''

_TEST = '''"""The chapter {title}: its figures say what their formulas give."""

from pathlib import Path

import pytest

from glassbox.figures import {name} as figures
from glassbox.page.runner import Runner
from glassbox.publish.pages import notebook

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "{name}.py"


@pytest.mark.parametrize("words", [2, 5, 20])
def test_every_word_pairs_with_every_word(words):
    assert figures.pairs(words).table.rows == ((words, words * words),)


def test_a_single_word_is_refused():
    with pytest.raises(ValueError, match="at least two words"):
        figures.pairs(1)


def test_the_notebook_asks_the_figure_for_what_its_control_says():
    runner = Runner(notebook.load(NOTEBOOK).program)
    assert runner.figure("{name}_pairs", {{"{name}_pairs_words": 7}}).sentence == "7 words make 49 pairs."
'''


# Pages and folders of the built site.
_TAKEN = frozenset({"index", "teach", "sources", "glossary", "missing"}) | frozenset(
    {"edit", "embed", "frames", "program", "runtime", "model", "models", "public", "static"}
)


def chapter(root: Path, name: str) -> list[Path]:
    """Writes the files of a new chapter and adds it to the book's record.

    Args:
        root: The repository.
        name: The chapter's name, as ``kv_cache``.

    Returns:
        The files that were written or changed.

    Raises:
        BuildError: The name cannot be one, or is taken; nothing was written.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        remedy = "a chapter's name is a word of small letters, digits and underscores, such as kv_cache."
        raise BuildError("new chapter", name, remedy)
    if importlib.util.find_spec(name) is not None:
        remedy = (
            f"Python has a module of this name, which a notebook would hide; choose another: {name}_first."
        )
        raise BuildError("new chapter", name, remedy)
    figures = root / "src" / "glassbox" / "figures" / name
    texts = {
        root / "notebooks" / f"{name}.py": _NOTEBOOK,
        figures / "__init__.py": _PACKAGE,
        figures / "pairs.py": _FIGURE,
        root / "tests" / "notebooks" / f"test_{name}.py": _TEST,
    }
    record = root / "src" / "glassbox" / "chapters.py"
    book = record.read_text(encoding="utf-8")
    taken = [p for p in (*texts, figures.with_suffix(".py")) if p.exists()]
    if taken or name in _TAKEN or f'Record("{name}"' in book:
        remedy = "this name is taken; choose another."
        raise BuildError("new chapter", taken[0] if taken else name, remedy)
    title = name.replace("_", " ").capitalize()
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(name=name, title=title), encoding="utf-8")
    head, _, tail = book.partition("BOOK: tuple[Record, ...] = (\n")
    lines, _, rest = tail.partition("\n)\n")
    added = f'{lines}\n    Record("{name}", cover="{name}_pairs"),\n)\n'
    record.write_text(f"{head}BOOK: tuple[Record, ...] = (\n{added}{rest}", encoding="utf-8")
    return [*texts, record]
