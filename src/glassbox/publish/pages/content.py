"""What templates show of a chapter: its figures, questions and words, each as plain data."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup as Safe

from glassbox import chapters
from glassbox.publish import names
from glassbox.publish.pages import controls, covering, frame, glossary, heights, presets
from glassbox.publish.pages.chapter import Chapter, figures
from glassbox.publish.state import Build

Json = dict[str, Any]

WORDS_PER_MINUTE = 200
MINUTES_PER_FIGURE = 0.75  # time to move a control and look


class Content:
    """What the steps before have found, as templates take it.

    Attributes:
        figures: Chapter to its figures.
        checks: Chapter to its questions.
        terms: The glossary.
        heights: What frames take.
    """

    def __init__(self, build: Build) -> None:
        self.build = build
        self.site = build.site
        self.heights = heights.read(build.site.root)
        self.figures = {name: list(self._figures(chapter)) for name, chapter in build.chapters.items()}
        self.checks = {name: list(self._checks(chapter)) for name, chapter in build.chapters.items()}
        self.terms = glossary.collect(build.site, build.chapters)

    def link(self, name: str, current: bool = False) -> Json:
        """A chapter as lists of chapters show it; ``current`` where it is the page's own."""
        chapter = self.build.chapters[name]
        minutes = round(
            chapter.words / WORDS_PER_MINUTE + MINUTES_PER_FIGURE * len(chapter.program["figures"])
        )
        return {
            "name": name,
            "number": chapters.NAMES.index(name) + 1,
            "title": chapter.title,
            "short": chapter.title.split(":")[0],
            "description": chapter.description,
            "href": f"{name}.html",
            "cover": chapters.record(name).cover,
            "minutes": max(1, minutes),
            "current": current,
        }

    def _figures(self, chapter: Chapter) -> Iterator[Json]:
        """The chapter's figures in their first state, with their controls and the states computed ahead."""
        blocks = {b.name: b for b in chapter.blocks if b.kind == "figure"}
        for figure in figures(chapter):
            name = figure["name"]
            ahead = self.build.states[chapter.name][name]
            picture, sentence, note, table, provenance = ahead.first
            linked = chapter.presets.get(name, [])
            yield {
                "kind": "figure",
                "chapter": chapter.name,
                "name": name,
                "title": ahead.title,
                "sentence": sentence,
                "note": note,
                "provenance": provenance,
                "picture": Safe(picture),
                "table": Safe(table),
                "controls": [Safe(controls.markup(c)) for c in figure["controls"]],
                "aim": blocks[name].aim,
                "question": blocks[name].question,
                "covers": covering.covered(figure["controls"], linked),
                "heights": self.heights.of(f"{chapter.name}/{name}"),
                "entries": [
                    self._entry(chapter.name, name, ahead.title, "As it opens"),
                    *(
                        self._entry(
                            chapter.name,
                            name,
                            ahead.title,
                            presets.label(p, figure["controls"]),
                            presets.query(p),
                        )
                        for p in linked
                    ),
                ],
                "frames": self._states(chapter.name, name),
                "whose": ahead.whose,
                "charts": "data-chart=" in picture or "data-chart=" in ahead.packed,
                "long": any(c["kind"] == "button" for c in figure["controls"]),
            }

    def words(self) -> list[Json]:
        """The glossary's words from A to Z, with the chapters and figures that they come from."""
        titles = {f"{c}/{f['name']}": f["title"] for c, found in self.figures.items() for f in found}
        return [
            {
                **dataclasses.asdict(term),
                "meaning": Safe(term.meaning),
                "title": titles.get(f"{term.chapter}/{term.figure}", ""),
            }
            for term in sorted(self.terms.values(), key=lambda term: term.name.lower())
        ]

    def _checks(self, chapter: Chapter) -> Iterator[Json]:
        """The chapter's questions, each with its answer."""
        for block in chapter.blocks:
            if block.kind == "check":
                yield {
                    "kind": "check",
                    "name": block.name,
                    "title": block.question,
                    "html": Safe(block.html),
                    "answer": Safe(block.answer),
                    "controls": [],
                    "heights": self.heights.of(f"{chapter.name}/{block.name}"),
                    "entries": [self._entry(chapter.name, block.name, block.question, "Open alone")],
                }

    def _entry(self, chapter: str, name: str, title: str, text: str, query: str = "") -> Json:
        """One state to embed: its address, what it shows, and the lines to paste."""
        path = f"embed/{chapter}/{name}.html" + (f"?{query}" if query else "")
        high = self.heights.of(f"{chapter}/{name}", query)
        lines = frame.lines(self.site.address, path, title, high)
        return {"href": path, "query": query, "title": title, "text": text, "heights": high, "lines": lines}

    def _states(self, chapter: str, name: str) -> str:
        """Writes a figure's states as a script, which a sandboxed frame or a folder on disk can load too."""
        packed = self.build.states[chapter][name].packed
        script = f'glassbox.frames("{chapter}/{name}",{packed})'.replace("\u2028", "\\u2028").replace(
            "\u2029", "\\u2029"
        )
        return f"frames/{chapter}/" + names.write(
            self.site.out / "frames" / chapter, name, ".js", script.encode()
        )


def led(figure: Json, name: str, chapter: str) -> Json:
    """The figure for a page other than its chapter's, where the figures that its picture leads to are not."""
    return figure | {"picture": Safe(presets.led_out(figure["picture"], name, chapter))}
