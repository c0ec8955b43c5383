"""Charts in pictures: rows go in and come out as they were, and every specification fits what figures send."""

import base64
import html
import json
import math
import re
import subprocess
import sys
from html import unescape
from itertools import pairwise

import numpy as np
import pytest

from glassbox.figures import attention, kv_cache, specs, tokens, vega
from glassbox.figures.specs import theme

# Every chart, and a figure that shows it.
SHOWN = {
    "attention.quadratic": lambda: attention.quadratic(8192, "A100 80 GB"),
    "attention.scaling_spread": lambda: attention.scaling(64),
    "attention.scaling_largest": lambda: attention.scaling(64),
    "attention.scaling_entropy": lambda: attention.scaling(64),
    "attention.scaling_slope": lambda: attention.scaling(64),
    "attention.distance": lambda: attention.distance(3),
    "attention.dilution": lambda: attention.dilution(5),
    "attention.head_map": lambda: attention.head_map(4),
    "attention.loss": lambda: attention.loss(600),
    "attention.skills": lambda: attention.loss(600),
    "kv_cache.race": lambda: kv_cache.race(64),
    "kv_cache.per_step_work": kv_cache.per_step,
    "kv_cache.per_step_time": lambda: next(kv_cache.per_step(1).steps()),
    "kv_cache.prompt_cache": lambda: kv_cache.prompt_cache(20),
    "kv_cache.roofline": lambda: kv_cache.roofline("Llama 3 8B", "A100 80 GB", 8192, 8),
    "kv_cache.memory": lambda: kv_cache.memory("Gemma 2 9B", 8000),
    "kv_cache.tail_first": lambda: kv_cache.tail(4, 1000, 256),
    "kv_cache.tail_gap": lambda: kv_cache.tail(4, 1000, 256),
    "kv_cache.speculative": lambda: kv_cache.speculative(1, 4),
    "kv_cache.landscape": lambda: kv_cache.landscape(8000, "Gemma 3 27B"),
    "tokens.languages": lambda: tokens.languages("gpt2", "Hindi"),
    "tokens.train": lambda: tokens.train(50, 900).last(),
}


def rows(sets, **values):
    """What comes back of one chart."""
    ((_, found, back),) = vega.found(vega.drawn("attention.quadratic", sets, "A sentence.", **values))
    return found, back


@pytest.mark.parametrize(
    "given",
    [
        [],
        [{"n": 1}],
        [{"n": 1}, {"n": 1}],
        [{"n": 1, "name": "a"}],
        [{"n": 1, "name": "a"}, {"n": 1, "name": "a"}],
        [{"n": 1, "name": "a"}, {"n": 2, "name": "a"}, {"n": 2, "name": "b"}],
        [{"n": n, "square": n * n, "name": "all"} for n in range(20_000)],
    ],
    ids=["nothing", "one number", "two alike", "one row", "two rows alike", "three", "20,000"],
)
def test_rows_come_back_as_they_were_sent(given):
    assert rows({"lines": given})[0] == {"lines": given}


def test_what_is_no_number_leaves_a_gap_and_no_json_that_browsers_refuse():
    given = [
        {"n": v} for v in (1.5, math.nan, math.inf, -math.inf, np.float32(0.25), np.int64(3), True, None)
    ]
    found, _ = rows({"lines": given})
    assert [r["n"] for r in found["lines"]] == [1.5, None, None, None, 0.25, 3, True, None]


def test_numbers_are_as_fine_as_a_picture_needs_and_counts_stay_whole():
    found, values = rows({"lines": [{"n": 1 / 3}, {"n": 12_345_678}, {"n": 2.0}]}, top=2 / 3)
    assert [r["n"] for r in found["lines"]] == [0.333333, 12_345_678, 2]
    assert values == {"top": 0.666667}


@pytest.mark.parametrize("text", ["</script><b>", "<!--", "a&amp;b", "\u2028", '"quoted"', "]]>"])
def test_words_in_rows_end_no_script_and_come_back_whole(text):
    picture = vega.drawn("attention.quadratic", {"lines": [{"series": text}]}, "A sentence.")
    assert picture.count("<") == 4  # the place, its rows, and the end of both
    assert vega.found(picture)[0][1] == {"lines": [{"series": text}]}


def test_drawings_stand_behind_the_rows_they_show():
    two = vega.drawn("a.b", {"s": [{"n": 1}]}, "One.") + vega.drawn("a.c", {"s": [{"n": 2}]}, "Two.")
    whole = vega.with_drawings(two, ["<i>1</i>", "<i>2</i>"])
    assert [whole.index(part) for part in ("a.b", "<i>1", "a.c", "<i>2")] == sorted(
        whole.index(part) for part in ("a.b", "<i>1", "a.c", "<i>2")
    )


