"""The site's scripts: read by a linter, held to one format, and their logic run under Node's own test runner."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

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
