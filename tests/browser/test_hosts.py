"""Hosts that send wrong types, and browsers that keep nothing: each says what it is, or works all the same."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from glassbox.publish import serve
from tests.browser.conftest import Browse, ServeHost, Watch

PLAIN = {".mjs": "application/octet-stream", ".wasm": "application/octet-stream"}  # a stock nginx
BLOCKED = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { configurable: true, get() { throw new DOMException("denied", "SecurityError"); } });"""


def test_python_starts_on_a_host_that_knows_neither_modules_nor_webassembly(
    browse: Browse, serve_host: ServeHost
) -> None:
    page = browse().new_page()
    address = serve_host(types=PLAIN, nosniff=True)
    page.goto(f"{address}attention.html")
    expect(page.locator("#runtime")).to_have_attribute("data-state", "live", timeout=90_000)


def test_scripts_sent_as_plain_text_are_named_with_the_line_of_the_hosting_notes(
    browse: Browse, watch: Watch, serve_host: ServeHost, site: Path
) -> None:
    watch.expect("worker|MIME")
    page = browse().new_page()
    address = serve_host(types={".js": "text/plain"})
    page.goto(f"{address}attention.html")
    line = page.locator("#runtime")
    expect(line).to_have_attribute("data-state", "failed", timeout=30_000)
    expect(line).to_contain_text(
        "the server sends worker.js as “text/plain” instead of “text/javascript” (“types” in hosting/"
    )
    notes = (site / "hosting" / "README.md").read_text(encoding="utf-8")
    assert re.search(r"^\| types \|.*`\.js`.*`text/javascript`", notes, re.MULTILINE)


def test_the_editor_names_a_wrong_type(browse: Browse, watch: Watch, serve_host: ServeHost) -> None:
    watch.expect(".")
    page = browse().new_page()
    address = serve_host(types=PLAIN)
    page.goto(f"{address}edit/attention.html", wait_until="commit")
    bar = page.locator("#glassbox-bar")
    expect(bar).to_have_attribute("data-state", "failed", timeout=60_000)
    expect(bar).to_contain_text(
        "the server sends pyodide.asm.mjs as “application/octet-stream” instead of “text/javascript”"
    )


def test_a_worker_that_is_missing_is_named(browse: Browse, watch: Watch, server: serve.Server) -> None:
    watch.expect("worker|404")
    page = browse().new_page()
    page.add_init_script(
        "const W = Worker; window.Worker = class extends W { constructor(a, o) { super(a + '.gone', o); } };"
    )
    page.route("**/worker.js", lambda route: route.fulfill(status=404))
    page.goto(f"{server.address}attention.html")
    expect(page.locator("#runtime")).to_contain_text(
        "the file worker.js is missing on the server (404)", timeout=30_000
    )


def test_where_storage_is_refused_the_page_says_that_nothing_is_kept(
    browse: Browse, server: serve.Server, watch: Watch
) -> None:
    context = browse()
    context.add_init_script(BLOCKED)
    page = context.new_page()
    page.goto(f"{server.address}kv_cache.html?live=0")
    score = page.locator(".score")
    expect(score).to_contain_text("The count lasts as long as this page: this browser keeps nothing for it.")
    check = page.locator(".check[data-check=number]").first
    check.locator("input").fill("1")
    check.locator("form button").click()
    expect(score).to_contain_text("1 of")
    expect(score).not_to_contain_text("on this device")
    page.goto(f"{server.address}edit/attention.html", wait_until="commit")
    line = page.locator("#glassbox-bar p")
    expect(line).to_contain_text(
        "This browser keeps nothing for this page: save what you change as .py before you leave."
    )
    page.evaluate("localStorage.setItem('marimo:file', JSON.stringify('x = 1'))")
    expect(line).to_contain_text(
        "This browser keeps nothing for this page: save them as .py before you leave."
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as .py").click()
    assert Path(download.value.path()).read_text(encoding="utf-8") == "x = 1\n"
    expect(page.locator("#glassbox-bar")).to_have_attribute("data-state", "live", timeout=180_000)
    expect(line).to_contain_text("This browser keeps nothing for this page", timeout=180_000)
