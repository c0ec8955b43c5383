"""WebKit, Safari's engine: Debian's MiniBrowser on a screen of its own, through Selenium."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import ActionChains, Keys, WebKitGTK, WebKitGTKOptions
from selenium.webdriver.webkitgtk.service import Service

from tests.browser.faces.face import Face
from tests.browser.faces.fence import Fence

PACKAGE = "webkit2gtk-driver"
CALL = """const done = arguments[arguments.length - 1], values = [...arguments].slice(0, -1);
(async () => (%s)(...values))().then((value) => done({ value: value ?? null }), (error) => done({ error: String(error) }));"""

STANDS_STILL = """async (s) => {
  const at = () => JSON.stringify(document.querySelector(s).getBoundingClientRect());
  const before = at();
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  return at() === before;
}"""


def _screen() -> tuple[subprocess.Popen[bytes], str]:
    """Starts a screen that nobody sees; returns its process and its name."""
    program = shutil.which("Xvfb")
    if program is None:
        raise FileNotFoundError(
            "WebKit needs a screen, and Xvfb is not installed (Debian: apt-get install xvfb)"
        )
    read, write = os.pipe()
    size = ["-screen", "0", "1600x1400x24", "-nolisten", "tcp"]
    process = subprocess.Popen(
        [program, "-displayfd", str(write), *size], pass_fds=[write], stderr=subprocess.DEVNULL
    )
    os.close(write)
    with os.fdopen(read) as told:
        return process, f":{told.readline().strip()}"


def _mini_browser() -> str:
    """MiniBrowser stands beside the library, in a folder named by the machine's kind."""
    found = sorted(Path("/usr").glob("lib*/**/webkit2gtk-4.*/MiniBrowser"))
    if not found:
        raise FileNotFoundError(f"WebKit is not installed (Debian: apt-get install {PACKAGE})")
    return str(found[-1])


class WebKit(Face):
    """The one window of a session; what pages keep (storage, service workers) lives as long as it."""

    engine = "webkit"
    patience = 4

    def __init__(self, fence: Fence, home: Path) -> None:
        driver = shutil.which("WebKitWebDriver")
        if driver is None:
            raise FileNotFoundError(f"WebKit's driver is not installed (Debian: apt-get install {PACKAGE})")
        self.fence = fence
        self.downloads = home / "saved"
        self.downloads.mkdir(parents=True)
        settings = home / ".config"
        settings.mkdir()
        (settings / "user-dirs.dirs").write_text(f'XDG_DOWNLOAD_DIR="{self.downloads}"\n')
        binary = _mini_browser()
        self._xvfb, screen = _screen()
        options = WebKitGTKOptions()
        options.binary_location = binary
        options.add_argument("--automation")
        around = f"127.0.0.1:{fence.port}"
        proxy = {
            "proxyType": "manual",
            "httpProxy": around,
            "sslProxy": around,
            "noProxy": ["127.0.0.1", "localhost"],
        }
        options.set_capability("proxy", proxy)
        own = {"HOME": str(home), "XDG_CONFIG_HOME": str(settings), "DISPLAY": screen, "GDK_BACKEND": "x11"}
        service = Service(executable_path=driver, env={**os.environ, **own, "NO_AT_BRIDGE": "1"})
        try:
            with warnings.catch_warnings():  # Selenium warns of what its own class for WebKitGTK does
                warnings.simplefilter("ignore", DeprecationWarning)
                self.driver = WebKitGTK(options=options, service=service)
        except BaseException:
            self._end_screen()
            raise
        self.driver.set_page_load_timeout(120)
        self.driver.set_script_timeout(60)
        self.resize(1280, 900)

    def open(self, address: str) -> None:
        self.driver.get(address)

    def evaluate(self, function: str, *values: Any) -> Any:
        answer = self.driver.execute_async_script(CALL % function, *values)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["value"]

    def click(self, selector: str) -> None:
        self.until("s => document.querySelector(s)", selector)
        self.evaluate("s => document.querySelector(s).scrollIntoView({ block: 'center' })", selector)
        self.until(STANDS_STILL, selector)  # Playwright waits for this by itself
        self.driver.find_element("css selector", selector).click()

    def focus(self, selector: str) -> None:
        self.evaluate("s => { window.focus(); document.querySelector(s).focus() }", selector)  # a frame, too

    def press(self, key: str) -> None:
        names = {
            "Home": Keys.HOME,
            "End": Keys.END,
            "Tab": Keys.TAB,
            "Enter": Keys.ENTER,
            "Escape": Keys.ESCAPE,
        }
        names |= {
            f"Arrow{way.title()}": getattr(Keys, f"ARROW_{way}") for way in ("UP", "DOWN", "LEFT", "RIGHT")
        }
        names |= {"PageUp": Keys.PAGE_UP, "PageDown": Keys.PAGE_DOWN, "Space": " "}
        self.write(names.get(key, key))

    def write(self, text: str) -> None:
        ActionChains(self.driver, duration=0).send_keys(text).perform()

    def paste(self) -> None:
        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys("v").key_up(Keys.CONTROL).perform()

    @contextmanager
    def inside(self, selector: str) -> Iterator[None]:
        self.until("s => document.querySelector(s)", selector)
        self.driver.switch_to.frame(self.driver.find_element("css selector", selector))
        try:
            yield
        finally:
            self.driver.switch_to.parent_frame()

    def resize(self, width: int, height: int) -> None:
        self.driver.set_window_rect(0, 0, width, height)
        for _ in range(2):  # the window's own bar takes some of it
            wide, high = self.evaluate("() => [innerWidth, innerHeight]")
            now = self.driver.get_window_rect()
            if (wide, high) == (width, height):
                return
            self.driver.set_window_rect(0, 0, now["width"] + width - wide, now["height"] + height - high)

    def back(self) -> None:
        self.driver.back()

    def forward(self) -> None:
        self.driver.forward()

    def complaints(self) -> list[str]:
        """Only of the page that is open, and only where the site is ``overheard``."""
        return list(self.evaluate("() => (window.overheard ?? []).splice(0)"))

    def outside(self) -> list[str]:
        return self.fence.take()

    def picture(self, path: Path) -> None:
        self.driver.save_screenshot(str(path))

    def until(self, function: str, *values: Any, seconds: float = 15) -> Any:
        while True:
            try:
                return super().until(function, *values, seconds=seconds)
            except WebDriverException as error:  # a page that goes elsewhere meanwhile is asked again
                if "navigat" not in str(error) and "unloaded" not in str(error):
                    raise
                time.sleep(0.1)

    def close(self) -> None:
        try:
            self.driver.quit()
        finally:
            self._end_screen()

    def _end_screen(self) -> None:
        self._xvfb.terminate()
        self._xvfb.wait(10)
