"""The site's scripts: read by a linter, held to one format, and their logic run under Node's own test runner."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from glassbox.figures.tokens import bricks
from glassbox.tokens import vocabularies

ROOT = Path(__file__).parents[2]
LISTS = ("package.json", "package-lock.json")


@pytest.fixture(scope="session")
def packages(cache: Path) -> Path:
    """The folder with what ``package-lock.json`` pins, fetched once by npm."""
    digest = hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in LISTS)).hexdigest()[:12]
    folder = (cache / f"npm-{digest}").resolve()
    if not (folder / "whole").exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.fail("The scripts' tests need npm (Debian: apt-get install npm).", pytrace=False)
        folder.mkdir(parents=True, exist_ok=True)
        for name in LISTS:
            shutil.copyfile(ROOT / name, folder / name)
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        done = subprocess.run([npm, "ci", *options], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        (folder / "whole").touch()
    return folder


def run(command: list[str], packages: Path) -> None:
    environment = os.environ | {"GLASSBOX_PACKAGES": str(packages), "NODE_NO_WARNINGS": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_scripts_are_formatted_and_the_linter_finds_nothing(packages: Path) -> None:
    biome = packages / "node_modules" / ".bin" / "biome"
    run([str(biome), "ci", "--error-on-warnings", "--colors=off", "."], packages)


@pytest.mark.parametrize("name", sorted(p.name for p in Path(__file__).parent.glob("*.test.mjs")))
def test_the_logic_of_the_scripts(packages: Path, name: str) -> None:
    run(["node", "--test", f"tests/js/{name}"], packages)


WALL = """
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { figure, open } from "PAGE";
const [long, whole] = JSON.parse(readFileSync("WALLS", "utf8"));
const window = open(figure("", `<div class="split">${long}</div>`), ["page", "wall"]);
const box = window.document.querySelector("[role=grid]");
Object.defineProperty(box, "clientHeight", { value: 300 });
Object.defineProperty(box, "scrollHeight", { get: () => box.querySelectorAll("i").length });
const scroll = (top) => ((box.scrollTop = top), box.dispatchEvent(new window.Event("scroll")));
const drawn = () => box.querySelectorAll("i").length;
assert.equal(drawn(), 600);
scroll(10); // 600 stand, and 910 should
assert.equal(drawn(), 1200);
const line = window.document.querySelector(".pieces-left");
assert.match(line.textContent, /^… and [\\d,]+ more pieces/);
scroll(1e6);
assert.ok(line.hidden);
const outside = window.document.createElement("div");
outside.innerHTML = whole;
const [row, wanted] = [box, outside].map((e) => e.querySelector("[role=row]"));
assert.equal(row.children.length, wanted.children.length);
for (const [n, child] of [...row.children].entries()) {
  const other = wanted.children[n];
  assert.equal(child.textContent, other.textContent);
  assert.deepEqual({ ...child.dataset }, { ...other.dataset });
  for (const name of ["class", "role", "tabindex"]) assert.equal(child.getAttribute(name), other.getAttribute(name));
}
"""


def test_pieces_drawn_as_a_reader_scrolls_are_those_that_python_draws(packages: Path, tmp_path: Path) -> None:
    text = "The naïve 👨‍👩‍👧 has <b>&amp; 東京\n thrombocytopenia, \u200d 0.25 mg;" * 80 + "=" * 4_000
    pieces = vocabularies.load("gpt2").pieces(text)
    walls = ["".join(map(str, bricks.long_wall(pieces, text))), str(bricks.wall(pieces, text, ids=False))]
    (tmp_path / "walls.json").write_text(json.dumps(walls), encoding="utf-8")
    script = WALL.replace("PAGE", str(ROOT / "tests/js/page.mjs")).replace(
        "WALLS", str(tmp_path / "walls.json")
    )
    (tmp_path / "wall.mjs").write_text(script, encoding="utf-8")
    run(["node", str(tmp_path / "wall.mjs")], packages)
