"""A notebook, cut up: what a page shows, and the program that answers its figures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from glassbox.publish.files import write_whole

Json = dict[str, Any]


@dataclass(frozen=True)
class Block:
    """One piece of a page, in reading order: ``kind`` is prose, guess, check or figure.

    Attributes:
        kind: Which of the four.
        html: The markup of prose, a guess or a check.
        name: A figure's, a guess's or a check's name.
        question: For a figure, the heading of the section it stands in; else what is asked, plain.
        aim: For a figure, the first line of its function's docstring.
        answer: For a guess or a check, the markup of its answer.
        cell: How a sentence of the build names the cell it comes from.
    """

    kind: str
    html: str = ""
    name: str = ""
    question: str = ""
    aim: str = ""
    answer: str = ""
    cell: str = ""


@dataclass(frozen=True)
class Chapter:
    """A notebook, cut up.

    Attributes:
        name: The notebook's file name without ``.py``.
        title: Its first heading.
        description: Its first paragraph, as plain text.
        blocks: What the page shows.
        program: What answers the figures; plain JSON.
        presets: Figure name to the states that the prose links to (see ``presets``).
        words: How many words the prose has, for the reading time.
        charts: Charts that cells show by themselves, by name, each as Vega-Lite without rows.
    """

    name: str
    title: str
    description: str
    blocks: tuple[Block, ...]
    program: Json
    presets: dict[str, list[Json]]
    words: int
    charts: dict[str, Json] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        """Keeps the chapter in the cache."""
        write_whole(path, json.dumps(asdict(self), ensure_ascii=False).encode())

    @classmethod
    def read(cls, path: Path) -> Chapter:
        """Reads what ``write`` wrote."""
        kept = json.loads(path.read_text(encoding="utf-8"))
        return cls(**{**kept, "blocks": tuple(Block(**b) for b in kept["blocks"])})


def figures(chapter: Chapter) -> Iterator[Json]:
    """The chapter's figures with their control descriptions put in."""
    yield from described(chapter.program)


def described(program: Json) -> Iterator[Json]:
    """A program's figures with the descriptions of their controls."""
    by_name = {c["name"]: c for c in program["controls"]}
    for figure in program["figures"]:
        yield {**figure, "controls": [by_name[c] for c in figure["controls"]]}


def excerpt(program: Json, name: str) -> Json:
    """The part of a program that one figure needs, for its embed page."""
    figure = next(f for f in program["figures"] if f["name"] == name)
    cells = [program["cells"][i] for i in figure["cells"]]
    refs = {r for c in cells for r in c["refs"]}
    lines = [ln for ln in program["imports"].split("\n") if set(re.findall(r"\w+", ln)) & refs]
    return {
        "imports": "\n".join(lines),
        "cells": cells,
        "controls": [c for c in program["controls"] if c["name"] in figure["controls"]],
        "figures": [{**figure, "cells": list(range(len(cells)))}],
    }
