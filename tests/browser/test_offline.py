"""Reading without a network, and never half of an old build."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests import serve
from tests.browser.conftest import Browse, ServeSite, Watch
from tests.browser.hosts import host

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
        for part in ("groups", "bytes"):
            self._build[part].pop("runtime")

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

    def rename(self, folder: str) -> None:
        """Gives the folder of scripts and styles another name, as any change of theirs does."""
        old = next(p for p in self.folder.iterdir() if p.name.startswith("static-"))
        old.rename(self.folder / folder)
        for path in self.folder.rglob("*.html"):
            path.write_text(path.read_text(encoding="utf-8").replace(old.name, folder), encoding="utf-8")
        shell = self._build["groups"]["shell"]
        self._build["groups"]["shell"] = {n.replace(old.name, folder): h for n, h in shell.items()}

    def release(self, version: str) -> None:
        """Writes the service worker of the files as they are now."""
        for group in self._build["groups"].values():
            for name in group:
                group[name] = hashlib.sha256((self.folder / name).read_bytes()).hexdigest()[:24]
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
    for name in chapters:  # those that were never opened too
        page.goto(f"{address}{name}.html")
        figure = (
            page.locator("figure[data-figure]").filter(has=page.locator("input[type=range]:visible")).first
        )
        slider = figure.locator("input[type=range]:visible").first
        slider.press("Home")
        slider.press("ArrowRight")
        expect(figure.locator(".figure-state")).to_contain_text(
            re.compile("computed ahead|answered by Python")
        )
        expect(page.locator("#runtime")).to_have_attribute("data-state", "live", timeout=90_000)
        slider.press(
            "End" if slider.evaluate("e => e.max !== e.defaultValue") else "Home"
        )  # away from the start
        expect(figure.locator(".figure-state")).to_contain_text("answered by Python")
    page.goto(f"{address}sources.html")
    assert headline(page)
    page.goto(f"{address}embed/{chapter}/nowhere.html")
    assert "not kept" in headline(page)
    assert "has no page with this name" in page.locator("main").inner_text()
    embed = next(p for p in sorted((site / "embed" / chapter).iterdir()))
    page.goto(f"{address}embed/{chapter}/{embed.name}")
    assert "not kept" in headline(page)
    assert "is part of this site" in page.locator("main").inner_text().lower()
    assert page.locator("main a").count() >= len(chapters)
    page.locator("main a").first.click()
    assert "not kept" not in headline(page)


def test_the_line_under_a_chapter_keeps_the_whole_book(
    context: BrowserContext, copy: Copy, watch: Watch, chapters: list[str]
) -> None:
    watch.expect("Failed to load resource|ERR_CONNECTION|ERR_FAILED|404")
    page = context.new_page()
    with serve.serve(copy.folder, prefix=PREFIX) as server:
        page.goto(f"{server.address}{chapters[0]}.html?live=0")
        line = page.locator(".keep")
        offer = line.get_by_role(
            "button", name=re.compile(r"Keep the whole book on this device \([\d.]+ MB more\)")
        )
        expect(offer).to_be_visible(timeout=60_000)
        offer.click()
        expect(line).to_contain_text(
            re.compile(r"The whole book is kept on this device \([\d.]+ MB\)"), timeout=60_000
        )
        expect(line.get_by_role("button")).to_have_count(0)
        address = server.address
    embeds = sorted(p.relative_to(copy.folder).as_posix() for p in (copy.folder / "embed").rglob("*.html"))
    figures = [path for path in embeds if "data-figure" in (copy.folder / path).read_text(encoding="utf-8")]
    questions = [path for path in embeds if path not in figures]
    for path in (figures[0], figures[-1]):
        page.goto(f"{address}{path}")
        assert page.locator("figure[data-figure]").count() == 1
        assert page.evaluate("typeof glassbox") == "object"
    page.goto(f"{address}{questions[0]}")
    assert page.locator(".check").count() == 1
    page.goto(f"{address}{chapters[-1]}.html?live=0")
    expect(page.locator(".keep")).to_contain_text("The whole book is kept on this device", timeout=30_000)


def test_what_cannot_be_kept_is_said_and_what_was_kept_stays(
    context: BrowserContext, copy: Copy, watch: Watch, chapters: list[str]
) -> None:
    watch.expect("Failed to load resource|ERR_CONNECTION|ERR_FAILED|404")
    page = context.new_page()
    path = sorted((copy.folder / "embed").rglob("*.html"))[0]
    with serve.serve(copy.folder, prefix=PREFIX) as server:
        path.write_text("another page", encoding="utf-8")
        page.goto(f"{server.address}{chapters[0]}.html?live=0")
        kept(page, chapters[0])
        page.locator(".keep button").click()
        expect(page.locator(".keep")).to_contain_text(
            "The book could not be kept: a file of it did not come.", timeout=60_000
        )
        assert {"shell", chapters[0]} <= set(str(page.locator("html").get_attribute("data-kept")).split())


@pytest.mark.parametrize("prefix", ["/", PREFIX])
def test_a_page_is_found_without_a_network_however_its_address_is_written(
    context: BrowserContext, copy: Copy, watch: Watch, prefix: str, chapters: list[str]
) -> None:
    watch.expect("Failed to load resource|ERR_CONNECTION|ERR_FAILED")
    page = context.new_page()
    chapter = chapters[0]
    with host(copy.folder, prefix, clean=True) as address:
        page.goto(f"{address}{chapter}.html?live=0")
        assert page.url == f"{address}{chapter}?live=0"
        kept(page, chapter)
        figure = str(page.locator("figure[data-figure]").first.get_attribute("data-figure"))
    written = [
        "{c}",
        "{c}.html",
        "{c}?live=0",
        "{c}.html?live=0#{f}",
        "{c}?live=0&x=1#{f}",
        "{c}/?live=0",
        "",
        "index",
        "index.html",
    ]
    for form in written:
        page.goto(address + form.format(c=chapter, f=figure))
        assert "not kept" not in headline(page), form
        assert page.evaluate("typeof glassbox") == "object", form
    page.goto(f"{address}{chapter}/?live=0")
    assert page.url == f"{address}{chapter}.html?live=0"


def test_a_page_from_before_an_update_works_on_or_says_why_not(
    context: BrowserContext,
    browse: Browse,
    copy: Copy,
    serve_site: ServeSite,
    watch: Watch,
    chapters: list[str],
) -> None:
    watch.expect("404")
    before, without = context.new_page(), browse().new_page()
    server = serve_site(copy.folder, prefix=PREFIX)
    for page in (before, without):
        page.goto(f"{server.address}{chapters[0]}.html?live=0")
    kept(before, chapters[0])
    copy.rename("static-ffffffffff")
    copy.rewrite("Second edition", (f"{chapters[0]}.html",))
    copy.release("second")
    after = context.new_page()
    after.goto(f"{server.address}{chapters[0]}.html?live=0")
    assert headline(after) == "Second edition"
    settle(after, "second")
    tools = before.locator("figure .tools").first
    tools.locator("[data-tool=link]").click()  # its script is the first build's, kept for this page
    expect(tools.locator(".said")).to_contain_text("link")
    expect(before.locator(".keep")).to_contain_text("renewed since this page was opened", timeout=30_000)
    expect(after.locator(".keep")).not_to_contain_text("renewed")
    without.locator("figure .tools [data-tool=link]").first.click()
    expect(without.locator("figure .figure-state").first).to_contain_text("This site was renewed")
    without.locator("figure .figure-state").first.evaluate("() => void glassbox.start()")
    expect(without.locator("#runtime")).to_contain_text("This site was renewed")


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


def test_the_worker_stays_within_the_folder_of_the_site(
    context: BrowserContext, copy: Copy, serve_site: ServeSite
) -> None:
    page = context.new_page()
    server = serve_site(copy.folder, prefix=PREFIX)
    page.goto(server.address + "index.html?live=0")
    kept(page, "shell")
    scope = page.evaluate("navigator.serviceWorker.getRegistration().then((r) => r.scope)")
    names = page.evaluate("caches.keys()")
    assert scope == server.address
    assert names == [f"glassbox {PREFIX} first"]


def test_an_embedded_figure_keeps_nothing_on_its_readers_device(
    context: BrowserContext, copy: Copy, serve_site: ServeSite, tmp_path: Path
) -> None:
    path = next(
        p.relative_to(copy.folder).as_posix() for p in sorted((copy.folder / "embed").rglob("*.html"))
    )
    page = context.new_page()
    host = tmp_path / "host"
    host.mkdir()
    server = serve_site(copy.folder, prefix=PREFIX)
    other = serve_site(host)
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
    # A course server sends no Brotli: neither that nor what is asked for only where it is sent.
    needless = {n for n in in_site if n.endswith(".br")}
    needless |= {n for n in in_site if n.endswith((".whl", ".zip")) and f"{n}.gz.bin" in in_site}
    assert {n.removeprefix("glassbox/") for n in names} == in_site - needless
    page = browse().new_page()
    page.goto(serve_site(tmp_path / "glassbox", prefix="/moodle/pluginfile.php/17/").address + "index.html")
    assert headline(page)
