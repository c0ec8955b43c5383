"""A real browser, a server on this machine, and pages that may talk to nobody else.

Every context made by ``browse`` blocks each address but loopback, and at the end of the test complains about
anything that went wrong unnoticed: a console error, an exception in the page, a request to another host, a
violated Content-Security-Policy. A test that provokes such a thing names it with ``watch.expect(pattern)``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, Protocol
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Frame,
    Page,
    Playwright,
    Route,
    expect,
    sync_playwright,
)

from tests import serve
from tests.browser import faces
from tests.browser.hosts import host

AXE = "axe-core@4.14.1"
ENGINES = ("chromium", "firefox", "webkit")
PATIENCE = (
    30  # seconds until a wait gives up; how fast a page is, benchmarks say, for a test machine may be busy
)
LOOPBACK = {"127.0.0.1", "localhost", "[::1]", "::1"}
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
expect.set_options(timeout=PATIENCE * 1000)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # A second fence behind the routes below: no name but this machine's is ever looked up.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


@dataclass
class Watch:
    """Collects what goes wrong in a context's pages, except what the test expects."""

    complaints: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    expected: list[re.Pattern[str]] = field(default_factory=list)

    def expect(self, pattern: str) -> None:
        """Names a complaint that this test provokes on purpose."""
        self.expected.append(re.compile(pattern))

    def unexpected(self) -> list[str]:
        """The complaints that no expectation covers; requests to other hosts are never excused."""
        kept = [c for c in self.complaints if not any(p.search(c) for p in self.expected)]
        return kept + [f"asked another host: {a}" for a in self.outside]

    def over(self, context: BrowserContext) -> None:
        """Watches a context from now on and fences it in."""
        context.set_default_timeout(PATIENCE * 1000)
        context.route("**/*", self.route)
        context.on("console", self.console)
        context.on("weberror", lambda error: self.complaints.append(f"exception: {error.error}"))

    def console(self, message: ConsoleMessage) -> None:
        """Keeps errors; a missing favicon or a blocked host arrives here too."""
        if message.type == "error":
            self.complaints.append(f"console: {message.text} ({message.location.get('url', '')})")

    def route(self, route: Route) -> None:
        """Lets loopback through and nothing else."""
        parts = urlsplit(route.request.url)
        if parts.scheme in ("http", "https") and parts.hostname not in LOOPBACK:
            self.outside.append(route.request.url)
            route.abort()
        else:
            route.continue_()


class Browse(Protocol):
    """Opens a watched context; see ``browse``."""

    def __call__(self, **options: Any) -> BrowserContext: ...


def until(page: Page | Frame, expression: str, seconds: float = PATIENCE) -> None:
    """Waits until an expression is true in a page; Playwright's own way needs eval, which our policy forbids."""
    ends = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < ends, f"after {seconds} seconds still not: {expression}"
        page.wait_for_timeout(30)


def complete(page: Page | Frame) -> None:
    """Waits until the page's last script listens: what it would hear must not be said before."""
    until(page, "window.glassbox?.complete")


ServeSite = Callable[..., serve.Server]
ServeHost = Callable[..., str]


def engines(*names: str) -> pytest.MarkDecorator:
    """Walks a test with a ``face`` in these engines only: ``@engines("firefox", "webkit")``."""
    return pytest.mark.parametrize("face", names, indirect=True)


@pytest.fixture(scope="session")
def played() -> Iterator[Playwright]:
    """Playwright, started once."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(played: Playwright) -> Iterator[Browser]:
    """The one Chromium of the whole run."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.fail(
            f"The browser tests need Chromium, and none of {', '.join(NAMES)} is on the PATH. "
            "Install it (Debian: apt-get install chromium) and run again.",
            pytrace=False,
        )
    browser = played.chromium.launch(executable_path=found, args=ARGUMENTS)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def fence() -> Iterator[faces.Fence]:
    """What stands between Firefox, WebKit and the world."""
    fence = faces.Fence()
    yield fence
    fence.close()


def _installed(error: FileNotFoundError) -> NoReturn:
    pytest.fail(f"{error}; or leave that engine out: pytest -k 'not firefox and not webkit'", pytrace=False)


@pytest.fixture(scope="session")
def firefox(
    played: Playwright, fence: faces.Fence, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Browser, Path]]:
    """The one Firefox of the whole run, and where it saves files."""
    saved = tmp_path_factory.mktemp("firefox")
    try:
        browser = faces.firefox(played, fence, saved)
    except FileNotFoundError as error:
        _installed(error)
    yield browser, saved
    browser.close()


