"""How soon a page is of use, against a plain export: ``python -m tests.bench.page``.

One notebook, built twice on the same runtime: as a chapter of the site, and by ``marimo export html-wasm
--execute``. Both are opened in turn by a fresh browser, cold and then once more, and used through the
keyboard; medians of all runs are printed side by side with their ratio. What an embedded figure costs before
Python is asked for is printed below.

``--charts`` measures the charts instead: bytes, and the time from rows to the drawn picture.

Times are milliseconds from navigation, as the page's own clock has them. Bytes are what the server sent,
gzipped where a careful host would.
"""

# ruff: noqa: T201 - a benchmark prints

from __future__ import annotations

import argparse
import contextlib
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from glassbox.chapters import NAMES as CHAPTERS
from glassbox.publish.pages import edit
from glassbox.publish.site import Site
from tests import serve
from tests.bench import charts
from tests.browser.conftest import ARGUMENTS, NAMES
from tests.conftest import ROOT, load_build

PRESSES = 40  # of an arrow key, for the time from slider to picture
SETTLE = 1_500  # ms for a browser to start, which is not the page's doing
PATIENCE = 180_000  # ms until a page counts as broken

# Notes when the first heading is on screen, when the first figure's picture changes, and when keys go down.
# With `touch`, the first native slider or list is moved as soon as it is enabled, which is the first touch that
# can be answered.
WATCH = """
(touch) => {
  const bench = (window.bench = { prose: null, touched: null, changes: [], keys: [] });
  const control = () => document.querySelector("figure.glassbox :is(input[type=range], select):not(:disabled)");
  let last = null;
  const look = () => {
    const picture = document.querySelector("figure.glassbox .picture")?.innerHTML;
    if (picture === undefined || picture === last) return;
    if (last !== null) bench.changes.push(performance.now());
    last = picture;
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  addEventListener("keydown", () => bench.keys.push(performance.now()), true);
  const frame = () => {
    const heading = document.querySelector("h1");
    if (bench.prose === null && heading?.textContent.trim() && heading.offsetHeight) bench.prose = performance.now();
    const input = touch && bench.touched === null && control();
    if (input) {
      bench.touched = performance.now();
      if (input.options) input.selectedIndex = (input.selectedIndex + 1) % input.length;
      else input.value = +input.value + 10;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (bench.prose === null || (touch && bench.touched === null)) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
"""


@dataclass
class Sample:
    """What one kind of page took, one number a run under each heading."""

    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, value: float) -> None:
        """Notes one measurement."""
        self.values.setdefault(name, []).append(value)

    def median(self, name: str) -> float | None:
        """The middle of all runs, or nothing where this page has no such thing."""
        found = self.values.get(name)
        return statistics.median(found) if found else None


@contextlib.contextmanager
def browser(playwright: object) -> Iterator[Browser]:
    """A fresh browser, so that no run finds compiled code or files of the one before."""
    import shutil

    path = next(p for name in NAMES if (p := shutil.which(name)))
    opened = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)  # type: ignore[attr-defined]
    try:
        yield opened
    finally:
        opened.close()


def open_page(context: BrowserContext, address: str, touch: bool = False) -> Page:
    """Opens a page that watches itself from its first moment."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(f"({WATCH})({'true' if touch else 'false'})")
    page.goto(address, wait_until="commit")
    return page


def glassbox_live(page: Page) -> float:
    """Waits until Python answers a chapter's slider; returns when it did."""
    page.wait_for_selector("#runtime[data-state=live]", state="attached")
    page.locator("figure.glassbox input[type=range]").first.press("ArrowRight")
    page.wait_for_function("document.querySelector('.figure-state')?.dataset.state === 'live'")
    return float(page.evaluate("performance.now()"))


def plain_live(page: Page) -> float:
    """Presses a plain export's slider until the picture follows; returns when it did."""
    thumb = page.locator("[role=slider]").first
    thumb.wait_for()
    deadline = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < deadline:
        with contextlib.suppress(Exception):  # the page replaces its slider when it comes to life
            thumb.press("ArrowRight", timeout=500)
        page.wait_for_timeout(50)
        changes = page.evaluate("bench.changes")
        if changes:
            return float(changes[0])
    raise TimeoutError("the plain export's slider never answered")


def slider_to_picture(page: Page, slider: str, swing: int = 10) -> list[float]:
    """Times from a key press to the changed picture, so many presses to one side, then as many back."""
    control = page.locator(slider).first
    control.focus()
    page.wait_for_timeout(500)
    times = []
    for number in range(PRESSES):
        before = page.evaluate("bench.changes.length")
        control.press("ArrowLeft" if number % (2 * swing) < swing else "ArrowRight")
        page.wait_for_function("before => bench.changes.length > before", arg=before)
        pressed, changes = page.evaluate("[bench.keys.at(-1), bench.changes]")
        times.append(min(c for c in changes if c >= pressed) - pressed)
    return times


def peak_megabytes(opened: Browser) -> float:
    """The largest resident size that a page's process has had, from the operating system."""
    session = opened.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    peaks = [0.0]
    for process in processes:
        status = Path(f"/proc/{process['id']}/status")
        if process["type"] == "renderer" and status.exists():
            found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="utf-8"))
            peaks.append(int(found[1]) / 1000 if found else 0.0)
    return max(peaks)


def percentile(values: list[float], share: float) -> float:
    """The value below which the given share lies."""
    return sorted(values)[min(len(values) - 1, round(share * (len(values) - 1)))]


