"""Links carry state: out of range is clamped and said, unknown is ignored, a copied link restores."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from glassbox.chapters import NAMES as CHAPTERS
from tests import serve
from tests.browser.conftest import Browse, until

CONTROLS = """() => [...glassbox.figures.values()].flatMap((f) => f.controls.map((c) => ({
  figure: f.name, name: c.name, kind: c.kind, start: c.start, value: c.value,
  low: c.steps ? Math.min(...c.steps) : +c.input.min, high: c.steps ? Math.max(...c.steps) : +c.input.max,
  options: c.kind === "select" ? [...c.input.options].map((o) => o.value) : c.kind === "radio"
    ? c.inputs.map((i) => i.value) : []})))"""


def controls(page: Page) -> dict[str, dict[str, Any]]:
    return {c["name"]: c for c in page.evaluate(CONTROLS)}


def go(page: Page, server: serve.Server, path: str, query: str = "") -> None:
    page.goto(f"{server.address}{path}?live=0{query}")
    until(page, "document.documentElement.classList.contains('js')")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_number_out_of_range_is_clamped_and_the_page_says_so(
    page: Page, server: serve.Server, chapter: str
) -> None:
    go(page, server, f"{chapter}.html")
    numeric = {n: c for n, c in controls(page).items() if c["kind"] in ("slider", "number")}
    for wanted, end in (("1e12", "high"), ("-1e12", "low")):
        go(page, server, f"{chapter}.html", "".join(f"&{n}={wanted}" for n in numeric))
        now = controls(page)
        assert {n: now[n]["value"] for n in numeric} == {n: c[end] for n, c in numeric.items()}
        notice = page.locator("#notice")
        if numeric:
            expect(notice).to_be_visible()
            for name in numeric:
                assert name in notice.inner_text()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_value_that_a_control_cannot_take_leaves_the_start_and_says_so(
    page: Page, server: serve.Server, chapter: str
) -> None:
    go(page, server, f"{chapter}.html")
    before = {n: c for n, c in controls(page).items() if c["kind"] not in ("text", "button")}
    go(page, server, f"{chapter}.html", "".join(f"&{n}=no+such+thing" for n in before))
    now = controls(page)
    assert {n: now[n]["value"] for n in before} == {n: c["start"] for n, c in before.items()}
    said = page.locator("#notice").inner_text()
    assert [n for n in before if n not in said] == []


def test_unknown_names_are_ignored(page: Page, server: serve.Server, chapters: list[str]) -> None:
    for chapter in chapters:
        go(page, server, f"{chapter}.html", "&nobody=1&__proto__=2&constructor=3&toString=4&length=5")
        assert page.locator("#notice").is_hidden()
        assert all(c["value"] == c["start"] for c in controls(page).values())


def another(control: dict[str, Any]) -> str | None:
    """A value that the control can take and did not start with."""
    if control["kind"] in ("slider", "number"):
        return str(control["high"] if control["start"] != control["high"] else control["low"])
    if control["kind"] == "switch":
        return "false" if control["start"] else "true"
    if control["kind"] == "text":
        return "Two words & <more>"
    return next((o for o in control["options"] if o != control["start"]), None)


def copied(page: Page, figure: str) -> str:
    tools = page.locator(f"#{figure} .tools")
    tools.locator("[data-tool=link]").click()
    expect(tools.locator(".said")).to_contain_text("Copied the link")
    assert tools.locator(".said").get_attribute("role") == "status"
    return str(page.evaluate("navigator.clipboard.readText()"))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_copy_link_gives_an_address_that_restores_each_figure(
    browse: Browse, server: serve.Server, chapter: str
) -> None:
    context = browse(permissions=["clipboard-read", "clipboard-write"])
    page, other = context.new_page(), context.new_page()
    go(page, server, f"{chapter}.html")
    every = controls(page)
    moved = {n: v for n, c in every.items() if (v := another(c)) is not None and c["kind"] != "text"}
    query = "".join(f"&{n}={v}" for n, v in moved.items())
    go(page, server, f"{chapter}.html", query)
    page.bring_to_front()
    now = controls(page)
    for figure in sorted({c["figure"] for c in every.values()}):
        address = urlsplit(copied(page, figure))
        assert address.fragment == figure
        own = {n for n, c in now.items() if c["figure"] == figure and c["value"] != c["start"]}
        assert set(parse_qs(address.query, keep_blank_values=True)) == own
        query = f"?live=0&{address.query}" if address.query else "?live=0"
        other.goto(
            f"{server.address}{chapter}.html{query}#{figure}", wait_until="domcontentloaded"
        )  # page.js has run
        restored = controls(other)
        for name, control in now.items():
            if control["figure"] == figure:
                assert restored[name]["value"] == control["value"]
        assert other.locator("#notice").is_hidden()


def test_copy_link_in_an_embed_gives_the_embeds_own_address(
    browse: Browse, server: serve.Server, site: Path
) -> None:
    path = next(
        p.relative_to(site).as_posix()
        for p in sorted((site / "embed").rglob("*.html"))
        if 'type="range"' in p.read_text(encoding="utf-8")
    )
    page = browse(permissions=["clipboard-read", "clipboard-write"]).new_page()
    go(page, server, path)
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("End")
    figure = Path(path).stem
    address = copied(page, figure)
    assert address.startswith(f"{server.address}{path}?")
    assert "#" not in address
    before = page.locator(".sentence").inner_text()
    page.goto(address)
    expect(page.locator(".figure-state")).to_contain_text("computed ahead")
    assert page.locator(".sentence").inner_text() == before


def test_without_a_clipboard_the_link_stands_selected_in_a_field(
    browse: Browse, server: serve.Server, chapters: list[str]
) -> None:
    page = browse().new_page()
    page.add_init_script(
        "navigator.clipboard.writeText = () => Promise.reject(new Error('no')); document.execCommand = () => false"
    )
    go(page, server, f"{chapters[0]}.html")
    tools = page.locator("figure .tools").first
    tools.locator("[data-tool=link]").click()
    expect(tools.locator(".said")).to_contain_text("Ctrl+C")
    selected = page.evaluate(
        "(() => { const e = document.activeElement; return e.value.slice(e.selectionStart, e.selectionEnd) })()"
    )
    assert re.match(rf"{re.escape(server.address)}{chapters[0]}\.html#\w+", selected)
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.tool") == "link"


def test_a_text_too_long_for_a_link_is_left_out_and_said(
    browse: Browse, server: serve.Server, chapters: list[str]
) -> None:
    page = browse(permissions=["clipboard-read", "clipboard-write"]).new_page()
    for chapter in chapters:
        go(page, server, f"{chapter}.html")
        for control in [c for c in controls(page).values() if c["kind"] == "text"]:
            page.evaluate(
                "([f, n]) => (glassbox.figures.get(f).control(n).input.value = 'x'.repeat(9000))",
                [control["figure"], control["name"]],
            )
            address = copied(page, control["figure"])
            assert control["name"] not in address
            expect(page.locator(f"#{control['figure']} .said")).to_contain_text("left out")


CARRIED = """(() => {
  const link = document.querySelector("header a[href*='{target}'], nav a[href*='{target}']");
  link.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true })); // a menu on the link, too, takes the text along
  return link.search !== "";
})()"""


def test_a_text_typed_in_one_chapter_is_there_in_the_next(
    page: Page, server: serve.Server, chapters: list[str]
) -> None:
    tried = 0
    for chapter in chapters:
        go(page, server, f"{chapter}.html")
        passes = json.loads(page.locator("body").get_attribute("data-passes") or "{}")
        for target, names in passes.items():
            go(page, server, f"{chapter}.html")
            mine, theirs = next(iter(names.items()))
            figure = controls(page)[mine]["figure"]
            page.evaluate(
                "([f, n]) => (glassbox.figures.get(f).control(n).input.value = 'Snow & <rain>')",
                [figure, mine],
            )
            link = page.locator(f'header a[href*="{target}.html"], nav a[href*="{target}.html"]').first
            until(page, CARRIED.replace("{target}", f"{target}.html"))
            link.click()
            page.wait_for_url(f"**/{target}.html?*")
            until(page, "document.documentElement.classList.contains('js')")
            for name in theirs:
                assert controls(page)[name]["value"] == "Snow & <rain>"
            tried += 1
    assert tried or len(chapters) < 3, "no chapter hands its reader's text on"
