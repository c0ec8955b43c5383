"""Which of the interpreter's functions the book runs: ``python -m tests.bench.functions --site dist``.

Opens every chapter with an interpreter that notes each function it runs, answers every figure for many values of
its controls, and writes ``site/interpreter.json``. The build leaves these functions in the interpreter that pages
start with; all others come when one of them is missed. A function that is not listed costs a reader a wait, never
an answer. To be run again when the interpreter changes, or when much of the book does.
"""

# ruff: noqa: T201 - a benchmark prints

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from glassbox.chapters import NAMES as CHAPTERS
from glassbox.publish.python import runtime, splitting
from glassbox.publish.site import Site
from tests import serve
from tests.bench.page import PATIENCE, browser
from tests.conftest import ROOT

PREFIX = "__em_js__noted "  # which Emscripten passes over
TEXTS = (
    "The cat sat on the mat.",
    "Zwölf Boxkämpfer jagten Viktor über den großen Sylter Deich – 1,234.5 “!”",
    "Наша Таня 東京は晴れ 👩‍👩‍👧 e\u0301 \u00a0\t\n x==1e-9",
)
KEPT = ROOT / "site" / "interpreter.json"

ASK = """async ([name, values]) => {
  const { live, figures } = glassbox;
  return new Promise((done) => {
    let steps = 0;
    const reply = (answer) => {
      if (!answer.running) return done(answer.error ?? "");
      steps += 1;
      if (steps === 20) live.stop({ name });
    };
    live.ask({ name, changed() {}, state() {} }, values, reply);
  });
}"""
READ = """([prefix]) => Object.entries(self.given).filter(([n, g]) => n.startsWith(prefix) && g.value)
  .map(([n]) => +n.slice(prefix.length))"""


def noting(site: Path, wasm: bytes, out: Path) -> None:
    """Copies the site with an interpreter that notes in the place of its own."""
    shutil.copytree(site, out, copy_function=os.link)
    _replace(next((out / "runtime").glob("*/pyodide.asm.wasm")), splitting.noting(wasm, PREFIX))
    scripts = next(out.glob("static-*")) / "js"
    unchecked = "if (name !== 'pyodide.asm.wasm') throw new Altered(`the file"
    _change(scripts / "download.js", "throw new Altered(`the file", unchecked)
    _change(scripts / "worker.js", "given = instance.exports;", "self.given = given = instance.exports;")


def _change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    if old not in text:
        raise ValueError(f"{path.name} does not hold “{old}”")
    _replace(path, text.replace(old, new).encode())


def _replace(path: Path, data: bytes) -> None:
    path.with_name(f"{path.name}.br").unlink()
    path.unlink()
    path.write_bytes(data)


def positions(control: dict[str, Any]) -> list[object]:
    """Values that a control is set to."""
    kind = control["kind"]
    if kind == "text":
        return list(TEXTS)
    if kind in ("select", "radio"):
        return list(control["options"])
    if kind == "switch":
        return [True, False]
    if kind in ("button", "file"):
        return [1] if kind == "button" else []
    if "start" not in control:
        return list(control["steps"])
    return [control["start"], control["stop"], (control["start"] + control["stop"]) / 2]


def chapter(page: Page, program: dict[str, Any]) -> None:
    """Answers every figure of a chapter: as it stands, and with each of its controls moved."""
    controls = {c["name"]: c for c in program["controls"]}
    for figure in program["figures"]:
        first = {name: controls[name]["value"] for name in figure["controls"]}
        moved = [first | {name: value} for name in first for value in positions(controls[name])]
        for values in [first, *moved]:
            error = page.evaluate(ASK, [figure["name"], values])
            if error:
                print(f"  {figure['name']} {values}: {error}")


def record(site: Path) -> set[int]:
    """The functions that all chapters run."""
    found: set[int] = set()
    with sync_playwright() as playwright, serve.serve(site) as server, browser(playwright) as opened:
        for name in CHAPTERS:
            context = opened.new_context(bypass_csp=True, service_workers="block")
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            page.on("console", lambda m: print(m.text[:300]))
            page.goto(f"{server.address}{name}.html?live=1")
            page.wait_for_selector("#runtime:is([data-state=live], [data-state=failed])", state="attached")
            print(page.inner_text("#runtime"))
            start = set(page.workers[0].evaluate(READ, [PREFIX]))
            program = next((site / "program").glob(f"{name}.??????????.json"))
            chapter(page, json.loads(program.read_text(encoding="utf-8")))
            run = set(page.workers[0].evaluate(READ, [PREFIX]))
            found |= run
            print(
                f"{name}: {len(start)} functions until it answers, {len(run)} in all, {len(found)} with those before"
            )
            context.close()
    return found


def main() -> None:
    """Records and writes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--site", type=Path, required=True, help="a built site")
    asked = parser.parse_args()
    site = Site(ROOT, asked.site.resolve(), ROOT / ".cache")
    got = runtime.fetch(site)
    pinned = next(f for f in got.pins["files"] if f["name"].endswith(".wasm"))
    wasm = got.path(pinned).read_bytes()
    with tempfile.TemporaryDirectory(dir=site.out.parent) as folder:
        noting(site.out, wasm, Path(folder) / "site")
        found = record(Path(folder) / "site")
    bits = bytearray(max(found) // 8 + 1)
    for number in found:
        bits[number // 8] |= 1 << number % 8
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    kept |= {"sha256": hashlib.sha256(wasm).hexdigest(), "run": base64.b64encode(bits).decode()}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
