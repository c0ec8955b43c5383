"""What a figure tells marimo's page, beside what it shows."""

import json
import re
from html import unescape

import marimo

from glassbox.figures import Figure, Table, el

figure = Figure("T", "S", el("i", "x"), Table(("a",), ()))

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    from tests.figures.test_notebook import figure

    return figure, mo


@app.cell
def _(mo):
    mix_share = mo.ui.slider(0, 10, label="Share")
    return (mix_share,)


@app.cell
def _(mo):
    mix_text = mo.ui.text(label="Text")
    return (mix_text,)


@app.cell
def _(mo):
    other = mo.ui.switch(label="Another figure's")
    return (other,)


@app.cell
def _(mix_share):
    doubled = 2 * mix_share.value
    return (doubled,)


@app.cell
def _(figure, doubled, mix_text, other):
    shown = figure._repr_html_() if (doubled, mix_text.value) else other
    return (shown,)


@app.cell
def _(figure):
    still = figure._repr_html_()
    return (still,)


def test_a_figure_in_marimo_names_the_controls_of_its_cell_and_of_the_cells_that_it_needs():
    _, found = app.run()
    follows = json.loads(unescape(re.search(r'data-follows="([^"]*)"', found["shown"])[1]))
    assert follows == {name: found[name]._id for name in ("mix_share", "mix_text", "other")}
    assert found["shown"].count('<script src="data:text/javascript;base64,') == 1


def test_a_figure_without_controls_and_a_figure_anywhere_else_bring_no_script():
    _, found = app.run()
    for shown in (found["still"], figure._repr_html_()):
        assert "<script" not in shown
        assert "data-follows" not in shown