def run(
    playwright: object,
    server: serve.Server,
    address: str,
    live: Callable[[Page], float],
    slider: str,
    sample: Sample,
) -> None:
    """Opens one page in a fresh browser, twice, and uses it."""
    with browser(playwright) as opened:
        context = opened.new_context(bypass_csp=True)
        for visit in ("cold", "again"):
            before = len(server.requests)
            page = open_page(context, address)
            sample.add(f"slider answered by Python, {visit} (ms)", live(page))
            sample.add(f"first prose, {visit} (ms)", page.evaluate("bench.prose"))
            answered = server.requests[before:]
            sample.add(f"requests until then, {visit}", len(answered))
            sample.add(f"bytes until then, {visit} (kB)", sum(r.sent for r in answered) / 1000)
            if visit == "cold":
                times = slider_to_picture(page, slider)
                sample.add("slider to picture, p50 (ms)", percentile(times, 0.5))
                sample.add("slider to picture, p95 (ms)", percentile(times, 0.95))
                sample.add("peak memory (MB)", peak_megabytes(opened))
            page.close()


def python_alone(playwright: object, address: str, sample: Sample) -> None:
    """How fast Python itself answers in a chapter, from the figure's own line."""
    with browser(playwright) as opened:
        page = open_page(opened.new_context(bypass_csp=True), address)
        glassbox_live(page)
        control = page.locator("figure.glassbox input[type=range]").first
        state = page.locator("figure.glassbox .figure-state").first
        times = []
        for number in range(PRESSES):
            control.press("ArrowLeft" if number % 20 < 10 else "ArrowRight")
            page.wait_for_function(
                "() => { const [f] = glassbox.figures.values();"
                " return f.shown === f.key && f.stateLine.dataset.state === 'live'; }"
            )
            found = re.search(r"in (\d+) ms", state.inner_text())
            if found:
                times.append(float(found[1]))
        sample.add("Python's answer alone, p50 (ms)", percentile(times, 0.5))
        sample.add("Python's answer alone, p95 (ms)", percentile(times, 0.95))


def before_python(playwright: object, server: serve.Server, address: str, sample: Sample) -> None:
    """What a page costs and does as long as nobody asks for Python, in a browser that has itself started."""
    with browser(playwright) as opened:
        opened.new_context().new_page().wait_for_timeout(SETTLE)
        before = len(server.requests)
        page = open_page(opened.new_context(bypass_csp=True, service_workers="block"), address, touch=True)
        page.wait_for_function("bench.changes.length > 0")
        sample.add("first answered touch (ms)", page.evaluate("bench.changes[0]"))
        page.wait_for_load_state("networkidle")
        answered = server.requests[before:]
        sample.add("requests", len(answered))
        sample.add("bytes (kB)", sum(r.sent for r in answered) / 1000)
        times = slider_to_picture(page, "figure.glassbox :is(input[type=range], select)", swing=1)
        sample.add("touch to picture, p50 (ms)", percentile(times, 0.5))
        sample.add("touch to picture, p95 (ms)", percentile(times, 0.95))


def table(title: str, columns: dict[str, Sample]) -> None:
    """Prints medians side by side, and the first as a share of the second."""
    print(f"\n{title}")
    names = list(dict.fromkeys(n for s in columns.values() for n in s.values))
    heads = list(columns)
    print(f"  {'':<40}" + "".join(f"{h:>12}" for h in heads) + ("       ratio" if len(heads) == 2 else ""))
    for name in names:
        medians = [columns[h].median(name) for h in heads]
        line = "".join(f"{'–' if m is None else f'{m:,.1f}':>12}" for m in medians)
        if len(medians) == 2 and medians[0] is not None and medians[1]:
            line += f"{medians[0] / medians[1]:>12.2f}"
        print(f"  {name:<40}{line}")


def measure(site: Path, plain: Path, chapter: str, runs: int) -> None:
    """Measures both builds in turn and prints the tables."""
    ours, theirs = Sample(), Sample()
    early = {name: Sample() for name in ("an embed", *CHAPTERS)}
    ours_slider, their_slider = "figure.glassbox input[type=range]", "[role=slider]"
    embed = next(
        p.relative_to(site).as_posix()
        for p in sorted((site / "embed" / chapter).glob("*.html"))
        if 'type="range"' in p.read_text(encoding="utf-8")
    )
    with sync_playwright() as p, serve.serve(site) as a, serve.serve(plain) as b:
        for number in range(-1, runs):  # the first round only fills the server's memory
            started = time.monotonic()
            kept = number >= 0
            into = (ours, theirs) if kept else (Sample(), Sample())
            run(p, a, f"{a.address}{chapter}.html", glassbox_live, ours_slider, into[0])
            run(p, b, b.address, plain_live, their_slider, into[1])
            python_alone(p, f"{a.address}{chapter}.html", into[0])
            for name, sample in early.items():
                path = f"{name}.html?live=0" if name in CHAPTERS else embed
                before_python(p, a, a.address + path, sample if kept else Sample())
            print(f"round {number + 1} of {runs}: {time.monotonic() - started:.0f} s", flush=True)
    table(f"The chapter “{chapter}”, medians of {runs}", {"glassbox": ours, "plain": theirs})
    table(f"Before Python, medians of {runs}; the embed is {embed}", early)


def main() -> None:
    """Builds the site and the plain export, measures, prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--chapter", default="attention")
    parser.add_argument("--site", type=Path, help="a built site, to skip building it")
    parser.add_argument("--charts", action="store_true", help="measure charts alone (tests/bench/charts.py)")
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = asked.site or Path(folder) / "dist"
        site = Site(ROOT, out.resolve(), asked.cache)
        if asked.site is None:
            load_build().build(site)
        if asked.charts:
            charts.measure(site.out)
            return
        plain = Path(folder) / "plain"
        edit.plain(site, asked.chapter, plain)
        measure(site.out, plain, asked.chapter, asked.runs)


if __name__ == "__main__":
    main()
