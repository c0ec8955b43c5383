"""Where the time goes until Python answers: ``python -m tests.bench.start --site dist --plain``.

Opens each chapter in a fresh browser, cold and once more, and prints medians: when the files are there, when the
interpreter, NumPy and the chapter have started, when Python has answered a slider, and the bytes and requests
until then. This is done at this machine's own speed, over a line of 10 megabits a second and 40 milliseconds
there and back, and over one of 1.6 and 150; ``--line`` names others. With ``--plain`` a plain export of the same
notebook is measured in turn, in the same run, and so is a second ``--site``.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from glassbox.chapters import NAMES as CHAPTERS
from glassbox.publish.pages import edit
from glassbox.publish.site import Site
from tests import serve
from tests.bench.page import PATIENCE, Sample, browser, glassbox_live, open_page, plain_live, table
from tests.conftest import ROOT

LINES = ("none", "10,40", "1.6,150")
ANSWERED = "a slider is answered (ms)"

# Notes when the worker first says each thing; "done" is its word that Python answers.
LISTEN = """(() => {
  const said = (window.said = {});
  const Plain = Worker;
  window.Worker = class extends Plain {
    constructor(...all) {
      super(...all);
      said["asked for"] ??= performance.now();
      this.addEventListener("message", ({ data }) => {
        if (data.type === "progress") said[data.text] ??= performance.now();
        if (data.type === "ready") said.done = performance.now();
      });
    }
  };
})()"""

PHASES = {
    "worker asked for": "asked for",
    "files there": "Starting Python",
    "interpreter started": "Starting NumPy",
    "chapter answers": "done",
}


def visit(playwright: object, server: serve.Server, chapter: str, sample: Sample) -> None:
    """Opens a chapter in a fresh browser, and once more in the same."""
    with browser(playwright) as opened:
        context = opened.new_context(bypass_csp=True)
        for which in ("cold", "again"):
            before = len(server.requests)
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            page.add_init_script(LISTEN)
            page.goto(f"{server.address}{chapter}.html?live=1", wait_until="commit")
            page.wait_for_function("window.said?.done")
            said = page.evaluate("said")
            for name, text in PHASES.items():
                if text in said:
                    sample.add(f"{which}: {name} (ms)", said[text])
            count(sample, which, server.requests[before:])
            sample.add(f"{which}: {ANSWERED}", glassbox_live(page))
            page.close()


def plain_visit(playwright: object, server: serve.Server, sample: Sample) -> None:
    """The same of a plain export, of which only its answer can be seen from outside."""
    with browser(playwright) as opened:
        context = opened.new_context(bypass_csp=True)
        for which in ("cold", "again"):
            before = len(server.requests)
            page = open_page(context, server.address)
            sample.add(f"{which}: {ANSWERED}", plain_live(page))
            count(sample, which, server.requests[before:])
            page.close()


def count(sample: Sample, which: str, answered: list[serve.Request]) -> None:
    """Notes what was asked for and sent."""
    sample.add(f"{which}: bytes (kB)", sum(r.sent for r in answered) / 1000)
    sample.add(f"{which}: requests", len(answered))


def measure(
    playwright: object, chapter: str, line: str, asked: argparse.Namespace, plain: Path | None
) -> None:
    """Measures one chapter over one line, and prints."""
    speed = None if line == "none" else [float(n) for n in line.split(",")]
    columns = {f"site {n + 1}": Sample() for n in range(len(asked.site))} | (
        {"plain": Sample()} if plain else {}
    )
    for _ in range(asked.runs):
        for name, folder in zip(columns, [*asked.site, plain], strict=False):
            limit = serve.Line(*speed) if speed else None
            with serve.serve(folder, line=limit) as server:
                if folder == plain:
                    plain_visit(playwright, server, columns[name])
                else:
                    visit(playwright, server, chapter, columns[name])
    said = f"{speed[0]:g} Mbit/s, {speed[1]:g} ms" if speed else "no limit of the line"
    table(f"“{chapter}”, medians of {asked.runs}, {said}", columns)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--site", type=Path, action="append", required=True, help="a built site; twice to compare two"
    )
    parser.add_argument(
        "--line", action="append", help="megabits a second and milliseconds, as 10,40; or none"
    )
    parser.add_argument("--plain", action="store_true", help="measure a plain export of the notebook in turn")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--chapter", choices=CHAPTERS, action="append")
    asked = parser.parse_args()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        for chapter in asked.chapter or CHAPTERS:
            plain = Path(folder) / chapter if asked.plain else None
            if plain:
                edit.plain(Site(ROOT, asked.site[0].resolve(), ROOT / ".cache"), chapter, plain)
            for line in asked.line or LINES:
                measure(playwright, chapter, line, asked, plain)


if __name__ == "__main__":
    main()
