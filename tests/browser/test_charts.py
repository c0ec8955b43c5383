"""Charts with axes: still until touched, then alive for pointer, finger and key, and honest when files are missing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from glassbox import chapters
from glassbox.figures import specs
from glassbox.publish.pages.verify import MAX_EMBED_BYTES
from tests import serve
from tests.browser.conftest import Browse, ServeSite, Watch, until

MAX_ALIVE_BYTES = 320_000  # as sent, with the chart's files
CHARTED = [c for c in chapters.NAMES if specs.names(c)]

SENT = """() => performance.getEntriesByType("resource").map((e) => [e.name.split("/").slice(-2).join("/"), e.encodedBodySize])
  .concat([["page", performance.getEntriesByType("navigation")[0].encodedBodySize]])"""
ALIVE = "[...document.querySelectorAll('{} [data-chart]')].every((c) => c.querySelector('.plot svg'))"
DOTS = "[...document.querySelectorAll('#quadratic .plot .mark-symbol path')].map((p) => p.getAttribute('transform'))"


def address(server: serve.Server, query: str = "live=0") -> str:
    return f"{server.address}embed/attention/quadratic.html?{query}"


def alive(page: Page, figure: str = "quadratic") -> None:
    """Touches a figure and waits until its charts are Vega's."""
    page.locator(f"#{figure} .picture").hover()
    until(page, ALIVE.format(f"#{figure}"))


def test_an_embed_is_light_until_it_is_touched_and_not_heavy_then(page: Page, server: serve.Server) -> None:
    page.goto(address(server))
    until(page, "!!glassbox.figures.get('quadratic').packed")
    before = page.evaluate(SENT)
    assert not [name for name, _ in before if name.startswith("charts/") or name.endswith("charts.js")]
    assert sum(size for _, size in before) < MAX_EMBED_BYTES
    alive(page)
    assert sum(size for _, size in page.evaluate(SENT)) < MAX_ALIVE_BYTES


FILES = """performance.getEntriesByType("resource").filter((e) => e.name.includes("/charts/"))
  .map((e) => [e.name.split("/").pop().split(".")[0], e.initiatorType]).sort()"""


def test_what_draws_a_chart_comes_beside_the_script_that_asks_for_it_and_once(
    browse: Browse, serve_site: ServeSite, watch: Watch
) -> None:
    watch.expect("charts.js")
    for held in (True, False):
        server = serve_site(
            fault=lambda path, held=held: "stall" if held and path.endswith("js/charts.js") else None
        )
        page = browse(viewport={"width": 1000, "height": 900}).new_page()
        page.goto(address(server))
        page.wait_for_load_state("networkidle")  # what waits for an idle page is there
        page.locator("#quadratic .picture").hover()
        until(page, f"{FILES}.length >= 2" if held else ALIVE.format("#quadratic"))
        assert page.evaluate(FILES) == [["attention", "link"], ["vega", "link"]]


def test_a_page_without_a_chart_asks_for_nothing_of_charts(site: Path) -> None:
    found = {True: 0, False: 0}
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        charted = "data-chart=" in text
        found[charted] += 1
        assert ("css/charts.css" in text) == charted, path
        alive_there = charted and path.name != "teach.html"  # which shows the still pictures alone
        for word in ("data-charts=", "data-vega="):
            assert (word in text) == alive_there, (path, word)
    assert found[True] >= 19
    assert found[False] > 50
    figures = next(site.glob("static-*/css/figures.css")).read_text(encoding="utf-8")
    assert ".vega" not in figures


def test_a_chart_comes_alive_in_its_place_and_keeps_its_height(page: Page, server: serve.Server) -> None:
    page.goto(address(server))
    height = "document.querySelector('#quadratic .vega').getBoundingClientRect().height"
    expect(page.locator(".fixed.wide svg")).to_be_visible()
    before = page.evaluate(height)
    alive(page)
    assert page.evaluate(height) == pytest.approx(before, abs=1)
    expect(page.locator(".fixed")).to_have_count(0)


