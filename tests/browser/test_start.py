"""What starts Python, and what a page then asks for."""

import json

import pytest
from playwright.sync_api import expect

from glassbox.publish.brotli import PROBE
from tests import serve
from tests.browser.conftest import complete

PAGE = "attention.html"
THRIFTY = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"


def test_a_reader_who_saves_data_starts_python_with_the_first_touch_that_needs_it(browse, serve_site):
    server = serve_site()
    page = browse().new_page()
    page.add_init_script(THRIFTY)
    page.goto(server.address + PAGE)
    complete(page)
    page.evaluate("new Promise((done) => requestIdleCallback(() => requestIdleCallback(done)))")
    page.wait_for_load_state("networkidle")
    unasked = [r.path for r in server.requests if "/runtime/" in r.path or "js/worker.js" in r.path]
    assert unasked == []
    assert page.locator("#runtime").is_hidden()
    figure = page.locator("figure[data-figure]").filter(has=page.locator("input[type=text], textarea")).first
    figure.locator("input[type=text], textarea").first.fill("a text of my own")
    expect(figure.locator(".figure-state")).to_contain_text("This state needs Python")
    expect(page.locator("#runtime")).to_be_visible()


HALF = """s => { const i = document.querySelector(s); i.value = 'half \\ud83d';
  i.dispatchEvent(new Event('input', { bubbles: true })); }"""


def test_the_rest_of_the_interpreter_comes_when_it_is_missed_and_a_lost_one_is_said(
    browse, serve_site, watch
):
    watch.expect(r"pyodide\.(asm\.js|rest)|404")
    gone = {"rest": "404"}
    server = serve_site(fault=lambda path: gone.get("rest") if "pyodide.rest" in path else None)
    page = browse().new_page()
    page.goto(f"{server.address}embed/attention/next_word.html?live=1")
    runtime, field = page.locator("#runtime"), "input[type=text]"
    expect(runtime).to_have_attribute("data-state", "live", timeout=90_000)
    page.locator(field).fill("a text of my own")
    expect(page.locator(".sentence")).to_contain_text("a text of my own", timeout=30_000)
    assert not [r.path for r in server.requests if "pyodide.rest" in r.path]
    page.evaluate(HALF, field)
    expect(runtime).to_contain_text("Python stopped: a part of it that is rarely needed could not be loaded.")
    gone.clear()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".sentence")).to_contain_text("half \ufffd", timeout=90_000)
    assert len([r.path for r in server.requests if "pyodide.rest" in r.path]) == 2


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
        page.close()  # before its server is
    assert PROBE.rsplit("/", 1)[-1] in asked
    manifest = json.loads(next((site / "runtime").glob("manifest.*.json")).read_text(encoding="utf-8"))
    stdlib = manifest["stdlib"].rsplit("/", 1)[1]
    assert (stdlib in asked, f"{stdlib}.gz.bin" in asked) == (brotli, not brotli)
