"""Takes lean archives apart, so that a page loads what its own figures run on.

The package ``glassbox`` keeps what all chapters' figures use. Each chapter's own are a package, the model's
weights are one, and so are NumPy's random and what only some chapters import. A page's program names those
that it starts with; what other code imports, the worker loads when Python misses it. The package of a module
is called by the module's name (``glassbox.figures.attention``: ``glassbox-figures-attention``), so that the
error alone tells which it is.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

from glassbox import chapters
from glassbox.publish.python import parts, zips
from glassbox.publish.python.parts import Part

# Modules and packages of glassbox that are packages of the browser's Python, each with what lies below it.
MODULES = (
    *(f"glassbox.figures.{name}" for name in chapters.NAMES),
    "glassbox.figures.specs",
    "glassbox.serving",
    "glassbox.tokens.measure",
)
WEIGHTS = "glassbox-weights"
_DATA = {"glassbox/data/model/weights.bin": WEIGHTS, "glassbox/data/texts/": "glassbox-tokens-measure"}
# Of a page that is read, styles and scripts are its own, and nobody asks it what is installed; the texts that
# rates were measured on stay behind, as their counts are there.
_NOTEBOOKS = ("figures/notebook.py", "figures/notebook.pyc", ".js", ".css")
_LEFT = (*_NOTEBOOKS, "/py.typed", "data/model/card.md", "data/texts/base.json.gz")


def package_of(module: str) -> str:
    """The package of a module.

    >>> package_of("glassbox.figures.kv_cache")
    'glassbox-figures-kv-cache'
    """
    return module.replace(".", "-").replace("_", "-")


def glassbox(wheel: Path, folder: Path) -> tuple[Path, list[Part]]:
    """The wheel of glassbox without what is taken out of it, and packages of that."""
    place = dict(_DATA)
    for module in MODULES:
        place |= {module.replace(".", "/") + end: package_of(module) for end in ("/", ".py", ".pyc")}
    return _apart(wheel, folder, place, lambda n: n.endswith(_LEFT))


def numpy(wheel: Path, folder: Path) -> tuple[Path, list[Part]]:
    """NumPy without its random, and that."""
    return _apart(wheel, folder, {"numpy/random/": "numpy-random"}, lambda n: False)


def _apart(
    wheel: Path, folder: Path, place: dict[str, str], left: Callable[[str], bool]
) -> tuple[Path, list[Part]]:
    """Sorts a wheel's entries into packages by how their names begin; ``left`` tells which nobody needs."""
    sorted_into: dict[str, dict[str, bytes]] = {}
    with zipfile.ZipFile(wheel) as whole:
        for name in (n for n in whole.namelist() if not n.endswith("/RECORD") and not left(n)):
            goes = next((to for start, to in place.items() if name.startswith(start)), "")
            sorted_into.setdefault(goes, {})[name] = whole.read(name)
    folder.mkdir(parents=True, exist_ok=True)
    base = folder / wheel.name
    entries = sorted_into.pop("")
    zips.write(base, entries, entries.__getitem__, level=lambda name: 0)
    version = wheel.name.split("-")[1]
    return base, [parts.made(folder, n, version, e, level=0) for n, e in sorted(sorted_into.items())]
