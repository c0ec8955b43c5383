"""A cell that shows an Altair chart by itself becomes a figure without a control, and no page loads Altair for it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import altair as alt
import pytest

from glassbox.figures import vega
from glassbox.figures.specs import bare
from glassbox.page.runner import Runner
from glassbox.publish.charts import compiled
from glassbox.publish.errors import BuildError
from glassbox.publish.pages import computing, notebook
from glassbox.publish.pages.chapter import Chapter
from glassbox.publish.site import Site
from glassbox.publish.state import Build
from tests.conftest import ROOT

HEAD = """
import marimo
app = marimo.App()
with app.setup:
    import altair as alt
    import marimo as mo

@app.cell
def _():
    mo.md("# Title\\n\\nThe promise.")
    return
"""
ROWS = """
@app.cell
def _():
    rows = [{"day": f"2026-03-{d:02d}", "beds": d * d % 7, "ward": "a" if d % 2 else "b"} for d in range(1, 10)]
    return (rows,)
"""
CHART = """
@app.cell
def beds(rows):
    alt.Chart(alt.Data(values=rows), title="Beds", description="Beds by day.").mark_line(point=True).encode(
        x="day:T", y=alt.Y("beds:Q", title="beds taken"), color="ward:N"
    ).interactive()
    return
"""
SLIDER = """
@app.cell
def _():
    beds_most = mo.ui.slider(1, 9, label="Most")
    beds_most
    return (beds_most,)
"""


def load(tmp_path: Path, code: str) -> Chapter:
    path = tmp_path / "wards.py"
    path.write_text(HEAD + code, encoding="utf-8")
    return notebook.load(path)


def drawn(chapter: Chapter, tmp_path: Path, cache: Path) -> tuple[Build, str]:
    """The build after its charts are drawn, and the figure's first picture."""
    build = Build(Site(ROOT, tmp_path / "out", cache))
    build.chapters["wards"] = chapter
    build.states["wards"] = {"beds": computing.ahead(chapter.program, "beds", [])}
    compiled.step(build)
    return build, build.states["wards"]["beds"].first[0]


def test_the_chart_becomes_a_figure_with_its_words_rows_and_table(tmp_path: Path) -> None:
    chapter = load(tmp_path, ROWS + CHART)
    assert [b.name for b in chapter.blocks if b.kind == "figure"] == ["beds"]
    figure = Runner(chapter.program).figure("beds", {})
    assert (figure.title, figure.sentence) == ("Beds", "Beds by day.")
    assert figure.table.columns == ("day", "beds", "ward")
    assert figure.table.rows[2] == ("2026-03-03", 2, "a")
    ((name, sets, _),) = vega.found(figure.picture)
    assert name == "wards.cell_beds"
    assert list(chapter.charts) == [name]
    assert [row["beds"] for row in next(iter(sets.values()))] == [d * d % 7 for d in range(1, 10)]
    assert '"values": [{' not in json.dumps(chapter.charts)


