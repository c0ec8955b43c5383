"""What a chart costs: bytes before and after a touch, and the time from new rows to the drawn picture.

``python -m tests.bench.page --charts --site dist`` opens every embed with a chart, wakes it, and draws states
computed ahead one after the other. A draw ends when the page has been laid out with the new marks.
"""

# ruff: noqa: T201 - a benchmark prints

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests import serve
from tests.browser.conftest import ARGUMENTS, NAMES

DRAWS = 120  # of each figure
WARM = 10  # of them that do not count: the browser compiles what it meets
FRAME = 1000 / 60  # ms: a picture that takes longer costs a frame

ALIVE = (
    "(n) => [...document.querySelectorAll(`#${n} [data-chart]`)].every((c) => c.querySelector('.plot svg'))"
)
DRAW = """async ([name, draws]) => {
  const fig = glassbox.figures.get(name);
  await fig.load();
  const keys = Object.keys(fig.packed.states);
  const rows = (key) => {
    const picture = new DOMParser().parseFromString(fig.ahead(key)[0], "text/html");
    return [...picture.querySelectorAll("[data-chart]")].map((c) => [c.dataset.chart, c.querySelector("script").textContent]);
  };
  const times = [];
  for (let n = 0; n < draws; n += 1) {
    const places = [...fig.picture.querySelectorAll("[data-chart]")];
    rows(keys[n % keys.length]).forEach(([chart, text], at) => {
      if (places[at]?.dataset.chart === chart) places[at].querySelector("script").textContent = text;
    });
    await new Promise((done) => setTimeout(done));
    const began = performance.now();
    await glassbox.charts.draw(fig);
    fig.picture.getBoundingClientRect();
    times.push(performance.now() - began);
  }
  return times;
}"""


def measure(site: Path) -> None:
    """Measures every embed with a chart, and prints a line for each and one for all."""
    import shutil

    path = next(p for name in NAMES if (p := shutil.which(name)))
    embeds = [p for p in sorted((site / "embed").rglob("*.html")) if "data-chart=" in p.read_text("utf-8")]
    every: list[float] = []
    print(f"load {os.getloadavg()[0]:.1f}; {DRAWS - WARM} draws of each figure; a frame is {FRAME:.1f} ms")
    print(f"  {'':<26}{'before (kB)':>12}{'alive (kB)':>12}{'p50 (ms)':>10}{'p95 (ms)':>10}{'worst':>8}")
    with sync_playwright() as p, serve.serve(site) as server:
        browser = p.chromium.launch(executable_path=path, args=ARGUMENTS)
        for embed in embeds:
            context = browser.new_context(bypass_csp=True, service_workers="block")
            page, before = context.new_page(), len(server.requests)
            light, heavy, times = _one(page, server, before, embed.relative_to(site).as_posix())
            context.close()
            every += times
            name = "/".join(embed.with_suffix("").parts[-2:])
            print(f"  {name:<26}{light:>12.0f}{heavy:>12.0f}{_line(times)}", flush=True)
        browser.close()
    print(f"  {'all':<26}{'':>24}{_line(every)}   load {os.getloadavg()[0]:.1f}")


def _one(page: Page, server: serve.Server, before: int, path: str) -> tuple[float, float, list[float]]:
    """Kilobytes before a touch and with the charts alive, and the times of the draws."""
    name = Path(path).stem
    page.goto(f"{server.address}{path}?live=0", wait_until="load")
    page.wait_for_function("(n) => !!glassbox.figures.get(n).packed", arg=name)
    page.wait_for_load_state("networkidle")
    light = sum(r.sent for r in server.requests[before:]) / 1000
    page.locator(f"#{name} .picture").hover()
    page.wait_for_function(ALIVE, arg=name)
    heavy = sum(r.sent for r in server.requests[before:]) / 1000
    return light, heavy, page.evaluate(DRAW, [name, DRAWS])[WARM:]


def _line(times: list[float]) -> str:
    found = sorted(times)
    at = [found[round(share * (len(found) - 1))] for share in (0.5, 0.95, 1)]
    return f"{at[0]:>10.1f}{at[1]:>10.1f}{at[2]:>8.1f}"
