"""A chapter and a figure are added as docs/authoring.md says, in a copy of the repository, and it builds."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from glassbox.publish import scaffold
from tests.conftest import ROOT

MOST_FOR_A_CHAPTER = 6
MOST_FOR_A_FIGURE = 4
COPIED = ("src", "notebooks", "site", "tests", "build.py", "pyproject.toml", "README.md", "LICENSE", "NOTICE")


def copy(target: Path) -> Path:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            passed = shutil.ignore_patterns("__pycache__", "__marimo__", "browser")
            shutil.copytree(source, target / name, ignore=passed)
        else:
            shutil.copyfile(source, target / name)
    return target


def files(root: Path) -> dict[str, str]:
    return {
        p.relative_to(root).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in root.rglob("*")
        if p.is_file()
    }


def changed(root: Path, before: dict[str, str]) -> set[str]:
    return {name for name, digest in files(root).items() if before.get(name) != digest}


def add_a_figure(root: Path) -> None:
    """What an author writes: the function, its name in the package, a cell that calls it, and a test."""
    figures = root / "src" / "glassbox" / "figures" / "lane"
    code = (figures / "pairs.py").read_text(encoding="utf-8")
    (figures / "halves.py").write_text(
        code.replace("def pairs(", "def halves(").replace("words * words", "words // 2"), encoding="utf-8"
    )
    package = figures / "__init__.py"
    package.write_text(
        package.read_text(encoding="utf-8")
        .replace("\n\n__all__", "\nfrom glassbox.figures.lane.halves import halves\n\n__all__")
        .replace('["pairs"]', '["halves", "pairs"]'),
        encoding="utf-8",
    )
    notebook = root / "notebooks" / "lane.py"
    cell = (
        '@app.cell\ndef _():\n    lane_halves_of = mo.ui.slider(2, 20, label="Words")\n    lane_halves_of\n    return (lane_halves_of,)\n\n\n'
        "@app.cell\ndef lane_halves(lane_halves_of):\n    figures.halves(lane_halves_of.value)\n    return\n\n\n"
    )
    text = notebook.read_text(encoding="utf-8").replace(
        'if __name__ == "__main__"', cell + 'if __name__ == "__main__"'
    )
    notebook.write_text(with_a_chart(text), encoding="utf-8")
    test = root / "tests" / "notebooks" / "test_lane.py"
    more = (
        "\n\ndef test_half_of_seven_words_is_three():\n    assert figures.halves(7).table.rows == ((7, 3),)\n"
    )
    test.write_text(test.read_text(encoding="utf-8") + more, encoding="utf-8")


def with_a_chart(text: str) -> str:
    """The notebook with a cell that shows an Altair chart by itself, and Altair in its head and among its imports."""
    cell = (
        "@app.cell\ndef lane_lengths():\n"
        '    alt.Chart(alt.Data(values=[{"n": n, "words": n * n} for n in range(9)]), title="Squares",\n'
        '              description="Words grow as squares.").mark_line().encode(x="n:Q", y="words:Q")\n    return\n\n\n'
    )
    text = text.replace('if __name__ == "__main__"', cell + 'if __name__ == "__main__"')
    text = text.replace("    import marimo as mo\n", "    import altair as alt\n    import marimo as mo\n")
    return text.replace("dependencies = [", 'dependencies = ["altair", ')


def run(root: Path, cache: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "GLASSBOX_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, *command], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_chapter_and_a_figure_touch_few_files_build_and_pass(tmp_path: Path, cache: Path) -> None:
    root = copy(tmp_path / "copy")
    before = files(root)
    scaffold.chapter(root, "lane")
    assert len(changed(root, before)) <= MOST_FOR_A_CHAPTER
    before = files(root)
    add_a_figure(root)
    assert len(changed(root, before)) <= MOST_FOR_A_FIGURE

    own = tmp_path / "cache"
    own.mkdir()
    for part in cache.iterdir():
        if part.name != "zip":
            (own / part.name).symlink_to(part.resolve())
    run(root, own, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/notebooks/test_lane.py")
    run(root, own, "build.py", "--only", "lane", "--out", str(tmp_path / "dist"))
    made = {p.relative_to(tmp_path / "dist").as_posix() for p in (tmp_path / "dist").rglob("*.html")}
    assert {
        "lane.html",
        "embed/lane/lane_pairs.html",
        "embed/lane/lane_halves.html",
        "embed/lane/lane_lengths.html",
        "edit/lane.html",
    } <= made
    page = (tmp_path / "dist" / "embed" / "lane" / "lane_lengths.html").read_text(encoding="utf-8")
    assert "Words grow as squares." in page
    assert 'class="fixed wide"' in page
    assert "lane.html" in (tmp_path / "dist" / "index.html").read_text(encoding="utf-8")
