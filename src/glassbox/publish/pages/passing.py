"""Which texts a chapter hands on: a sentence typed in one chapter is there in the next.

A text control is named for its figure and what it holds (``split_text``, ``qkv_text``). Texts that hold the
same thing are shared: a link to another chapter gives its controls of that noun the reader's text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from glassbox.publish.pages.chapter import Chapter


def texts(chapters: Mapping[str, Chapter], here: str) -> dict[str, dict[str, list[str]]]:
    """For each other chapter: this chapter's text controls, and the controls there that take their text."""
    own = list(_nouns(chapters[here]))
    found: dict[str, dict[str, list[str]]] = {}
    for name, chapter in chapters.items():
        there = list(_nouns(chapter)) if name != here else []
        pairs = {mine: [c for c, noun in there if noun == shared] for mine, shared in own}
        if any(pairs.values()):
            found[name] = {mine: names for mine, names in pairs.items() if names}
    return found


def _nouns(chapter: Chapter) -> Iterator[tuple[str, str]]:
    """Each text control's name, and what it holds: the name without its figure's."""
    figures = {c: f["name"] for f in chapter.program["figures"] for c in f["controls"]}
    for control in chapter.program["controls"]:
        if control["kind"] == "text":
            name = control["name"]
            yield name, name.removeprefix(f"{figures[name]}_")
