"""The tools that read the code rather than run it."""

import subprocess
import sys
from pathlib import Path

import pytest

from glassbox import chapters

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["marimo", "check", "--strict", *(f"notebooks/{name}.py" for name in chapters.NAMES)],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_the_tools_find_nothing(command):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
