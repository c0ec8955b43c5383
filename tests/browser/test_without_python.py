"""With Python's files gone from the server, every figure with finite controls still answers: by keyboard, mouse
and touch, in its chapter and alone; so does every state that the prose links to."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from glassbox.chapters import NAMES as CHAPTERS
from tests import serve
from tests.browser.conftest import Browse, Watch, until

FINITE = {"slider", "select", "radio", "switch"}
WAYS = ("keyboard", "mouse", "touch")


LONG = ("tokens", "attention", "kv_cache")  # the chapters with the most figures


@pytest.fixture(scope="module")
def bare(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[serve.Server]:
    """The site without a single file of Python, its packages or the chapters' programs."""
    folder = tmp_path_factory.mktemp("bare") / "site"
    shutil.copytree(site, folder, ignore=shutil.ignore_patterns("runtime", "program", "edit", "*.zip"))
    with serve.serve(folder) as running:
        yield running


@pytest.fixture
def tablet(browse: Browse, watch: Watch) -> Page:
    """A page that a keyboard, a mouse and a finger can use."""
    watch.expect("404")
    return browse(viewport={"width": 1000, "height": 900}, has_touch=True).new_page()


def figures(page: Page) -> list[dict[str, Any]]:
    """Each figure's name and the kinds of its controls."""
    found: list[dict[str, Any]] = page.evaluate(
        "[...glassbox.figures.values()].map(f => ({name: f.name,"
        " controls: f.controls.map(c => [c.name, c.kind])}))"
    )
    return found


def at_its_start(page: Page, figure: str) -> None:
    page.evaluate(
        "name => { const f = glassbox.figures.get(name); for (const c of f.controls)"
        " { if (c.kind !== 'button') c.set(c.start); } f.changed(); }",
        figure,
    )
    until(page, f"(f => f.shown === f.key)(glassbox.figures.get('{figure}'))")


def move(page: Page, row: Locator, kind: str, way: str) -> None:
    """Moves a control to another position."""
    if kind == "slider":
        field = row.locator("input")
        low = field.evaluate("i => +i.value < (+i.min + +i.max) / 2")
        if way == "keyboard":
            field.press("ArrowRight" if low else "ArrowLeft")
            return
        box = field.bounding_box()
        assert box is not None
        at = (box["x"] + box["width"] * (0.98 if low else 0.02), box["y"] + box["height"] / 2)
        page.mouse.click(*at) if way == "mouse" else page.touchscreen.tap(*at)
    elif kind == "select":
        field = row.locator("select")
        if way == "keyboard":
            field.press("ArrowDown" if field.evaluate("s => s.selectedIndex < s.length - 1") else "ArrowUp")
        else:  # the list itself is drawn by the system, outside the page
            field.select_option(index=0 if field.evaluate("s => s.selectedIndex") else 1)
    elif kind == "radio":
        if way == "keyboard":
            row.locator("input:checked").press("ArrowDown")
        else:
            other = row.locator("label:has(input:not(:checked))").first
            other.click() if way == "mouse" else other.tap()
    else:
        box_ = row.locator("input")
        if way == "keyboard":
            box_.press("Space")
        else:
            box_.click() if way == "mouse" else box_.tap()


TOURED = {
    "machine_tour"
}  # its slider is not drawn: buttons in the picture move it (test_machine presses them)


def try_all(page: Page, place: str) -> int:
    """Moves every finite control of the page in every way; returns how many moves were answered."""
    moves = 0
    for figure in figures(page):
        node = page.locator(f"figure[data-figure={figure['name']}]")
        for name, kind in figure["controls"]:
            if kind not in FINITE or name in TOURED:
                continue
            for way in WAYS:
                at_its_start(page, figure["name"])
                row = node.locator(f"[data-control={name}]")
                row.scroll_into_view_if_needed()
                before = page.evaluate("n => glassbox.figures.get(n).key", figure["name"])
                move(page, row, kind, way)
                where = f"{place} {figure['name']}: {name} by {way}"
                after = page.evaluate("n => glassbox.figures.get(n).key", figure["name"])
                assert after != before, where
                until(page, f"(f => f.shown === f.key)(glassbox.figures.get('{figure['name']}'))")
                assert "computed ahead" in node.locator(".figure-state .say").inner_text(), where
                assert node.get_attribute("data-key") == after, where
                moves += 1
    return moves


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_figure_of_a_chapter_answers(bare: serve.Server, tablet: Page, chapter: str) -> None:
    tablet.goto(f"{bare.address}{chapter}.html?live=0")
    until(tablet, "document.documentElement.classList.contains('js')")
    assert try_all(tablet, chapter) >= (30 if chapter in LONG else 12)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_figure_answers_alone(bare: serve.Server, tablet: Page, chapter: str) -> None:
    every = sorted((bare.folder / "embed" / chapter).glob("*.html"))
    embeds = [
        path for path in every if "data-figure" in path.read_text(encoding="utf-8")
    ]  # the rest are questions
    answered = 0
    for path in embeds:
        tablet.goto(f"{bare.address}embed/{chapter}/{path.name}")
        until(tablet, "document.documentElement.classList.contains('js')")
        answered += try_all(tablet, "embed")
    assert answered >= (30 if chapter in LONG else 12)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_state_that_the_prose_links_to_is_there(bare: serve.Server, tablet: Page, chapter: str) -> None:
    tablet.goto(f"{bare.address}{chapter}.html?live=0")
    until(tablet, "document.documentElement.classList.contains('js')")
    links = tablet.locator("a[href^='?']")
    assert links.count() >= (10 if chapter in LONG else 2)
    for n in range(links.count()):
        link = links.nth(n)
        figure = str(link.get_attribute("href")).split("#")[1]
        at_its_start(tablet, figure)
        link.press("Enter")
        until(tablet, f"(f => f.shown === f.key)(glassbox.figures.get('{figure}'))")
        state = tablet.locator(f"#{figure} .figure-state .say").inner_text()
        assert "computed ahead" in state, link.get_attribute("href")
        asked = dict(
            tablet.evaluate("h => [...new URL(h, location).searchParams]", link.get_attribute("href"))
        )
        for name, wanted in asked.items():
            control = tablet.locator(f"[data-control={name}]")
            shown = control.evaluate(
                "r => String(glassbox.figures.get(r.closest('figure').dataset.figure)"
                ".control(r.dataset.control).value)"
            )
            assert shown == wanted
    assert tablet.url.endswith("?live=0")  # nothing was loaded anew


def test_a_linked_state_opens_from_its_address_too(bare: serve.Server, tablet: Page) -> None:
    tablet.goto(f"{bare.address}attention.html?live=0")
    link = tablet.locator("a[href^='?next_word_text'], a[href*='next_word_text=']").first
    query = str(link.get_attribute("href"))
    tablet.goto(f"{bare.address}attention.html{query.replace('#', '&live=0#')}")
    expect(tablet.locator("#next_word .figure-state .say")).to_contain_text("computed ahead")
    expect(tablet.locator("#next_word .sentence")).to_contain_text("severe chest")