@pytest.fixture(scope="session")
def webkit(fence: faces.Fence, tmp_path_factory: pytest.TempPathFactory) -> Iterator[faces.WebKit]:
    """The one WebKit of the whole run."""
    try:
        face = faces.WebKit(fence, tmp_path_factory.mktemp("webkit"))
    except FileNotFoundError as error:
        _installed(error)
    yield face
    face.close()


@contextmanager
def a_face(engine: str, request: pytest.FixtureRequest) -> Iterator[faces.Face]:
    """A window 1280 pixels wide in an engine that is started when it is first wanted."""
    if engine == "webkit":
        webkit: faces.WebKit = request.getfixturevalue("webkit")
        webkit.open("about:blank")
        webkit.outside()
        webkit.resize(1280, 900)
        yield webkit
        return
    if engine == "firefox":
        browser, downloads = request.getfixturevalue("firefox")
    else:
        browser = request.getfixturevalue("chromium")
        downloads = request.getfixturevalue("tmp_path_factory").mktemp("saved")
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE * 1000)
    face = faces.Played(engine, context, downloads)
    yield face
    face.close()


@pytest.fixture(params=ENGINES)
def face(request: pytest.FixtureRequest) -> Iterator[faces.Face]:
    """A window in each of the three engines, in turn. Some engines only: ``@engines("firefox")``."""
    with a_face(request.param, request) as face:
        yield face


@pytest.fixture(scope="session")
def server(site: Path) -> Iterator[serve.Server]:
    """The whole site, served well, under a sub-path as on a course server."""
    with serve.serve(site, prefix="/course/glassbox/") as running:
        yield running


@pytest.fixture
def serve_site(site: Path) -> Iterator[ServeSite]:
    """Serves the site (or another folder) once more: ``serve_site(fault=lambda path: "404")``."""
    running: list[serve.Server] = []

    def start(
        folder: Path | None = None, prefix: str = "/", fault: serve.FaultFor | None = None
    ) -> serve.Server:
        running.append(serve.serve(folder or site, prefix=prefix, fault=fault))
        return running[-1]

    yield start
    for one in running:
        one.close()


@pytest.fixture
def serve_host(site: Path) -> Iterator[ServeHost]:
    """Serves the site as some hosts do, ``serve_host(types=…, nosniff=True)``, and gives the address."""
    with ExitStack() as running:
        yield lambda **habits: running.enter_context(host(site, **habits))


@pytest.fixture
def watch() -> Watch:
    """What went wrong in this test's pages."""
    return Watch()


@pytest.fixture
def browse(chromium: Browser, watch: Watch, serve_site: ServeSite, serve_host: ServeHost) -> Iterator[Browse]:
    """Opens contexts that reach loopback alone; fails the test on what went wrong unnoticed.

    Options are Playwright's (``java_script_enabled``, ``color_scheme``, ``viewport`` …). Service workers are
    blocked unless asked for, so that each page's requests are seen. Servers of ``serve_site`` and
    ``serve_host`` outlive the pages: one that goes while a page still loads is a complaint of the page's.
    """
    contexts: list[BrowserContext] = []

    def open_context(**options: Any) -> BrowserContext:
        settings = {"service_workers": "block", "reduced_motion": "reduce", **options}
        context = chromium.new_context(**settings)
        watch.over(context)
        contexts.append(context)
        return context

    yield open_context
    for context in contexts:
        context.close()
    assert watch.unexpected() == []


@pytest.fixture
def page(browse: Browse) -> Page:
    """A watched page, 1280 px wide, in light colours."""
    return browse(viewport={"width": 1280, "height": 900}).new_page()


@pytest.fixture(scope="session")
def pages(site: Path) -> list[str]:
    """The paths of all pages but the notebooks' editor, which is marimo's own."""
    found = sorted(p.relative_to(site).as_posix() for p in site.rglob("*.html"))
    return [p for p in found if not p.startswith("edit/")]


@pytest.fixture(scope="session")
def chapters(site: Path) -> list[str]:
    """The names of the chapters that were built."""
    return sorted(p.name for p in (site / "embed").iterdir())


@pytest.fixture(scope="session")
def axe(cache: Path) -> str:
    """The script of axe-core, which finds barriers in a page; fetched once by npm."""
    folder = cache / "axe"
    archive = folder / f"{AXE.replace('@', '-')}.tgz"
    if not archive.exists():
        folder.mkdir(parents=True, exist_ok=True)
        npm = shutil.which("npm")
        if npm is None:
            pytest.fail("The accessibility tests need npm (Debian: apt-get install npm).", pytrace=False)
        command = [npm, "pack", "--silent", "--pack-destination", str(folder), AXE]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    with tarfile.open(archive) as package:
        member = package.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode("utf-8")