def test_a_control_moves_the_chart_without_a_new_one(page: Page, server: serve.Server) -> None:
    page.goto(address(server))
    alive(page)
    page.evaluate("window.kept = document.querySelector('#quadratic .plot svg')")
    before = page.evaluate(DOTS)
    page.locator("#quadratic input[type=range]").press("End")
    until(page, f"({DOTS}).join() !== {json.dumps(','.join(before))}")
    assert page.evaluate("window.kept === document.querySelector('#quadratic .plot svg')")


def test_a_point_says_its_numbers_to_pointer_finger_and_key(browse: Browse, server: serve.Server) -> None:
    page = browse(viewport={"width": 390, "height": 900}, has_touch=True).new_page()
    page.goto(address(server))
    plot, tip = page.locator("#quadratic .plot"), page.locator("#quadratic .tip")
    alive(page)
    box = plot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + 14)
    expect(tip).to_contain_text("262P operations")  # 4 · 32 · 4,096 · (1 + … + 1,000,000)
    page.mouse.move(0, 0)
    expect(tip).to_be_hidden()
    page.touchscreen.tap(box["x"] + box["width"] - 4, box["y"] + 14)
    expect(tip).to_contain_text("1,000,000 tokens")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    plot.press("Home")
    expect(tip).to_contain_text("100 tokens")
    plot.press("ArrowRight")
    plot.press("ArrowDown")
    expect(tip).to_contain_text("last 4,096")
    said = page.locator("p.unseen[role=status]").all_text_contents()
    assert any("147 tokens" in text and "last 4,096" in text for text in said)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390


def test_a_press_on_the_legend_shows_one_line_and_a_second_all(page: Page, server: serve.Server) -> None:
    page.goto(address(server))
    alive(page)
    key = page.get_by_role("button", name="last 4,096")
    faint = "document.querySelectorAll('#quadratic .mark-line path[opacity=\"0.15\"]').length"
    key.click()
    expect(key).to_have_attribute("aria-pressed", "true")
    until(page, f"{faint} === 2")
    page.locator("#quadratic .plot").press("Home")
    expect(page.locator("#quadratic .tip")).to_contain_text("last 4,096")
    key.click()
    until(page, f"{faint} === 0")


def test_without_scripts_the_first_state_is_there(browse: Browse, server: serve.Server) -> None:
    for width, size in ((1280, "wide"), (390, "narrow")):
        page = browse(viewport={"width": width, "height": 900}, java_script_enabled=False).new_page()
        page.goto(address(server))
        expect(page.locator(f".fixed.{size} svg")).to_be_visible()
        expect(page.locator(".fixed svg:visible")).to_have_count(1)
        assert page.locator(f".fixed.{size} svg").evaluate("s => s.querySelectorAll('path').length") >= 4


@pytest.mark.parametrize("fault", ["404", "altered"])
def test_without_its_files_the_chart_stays_and_says_so(
    page: Page, serve_site: ServeSite, watch: Watch, fault: serve.Fault
) -> None:
    watch.expect("404|integrity|charts/vega")
    broken = [True]
    server = serve_site(fault=lambda path: fault if broken[0] and "charts/vega" in path else None)
    page.goto(address(server))
    page.locator("#quadratic input[type=range]").press("End")
    state = page.locator("#quadratic .figure-state")
    expect(state).to_have_attribute("data-state", "failed")
    expect(state).to_contain_text("did not load: it stays as it was")
    expect(page.locator("#quadratic .fixed.wide svg")).to_be_visible()
    expect(page.locator("#quadratic .sentence")).to_contain_text("1,000,000 tokens")
    broken[0] = False
    page.locator("#quadratic input[type=range]").press("Home")
    until(page, ALIVE.format("#quadratic"))


HOSTILE = {
    "nothing": [],
    "one point": [{"tokens": 1000, "scores": 5e5, "series": "all earlier tokens"}],
    "no numbers": [{"tokens": None, "scores": None, "series": None}, {"tokens": 500, "scores": None}],
    "of another kind": [{"tokens": "many", "scores": [1], "series": 7}, {}],
    "beyond the axis": [{"tokens": -1, "scores": 0}, {"tokens": 1e300, "scores": 1e300, "series": "<b>"}],
    "20,000 points": [
        {"tokens": 100 + 45 * n, "scores": 5e3 + n, "series": "all earlier tokens"} for n in range(20_000)
    ],
}
SHOW = """([columns]) => {
  const fig = glassbox.figures.get("quadratic");
  const place = fig.picture.querySelector("[data-chart]");
  place.querySelector("script").textContent = JSON.stringify({ rows: { lines: columns, here: {} } });
  return glassbox.charts.draw(fig);
}"""


