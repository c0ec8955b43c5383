"""Figures that are shown late, or come back: a frame without a size, the browser's back and forward cache."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from glassbox.publish import serve
from tests.browser.conftest import ARGUMENTS, NAMES, Browse, ServeSite, Watch, until


def test_a_figure_in_a_frame_that_is_shown_late_has_its_size_and_answers(
    browse: Browse, server: serve.Server, serve_site: ServeSite, tmp_path: Path
) -> None:
    (tmp_path / "index.html").write_text(
        '<!doctype html><title>x</title><link rel="icon" href="data:,"><div id="tab" hidden>'
        f'<iframe title="f" width="700" height="100" src="{server.address}embed/kv_cache/memory.html"'
        ' sandbox="allow-scripts allow-same-origin"></iframe></div>'
        f'<script src="{server.address}embed.js" defer></script>'
    )
    page = browse(viewport={"width": 1000, "height": 900}).new_page()
    page.goto(serve_site(tmp_path).address)
    inner = page.frames[1]
    until(inner, "document.documentElement.classList.contains('js')")
    slider = inner.locator("input[type=range]").first
    moved = "i => { i.value = i.max; i.dispatchEvent(new Event('input', { bubbles: true })); }"
    slider.evaluate(moved)  # nothing is drawn yet
    page.evaluate("document.getElementById('tab').hidden = false")
    expect(inner.locator(".figure-state")).to_contain_text("computed ahead")
    until(page, "document.querySelector('iframe').getBoundingClientRect().height > 300")
    until(inner, "document.documentElement.scrollHeight <= innerHeight + 1")
    box = inner.locator(".picture").bounding_box()
    assert box is not None
    assert box["height"] > 100


@pytest.fixture
def remembering(chromium: Browser, watch: Watch) -> Iterator[BrowserContext]:
    """A browser that keeps pages to go back to, as browsers do; Playwright's own arguments forbid it."""
    kind = chromium.browser_type
    arguments = [*ARGUMENTS, "--enable-features=BackForwardCache"]
    found = next(path for name in NAMES if (path := shutil.which(name)))
    browser = kind.launch(
        executable_path=found, args=arguments, ignore_default_args=["--disable-back-forward-cache"]
    )
    context = browser.new_context(service_workers="block", reduced_motion="reduce")
    watch.over(context)
    yield context
    browser.close()


def test_a_page_that_comes_back_from_the_browsers_memory_goes_on_as_it_was(
    remembering: BrowserContext, server: serve.Server
) -> None:
    page = remembering.new_page()
    page.add_init_script("addEventListener('pageshow', (e) => (window.kept = e.persisted));")
    page.goto(f"{server.address}attention.html")
    expect(page.locator("#runtime")).to_have_attribute("data-state", "live", timeout=90_000)
    slider = page.locator("#paint input[type=range]").first
    slider.press("Home")
    slider.press("ArrowRight")
    expect(page.locator("#paint .figure-state")).to_contain_text("answered by Python")
    key = str(page.locator("#paint").get_attribute("data-key"))
    page.goto(f"{server.address}sources.html")
    page.go_back(wait_until="commit")
    until(page, "window.kept !== undefined")
    assert page.evaluate("window.kept"), "the browser did not keep the page"
    expect(page.locator("#paint")).to_have_attribute("data-key", key)
    slider.press("End")
    expect(page.locator("#paint .figure-state")).to_contain_text("answered by Python")
    assert str(page.locator("#paint").get_attribute("data-key")) != key