def test_no_page_needs_altair_or_the_cells_before_it(tmp_path: Path) -> None:
    program = load(tmp_path, ROWS + CHART).program
    assert "altair" not in program["imports"]
    assert [cell["name"] for cell in program["cells"]] == ["beds"]
    (tmp_path / "program.json").write_text(json.dumps(program), encoding="utf-8")
    code = (
        "import json, sys; from glassbox.page.bridge import Bridge; "
        f"print(json.loads(Bridge(open({str(tmp_path / 'program.json')!r}).read()).open('beds', '{{}}'))['parts'][1]); "
        "print('altair' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["Beds by day.", "False"]


def test_the_build_draws_it_with_its_days_its_legend_and_what_is_measured(
    tmp_path: Path, cache: Path
) -> None:
    build, picture = drawn(load(tmp_path, ROWS + CHART), tmp_path, cache)
    assert picture.count("<svg ") == len(compiled.WIDTHS)
    assert '<span class="measure">beds taken</span>' in picture
    assert "Mar" in picture, "days became dates"
    assert ">ward<" in picture or ">a</text>" in picture
    made = (tmp_path / "out" / build.charts["wards"].specs).read_text(encoding="utf-8")
    assert '"wards.cell_beds"' in made
    assert "toDate" in made
    assert picture.count(">beds taken<") == 1, "over the chart, and not beside it as well"
    assert "var(--cat-1)" in picture, "colours are the palette's"


def test_a_chapter_with_such_a_chart_comes_back_from_the_cache(tmp_path: Path) -> None:
    chapter = load(tmp_path, ROWS + CHART)
    chapter.write(tmp_path / "kept.json")
    assert Chapter.read(tmp_path / "kept.json").charts == json.loads(json.dumps(chapter.charts))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (CHART.replace('title="Beds", ', ""), "it has no title; write .properties"),
        (CHART.replace(', description="Beds by day."', ""), "it has no description, which is the sentence"),
        (CHART.replace("def beds", "def _"), "shows a figure and has no name"),
        (CHART.replace("alt.Data(values=rows)", "'https://example.org/a.csv'"), "its rows are at https://example"),
        ("\n@app.cell\ndef beds(rows):\n    alt.hconcat(*[alt.Chart(alt.Data(values=rows)).mark_bar()] * 2)\n    return\n",
         "it holds several charts"),
        (SLIDER + CHART.replace("def beds(rows)", "def beds(rows, beds_most)").replace("values=rows", "values=rows[:beds_most.value]"),
         "its chart follows beds_most; let a figure send its rows"),
        (CHART.replace('"day:T"', 'alt.X("day:Q", scale=7)'), "its chart cannot be taken|mend the cell"),
    ],
)  # fmt: skip
def test_a_chart_that_cannot_be_taken_is_named_with_its_cell(tmp_path: Path, code: str, said: str) -> None:
    with pytest.raises(BuildError, match=said) as stopped:
        load(tmp_path, ROWS + code)
    assert "line" in str(stopped.value)


def test_what_the_pages_cannot_draw_stops_with_the_charts_name(tmp_path: Path, cache: Path) -> None:
    code = CHART.replace(".mark_line(point=True)", '.transform_regression("day", "beds").mark_line()')
    with pytest.raises(BuildError, match=r"wards\.cell_beds.*regression"):
        drawn(load(tmp_path, ROWS + code), tmp_path, cache)


def test_selections_stand_as_nobody_has_touched_them() -> None:
    pick, near = alt.selection_point(name="pick"), alt.selection_interval(name="near", empty=False)
    chart = (
        alt.Chart(alt.Data(values=[{"n": 1}]), title="T", description="S.")
        .mark_point()
        .encode(
            x="n:Q",
            opacity=alt.condition(pick, alt.value(1), alt.value(0.2)),
            size=alt.condition(near, alt.value(90), alt.value(9), empty=False),
        )
        .add_params(pick, near, alt.param(name="top", value=3, bind=alt.binding_range(min=1, max=9)))
        .transform_filter(pick)
    )
    spec = bare.taken(chart).spec
    assert spec["encoding"]["opacity"] == {"value": 1}
    assert spec["encoding"]["size"] == {"value": 9}
    assert spec["params"] == [{"name": "top", "value": 3}]
    assert not spec.get("transform")


@pytest.mark.parametrize("count", [0, 1, 20_000])
def test_no_rows_one_and_many(count: int) -> None:
    rows: list[dict[str, Any]] = [{"n": n, "v": None if n == 1 else n / 3} for n in range(count)]
    chart = alt.Chart(alt.Data(values=rows), title="T", description="S.").mark_line().encode(x="n:Q", y="v:Q")
    _, _, sets, columns, cells, note = bare.taken(chart).arguments
    assert [len(found) for found in sets.values()] == [count]
    assert len(cells) == min(count, bare.MOST_ROWS)
    assert columns == (["n", "v"] if count else ["value"])
    assert bool(note) == (count > bare.MOST_ROWS)
