"""Reading without a network, and never half of an old build."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from glassbox.publish import serve
from tests.browser.conftest import Browse, ServeSite, Watch

PREFIX = "/course/glassbox/"


def kept(page: Page, group: str, seconds: float = 60) -> None:
    page.wait_for_selector(f'html[data-kept~="{group}"]', timeout=seconds * 1000)


def port(server: serve.Server) -> int:
    return int(server.address.split(":")[2].split("/")[0])


def settle(page: Page, version: str) -> None:
    """Waits until the build with this version is the one that answers."""
    for _ in range(150):
        state = page.evaluate(
            """async () => {
                const registration = await navigator.serviceWorker.getRegistration();
                const other = registration.installing || registration.waiting;
                return [(await caches.keys()).at(-1), other ? "busy" : registration.active?.state];
            }"""
        )
        if state[0].endswith(version) and state[1] == "activated":
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"the build {version} did not become active: {state}")


class Copy:
    """A small copy of the site that can be changed into another build."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("runtime", "edit", "*.zip"))
        line, self._script = (folder / "sw.js").read_text(encoding="utf-8").split("\n", 1)
        self._build: dict[str, Any] = json.loads(line.removeprefix("const BUILD = ").removesuffix(";"))
        self._build["groups"].pop("runtime")

    @property
    def version(self) -> str:
        return str(self._build["version"])

    def rewrite(self, words: str, pages: tuple[str, ...] = ("index.html", "sources.html")) -> None:
        """Changes the headline of pages."""
        for name in pages:
            path = self.folder / name
            html = path.read_text(encoding="utf-8")
            start, end = html.index(">", html.index("<h1")) + 1, html.index("</h1>")
            path.write_text(html[:start] + words + html[end:], encoding="utf-8")

    def release(self, version: str) -> None:
        """Writes the service worker of the files as they are now."""
        shell = self._build["groups"]["shell"]
        for name in shell:
            shell[name] = hashlib.sha256((self.folder / name).read_bytes()).hexdigest()[:24]
        self._build["version"] = version
        (self.folder / "sw.js").write_text(f"const BUILD = {json.dumps(self._build)};\n{self._script}")


@pytest.fixture
def copy(site: Path, tmp_path: Path) -> Copy:
    copy = Copy(site, tmp_path / "copy")
    copy.rewrite("First edition")
    copy.release("first")
    return copy


@pytest.fixture
def context(browse: Browse) -> BrowserContext:
    return browse(service_workers="allow", viewport={"width": 1000, "height": 800})


def headline(page: Page) -> str:
    return page.locator("h1").first.inner_text()


def test_a_chapter_once_visited_reads_and_computes_without_a_network(
    context: BrowserContext, site: Path, chapters: list[str], watch: Watch
) -> None:
    watch.expect("Failed to load resource|ERR_CONNECTION|ERR_FAILED")
    page = context.new_page()
    chapter = "attention" if "attention" in chapters else chapters[0]
    with serve.serve(site, prefix=PREFIX) as server:
        page.goto(f"{server.address}{chapter}.html")
        expect(page.locator("#runtime")).to_have_attribute("data-state", "live", timeout=90_000)
        kept(page, "runtime")
        address = server.address
    page.goto(f"{address}{chapter}.html")
    expect(page.locator("#runtime")).to_have_attribute("data-state", "live", timeout=90_000)
    slider = page.locator("figure input[type=range]").first
    figure = page.locator("figure[data-figure]").filter(has=page.locator("input[type=range]")).first
    slider.focus()
    page.keyboard.press("End")
    expect(figure.locator(".figure-state")).to_contain_text("answered by Python")
    page.goto(f"{address}sources.html")
    assert headline(page)
    page.goto(f"{address}embed/nowhere.html")
    assert "not kept" in headline(page)


