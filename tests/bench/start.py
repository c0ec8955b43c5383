"""Where the time goes until Python answers: ``python -m tests.bench.start --line 10,40``.

Opens each chapter in a fresh browser, cold and once more, over a line of so many megabits a second and so many
milliseconds there and back (without ``--line``: this machine's own speed), and prints medians: when the files
are there, when the interpreter, NumPy and the chapter have started, and the bytes and requests until then.
A second ``--site`` is measured in turn with the first, in the same run.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from playwright.sync_api import sync_playwright

from glassbox.chapters import NAMES as CHAPTERS
from tests import serve
from tests.bench.page import PATIENCE, Sample, browser, table

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
            answered = server.requests[before:]
            sample.add(f"{which}: bytes (kB)", sum(r.sent for r in answered) / 1000)
            sample.add(f"{which}: requests", len(answered))
            page.close()


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--site", type=Path, action="append", required=True, help="a built site; twice to compare two"
    )
    parser.add_argument("--line", help="megabits a second and milliseconds, as 10,40 or 1.6,150")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--chapter", choices=CHAPTERS, action="append")
    asked = parser.parse_args()
    speed = [float(n) for n in asked.line.split(",")] if asked.line else None
    with sync_playwright() as playwright:
        for chapter in asked.chapter or CHAPTERS:
            columns = {str(site): Sample() for site in asked.site}
            for _ in range(asked.runs):
                for site in asked.site:
                    line = serve.Line(*speed) if speed else None
                    with serve.serve(site, line=line) as server:
                        visit(playwright, server, chapter, columns[str(site)])
            title = f"“{chapter}”, medians of {asked.runs}, {asked.line or 'no'} limit of the line"
            table(title, {f"site {n + 1}": sample for n, sample in enumerate(columns.values())})


if __name__ == "__main__":
    main()
