"""Every page, for everybody: policy, barriers, widths, both themes, keyboard, no script, a sub-path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from glassbox.chapters import NAMES as CHAPTERS
from glassbox.publish.pages import policy
from tests import serve
from tests.browser.conftest import Browse, Watch, until

THEMES = pytest.mark.parametrize("theme", ["light", "dark"])

VIOLATIONS = """addEventListener("securitypolicyviolation", (e) => {
  (window.violations ??= []).push(`${e.violatedDirective} ${e.blockedURI}`) })"""


def quiet(path: str) -> str:
    """The address below the site of a page that does not start Python."""
    return f"{path}?live=0"


@dataclass
class Seen:
    """What one visit to one page showed."""

    policy: str
    violations: list[str]
    barriers: list[str]
    overflow: dict[int, int]
    links: list[str]


@dataclass
class Survey:
    """One visit to every page, in one theme."""

    pages: dict[str, Seen]
    watch: Watch
    cookies: list[Any]


AXE_RUN = """(rules) => axe.run(document, { resultTypes: ["violations"], ...(rules
  ? { runOnly: { type: "rule", values: rules } }
  : { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }) })"""


def look(page: Page, address: str, axe: str, rules: list[str] | None) -> Seen:
    """Visits one page: its policy, what breaks it, barriers with all details open, widths, links."""
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(address)
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    overflow = {}
    for width in (1280, 390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        overflow[width] = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
    page.set_viewport_size({"width": 1280, "height": 900})
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    page.evaluate(axe)
    barriers = [
        f"{v['id']}: {v['nodes'][0]['target']} {v['nodes'][0]['failureSummary']} ({len(v['nodes'])} times)"
        for v in page.evaluate(AXE_RUN, rules)["violations"]
    ]
    links = page.evaluate("[...document.querySelectorAll('a[href]')].map((a) => a.href)")
    return Seen(policy or "", page.evaluate("window.violations || []"), barriers, overflow, links)


@pytest.fixture(scope="module", params=["light", "dark"])
def survey(
    request: pytest.FixtureRequest, chromium: Browser, server: serve.Server, pages: list[str], axe: str
) -> Survey:
    """Visits every page once in each theme; the tests below read what was found."""
    watch = Watch()
    context = chromium.new_context(
        color_scheme=request.param, service_workers="block", reduced_motion="reduce"
    )
    watch.over(context)
    page = context.new_page()
    page.add_init_script(VIOLATIONS)
    rules = (
        ["color-contrast", "link-in-text-block"] if request.param == "dark" else None
    )  # the rest is the same
    seen = {path: look(page, server.address + quiet(path), axe, rules) for path in pages}
    cookies = list(context.cookies())
    context.close()
    return Survey(seen, watch, cookies)


def test_the_policy_stands_in_every_page_and_no_page_breaks_it(survey: Survey) -> None:
    def wanted(path: str) -> str:
        return policy.embed("") if path.startswith("embed/") else policy.CSP

    assert {path for path, seen in survey.pages.items() if seen.policy != wanted(path)} == set()
    assert {path: seen.violations for path, seen in survey.pages.items() if seen.violations} == {}


def test_axe_finds_nothing_on_any_page(survey: Survey) -> None:
    assert {path: seen.barriers for path, seen in survey.pages.items() if seen.barriers} == {}


def test_no_page_scrolls_sideways_at_any_width(survey: Survey) -> None:
    wide = {(p, w): over for p, seen in survey.pages.items() for w, over in seen.overflow.items() if over > 0}
    assert wide == {}


def test_no_page_asks_another_host_fails_or_leaves_a_cookie(survey: Survey) -> None:
    assert survey.watch.unexpected() == []
    assert survey.cookies == []


def test_links_between_pages_stay_below_the_course_path(survey: Survey, server: serve.Server) -> None:
    origin = server.address.removesuffix("course/glassbox/")
    astray = {
        path: [a for a in seen.links if a.startswith(origin) and not a.startswith(server.address)]
        for path, seen in survey.pages.items()
    }
    assert {path: links for path, links in astray.items() if links} == {}


def test_the_policy_really_stops_scripts_frames_and_requests(
    browse: Browse, server: serve.Server, watch: Watch, chapters: list[str]
) -> None:
    watch.expect("Content Security Policy")
    page = browse().new_page()
    page.add_init_script(VIOLATIONS)
    page.goto(server.address + quiet(f"{chapters[0]}.html"))
    page.evaluate(
        """() => {
            const add = (name, rest) => document.body.append(Object.assign(document.createElement(name), rest));
            add("script", { textContent: "window.ranInline = 1" });
            add("div", { innerHTML: "<img src='data:,x' onerror='window.ranHandler = 1'>" });
            add("script", { src: "https://example.org/x.js" });
            add("iframe", { src: "https://example.org/" });
            add("base", { href: "https://example.org/" });
            fetch("https://example.org/").catch(() => {});
            setTimeout("window.ranEval = 1");
        }"""
    )
    page.wait_for_timeout(500)
    assert page.evaluate("[window.ranInline, window.ranHandler, window.ranEval]") == [None, None, None]
    broken = " ".join(page.evaluate("window.violations"))
    for directive in ("script-src-elem", "script-src-attr", "frame-src", "connect-src", "base-uri"):
        assert directive in broken
    assert "unsafe-eval" not in policy.CSP.replace("wasm-unsafe-eval", "")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_python_starts_and_answers_under_the_policy(page: Page, server: serve.Server, chapter: str) -> None:
    page.add_init_script(VIOLATIONS)
    page.goto(f"{server.address}{chapter}.html")
    expect(page.locator("#runtime")).to_have_attribute("data-state", "live", timeout=90_000)
    assert page.evaluate("window.violations || []") == []


@THEMES
def test_the_page_follows_the_readers_theme(browse: Browse, server: serve.Server, theme: str) -> None:
    page = browse(color_scheme=theme).new_page()
    page.goto(server.address + "index.html")
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    ground = (
        ground if "0)" not in ground else page.evaluate("getComputedStyle(document.body).backgroundColor")
    )
    light = sum(int(n) for n in ground.removeprefix("rgb(").removesuffix(")").split(",")) / 3
    assert light > 200 if theme == "light" else light < 60


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_arrow_keys_walk_every_matrix(page: Page, server: serve.Server, chapter: str) -> None:
    page.goto(server.address + quiet(f"{chapter}.html"))
    until(page, "document.documentElement.classList.contains('js')")
    grids = page.locator("figure[data-figure] [role=grid]")
    assert chapter != "attention" or grids.count(), "the chapter on attention has a matrix"
    where = """() => {
      const cell = document.activeElement.closest("[role=gridcell]");
      if (!cell) return null;
      const grid = cell.closest("[role=grid]");
      const rows = [...grid.querySelectorAll("[role=row]")].map((r) => [...r.querySelectorAll("[role=gridcell]")])
        .filter((r) => r.length);
      const y = rows.findIndex((r) => r.includes(cell));
      return [rows[y].indexOf(cell), y, rows.length, rows[y].length,
        grid.querySelectorAll('[role=gridcell][tabindex="0"]').length];
    }"""
    for n in range(grids.count()):
        grid = grids.nth(n)
        if not grid.is_visible():
            continue
        start = grid.locator('[role=gridcell][tabindex="0"]')
        assert start.count() == 1, "one cell of a matrix is reached by Tab"
        start.focus()
        page.keyboard.press("Home")
        x, _, rows, columns, stops = page.evaluate(where)
        assert (x, stops) == (0, 1)
        for _ in range(rows):
            page.keyboard.press("ArrowUp")
        assert page.evaluate(where)[1] == 0
        if columns > 1:
            page.keyboard.press("ArrowRight")
            assert page.evaluate(where)[0] == 1
            page.keyboard.press("ArrowLeft")
        if rows > 1:
            page.keyboard.press("ArrowDown")
            assert page.evaluate(where)[1] == 1
        for _ in range(3):
            page.keyboard.press("ArrowLeft")
        assert page.evaluate(where)[0] == 0, "the walk ends at the edge"


def test_every_page_reads_without_script(browse: Browse, server: serve.Server, pages: list[str]) -> None:
    page = browse(java_script_enabled=False).new_page()
    for path in pages:
        page.goto(server.address + path)
        assert len(page.locator("main").inner_text().split()) > 20, path
        for picture in page.locator("figure[data-figure] .picture").all():
            assert picture.bounding_box()["height"] > 20  # type: ignore[index]
