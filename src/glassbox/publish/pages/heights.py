"""How high each figure and question is on a page of its own, measured in a browser and kept with the sources.

``site/heights.json`` holds a line for every page and every linked state: its height in CSS pixels at 360 and
at 720 px of width. ``python build.py --measure`` writes it (see ``publish.measure``); a build only reads it,
so that nobody needs a browser to build. What has not been measured yet gets an estimate, and the build says
so.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, field
from pathlib import Path

from glassbox.publish.errors import BuildError

WIDTHS = (360, 720)  # CSS px: a phone's column, a course page's column
ROOM = 8  # px added to what was measured: another machine's fonts are a little wider or higher

Pair = tuple[int, int]  # px at each of WIDTHS


@dataclass
class Heights:
    """The measured heights.

    Attributes:
        known: ``chapter/name``, or ``chapter/name?query`` for a linked state, to the two heights in px.
        missing: What was asked for and is not there.
    """

    known: dict[str, Pair]
    missing: list[str] = field(default_factory=list)

    def of(self, page: str, query: str = "") -> Pair:
        """The heights for a frame, in px: measured, or else the estimate.

        A linked state that was not measured is taken to be as high as its figure is at first.
        """
        key = f"{page}?{query}" if query else page
        if key not in self.known and key not in self.missing:
            self.missing.append(key)
        narrow, wide = self.known.get(key) or self.known.get(page) or self.estimate()
        return narrow + ROOM, wide + ROOM

    def estimate(self) -> Pair:
        """What three of four known pages fit into; without any, what most figures need."""
        if len(self.known) < 4:
            return (1000, 720)
        columns = zip(*self.known.values(), strict=True)
        narrow, wide = (round(statistics.quantiles(column, n=4)[2]) for column in columns)
        return narrow, wide

    def sentence(self) -> str:
        """What the build says about pages without a height; empty when there is none."""
        if not self.missing:
            return ""
        narrow, wide = self.estimate()
        named = ", ".join(self.missing[:3]) + (f" and {n} more" if (n := len(self.missing) - 3) > 0 else "")
        return (
            f"no height has been measured for {named}. Until “python build.py --measure” (it needs Chromium) "
            f"has run, a frame gets that of its figure’s first state, or an estimate: {wide} px, {narrow} px "
            "on a phone."
        )


def read(root: Path) -> Heights:
    """Reads the file of the repository ``root``; a missing one holds nothing.

    Raises:
        BuildError: The file is not what ``write`` writes.
    """
    path = root / "site" / "heights.json"
    if not path.exists():
        return Heights({})
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Heights({key: (int(narrow), int(wide)) for key, (narrow, wide) in found.items()})
    except (ValueError, TypeError, AttributeError) as error:
        remedy = f"it does not hold two numbers for each page ({error}); run “python build.py --measure”."
        raise BuildError("shell", path, remedy) from error


def write(root: Path, known: dict[str, Pair]) -> Path:
    """Writes the file, one page a line; returns its path."""
    path = root / "site" / "heights.json"
    lines = [f"{json.dumps(key, ensure_ascii=False)}: {list(known[key])}" for key in sorted(known)]
    path.write_text("{\n " + ",\n ".join(lines) + "\n}\n", encoding="utf-8")
    return path
