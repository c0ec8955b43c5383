"""What a reader's own choices leave of a page: paper, forced colours, very large letters, a narrow frame."""

from __future__ import annotations

import pytest

from glassbox.publish import serve
from tests.browser.conftest import Browse

# Elements in a picture whose colour printing may drop; boxes that hide something; what stands over something else.
FADING = """[...document.querySelectorAll(".picture, .picture *")]
  .filter((e) => getComputedStyle(e).printColorAdjust !== "exact")
  .map((e) => `${e.closest("figure").dataset.figure}: ${e.localName}.${e.getAttribute("class")}`)"""
CUT = """[...document.querySelectorAll(".picture, .picture *")]
  .filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowY + getComputedStyle(e).overflowX))
  .map((e) => `${e.closest("figure").dataset.figure}: ${e.localName}.${e.getAttribute("class")}`)"""
GONE = """[...document.querySelectorAll(".picture *")].filter((e) => getComputedStyle(e).display === "none").length"""
HEIGHT = "document.querySelector('figure').getBoundingClientRect().height"
ARROWS = """[...document.querySelectorAll("summary")].filter((e) => e.checkVisibility()).length"""
COVERED = """[...document.querySelectorAll(".side")].flatMap((side) => {
  const [matrix, ...rest] = side.children;
  const wide = [...matrix.querySelectorAll("table, svg")].map((t) => t.getBoundingClientRect());
  return rest.filter((other) => {
    const o = other.getBoundingClientRect();
    return wide.some((w) => w.right > o.left + 1 && w.left < o.right - 1 && w.bottom > o.top + 1 && w.top < o.bottom - 1);
  }).map(() => side.closest("figure").dataset.figure);
})"""

# Marks that say something by their colour alone, and what has edges where its ground is taken away.
PALE = """[...document.querySelectorAll(".picture :is(i, svg, .heat, .paint-drop, .paint-mixed)")]
  .filter((e) => getComputedStyle(e).forcedColorAdjust !== "none")
  .map((e) => `${e.closest("figure").dataset.figure}: ${e.localName}.${e.getAttribute("class")}`)"""
EDGELESS = """[...document.querySelectorAll(".brick > b, .stretch span, .hd-small, .od-word, .emoji-grid > *, .letters-ids b")]
  .filter((e) => getComputedStyle(e).borderBottomStyle !== "solid" || parseFloat(getComputedStyle(e).borderBottomWidth) < 1)
  .map((e) => `${e.closest("figure").dataset.figure}: ${e.localName}.${e.parentElement.className}`)"""


def test_on_paper_every_mark_keeps_its_colour_and_nothing_is_cut_or_covered(
    browse: Browse, server: serve.Server, chapters: list[str]
):
    page = browse(viewport={"width": 718, "height": 1000}).new_page()
    for chapter in chapters:
        page.emulate_media(media="screen")
        page.goto(f"{server.address}{chapter}.html?live=0")
        gone = page.evaluate(GONE)
        page.emulate_media(media="print")
        assert page.evaluate(GONE) == gone
        assert page.evaluate("document.querySelectorAll('.picture *').length") > 300
        assert page.evaluate(FADING) == []
        assert page.evaluate(CUT) == []
        assert page.evaluate(COVERED) == []
        assert page.evaluate(ARROWS) == 0


def test_where_colours_are_forced_marks_keep_theirs_and_pieces_get_edges(
    browse: Browse, server: serve.Server, chapters: list[str]
):
    page = browse(viewport={"width": 1280, "height": 900}, forced_colors="active").new_page()
    for chapter in chapters:
        page.goto(f"{server.address}{chapter}.html?live=0")
        assert page.evaluate(PALE) == []
        assert page.evaluate(EDGELESS) == []


def test_where_colours_are_forced_the_chosen_head_is_told_from_the_others(
    browse: Browse, server: serve.Server
):
    page = browse(forced_colors="active").new_page()
    page.goto(f"{server.address}embed/attention/heads.html?live=0")
    border = "getComputedStyle(document.querySelector('{}')).borderTop"
    assert page.evaluate(border.format(".hd-on")) != page.evaluate(border.format(".hd-small:not(.hd-on)"))


def test_letters_of_twice_the_size_leave_no_page_wider_than_a_phone(
    browse: Browse, server: serve.Server, pages: list[str]
):
    page = browse(viewport={"width": 390, "height": 844}).new_page()
    for path in (p for p in pages if "/" not in p):
        page.goto(f"{server.address}{path}?live=0")
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390, f"{path} is {wide} px wide"


@pytest.mark.parametrize("tool", ["CSV", "Picture"])
def test_a_frame_keeps_its_height_when_a_tool_shows_what_it_may_not_save(
    browse: Browse, server: serve.Server, tool: str
):
    page = browse(viewport={"width": 800, "height": 900}).new_page()
    page.set_content(
        f'<iframe width="760" height="800" src="{server.address}embed/kv_cache/steps.html?live=0">'
    )
    button = page.frame_locator("iframe").get_by_role("button", name=tool)
    button.wait_for()
    height = page.frames[1].evaluate(HEIGHT)
    button.click()
    page.frame_locator("iframe").locator(".copy").wait_for()
    frame = page.frames[1]
    assert frame.evaluate("document.querySelector('.figure-state').getBoundingClientRect().width") > 250
    assert frame.evaluate(HEIGHT) < height + 200  # a sentence and a field of five lines
