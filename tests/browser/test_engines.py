"""The main journeys, walked in three engines: Chromium, Firefox, and WebKit, which is Safari's."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest

from tests import serve
from tests.browser.conftest import ENGINES, a_face
from tests.browser.faces import Face, overheard

LIVE = 90  # seconds that Python may take to start; slow engines get more
SLIDER = "#paint input[type=range]"
STATE = "#paint .figure-state"
RUNTIME = "() => document.querySelector('#runtime').dataset.state"
LIVE_OR_FAILED = "() => ['live', 'failed'].includes(document.querySelector('#runtime').dataset.state)"
OTHER = "(s, t) => document.querySelector(s).innerText !== t"
SHOWN = "n => (f => f.shown === f.key)(glassbox.figures.get(n))"


def live(face: Face) -> None:
    face.until(LIVE_OR_FAILED, seconds=LIVE)
    assert face.evaluate(RUNTIME) == "live", face.text("#runtime")


@pytest.fixture(scope="module", params=ENGINES)
def reader(request: pytest.FixtureRequest) -> Iterator[Face]:
    """One window in each engine, in which the tests below follow one another."""
    with a_face(request.param, request) as face:
        yield face


@pytest.fixture(scope="module")
def here(site: Path) -> Iterator[str]:
    """Where the site is served, below a course's path, with complaints written down."""
    with serve.serve(site, prefix="/course/glassbox/") as server:
        yield overheard(server).address


@pytest.fixture(autouse=True)
def nothing_went_wrong(reader: Face) -> Iterator[None]:
    """After each journey: no console error, no exception, nobody else asked."""
    yield
    assert reader.complaints() == []
    assert reader.outside() == []


@pytest.fixture
def attention(reader: Face, here: str) -> Face:
    """The chapter on attention with Python alive, opened anew only where an earlier test left it."""
    address = f"{here}attention.html"
    if (
        reader.evaluate("() => location.href.split(/[?#]/)[0]") != address
        or reader.evaluate(RUNTIME) != "live"
    ):
        reader.open(address)
        live(reader)
    return reader


def test_the_first_slider_answers_before_python_and_then_python_does(reader: Face, here: str) -> None:
    reader.open(f"{here}attention.html")
    before = reader.text("#paint .sentence")
    reader.focus(SLIDER)
    reader.press("Home")
    reader.until(OTHER, "#paint .sentence", before)
    assert reader.evaluate(RUNTIME) != "live"
    assert "computed ahead" in reader.text(STATE)
    live(reader)
    reader.press("ArrowRight")
    reader.until_text(STATE, "answered by Python")
    assert json.loads(reader.attribute("#paint", "data-key") or "")[0] == int(reader.value(SLIDER))


def test_typing_is_answered_in_any_script(attention: Face) -> None:
    for text in ("Patient has severe chest", "zwei Wörter 你好 👋"):
        attention.type("#next_word input[type=text]", text)
        attention.until(
            "t => JSON.parse(document.querySelector('#next_word').dataset.key ?? '[]')[0] === t", text
        )
        attention.until_text("#next_word .figure-state", "answered by Python")
        assert attention.value("#next_word input[type=text]") == text
    # Half a character is no text: what handles it lies in the interpreter's rest, fetched within the call.
    attention.evaluate(
        "s => { const i = document.querySelector(s); i.value = 'half \\ud83d';"
        " i.dispatchEvent(new Event('input', { bubbles: true })); }",
        "#next_word input[type=text]",
    )
    attention.until_text("#next_word .sentence", "half \ufffd", seconds=60)
    attention.until_text("#next_word .figure-state", "answered by Python")


def test_arrow_keys_walk_a_matrix(attention: Face) -> None:
    at = """() => { const c = document.activeElement.closest("[role=gridcell]"), g = c?.closest("[role=grid]");
      return c && [[...c.closest("[role=row]").querySelectorAll("[role=gridcell]")].indexOf(c),
        g.querySelectorAll('[role=gridcell][tabindex="0"]').length] }"""
    attention.focus('#qkv [role=gridcell][tabindex="0"]')
    attention.press("Home")
    attention.until(f"() => String(({at})()) === '0,1'")
    attention.press("ArrowRight")
    attention.until(f"() => String(({at})()) === '1,1'")
    attention.press("End")
    assert attention.evaluate(at)[0] > 1


def test_a_link_in_the_prose_sets_the_figure(attention: Face) -> None:
    attention.click("a[href^='?next_word_temperature=0#']")
    attention.until("() => glassbox.figures.get('next_word').values.next_word_temperature === 0")
    attention.until(SHOWN, "next_word")


def test_a_copied_link_restores_the_figure(attention: Face, here: str) -> None:
    attention.focus(SLIDER)
    attention.press("End")
    attention.until(SHOWN, "paint")
    attention.click("#paint [data-tool=link]")
    attention.until_text("#paint .said", "the link")
    if attention.count(
        "#paint .copy"
    ):  # WebKit's driver has no clipboard: the link stands selected in a field
        assert attention.engine == "webkit"
        address = attention.value("#paint .copy")
    else:
        address = attention.clipboard()
    assert address.startswith(f"{here}attention.html?")
    assert urlsplit(address).fragment == "paint"
    value = attention.value(SLIDER)
    assert parse_qs(urlsplit(address).query)["paint_severe"] == [value]
    sentence = attention.text("#paint .sentence")
    attention.open(address.replace("?", "?live=0&"))
    attention.until(SHOWN, "paint")
    assert attention.value(SLIDER) == value
    assert attention.text("#paint .sentence") == sentence


