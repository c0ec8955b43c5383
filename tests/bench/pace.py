"""How fast a reader's own model writes in the page: ``python -m tests.bench.pace --site dist``.

A checkpoint in the shape of SmolLM2-135M (or a folder, ``--model``) is brought to the last chapter in Chromium three
times, with so much memory told to the page that its matrices stay in 32, 16 and 8 bits, and *How fast it writes here*
writes 64 tokens after three. Printed are the seconds of reading the files, what Python's memory has come to, and
tokens a second twice: by the clock, as the figure says it, and by the processor time of the worker's thread, which
other work on the machine lengthens less. Linux alone counts that time per thread.
"""

# ruff: noqa: T201 - a benchmark prints

from __future__ import annotations

import argparse
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests import serve
from tests.browser.conftest import ARGUMENTS, NAMES
from tests.model.checkpoint import files

PATIENCE = 600_000  # ms until a step counts as broken
KNOWN = {
    32: 8,
    16: 1,
    8: 0.5,
}  # GB that the browser says the machine has: a model of 135 million numbers fits so
WRITTEN = 64


def workers() -> dict[str, float]:
    """Processor seconds of every worker's thread on this machine."""
    found = {}
    for thread in Path("/proc").glob("[0-9]*/task/*"):
        try:
            if (thread / "comm").read_text().startswith("DedicatedWorker"):
                spent = (thread / "stat").read_text().rpartition(")")[2].split()[11:13]
                found[thread.name] = sum(map(int, spent)) / os.sysconf("SC_CLK_TCK")
        except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            continue
    return found


def bring(page: Page, address: str, folder: Path) -> float:
    """Brings a model; returns the seconds until figures show it, Python being there already."""
    page.goto(f"{address}own_model.html?pace_length={WRITTEN}")
    page.locator("#pace").get_by_role("button", name="Let it write").click()  # with ours: Python starts
    told(page, "has written|ended")
    began = time.monotonic()
    page.locator("[data-pick=folder]").set_input_files(folder)
    expect(page.locator(".own-model")).to_have_attribute("data-state", "own", timeout=PATIENCE)
    return time.monotonic() - began


def told(page: Page, pattern: str) -> str:
    """What the figure's sentence says once it says so much."""
    sentence = page.locator("#pace .sentence")
    expect(sentence).to_contain_text(re.compile(pattern), timeout=PATIENCE)
    return sentence.text_content() or ""


def measured(browser: Browser, address: str, folder: Path, bits: int) -> str:
    """One line of the table."""
    before = set(workers())
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(f"Object.defineProperty(navigator, 'deviceMemory', {{ get: () => {KNOWN[bits]} }})")
    reading = bring(page, address, folder)
    memory = re.search(r"come to (\d+) MB", page.locator(".own-hint").text_content() or "")
    told(page, "press to see")
    page.locator("#pace").get_by_role("button", name="Let it write").click()
    told(page, "has written")
    at, began = workers(), time.monotonic()
    said = told(page, f"has written {WRITTEN}|ended its text")
    clock, now = time.monotonic() - began, workers()
    spent = max((now[one] - at.get(one, 0) for one in set(now) - before), default=0.0)
    context.close()
    rate = (WRITTEN - 1) / spent if spent else 0.0
    took = memory[1] if memory else "?"
    return f"{bits:>4} {reading:>10.1f} {took:>10} {(WRITTEN - 1) / clock:>10.1f} {rate:>14.1f}   {said}"


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--site", type=Path, default=Path("dist"))
    parser.add_argument("--model", type=Path, help="a folder; else one is made of random numbers")
    parser.add_argument("--bits", type=int, nargs="*", default=list(KNOWN), choices=list(KNOWN))
    asked = parser.parse_args()
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    with (
        tempfile.TemporaryDirectory() as made,
        serve.serve(asked.site) as server,
        sync_playwright() as played,
    ):
        folder = asked.model or Path(made)
        if asked.model is None:
            files.shaped_135m(folder, "shaped-135m")
        browser = played.chromium.launch(executable_path=found, args=ARGUMENTS)
        print("bits  reading, s  memory, MB  tokens/s  tokens/s of processor")
        for bits in asked.bits:
            print(measured(browser, server.address, folder, bits), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
