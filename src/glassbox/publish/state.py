"""What the build's steps hand on to each other."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glassbox.publish.pages.ahead import Ahead
from glassbox.publish.pages.chapter import Chapter
from glassbox.publish.pages.dependencies import Tree
from glassbox.publish.site import Site


@dataclass(frozen=True)
class Charts:
    """What a chapter's charts are drawn with; addresses relative to the site's root.

    Attributes:
        vega: Vega itself.
        integrity: Its hash as a script element states it.
        specs: The charts' specifications.
        lite: The same as Altair wrote them.
    """

    vega: str
    integrity: str
    specs: str
    lite: str


@dataclass(frozen=True)
class Shown:
    """A checkpoint that a site shows in the place of the shipped model.

    Attributes:
        name: What pages call it.
        folder: Where its files lie.
        digest: Of all its files.
    """

    name: str
    folder: Path
    digest: str


@dataclass
class Build:
    """One running build; each step adds what it has made.

    Attributes:
        site: Where things are and what was asked for; ``site.out`` is the staging folder.
        wheel: glassbox itself, as the browser loads it.
        manifest: What the page's worker asks for first, relative to the site's root.
        chapters: The notebooks, cut up, in reading order.
        states: Chapter name to figure name to its states computed ahead.
        shown: The checkpoint that figures run; None for the shipped model.
        static: The folder of scripts, styles and fonts, relative to the site's root.
        parts: Chapter name to what of it has a page of its own: figures and checks.
        charts: Chapter name to what its charts are drawn with; chapters without charts are not in it.
        carried: In a draft, the parts that move over from the site before, relative to its root.
        notes: Sentences that the build says when it is done; a draft does not.
        news: Sentences on what this build computed and the next will not say again.
    """

    site: Site
    wheel: Path | None = None
    manifest: str = "runtime/manifest.json"
    chapters: dict[str, Chapter] = field(default_factory=dict)
    states: dict[str, dict[str, Ahead]] = field(default_factory=dict)
    shown: Shown | None = None
    static: str = ""
    parts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    charts: dict[str, Charts] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    news: list[str] = field(default_factory=list)
    carried: list[str] = field(default_factory=list)

    @functools.cached_property
    def sources(self) -> Tree:
        """What depends on which of our modules, as they stand in this build."""
        return Tree(self.site.root / "src", self.site.cache / "sources")

    def carry(self, part: str) -> bool:
        """Takes a part of the site from the one before, if this is a draft that has it; tells whether."""
        found = self.site.before is not None and (self.site.before / part).exists()
        if found:
            self.carried.append(part)
        return found