def test_a_link_with_wrong_values_is_mended_and_says_so(reader: Face, here: str) -> None:
    reader.open(f"{here}kv_cache.html?live=0&race_length=1e9&memory_model=nothing&constructor=1#race")
    reader.until_text("#notice", "race_length")
    said = reader.text("#notice")
    assert "memory_model" in said
    assert "constructor" not in said
    assert reader.value("#race input[type=range]") == reader.attribute("#race input[type=range]", "max")


def test_numbers_and_picture_are_saved(reader: Face, here: str) -> None:
    reader.open(f"{here}attention.html?live=0")
    name, data = reader.saved("#paint [data-tool=csv]")
    assert name == "glassbox-attention-paint.csv"
    table = "() => [...document.querySelectorAll('#paint .numbers tr')].map((r) => [...r.cells].map((c) => c.textContent))"
    rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))
    assert rows == reader.evaluate(table)
    name, data = reader.saved("#paint [data-tool=svg]")
    assert name == "glassbox-attention-paint.svg"
    assert ElementTree.fromstring(data).tag.endswith("}svg")


def test_the_theme_button_changes_the_page_and_stays_chosen(reader: Face, here: str) -> None:
    reader.open(f"{here}index.html")
    ground = []
    for theme in ("light", "dark", "auto"):
        reader.click("[data-theme-switch]")
        reader.until_text("[data-theme-switch]", theme.title())
        ground.append(reader.style("body", "color"))
        if theme == "dark":
            reader.open(f"{here}sources.html")
            assert reader.style("body", "color") == ground[-1]
    assert ground[0] != ground[1]


def test_back_and_forward_show_what_the_controls_say(reader: Face, here: str) -> None:
    reader.open(f"{here}kv_cache.html?live=0")
    reader.focus("#steps input[type=range]")
    reader.press("Home")
    reader.press("ArrowRight")
    reader.until(SHOWN, "steps")
    key = reader.attribute("#steps", "data-key")
    reader.open(f"{here}teach.html")
    reader.back()
    reader.until("k => document.querySelector('#steps')?.dataset.key === k", key)
    assert reader.value("#steps input[type=range]") == str(json.loads(key or "")[0])
    reader.forward()
    reader.until("() => location.pathname.endsWith('teach.html')")


HOST = """<!doctype html><html lang="en"><title>A course</title><link rel="icon" href="data:,">
<h1>Week 3</h1>
<iframe id="own" title="figure" src="{site}embed/attention/paint.html" sandbox="{sandbox}"
  width="640" height="100"></iframe>
<script src="{site}embed.js" defer></script>"""


@pytest.mark.parametrize("sandbox", ["allow-scripts allow-same-origin", "allow-scripts"])
def test_a_figure_in_another_site_s_page_gets_its_height_and_answers(
    reader: Face, here: str, tmp_path: Path, sandbox: str
) -> None:
    """Also in a frame that has no origin of its own, where WebKit lets ``'self'`` match nothing."""
    (tmp_path / "index.html").write_text(HOST.format(site=here, sandbox=sandbox))
    with serve.serve(tmp_path) as host:
        reader.open(host.address)
        reader.until("() => document.getElementById('own').getBoundingClientRect().height > 200")
        with reader.inside("#own"):
            before = reader.text(".sentence")
            reader.click("input[type=range]")  # as a reader does: keys go to a frame that was pressed
            reader.press("End")
            reader.until(OTHER, ".sentence", before)
            assert reader.complaints() == []
        reader.open("about:blank")


EDITOR = """() => {
    const bar = document.querySelector("#glassbox-bar")?.innerText ?? "";
    return document.querySelector("figure.glassbox") ? "shows figures" : /\\d+ seconds so far/.test(bar) ? bar : "";
}"""


def test_a_notebook_s_editor_comes_up_or_says_what_it_waits_for(reader: Face, here: str) -> None:
    reader.open(f"{here}edit/attention.html")
    reader.until(EDITOR, seconds=LIVE)
    reader.open("about:blank")
    reader.complaints()  # of marimo's own


def test_a_chapter_once_read_opens_without_a_network(reader: Face, site: Path) -> None:
    with serve.serve(site, prefix="/course/glassbox/") as server:
        address = f"{server.address}attention.html?live=0"
        reader.open(address)
        reader.until(
            "() => (document.documentElement.dataset.kept ?? '').split(' ').includes('attention')", seconds=60
        )
    reader.open(address)
    before = reader.text("#paint .sentence")
    reader.focus(SLIDER)
    reader.press("End")
    reader.until(OTHER, "#paint .sentence", before)
    reader.open("about:blank")  # what the page still asked for is answered or given up
    reader.complaints()  # engines differ in what they say about a server that is gone
