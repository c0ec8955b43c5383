"""How soon a letter typed into *split* is seen in the bricks: ``python -m tests.bench.typing --site dist``.

Fills the first figure of Chapter 1 with so many characters of the page's own texts, then types letters at the
text's start, each once the last one is drawn. A time runs from the key to the frame after the picture changed.
"""

# ruff: noqa: T201 - a benchmark prints

from __future__ import annotations

import argparse
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from glassbox.tokens import measure
from tests import serve
from tests.bench.page import PATIENCE, browser

SIZES = {2_000: 50, 25_000: 100}  # characters: milliseconds that 95 of 100 letters may take
LETTERS = 60

# Types one letter at the start of the field, and says when the picture is on the screen that holds it.
TYPE = """async (letter) => {
  const field = document.querySelector("#split textarea");
  const picture = document.querySelector("#split .picture");
  const before = performance.now();
  const seen = new Promise((done) => {
    const watch = new MutationObserver(() => {
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.now())));
    });
    watch.observe(picture, { childList: true, subtree: true, characterData: true, attributes: true });
  });
  field.setRangeText(letter, 0, 0, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  return (await seen) - before;
}"""


def text(size: int) -> str:
    """So many characters of notes, everyday texts and all languages, as a reader might paste them."""
    samples = [*measure.samples()["clinical"], *measure.samples()["everyday"]]
    samples += measure.mix()["clinical"][::3] + measure.mix()["everyday"][::3]
    return " ".join(samples)[:size]


def types(page: Page, size: int) -> list[float]:
    """The milliseconds of each letter, after a few that warm up."""
    page.locator("#split textarea").fill(text(size))
    page.wait_for_function(
        "(n) => { const f = window.glassbox.figures.get('split'); return f.shown === f.key; }", arg=size
    )
    page.wait_for_timeout(1_000)
    letters = ("patient " * LETTERS)[: LETTERS + 5]
    return [float(page.evaluate(TYPE, letter)) for letter in letters][5:]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--site", type=Path, required=True, help="a built site")
    asked = parser.parse_args()
    with sync_playwright() as playwright, serve.serve(asked.site) as server, browser(playwright) as opened:
        page = opened.new_context(bypass_csp=True).new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{server.address}tokens.html?live=1")
        page.wait_for_selector("#runtime[data-state=live]", state="attached")
        for size, most in SIZES.items():
            found = sorted(types(page, size))
            middle, slow = found[len(found) // 2], found[int(0.95 * len(found))]
            print(
                f"{size:,} characters: median {middle:.0f} ms, p95 {slow:.0f} ms, longest {found[-1]:.0f} ms "
                f"(p95 at most {most} ms)"
            )


if __name__ == "__main__":
    main()
