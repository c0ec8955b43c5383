"""What authors get wrong: each mistake is answered with one sentence that names the cell, its line and the value."""

from __future__ import annotations

import re

import pytest

from glassbox.publish.errors import BuildError
from glassbox.publish.pages import computing, notebook
from glassbox.publish.pages.chapter import excerpt
from tests.publish.pages.test_notebook import GOOD, HEAD, write

FIGURE = "Figure('T', '', el('b'), Table((), ()))"


def cell(code: str, name: str = "_", needs: str = "", gives: str = "") -> str:
    body = "\n    ".join(code.split("\n"))
    return f"\n@app.cell\ndef {name}({needs}):\n    {body}\n    return {gives}\n"


def control(code: str) -> str:
    """A control that the figure ``more`` uses."""
    made = cell(f"more_x = {code}\nmore_x", gives="(more_x,)")
    return made + cell(f"more_x.value\n{FIGURE}", "more", "more_x")


# The mistake, what stands in the notebook's place or after it, and what the sentence must hold.
MISTAKES = [
    ("no Python", "\n@app.cell\ndef _():\n    x = = 3\n    return\n", ["line 39", "x = = 3", "mend the line"]),
    ("a bracket left open", "\n@app.cell\ndef _():\n    mo.md('hello'\n    return\n", ["line 3", "mend the line"]),
    ("a name without a definition", cell("nowhere + 1"), ["line 39", "NameError", "nowhere"]),
    ("a name defined twice", cell("x = 1", gives="(x,)") * 2, ["the name x", "lines 39 and 44", "rename it"]),
    ("cells in a circle", cell("a = b", needs="b", gives="(a,)") + cell("b = a", needs="a", gives="(b,)"), ["no order"]),
    ("two figures of one name", cell(FIGURE, "picture"), ["lines 34 and 39", "both named picture"]),
    ("two figures in one cell", cell(f"{FIGURE}\n{FIGURE}", "two"), ["“two” (line 39)", "never seen", "One figure to a cell"]),
    ("a figure without a name", cell(FIGURE), ["line 39", "shows a figure and has no name"]),
    ("prose that uses a control", cell("mo.md(f'{share.value}')", needs="share"), ["the cell at line 39", "it uses share"]),
    ("prose that uses it through a cell", cell("y = share.value", needs="share", gives="(y,)") + cell("mo.md(f'{y}')", needs="y"), ["line 44", "it uses share"]),
    ("a layout", cell("mo.hstack([1, 2])"), ["line 39", "what marimo alone can draw", "mo.hstack"]),
    ("a table of marimo", cell("mo.ui.table([{'a': 1}])\nmo.plain_text('x')"), ["line 39"]),
    ("a number", cell("3 + 4"), ["line 39", "a value of type int", "name a figure's cell"]),
    ("a list", cell("[1, 2]"), ["line 39", "a value of type list"]),
    ("a range slider", control("mo.ui.range_slider(0, 3, label='X')"), ["line 39", "more_x is a mo.ui.range_slider", "slider"]),
    ("a multiselect", control("mo.ui.multiselect(['a'], label='X')"), ["line 39", "mo.ui.multiselect"]),
    ("a date", control("mo.ui.date(label='X')"), ["line 39", "mo.ui.date"]),
    ("a text of code", control("mo.ui.code_editor(label='X')"), ["line 39", "mo.ui.code_editor"]),
    ("a dropdown without a value", control("mo.ui.dropdown(['a', 'b'], label='X')"), ["line 39", "needs a default", "value="]),
    ("a radio without a value", control("mo.ui.radio(['a', 'b'], label='X')"), ["line 39", "needs a default"]),
    ("a dropdown of another value", control("mo.ui.dropdown(['a'], value='b', label='X')"), ["line 39", "b"]),
    ("a number without an end", control("mo.ui.number(label='X')"), ["line 39", "a start and a stop"]),
    ("a slider that ends before it starts", control("mo.ui.slider(5, 1, label='X')"), ["line 39", "ValueError"]),
    ("a slider outside its ends", control("mo.ui.slider(0, 3, value=9, label='X')"), ["line 39", "ValueError"]),
    ("a control without a label", control("mo.ui.slider(0, 3)"), ["line 39", "more_x has no label", "label="]),
    ("two controls in a cell", cell("a = mo.ui.switch(label='A')\nb = mo.ui.switch(label='B')", gives="(a, b)"), ["line 39", "one control to a cell"]),
    ("a control that nothing uses", cell("idle = mo.ui.switch(label='I')\nidle", gives="(idle,)"), ["line 39", "no figure uses this control, idle"]),
    ("a control of another figure", cell(f"share.value\n{FIGURE}", "other", "share"), ["“other” (line 39)", "uses share, a control of the figure picture", "its own"]),
    ("a figure that uses marimo", cell("mo.md('x')", "bad"), ["“bad” (line 39)", "do not use mo"]),
    ("a figure that uses it through a cell", cell("z = mo.md('x')", gives="(z,)") + cell(f"z\n{FIGURE}", "bad", "z"), ["line 39", "do not use mo", "“bad” (line 44)"]),
    ("a division by zero", cell("1 / 0"), ["line 39", "ZeroDivisionError: division by zero"]),
    ("a link to no figure", cell("mo.md('[x](?a=1#nowhere)')"), ["the cell at line 39", "#nowhere", "picture"]),
    ("a link that sets no control", cell("mo.md('[x](?shar=1#picture)')"), ["the cell at line 39", "shar", "share"]),
    ("a link to no position", cell("mo.md('[x](?share=99#picture)')"), ["the cell at line 39", "share=99", "no position"]),
    ("a link in a long text", cell("mo.md(r\"\"\"\n    Some words of prose, [x](?a=1#nowhere).\n    \"\"\")"), ["(Some words of prose, ", "#nowhere"]),
    ("a word without an end", cell("mo.md('A <dfn>piece of text.')"), ["the cell at line 39", "</dfn>"]),
    ("a word without a word", cell("mo.md('A <dfn></dfn> is a word.')"), ["the cell at line 39", "<dfn> has no word"]),
    ("an aside without an end", cell("mo.md('Text <aside>beside it.')"), ["the cell at line 39", "<aside> has no end"]),
    ("an end without a beginning", cell("mo.md('Some <b>bold</b> words</b>.')"), ["the cell at line 39", "</b> ends what did not begin"]),
    ("a script", cell("mo.md('<script>let x;</script>')"), ["the cell at line 39", "script does nothing"]),
    ("a frame", cell("mo.md('<iframe src=\"a.html\"></iframe>')"), ["the cell at line 39", "iframe does nothing"]),
    ("a press that nothing answers", cell("mo.md('<b onclick=\"f()\">x</b>')"), ["the cell at line 39", "onclick does nothing"]),
    ("a second title", cell("mo.md('# Another')"), ["the cell at line 39", "second title, “Another”", "##"]),
    ("a heading twice", cell("mo.md('## A question?')"), ["the cell at line 39", "“A question?”", "the cell at line 18", "differently"]),
    ("a function in no cell", "\ndef lost():\n    return 1\n", ["the function lost (line 37)", "@app.cell"]),
    ("a layout of figures", cell(f"mo.vstack([{FIGURE}])", "both"), ["“both” (line 39)", "one call of a figure"]),
]  # fmt: skip

