"""A control that is renamed in a notebook without its figure stops the build with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from glassbox.figures import leading, vega
from glassbox.publish.errors import BuildError
from glassbox.publish.pages import computing, notebook, pressing, states
from glassbox.publish.site import Site
from glassbox.publish.state import Build

ROOT = Path(__file__).parents[3]
SEVERE = {"name": "paint_severe", "kind": "slider", "start": 0, "stop": 100, "step": 10, "value": 50}
OPEN = {"name": "paint_open", "kind": "select", "options": {"one": 1, "two": 2}, "value": "one"}


@pytest.mark.parametrize(
    "sets", ["{&quot;severe&quot;: 30}", "{&quot;severe&quot;:100,&quot;open&quot;:&quot;two&quot;}"]
)
def test_what_the_controls_take_may_be_set(sets: str) -> None:
    pressing.check("paint", [SEVERE, OPEN], f'<b data-set="{sets}"></b>')


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        ("{&quot;paint_severe&quot;: 30}", "needs a control named paint_paint_severe"),
        (
            "{&quot;sever&quot;: 30}",
            "needs a control named paint_sever; the figure's controls are: paint_severe, paint_open",
        ),
        (
            "{&quot;severe&quot;: 130}",
            "sets paint_severe to 130 when pressed; the nearest that this control takes is 100",
        ),
        ("{&quot;severe&quot;: 35}", "sets paint_severe to 35 when pressed"),
        ("{&quot;open&quot;: &quot;three&quot;}", "paint_open has no option 'three'; it has one, two"),
    ],
)
def test_what_no_control_takes_is_named(sets: str, said: str) -> None:
    with pytest.raises(pressing.PressError, match=said):
        pressing.check("paint", [SEVERE, OPEN], f'<b data-set="{sets}"></b>')


@pytest.mark.parametrize("severe", ["30", "130"])
def test_what_the_marks_of_a_chart_set_is_checked_as_well(severe: str) -> None:
    rows = [{"n": 1, **leading.pressed(severe=int(severe))}]
    picture = vega.drawn("attention.quadratic", {"lines": rows}, "A sentence.")
    if severe == "30":
        pressing.check("paint", [SEVERE, OPEN], picture)
        return
    with pytest.raises(pressing.PressError, match="sets paint_severe to 130 when pressed"):
        pressing.check("paint", [SEVERE, OPEN], picture)


def test_a_picture_says_where_it_leads() -> None:
    address = leading.address("other", other_name="a & b")
    picture = vega.drawn("a.b", {"s": [{"n": 1, **leading.pressed(address, n=1)}]}, "A sentence.")
    picture += leading.link("there", "third", third_on="true")
    assert pressing.sent(picture) == ["?other_name=a+%26+b#other", "?third_on=true#third"]


def test_a_control_renamed_without_its_figure_stops_the_build(tmp_path: Path, cache: Path) -> None:
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    text = (ROOT / "notebooks" / "attention.py").read_text(encoding="utf-8")
    renamed = text.replace("heads_open", "heads_shown")
    assert renamed != text
    (notebooks / "attention.py").write_text(renamed, encoding="utf-8")
    (tmp_path / "src").symlink_to(ROOT / "src")
    build = Build(Site(tmp_path, tmp_path / "out", tmp_path / "cache"))
    loaded = notebook.load(notebooks / "attention.py")
    program = next(f for f in loaded.program["figures"] if f["name"] == "heads")
    loaded.program["figures"] = [program]
    build.chapters["attention"] = loaded
    with pytest.raises(BuildError, match="needs a control named heads_open"):
        states.step(build)


def test_where_the_first_picture_says_so_its_presses_are_computed_ahead() -> None:
    picture = '<b data-set="{&quot;cut&quot;: &quot;1.4&quot;}" data-ahead></b><b data-set="{&quot;cut&quot;: &quot;2&quot;}"></b>'
    assert pressing.ahead("machine", picture) == [{"machine_cut": "1.4"}]
    program = {
        "imports": "",
        "cells": [{"name": "f", "code": _PRESSABLE, "defs": [], "refs": ["f_cut"]}],
        "controls": [{"name": "f_cut", "label": "Cut", "kind": "text", "value": "", "rows": 1, "max": None}],
        "figures": [{"name": "f", "cells": [0], "controls": ["f_cut"]}],
    }
    assert list(computing.compute(program, "f")["states"]) == ['[""]', '["1.4"]']


_PRESSABLE = """
from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import el
Figure("F", f"cut: {f_cut.value}", el("b", data_set='{"cut": "1.4"}', data_ahead=True), Table((), ()))
"""
