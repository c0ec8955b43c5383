"""Chromium and Firefox, through Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Error, Frame, Page, Playwright

from tests.browser.faces.face import Face
from tests.browser.faces.fence import Fence


class Played(Face):
    """A page of Playwright's, in a context that somebody else has made and watches."""

    def __init__(self, engine: str, context: BrowserContext, downloads: Path) -> None:
        self.engine = engine
        self.patience = 1 if engine == "chromium" else 2
        self.downloads = downloads
        self.context = context
        self._complaints: list[str] = []
        self._outside: list[str] = []
        context.on(
            "console", lambda m: self._complaints.append(f"console: {m.text}") if m.type == "error" else None
        )
        context.on("weberror", lambda e: self._complaints.append(f"exception: {e.error}"))
        context.on("request", lambda r: self._asked(r.url))
        self.page: Page = context.new_page()
        self._frame: Page | Frame = self.page

    def _asked(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in (
            "127.0.0.1",
            "localhost",
        ):
            self._outside.append(address)

    def open(self, address: str) -> None:
        self.page.goto(address)

    def evaluate(self, function: str, *values: Any) -> Any:
        return self._frame.evaluate(f"(values) => ({function})(...values)", list(values))

    def click(self, selector: str) -> None:
        self._frame.locator(selector).first.click()

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def write(self, text: str) -> None:
        self.page.keyboard.type(text)

    def paste(self) -> None:
        self.page.keyboard.press("Control+V")

    @contextmanager
    def inside(self, selector: str) -> Iterator[None]:
        around = self._frame
        element = around.wait_for_selector(selector, state="attached")
        frame = element.content_frame() if element else None
        assert frame is not None, f"{selector} is no frame"
        self._frame = frame
        try:
            yield
        finally:
            self._frame = around

    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def back(self) -> None:
        self._go(-1)

    def forward(self) -> None:
        self._go(1)

    def _go(self, pages: int) -> None:
        """Playwright's own way waits for a load that a page kept whole by the browser never has again."""
        there = self.evaluate("() => location.href")  # page.url misses a page that comes back whole
        self.evaluate("n => { setTimeout(() => history.go(n)) }", pages)
        self.until("a => location.href !== a && document.readyState === 'complete'", there)

    def saved(self, selector: str) -> tuple[str, bytes]:
        if self.engine == "firefox":  # tells of no download: the file is looked for where it is saved
            return super().saved(selector)
        with self.page.expect_download() as download:
            self.click(selector)
        return download.value.suggested_filename, Path(download.value.path()).read_bytes()

    def complaints(self) -> list[str]:
        self.page.wait_for_timeout(50)  # Playwright hands events on only while it waits
        heard, self._complaints = self._complaints, []
        return heard

    def outside(self) -> list[str]:
        heard, self._outside = self._outside, []
        return heard

    def picture(self, path: Path) -> None:
        self.page.screenshot(path=path)

    def close(self) -> None:
        self.context.close()

    def until(self, function: str, *values: Any, seconds: float = 15) -> Any:
        while True:
            try:
                return super().until(function, *values, seconds=seconds)
            except Error as error:  # a page that goes elsewhere meanwhile is asked again
                if "context was destroyed" not in str(error):
                    raise


def firefox(playwright: Playwright, fence: Fence, downloads: Path) -> Browser:
    """Starts Debian's Firefox over WebDriver BiDi, which can reach this machine alone.

    Raises:
        FileNotFoundError: Firefox ESR is not installed.
    """
    found = shutil.which("firefox-esr")
    if found is None:
        raise FileNotFoundError("Firefox is not installed (Debian: apt-get install firefox-esr)")
    proxy: dict[str, str | float | bool] = {
        "network.proxy.type": 1,
        "network.proxy.http": "127.0.0.1",
        "network.proxy.http_port": fence.port,
        "network.proxy.ssl": "127.0.0.1",
        "network.proxy.ssl_port": fence.port,
        "network.proxy.no_proxies_on": "127.0.0.1, localhost",
    }
    return playwright.firefox.launch(
        channel="moz-firefox", executable_path=found, firefox_user_prefs=proxy, downloads_path=downloads
    )
