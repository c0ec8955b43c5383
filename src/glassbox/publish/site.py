"""What every build step is given: where things are and what was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from glassbox import chapters


@dataclass(frozen=True)
class Site:
    """One build.

    Attributes:
        root: The repository.
        out: The folder to fill. Steps write to a staging folder; it takes this name when all steps passed.
        cache: Downloads and results kept between builds.
        runtime: Where runtime files may come from: ``auto``, ``cdn`` or ``registries``.
        only: The one chapter to build, or ``None`` for all.
        cdn: Another base address for the CDN's files; tests point it at a local server.
        there: The chapters of the site that is about to be replaced.
        address: The site's public address, ending in a slash, for canonical links; empty means relative.
        models: The origin of another server that pages may load a model from, as ``https://models.example.org``;
            empty for none but their own.
        model: A folder with a checkpoint that figures run in the place of the shipped model.
        before: In a draft, the site that is about to be replaced: what no edit changes, and what only a
            finished site needs, is taken from there. Nothing in a build that is to be published.
        report: Shows one progress line, replacing the last.
    """

    root: Path
    out: Path
    cache: Path
    runtime: str = "auto"
    only: str | None = None
    cdn: str | None = None
    report: Callable[[str], None] = lambda line: None
    address: str = ""
    models: str = ""
    model: Path | None = None
    there: tuple[str, ...] = ()
    before: Path | None = None

    @property
    def chapters(self) -> tuple[str, ...]:
        """The chapters to build, in reading order."""
        if self.only is None:
            return chapters.NAMES
        return tuple(n for n in chapters.NAMES if n == self.only or n in self.there)
