"""The head of a notebook names what the editor must load; what it forgets stops the build with a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from glassbox.chapters import NAMES as CHAPTERS
from glassbox.publish.errors import BuildError
from glassbox.publish.pages import header
from glassbox.publish.pages.dependencies import Tree

ROOT = Path(__file__).resolve().parents[3]
CODE = "import marimo\nfrom glassbox.figures import tokens\n"
SERVED = ("marimo-base", "altair", "numpy", "tiktoken", "regex", "glassbox")


def lock() -> dict[str, dict[str, Any]]:
    return {name: {"imports": [name.removesuffix("-base")]} for name in SERVED}


def head(*names: str) -> str:
    return f"# /// script\n# dependencies = {json.dumps(names)}\n# ///\n"


def check(folder: Path, text: str) -> list[str]:
    notebook = folder / "mine.py"
    notebook.write_text(text, encoding="utf-8")
    return header.check(Tree(ROOT / "src"), notebook, lock())


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_notebook_s_head_names_what_it_imports(chapter: str) -> None:
    notebook = ROOT / "notebooks" / f"{chapter}.py"
    assert set(header.check(Tree(ROOT / "src"), notebook, lock())) >= {"glassbox", "marimo"}


def test_a_head_that_names_all_passes_whatever_the_versions(tmp_path: Path) -> None:
    named = check(tmp_path, head("Altair", "glassbox", "marimo>=0.2", "TikToken == 0.12") + CODE)
    assert named == ["altair", "glassbox", "marimo", "tiktoken"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            CODE,
            r"head is missing, .*\n# /// script\n# dependencies = \[.altair., .glassbox., .marimo., .tiktoken.\]",
        ),
        (
            head("altair", "glassbox", "marimo") + CODE,
            "head does not name tiktoken, so its editor would come up without",
        ),
        (head("altair", "marimo", "tiktoken") + CODE, "does not name glassbox"),
        (
            head("glassbox", "marimo", "tiktoken", "polars") + CODE,
            "polars, which the browser's Python does not",
        ),
        (head("glassbox", "marimo", "tiktoken") + CODE + "import scipy\n", "scipy, which the browser's"),
        ("# /// script\n# dependencies = [\n# ///\n" + CODE, "cannot be read"),
        (head("glassbox", "not a name") + CODE, "cannot be read"),
    ],
)
def test_a_head_that_would_break_the_editor_stops_the_build(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(BuildError, match=reason) as stopped:
        check(tmp_path, text)
    assert stopped.value.path == tmp_path / "mine.py"
