"""The heights of frames: read, estimated, said, and written into the lines that others paste."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from glassbox.publish.errors import BuildError
from glassbox.publish.pages import frame, heights
from glassbox.publish.pages.heights import ROOM, Heights

KNOWN = {f"a/{n}": (400 + 100 * n, 300 + 100 * n) for n in range(5)}


def test_a_measured_page_gets_its_height_and_a_linked_state_that_of_its_own():
    known = Heights({"a/b": (500, 400), "a/b?x=1": (700, 600)})
    assert known.of("a/b") == (500 + ROOM, 400 + ROOM)
    assert known.of("a/b", "x=1") == (700 + ROOM, 600 + ROOM)
    assert known.sentence() == ""


def test_a_linked_state_that_nobody_measured_is_as_high_as_its_figure_and_the_build_says_so():
    known = Heights({"a/b": (500, 400)})
    assert known.of("a/b", "x=1") == known.of("a/b")
    assert "a/b?x=1" in known.sentence()
    assert "--measure" in known.sentence()


def test_a_new_figure_gets_what_three_of_four_need_and_the_build_names_it_once():
    known = Heights(dict(KNOWN))
    assert known.of("a/new") == (750 + ROOM, 650 + ROOM)
    known.of("a/new")
    assert known.missing == ["a/new"]
    assert "650 px, 750 px on a phone" in known.sentence()


def test_many_new_figures_make_one_sentence():
    known = Heights({})
    for n in range(9):
        assert min(known.of(f"a/{n}")) > 500
    assert "a/0, a/1, a/2 and 6 more" in known.sentence()


def test_what_is_written_is_read(tmp_path: Path):
    (tmp_path / "site").mkdir()
    assert heights.read(tmp_path).known == {}
    heights.write(tmp_path, KNOWN | {"a/b?t=é": (1, 2)})
    assert heights.read(tmp_path).known == KNOWN | {"a/b?t=é": (1, 2)}


@pytest.mark.parametrize("text", ["{", "[1]", '{"a/b": 3}', '{"a/b": [1]}', '{"a/b": ["x", 2]}'])
def test_a_damaged_file_stops_the_build_with_a_sentence(tmp_path: Path, text: str):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "heights.json").write_text(text)
    with pytest.raises(BuildError, match=r"two numbers for each page .*--measure"):
        heights.read(tmp_path)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_lines_hold_one_frame_and_one_script_whatever_the_title_is():
    title = 'A "title" & <script>alert(1)</script>'
    read = _Tags()
    read.feed(frame.lines("https://x.example/g/", "embed/a/b.html?x=1&y=2", title, (900, 600)))
    (tag, attributes), (other, script) = read.found
    assert (tag, other) == ("iframe", "script")
    assert attributes["src"] == "https://x.example/g/embed/a/b.html?x=1&y=2"
    assert attributes["title"] == title
    assert attributes["height"] == "600"
    assert script["src"] == "https://x.example/g/embed.js"


def test_a_frame_is_higher_on_a_phone_unless_it_need_not_be():
    assert frame.style(900, 600) == "border:0;height:clamp(600px,calc((600px - 100vw)*999),900px)"
    assert frame.style(500, 600) == "border:0;height:600px"
