"""The styles that figures bring: where colours, fonts and sizes are named, and for whom.

The rules stand in this folder's ``.css`` files and match nothing outside ``.glassbox``. What they refer to as
``var(--severe)`` is written here from ``palette``, once for each place a figure is shown in:

* ``inlined()`` goes with a figure into a notebook or another host; the names hold inside the figure alone.
* ``for_pages()`` is the site's file; the names hold for the whole page, and prose may use ``class="c-severe"``.
  ``for_charts()`` is what pages with a chart load besides.
"""

from __future__ import annotations

import functools
from importlib import resources

from glassbox import chapters
from glassbox.figures import palette


def sheets() -> tuple[str, ...]:
    """The files of rules: those that all figures share, those of charts, then each chapter's own, where it has any."""
    package = resources.files("glassbox.figures")
    files = [f"{name}.css" for name in ("figures", "vega", *chapters.NAMES)]
    return tuple(name for name in files if package.joinpath(name).is_file())


_CHARTS = "vega.css"
OWN = "glassbox-"  # begins the names of colours that no host has

# What is no colour: the site's own fonts where a page has them, else the system's; text of 14 px, never below 12.
PLAIN = {
    "serif": 'Literata, Charter, "Bitstream Charter", Georgia, Cambria, serif',
    "sans": '"Source Sans 3", "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
    "mono": '"Source Code Pro", ui-monospace, "SF Mono", Menlo, Consolas, monospace',
    "figure-text": "0.875rem",
    "figure-small": "0.8125rem",
    "figure-tiny": "0.75rem",
    "radius": "0.25rem",
}


@functools.lru_cache(maxsize=1)
def inlined() -> str:
    """What a figure carries with it: everything holds inside ``.glassbox`` alone."""
    own = [f"  --{OWN}{name}: {_pair(pair)};" for name, pair in palette.properties().items()]
    aliases = "\n".join(
        (".glassbox {", *own, "}")
    )  # for charts in marimo's own elements, where it has an --accent
    return "\n".join((names(".glassbox"), aliases, meanings(":where(.glassbox) "), *_rules(*sheets())))


@functools.lru_cache(maxsize=1)
def for_pages() -> str:
    """The site's style sheet of figures: names for the whole page, classes of meaning for its prose too."""
    return "\n".join((names(":root"), meanings(), *_rules(*(name for name in sheets() if name != _CHARTS))))


def for_charts() -> str:
    """The site's style sheet of charts with axes, which a page without one does not load."""
    return "\n".join(_rules(_CHARTS))


def names(selector: str) -> str:
    """One rule that defines every custom property for what ``selector`` matches."""
    pairs = [(name, _pair(pair)) for name, pair in palette.properties().items()]
    on_scale = [(f"on-scale-{step}", f"var(--{palette.text_on(step)})") for step in range(len(palette.SCALE))]
    lines = [f"  --{name}: {value};" for name, value in (*pairs, *on_scale, *PLAIN.items())]
    return "\n".join((f"{selector} {{", *lines, "}"))


def _pair(pair: palette.Pair) -> str:
    return f"light-dark({pair[0]}, {pair[1]})"


def meanings(scope: str = "") -> str:
    """A class of text for each meaning: ``.c-severe`` and so on."""
    return "\n".join(f"{scope}.c-{name} {{ color: var(--{name}); }}" for name in palette.COLOURS)


def _rules(*files: str) -> list[str]:
    package = resources.files("glassbox.figures")
    return [package.joinpath(name).read_text(encoding="utf-8") for name in files]