def test_a_new_build_is_shown_at_once_and_kept_whole(
    context: BrowserContext, copy: Copy, watch: Watch
) -> None:
    watch.expect("Failed to load resource|ERR_CONNECTION|ERR_FAILED|404")
    page = context.new_page()
    with serve.serve(copy.folder, prefix=PREFIX) as server:
        page.goto(server.address + "index.html?live=0")
        kept(page, "shell")
        copy.rewrite("Second edition")
        copy.release("second")
        page.goto(server.address + "sources.html")
        assert headline(page) == "Second edition"
        settle(page, "second")
        address = server.address
    page.goto(address + "index.html")
    assert headline(page) == "Second edition"
    held = page.evaluate(
        """async () => {
            const old = (await caches.keys()).filter((n) => n.endsWith("first"));
            const requests = old.length ? await (await caches.open(old[0])).keys() : [];
            return requests.map((r) => r.url).filter((u) => u.endsWith(".html"));
        }"""
    )
    assert held == []


def test_half_an_upload_is_never_kept(context: BrowserContext, copy: Copy, watch: Watch) -> None:
    watch.expect("Failed to load resource|ERR_CONNECTION|ERR_FAILED|404")
    page = context.new_page()
    with serve.serve(copy.folder, prefix=PREFIX) as server:
        page.goto(server.address + "index.html?live=0")
        kept(page, "shell")
        copy.rewrite("Second edition")
        copy.release("second")
        copy.rewrite("First edition", ("sources.html",))  # not uploaded yet
        page.goto(server.address + "index.html")
        assert headline(page) == "Second edition"
        page.evaluate(
            """async () => {
                const registration = await navigator.serviceWorker.getRegistration();
                await registration.update().catch(() => {});
                for (const w of [registration.installing]) if (w) await new Promise((done) => (w.onstatechange =
                  () => w.state === "redundant" && done()));
            }"""
        )
        address, at = server.address, port(server)
    for name in ("index.html", "sources.html"):
        page.goto(address + name)
        assert headline(page) == "First edition", "without network the last whole build answers"
    copy.rewrite("Second edition")
    with serve.serve(copy.folder, port=at, prefix=PREFIX):
        page.goto(address + "index.html")
        settle(page, "second")
    for name in ("index.html", "sources.html"):
        page.goto(address + name)
        assert headline(page) == "Second edition"


def test_the_worker_stays_within_the_folder_of_the_site(context: BrowserContext, copy: Copy) -> None:
    page = context.new_page()
    with serve.serve(copy.folder, prefix=PREFIX) as server:
        page.goto(server.address + "index.html?live=0")
        kept(page, "shell")
        scope = page.evaluate("navigator.serviceWorker.getRegistration().then((r) => r.scope)")
        names = page.evaluate("caches.keys()")
        assert scope == server.address
        assert names == [f"glassbox {PREFIX} first"]


def test_an_embedded_figure_keeps_nothing_on_its_readers_device(
    context: BrowserContext, copy: Copy, tmp_path: Path
) -> None:
    path = next(
        p.relative_to(copy.folder).as_posix() for p in sorted((copy.folder / "embed").rglob("*.html"))
    )
    page = context.new_page()
    host = tmp_path / "host"
    host.mkdir()
    with serve.serve(copy.folder, prefix=PREFIX) as server, serve.serve(host) as other:
        (host / "index.html").write_text(
            f'<!doctype html><title>x</title><link rel="icon" href="data:,"><iframe src="{server.address}{path}">'
        )
        page.goto(other.address)
        page.wait_for_timeout(2000)
        inner = page.frames[1]
        assert inner.evaluate("navigator.serviceWorker.getRegistrations().then((r) => r.length)") == 0


def test_the_zip_holds_the_site_and_opens_below_a_course_path(
    browse: Browse, serve_site: ServeSite, site: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(site / "glassbox.zip") as archive:
        names = archive.namelist()
        assert not [n for n in names if not n.startswith("glassbox/")]
        small = [n for n in names if not n.startswith(("glassbox/runtime/", "glassbox/edit/"))]
        archive.extractall(tmp_path, small)
    in_site = {p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file()} - {"glassbox.zip"}
    assert {n.removeprefix("glassbox/") for n in names} == in_site
    page = browse().new_page()
    page.goto(serve_site(tmp_path / "glassbox", prefix="/moodle/pluginfile.php/17/").address + "index.html")
    assert headline(page)