def test_rows_of_any_kind_are_drawn_or_left_open_and_the_next_ones_are_right(
    page: Page, server: serve.Server
) -> None:
    page.goto(address(server))
    alive(page)
    plot, before = page.locator("#quadratic .plot"), page.evaluate(f"({DOTS}).join()")
    page.locator("#quadratic input[type=range]").press("Home")
    until(page, f"({DOTS}).join() !== {json.dumps(before)}")
    first = page.evaluate(f"({DOTS}).join()")
    page.locator("#quadratic input[type=range]").press("End")
    words = "document.querySelectorAll('#quadratic .plot svg text').length"
    for kind, rows in HOSTILE.items():
        names = dict.fromkeys(name for row in rows for name in row)
        page.evaluate(SHOW, [{name: [row.get(name) for row in rows] for name in names}])
        assert page.evaluate(words) >= 8, kind  # the axes stand
        assert "NaN" not in plot.inner_html(), kind
        plot.press("End")
        plot.press("ArrowLeft")
        expect(page.locator("#quadratic .figure-state")).not_to_have_attribute("data-state", "failed")
    page.locator("#quadratic input[type=range]").press("Home")
    until(page, f"({DOTS}).join() === {json.dumps(first)}")
    page.evaluate("""() => {
      const fig = glassbox.figures.get("quadratic");
      fig.picture.querySelector("[data-chart] script").textContent = "{";
      return glassbox.charts.draw(fig);
    }""")
    state = page.locator("#quadratic .figure-state")
    expect(state).to_have_attribute("data-state", "failed")
    expect(state).to_contain_text("cannot be drawn")


def test_while_its_files_are_on_their_way_the_chart_stays_and_says_so(
    page: Page, serve_site: ServeSite
) -> None:
    server = serve_site(fault=lambda path: "stall" if "charts/vega" in path else None)
    page.goto(address(server))
    page.locator("#quadratic input[type=range]").press("End")
    expect(page.locator("#quadratic .figure-state")).to_contain_text("are on their way")
    expect(page.locator("#quadratic .fixed.wide svg")).to_be_visible()


def test_where_colours_are_forced_words_take_them(browse: Browse, server: serve.Server) -> None:
    page = browse(forced_colors="active").new_page()
    page.goto(address(server))
    for ready in (lambda: None, lambda: alive(page)):
        ready()
        word = page.locator("#quadratic .vega svg:visible text").first
        assert word.evaluate("e => getComputedStyle(e).fill") == page.evaluate(
            "getComputedStyle(document.body).color"
        )


