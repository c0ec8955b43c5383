"""Lighthouse over the pages of a built site: the median of three visits, on a phone and on a desk.

    python -m tests.bench.lighthouse                      # every page, dist/ as it is
    python -m tests.bench.lighthouse attention --phone    # one page, the phone's figures only

Prints the four scores and what performance is made of. Run it on a quiet machine: scores fall with its load.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests import serve
from tests.browser.conftest import NAMES

LIGHTHOUSE = "lighthouse@13.5.0"
ROOT = Path(__file__).resolve().parents[2]
SCORES = ("performance", "accessibility", "best-practices", "seo")
PARTS = {
    "first-contentful-paint": "paint",
    "largest-contentful-paint": "largest",
    "total-blocking-time": "blocked",
    "cumulative-layout-shift": "shift",
}


def program(cache: Path) -> Path:
    """Lighthouse, installed once by npm."""
    folder = cache / "lighthouse"
    found = folder / "node_modules" / ".bin" / "lighthouse"
    if not found.exists():
        folder.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "PUPPETEER_SKIP_DOWNLOAD": "1"}
        command = [
            "npm",
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--prefix",
            str(folder),
            LIGHTHOUSE,
        ]
        subprocess.run(command, check=True, env=environment)
    return found


def visit(lighthouse: Path, address: str, phone: bool) -> dict[str, Any]:
    """One visit's report."""
    chromium = next((path for name in NAMES if (path := shutil.which(name))), "")
    command = [str(lighthouse), address, "--output=json", "--quiet"]
    command += ["--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-background-networking"]
    command += [f"--only-categories={','.join(SCORES)}"] + ([] if phone else ["--preset=desktop"])
    environment = {**os.environ, "CHROME_PATH": chromium}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"Lighthouse failed on {address}:\n{done.stderr[-2000:]}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def line(name: str, phone: bool, reports: list[dict[str, Any]]) -> str:
    """The medians of some visits to a page, and which audits of the other three scores it failed."""
    scores = [statistics.median(100 * (r["categories"][s]["score"] or 0) for r in reports) for s in SCORES]
    parts = [
        f"{word} {statistics.median(r['audits'][audit]['numericValue'] for r in reports):.5g}"
        for audit, word in PARTS.items()
    ]
    last = reports[-1]
    failed = [
        ref["id"]
        for s in SCORES[1:]
        for ref in last["categories"][s]["auditRefs"]
        if ref["weight"] and last["audits"][ref["id"]]["score"] == 0
    ]
    shown = " ".join(f"{score:5.0f}" for score in scores)
    return f"{name:22}{'phone' if phone else 'desk':6}{shown}   {', '.join(parts)}  {' '.join(failed)}"


def main() -> None:
    """Prints one line for each page and device."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("pages", nargs="*", help="names of pages, as attention or embed/attention/paint")
    parser.add_argument("--site", type=Path, default=ROOT / "dist")
    parser.add_argument("--visits", type=int, default=3)
    devices = parser.add_mutually_exclusive_group()
    devices.add_argument("--phone", action="store_true")
    devices.add_argument("--desk", action="store_true")
    asked = parser.parse_args()
    cache = Path(os.environ.get("GLASSBOX_CACHE", ROOT / ".cache"))
    names = asked.pages or sorted(p.stem for p in asked.site.glob("*.html") if p.stem != "404")
    lighthouse = program(cache)
    sys.stdout.write(f"{'page':28}{'perf':>5} {'acc':>5} {'best':>5} {'seo':>5}\n")
    with serve.serve(asked.site) as server:
        for name in names:
            for phone in (True, False):
                if (phone and asked.desk) or (not phone and asked.phone):
                    continue
                reports = [
                    visit(lighthouse, f"{server.address}{name}.html", phone) for _ in range(asked.visits)
                ]
                sys.stdout.write(line(name, phone, reports) + "\n")


if __name__ == "__main__":
    main()