WHOLE = [
    ("a control that was renamed", re.sub(r"share( =|\n|,\))", r"part\1", GOOD), ["“picture” (line 34)", "it uses share", "no cell defines"]),
    ("a missing package", HEAD.replace("import math", "import nowhere_to_be_found"), ["line 6", "pip install nowhere_to_be_found"]),
    ("a missing name of ours", HEAD.replace("Figure, Table", "Figur, Table"), ["line 7", "Figur"]),
    ("no notebook at all", "x = 1\n", ["app = marimo.App()"]),
    ("no title", HEAD + cell("mo.md('hello')") + cell(FIGURE, "f"), ["# Title"]),
    ("no figure", HEAD + cell("mo.md('# Title')"), ["no figure", "name a cell"]),
    ("more than imports in the setup", GOOD.replace("    import math\n", "    import math\n    n = 3\n"), ["setup", "imports only"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "said"),
    [*((GOOD + more, said) for _, more, said in MISTAKES), *((code, said) for _, code, said in WHOLE)],
    ids=[what for what, *_ in (*MISTAKES, *WHOLE)],
)
def test_a_mistake_gets_a_sentence(tmp_path, code, said):
    with pytest.raises(BuildError) as stopped:
        notebook.load(write(tmp_path, code))
    sentence = str(stopped.value)
    assert [part for part in said if part not in sentence] == [], sentence
    assert sentence.endswith(".")
    assert not re.search(r"Traceback|_[A-Z]\w+Html|\n", sentence), sentence


RAISING = [
    ("in its cell", f"1 / (3 - own.value)\n{FIGURE}", ["own = 3", "ZeroDivisionError", "line 2 of its cell"]),
    ("in a function", f"_ = percents([own.value * 1j])\n{FIGURE}", ["own = 4", "glassbox/figures/figure.py line", "TypeError"]),
    ("without a figure", "own.value", ["own = 4", "ends in int"]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "said"), [case[1:] for case in RAISING], ids=[case[0] for case in RAISING])
def test_a_figure_that_stops_names_the_value_and_the_line(tmp_path, code, said):
    text = GOOD.replace("import Figure, Table, el", "import Figure, Table, el, percents")
    text += cell("own = mo.ui.slider(1, 5, value=4, label='Own')\nown", gives="(own,)")
    text += cell("x_own = own.value", needs="own", gives="(x_own,)")
    chapter = notebook.load(write(tmp_path, text + cell("_ = x_own\n" + code, "broken", "own, x_own")))
    with pytest.raises(ValueError, match="stops at") as stopped:
        computing.compute(excerpt(chapter.program, "broken"), "broken")
    assert [part for part in said if part not in str(stopped.value)] == [], str(stopped.value)
