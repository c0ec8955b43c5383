"""Measures a built site's figures and questions in Chromium, each on its own page, at two widths.

It needs Playwright (in the ``test`` extra) and Chromium; nothing else of the build does.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

from glassbox.publish import serve
from glassbox.publish.errors import BuildError
from glassbox.publish.pages.heights import WIDTHS, Pair

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
_SETTLED = """() => document.fonts.status === "loaded" &&
  [...(window.glassbox?.figures.values() || [])].every((f) => f.key === f.shown)"""
# As js/embedded.js tells it to a page that frames the figure.
_HEIGHT = """() => {
  const main = document.querySelector("main");
  const below = parseFloat(getComputedStyle(main).marginBottom) || 0;
  return Math.ceil(main.getBoundingClientRect().bottom + scrollY + below);
}"""


def pages(folder: Path) -> Iterator[str]:
    """What of a built site can be framed: ``chapter/name``, and ``chapter/name?query`` for linked states."""
    for path in sorted((folder / "embed").rglob("*.html")):
        yield path.relative_to(folder / "embed").with_suffix("").as_posix()
    teach = (folder / "teach.html").read_text(encoding="utf-8")
    for page, query in re.findall(r'href="\./embed/([\w/-]+)\.html\?([^"]+)"', teach):
        yield f"{page}?{unescape(query)}"


def heights(
    folder: Path, browser: Browser, report: Callable[[str], None] = lambda line: None
) -> dict[str, Pair]:
    """Measures every page of a built site, in CSS pixels at each of ``WIDTHS``."""
    found = {}
    with serve.serve(folder) as server:
        context = browser.new_context(reduced_motion="reduce", service_workers="block")
        page = context.new_page()
        for key in pages(folder):
            report(f"height of {key}")
            name, _, query = key.partition("?")
            page.set_viewport_size({"width": WIDTHS[0], "height": 600})
            page.goto(f"{server.address}embed/{name}.html?{query}")
            found[key] = _pair(page)
        context.close()
    return found


def _pair(page: Page) -> Pair:
    _settle(page)
    sizes = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 600})
        sizes.append(int(page.evaluate(_HEIGHT)))
    return sizes[0], sizes[1]


def _settle(page: Page) -> None:
    for _ in range(500):  # Playwright's own way of waiting needs eval, which the pages forbid
        if page.evaluate(_SETTLED):
            return
        page.wait_for_timeout(20)
    raise BuildError("measure", page.url, "its figure does not show its address’s state after 10 seconds.")


def run(folder: Path, report: Callable[[str], None]) -> dict[str, Pair]:
    """Starts Chromium and measures.

    Raises:
        BuildError: Playwright or Chromium is missing.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise BuildError("measure", "playwright", "it is not installed; pip install -e '.[test]'.") from error
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        raise BuildError("measure", "chromium", "it is not installed (Debian: apt-get install chromium).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        try:
            return heights(folder, browser, report)
        finally:
            browser.close()