def test_the_chart_is_given_away_with_its_rows(page: Page, server: serve.Server) -> None:
    page.goto(address(server))
    alive(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Chart", exact=True).click()
    assert waiting.value.suggested_filename == "glassbox-attention-quadratic.vl.json"
    spec = json.loads(Path(waiting.value.path()).read_text())
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/v6")
    assert [row["tokens"] for row in spec["datasets"]["here"]] == [10_000, 10_000, 10_000]
    assert "var(--" not in json.dumps(spec)


# How many cells a small picture has of each shade.
SHADES = """(svg) => Object.fromEntries(Object.entries(Object.groupBy(svg.querySelectorAll("path"), (p) => p.getAttribute("fill")))
  .map(([shade, paths]) => [shade, paths.map((p) => p.getAttribute("d").split("M").length - 1).reduce((a, b) => a + b)]))"""


def test_a_press_on_a_mark_sets_its_figure_and_the_one_it_leads_to(page: Page, server: serve.Server) -> None:
    page.goto(f"{server.address}attention.html?live=0")
    until(page, "document.documentElement.classList.contains('js')")
    alive(page, "head_map")
    plot = page.locator("#head_map .plot")
    plot.press("End")  # of its series: the head furthest to the right
    tip = page.locator("#head_map .tip")
    name = tip.locator("b").first.text_content()
    seen = page.evaluate(f"({SHADES})(document.querySelector('#head_map .tip svg'))")
    assert sum(seen.values()) > 30
    plot.press("Enter")
    expect(page.locator("#head_map select")).to_have_value(str(name))
    expect(page.locator("#heads select")).to_have_value(str(name))
    expect(page.locator("#head_map .sentence")).to_contain_text(str(name).capitalize())
    opened = page.evaluate(f"({SHADES})(document.querySelector('#head_map .hm-read svg'))")
    strong = [f"var(--scale-{n})" for n in range(2, 7)]  # the weaker ones are one triangle there
    assert [opened.get(s, 0) for s in strong] == [seen.get(s, 0) for s in strong]
    page.locator("#loss .slider input").press("Home")
    expect(page.locator("#loss .sentence")).to_contain_text("After 0 steps")


# The names in a chart that a mark touches, in each state that differs from the others in the first control.
TOUCHED = """async (name) => {
  const fig = glassbox.figures.get(name);
  const keys = new Map(Object.keys(fig.packed.states).map((key) => [JSON.parse(key)[0], key]));
  const found = [];
  for (const [value, key] of keys) {
    const picture = new DOMParser().parseFromString(fig.ahead(key)[0], "text/html");
    fig.picture.querySelector("[data-chart] script").textContent = picture.querySelector("[data-chart] script").textContent;
    await glassbox.charts.draw(fig);
    const boxes = (marks) => [...fig.picture.querySelectorAll(`.plot .mark-${marks}`)].map((e) => [e, e.getBoundingClientRect()]);
    const dots = boxes("symbol.role-mark path").filter(([e]) => !/none|transparent/.test(getComputedStyle(e).fill));
    for (const [word, a] of boxes("text.role-mark text").filter(([e]) => e.textContent))
      if (dots.some(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom))
        found.push(`${value}: ${word.textContent}`);
  }
  return [keys.size, found];
}"""


def test_no_mark_touches_the_name_of_another_on_a_phone(browse: Browse, server: serve.Server) -> None:
    page = browse(viewport={"width": 360, "height": 900}).new_page()
    page.goto(f"{server.address}embed/kv_cache/landscape.html?live=0")
    alive(page, "landscape")
    until(page, "!!glassbox.figures.get('landscape').packed")
    states, touched = page.evaluate(TOUCHED, "landscape")
    assert states >= 5
    assert touched == []


LABELS = "[...document.querySelectorAll('#landscape .plot .role-axis-label text')].map((t) => t.textContent).sort()"
SEEN = "document.querySelectorAll('#landscape .plot .mark-symbol.role-mark path').length"


def test_a_box_a_button_or_a_key_brings_a_part_of_the_chart_closer(
    browse: Browse, server: serve.Server
) -> None:
    page = browse(viewport={"width": 1000, "height": 900}).new_page()
    page.goto(f"{server.address}embed/kv_cache/landscape.html?live=0")
    zoom, plot = page.locator("#landscape .zoom"), page.locator("#landscape .plot")
    expect(zoom).to_be_hidden()
    alive(page, "landscape")
    expect(zoom).to_be_visible()
    whole, every = page.evaluate(LABELS), page.evaluate(SEEN)
    assert {label for label in whole if label.endswith("B")} == {"10\u00a0kB", "100\u00a0kB", "1\u00a0MB"}
    box = plot.bounding_box()
    assert box is not None
    place = [(box["x"] + share * box["width"], box["y"] + high * box["height"]) for share, high in SIDES]
    page.mouse.move(*place[0])
    page.mouse.down()
    page.mouse.move(*place[1], steps=4)
    expect(plot.locator(".box")).to_be_visible()
    page.mouse.up()
    until(page, f"{SEEN} < {every}")
    assert "Apr 2025" in page.evaluate(LABELS)
    expect(plot.locator(".box")).to_be_hidden()
    expect(page.locator("#landscape select")).to_have_value("Llama 3 8B")  # drawing a box is no press
    said = page.locator("p.unseen[role=status]").all_text_contents()
    assert any(re.fullmatch(r"A part of the chart is shown: \d+ of its 33 points\.", text) for text in said)
    plot.press("Home")
    part = page.evaluate(SEEN)
    plot.press("+")
    until(page, f"{SEEN} < {part}")
    expect(page.locator("#landscape .tip")).to_be_visible()  # what was pointed at is in the middle now
    zoom.get_by_role("button", name="whole").click()
    until(page, f"({LABELS}).join() === {json.dumps(','.join(whole))}")
    assert page.evaluate(SEEN) == every
    zoom.get_by_role("button", name="closer").click()
    until(page, f"{SEEN} < {every}")
    page.locator("#landscape select").select_option("GPT-2 small")  # it lies beyond what is shown
    until(page, f"{SEEN} === {every}")


SIDES = ((0.55, 0.1), (0.85, 0.55))


def test_in_a_frame_a_link_to_another_figure_leads_to_its_chapter(page: Page, server: serve.Server) -> None:
    page.goto(f"{server.address}embed/attention/head_map.html?live=0")
    link = page.locator("#head_map .lead-on a")
    with page.expect_popup() as first:
        link.click()
    assert first.value.url.endswith("attention.html?heads_open=layer+2%2C+head+1#heads")
    first.value.close()
    until(page, "!!glassbox.figures.get('head_map').packed && !!document.querySelector('script[src*=after]')")
    page.locator("#head_map select").select_option("layer 3, head 1")
    expect(page.locator("#head_map .sentence")).to_contain_text("Layer 3, head 1")
    with page.expect_popup() as second:
        link.click()
    assert second.value.url.endswith("attention.html?heads_open=layer+3%2C+head+1#heads")


MARKS = """(svg) => ({
  words: [...svg.querySelectorAll("text")].map((t) => t.textContent),
  shapes: [...svg.querySelectorAll("path[d]:not([d='']):not([opacity='0']):not([display=none]):not(.background)")]
    .filter((p) => p.getAttribute("stroke") || p.getAttribute("fill"))
    .map((p) => `${p.getAttribute("transform") || ""} ${p.getAttribute("d")}`),
})"""
BOTH = f"""async () => {{
  const marks = {MARKS};
  const first = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  return [...document.querySelectorAll("[data-chart]")].map((place) => {{
    const name = place.closest("figure").dataset.figure;
    const n = [...place.closest("figure").querySelectorAll("[data-chart]")].indexOf(place);
    const still = first.querySelectorAll(`#${{name}} [data-chart]`)[n].querySelector(".fixed.wide svg");
    return [place.dataset.chart, marks(still), marks(place.querySelector(".plot svg"))];
  }});
}}"""
TIMED = {"kv_cache.per_step_time"}  # it comes with times taken on the reader's machine, after a press
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def numbers(shape: str) -> list[float]:
    return [float(n) for n in NUMBER.findall(shape)]


@pytest.mark.parametrize("chapter", CHARTED)
def test_a_still_chart_and_the_same_one_alive_draw_the_same_marks(
    page: Page, server: serve.Server, chapter: str
) -> None:
    page.goto(f"{server.address}{chapter}.html?live=0")
    until(page, "document.documentElement.classList.contains('js')")
    page.add_style_tag(content="* { content-visibility: visible !important } [data-chart] { width: 640px }")
    page.evaluate("Promise.all([...glassbox.figures.values()].map((f) => glassbox.draw(f)))")
    until(page, ALIVE.format("main"))
    until(
        page,
        "[...document.querySelectorAll('[data-chart] .plot svg')].every((s) => Math.abs(s.getAttribute('width') - 640) < 2)",
    )
    seen = set()
    for name, still, live in page.evaluate(BOTH):
        seen.add(name)
        assert still["words"] == live["words"], name
        assert len(still["shapes"]) == len(live["shapes"]), name
        for one, other in zip(still["shapes"], live["shapes"], strict=True):
            assert numbers(one) == pytest.approx(numbers(other), abs=1.3), (
                name
            )  # a pixel: the plot fits its labels
    assert seen == set(specs.names(chapter)) - TIMED