def named(spec):
    """The data sets that a specification reads."""
    found = set()
    if isinstance(spec, dict):
        if set(spec.get("data") or {}) == {"name"}:
            found.add(spec["data"]["name"])
        for value in spec.values():
            found |= named(value)
    elif isinstance(spec, list):
        found = {n for value in spec for n in named(value)}
    return found


def channels(spec):
    """The fields that a specification reads, by data set."""
    found = {}
    for layer in spec["layer"]:
        encodings = [
            e
            for channel in layer.get("encoding", {}).values()
            for e in (channel if isinstance(channel, list) else [channel])
        ]
        fields = {e["field"] for e in encodings if isinstance(e, dict) and "field" in e}
        found.setdefault(layer["data"]["name"], set()).update(fields)
    return found


def every_chart():
    from glassbox import chapters

    return [name for chapter in chapters.NAMES for name in specs.names(chapter)]


def test_every_chart_is_shown_by_a_figure_and_every_shown_one_exists():
    assert set(SHOWN) == set(every_chart())


@pytest.mark.parametrize("name", SHOWN)
def test_a_chart_reads_what_its_figure_sends_and_holds_no_rows(name):
    spec = specs.lite(name)
    assert "datasets" not in spec
    assert '"values": [{' not in json.dumps(spec)
    shown = [(sets, values) for chart, sets, values in vega.found(SHOWN[name]().picture) if chart == name]
    assert shown
    for sets, values in shown:
        assert set(sets) == named(spec)
        for data, fields in channels(spec).items():
            assert fields <= set().union(*sets[data]) or not sets[data], f"{data} lacks a field"
        assert set(values) <= {p["name"] for p in spec.get("params", [])}


@pytest.mark.parametrize("name", SHOWN)
def test_a_series_that_is_sent_has_a_colour(name):
    shown = [sets for chart, sets, _ in vega.found(SHOWN[name]().picture) if chart == name]
    for layer in specs.lite(name)["layer"]:
        for channel in ("color", "fill", "strokeDash"):
            encoding = layer["encoding"].get(channel, {})
            if "scale" in encoding:
                rows = [row for sets in shown for row in sets[layer["data"]["name"]]]
                assert {row[encoding["field"]] for row in rows} <= set(encoding["scale"]["domain"])


@pytest.mark.parametrize("name", SHOWN)
def test_a_chart_names_its_colours_and_a_file_of_it_has_them_as_numbers(name):
    assert "var(--" in json.dumps(specs.lite(name))
    assert "var(--" not in json.dumps(theme.plain_colours(specs.lite(name)))


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_gets_title_and_legend_as_text(name):
    page = specs.for_pages(name)
    assert page.title
    assert "title" not in page.spec
    assert '"bind"' not in json.dumps(page.spec)
    legends = [k for k in page.keys if k[0]]
    assert len(legends) != 1, "a legend of one says nothing"


def test_a_selection_bound_to_scales_is_ends_of_axes_on_a_page_and_itself_in_a_notebook():
    assert [name for name in SHOWN if specs.for_pages(name).zooms] == ["kv_cache.landscape"]
    page = specs.for_pages("kv_cache.landscape").spec
    assert {"zoom_x", "zoom_y"} <= {p["name"] for p in page["params"]}
    assert "zoom" not in {p["name"] for p in page["params"]}
    for layer in page["layer"]:
        for channel, field in (("x", "at"), ("y", "each")):
            assert layer["encoding"][channel]["scale"]["domainRaw"] == {"expr": f"zoom_{channel}"}
            inside = f"(!zoom_{channel} || inrange(datum['{field}'], zoom_{channel}))"
            assert any(inside in str(step.get("filter")) for step in layer["transform"])
    (native,) = in_a_notebook("kv_cache.landscape")
    (near,) = (p for p in native["params"] if p["name"] == "zoom")
    assert near["bind"] == "scales"
    assert "domainRaw" not in json.dumps(native)


def test_in_a_notebook_what_is_pointed_at_shows_the_small_picture_of_its_row():
    (native,) = in_a_notebook("attention.head_map")
    told = [layer["encoding"]["tooltip"] for layer in native["layer"] if "tooltip" in layer["encoding"]]
    assert {"field": "image", "type": "nominal", "title": "image"} in told[0]
    row = native["datasets"]["heads"][3]
    svg = base64.b64decode(row["image"].removeprefix("data:image/svg+xml;base64,")).decode()
    shades = [float(v) for v in re.findall(r'fill-opacity="([\d.]+)"', svg)]
    assert shades == [pytest.approx(0.08 + 0.92 * int(c) / 6, abs=0.006) for c in row["cells"]]
    (other,) = in_a_notebook("attention.quadratic")
    assert "image" not in json.dumps(other)


