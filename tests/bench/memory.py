"""What memory live figures take: ``python -m tests.bench.memory --site dist --plain``.

Opens a chapter, a plain export of the same notebook, one embedded figure, and six in one page, each alive, in
fresh browsers; prints the medians of what the pages' processes hold then (their proportional share, as the
operating system has it) and the most that one of them has held.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from glassbox.publish.pages import edit
from glassbox.publish.site import Site
from tests import serve
from tests.bench.page import (
    SETTLE,
    Sample,
    browser,
    glassbox_live,
    open_page,
    peak_megabytes,
    plain_live,
    table,
)
from tests.conftest import ROOT

EMBEDS = ("paint", "qkv", "mask", "heads", "order", "next_word")
CHAPTER = "attention"


def held_megabytes(opened: Browser) -> float:
    """What all processes of pages hold now."""
    session = opened.new_browser_cdp_session()
    total = 0.0
    for process in session.send("SystemInfo.getProcessInfo")["processInfo"]:
        told = Path(f"/proc/{process['id']}/smaps_rollup")
        if process["type"] == "renderer" and told.exists():
            found = re.search(r"Pss:\s+(\d+) kB", told.read_text(encoding="utf-8"))
            total += int(found[1]) / 1000 if found else 0.0
    return total


def embeds(number: int) -> Callable[[Page], float]:
    """Waits until so many embedded figures of a page are alive."""

    def wait(page: Page) -> float:
        page.wait_for_load_state()
        if len(page.frames) != number + 1:
            raise ValueError(f"{number} figures are embedded, and the page has {len(page.frames) - 1} frames")
        for frame in page.frames[1:]:
            frame.wait_for_selector("#runtime[data-state=live]", state="attached")
        return 0.0

    return wait


def write(folder: Path, number: int) -> str:
    """Writes a page that embeds so many figures; returns its name."""
    frames = [f'<iframe src="embed/{CHAPTER}/{name}.html?live=1"></iframe>' for name in EMBEDS[:number]]
    name = f"bench-{number}.html"
    (folder / name).write_text("<!doctype html><title>Bench</title>" + "".join(frames), encoding="utf-8")
    return name


def measure(playwright: object, address: str, live: Callable[[Page], float], sample: Sample) -> None:
    """Opens one page in a fresh browser and notes its memory."""
    with browser(playwright) as opened:
        context = opened.new_context(bypass_csp=True, service_workers="block")
        page = open_page(context, address)
        live(page)
        page.wait_for_timeout(SETTLE)
        sample.add("held when alive (MB)", held_megabytes(opened))
        sample.add("most of one process (MB)", peak_megabytes(opened))


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--site", type=Path, required=True, help="a built site")
    parser.add_argument("--plain", action="store_true", help="measure a plain export of the notebook in turn")
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    site = asked.site.resolve()
    columns = {name: Sample() for name in ("chapter", *(["plain"] if asked.plain else []))}
    framed = {"six embeds": Sample(), "one embed": Sample()}
    with (
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory() as folder,
        serve.serve(site) as server,
    ):
        plain = Path(folder)
        if asked.plain:
            edit.plain(Site(ROOT, site, ROOT / ".cache"), CHAPTER, plain)
        pages = [write(site, 6), write(site, 1)]
        try:
            with serve.serve(plain) as other:
                for _ in range(asked.runs):
                    measure(playwright, f"{server.address}{CHAPTER}.html", glassbox_live, columns["chapter"])
                    if asked.plain:
                        measure(playwright, other.address, plain_live, columns["plain"])
                    for name, number, sample in zip(pages, (6, 1), framed.values(), strict=True):
                        measure(playwright, server.address + name, embeds(number), sample)
        finally:
            for name in pages:
                (site / name).unlink()
    table(f"“{CHAPTER}”, medians of {asked.runs}", columns)
    table(f"Embedded figures of “{CHAPTER}”, all alive, medians of {asked.runs}", framed)


if __name__ == "__main__":
    main()
