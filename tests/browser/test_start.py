"""What starts Python, and what a page then asks for."""

import json

import pytest
from playwright.sync_api import expect

from glassbox.publish.brotli import PROBE
from tests import serve
from tests.browser.conftest import until

PAGE = "attention.html"
THRIFTY = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"


def test_a_reader_who_saves_data_starts_python_with_the_first_touch_that_needs_it(browse, serve_site):
    server = serve_site()
    page = browse().new_page()
    page.add_init_script(THRIFTY)
    page.goto(server.address + PAGE)
    until(page, "performance.getEntriesByType('resource').some((e) => e.name.endsWith('js/after.js'))")
    page.evaluate("new Promise((done) => requestIdleCallback(() => requestIdleCallback(done)))")
    page.wait_for_load_state("networkidle")
    unasked = [r.path for r in server.requests if "/runtime/" in r.path or "js/worker.js" in r.path]
    assert unasked == []
    assert page.locator("#runtime").is_hidden()
    figure = page.locator("figure[data-figure]").filter(has=page.locator("input[type=text], textarea")).first
    figure.locator("input[type=text], textarea").first.fill("a text of my own")
    expect(figure.locator(".figure-state")).to_contain_text("This state needs Python")
    expect(page.locator("#runtime")).to_be_visible()


class _NoBrotli(serve._Handler):
    def deliver(self, path, entry, headers):
        self.headers.replace_header("Accept-Encoding", "gzip")
        super().deliver(path, entry, headers)


@pytest.mark.parametrize("brotli", [True, False])
def test_a_page_asks_for_what_the_host_sends_smallest(browse, site, brotli):
    server = serve.Server(site.resolve(), "/")
    with serve.plain.start(server, serve._Handler if brotli else _NoBrotli, 0):
        page = browse().new_page()
        page.goto(f"{server.address}embed/attention/paint.html?live=1", wait_until="commit")
        for _ in range(600):
            asked = {r.path.rsplit("/", 1)[1] for r in server.requests}
            if {n for n in asked if n.startswith("python_stdlib")}:
                break
            page.wait_for_timeout(50)
    assert PROBE.rsplit("/", 1)[-1] in asked
    manifest = json.loads(next((site / "runtime").glob("manifest.*.json")).read_text(encoding="utf-8"))
    stdlib = manifest["stdlib"].rsplit("/", 1)[1]
    assert (stdlib in asked, f"{stdlib}.gz.bin" in asked) == (brotli, not brotli)