def test_a_legend_is_no_wider_than_its_chart():
    (native,) = in_a_notebook("kv_cache.landscape")
    legend = native["layer"][0]["encoding"]["shape"]["legend"]
    assert re.fullmatch(r"width > (\d+) \? 5 : width > \d+ \? 4 : .* \? 2 : 1", legend["columns"]["expr"])
    (alone,) = vega.altair(SHOWN["kv_cache.landscape"]().picture)
    assert alone.to_dict()["layer"][0]["encoding"]["shape"]["legend"]["columns"] == 2
    filed = specs.legends.fitted(specs.lite("attention.quadratic"), 400)
    columns = [e.get("legend") for one in filed["layer"] for e in one["encoding"].values() if "legend" in e]
    assert {"columns": 1} in columns
    assert None in columns  # what had no legend has none now


def test_cells_that_are_no_triangle_are_refused():
    with pytest.raises(ValueError, match="5 cells are no triangle; one of 3 rows has 6"):
        specs.cells.image("60512")


def test_an_unknown_chart_or_colour_is_named():
    with pytest.raises(
        ValueError, match=r"no chart named 'attention\.nothing'; there are attention\.quadratic"
    ):
        specs.lite("attention.nothing")
    with pytest.raises(ValueError, match="no chart named"):
        specs.lite("theme.tone")
    with pytest.raises(ValueError, match="no colour named 'purple'"):
        theme.tone("purple")


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_shows_the_chart_itself_with_its_rows(name):
    shown = SHOWN[name]()._repr_html_()
    assert "<marimo-mime-renderer data-mime='&quot;application/vnd.vegalite.v6+json&quot;'" in shown
    assert 'type="application/json"' not in shown
    assert "&quot;datasets&quot;: {" in shown


def in_a_notebook(name):
    """The charts of a figure as marimo gets them."""
    found = re.findall(r"data-data='(.*?)'", SHOWN[name]()._repr_html_())
    return [json.loads(html.unescape(data)) for data in found]


def test_in_a_notebook_no_rim_is_painted_over_its_word():
    rims = 0
    for name in SHOWN:
        for spec in in_a_notebook(name):
            layers = spec.get("layer", [])
            for layer, over in pairwise([*layers, None]):
                if layer["mark"]["type"] == "text" and "stroke" in layer["mark"]:
                    assert over["mark"]["type"] == "text"
                    assert "stroke" not in over["mark"]
                    assert {**over, "mark": None} == {**layer, "mark": None}
                    rims += 1
    assert rims > 3


def test_a_page_that_is_read_never_loads_altair():
    code = (
        "import sys; from glassbox.figures import attention, kv_cache, tokens; from glassbox.page import bridge; "
        "bridge.parts(attention.quadratic(512, 'A100 80 GB')); "
        "print('altair' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_outside_marimo_a_sentence_says_where_the_chart_is_and_altair_gets_it_whole():
    import altair as alt

    figure = attention.loss(600)
    html = figure._repr_html_()
    inside = re.findall(r"<marimo-mime-renderer[^>]*>(.*?)</marimo-mime-renderer>", html)
    assert len(inside) == 2
    for n, text in enumerate(inside):
        assert text == (
            "<p>This chart is drawn in marimo and on the built page; elsewhere "
            f"“figure.charts()[{n}]” gives it to Altair.</p>"
        )
    losses, skills = figure.charts()
    assert isinstance(losses, alt.LayerChart)
    spec = losses.to_dict()
    assert len(spec["datasets"]["lines"]) > 70
    assert "var(--" not in json.dumps(spec)
    assert spec["width"] == 640
    assert skills.to_dict()["title"] == "right answers"


def test_a_figure_without_a_chart_gives_none():
    assert attention.next_word("Patient has severe chest").charts() == []


@pytest.mark.parametrize("name", ["kv_cache.memory", "kv_cache.race", "attention.head_map"])
def test_in_a_notebook_colours_have_names_of_their_own(name):
    """marimo's elements have an --accent too."""
    html = SHOWN[name]()._repr_html_()
    chart = unescape(html[html.index("<marimo-mime-renderer") : html.index("</marimo-mime-renderer")])
    found = set(re.findall(r"var\((--[\w-]+)\)", chart))
    assert found
    for colour in found:
        assert colour.startswith("--glassbox-")
        assert f"{colour}: light-dark(" in html


@pytest.mark.parametrize("name", ["kv_cache.roofline", "attention.head_map"])
def test_in_a_saved_chart_no_rim_hides_a_word(name):
    words = [
        layer["mark"] for layer in theme.rimless(specs.lite(name))["layer"] if layer["mark"]["type"] == "text"
    ]
    assert words
    assert all("stroke" not in mark for mark in words)
    assert any("stroke" in layer["mark"] for layer in specs.lite(name)["layer"])
