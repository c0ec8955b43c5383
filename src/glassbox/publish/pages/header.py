"""The head of a notebook that says what it needs, as PEP 723 defines it.

    # /// script
    # dependencies = ["glassbox", "marimo", "tiktoken"]
    # ///

marimo's editor in the browser loads what stands there before it runs the first cell. What is imported
deeper, as tiktoken is by ``glassbox.tokens``, it cannot see; a notebook without a head comes up broken.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from glassbox.publish.errors import BuildError
from glassbox.publish.pages import dependencies

# Source: PEP 723, "Reference implementation".
_BLOCK = re.compile(r"(?m)^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$")


def packages(notebook: Path) -> list[str]:
    """The names of the packages that a notebook's head asks for, sorted; none without a head.

    Raises:
        BuildError: The head cannot be read.
    """
    found = list(_BLOCK.finditer(notebook.read_text(encoding="utf-8")))
    if not found:
        return []
    lines = found[0]["content"].splitlines()
    try:
        head = tomllib.loads("\n".join(line[2:] for line in lines))
        return sorted({canonicalize_name(Requirement(d).name) for d in head.get("dependencies", [])})
    except (tomllib.TOMLDecodeError, InvalidRequirement, TypeError) as error:
        raise BuildError("export", notebook, f"its PEP 723 head cannot be read ({error}).") from error


def check(sources: dependencies.Tree, notebook: Path, lock: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Checks that the head names all that the notebook imports, and nothing that the site does not serve.

    Args:
        sources: What imports which of our modules.
        notebook: The notebook's file.
        lock: The editor's packages by name; ``imports`` lists the modules of each.

    Returns:
        The packages that the head names.

    Raises:
        BuildError: The head lacks a package, or wants one that the browser's Python does not have.
    """
    named = packages(notebook)
    served = {canonicalize_name(name) for name in lock}
    homes = {
        module: canonicalize_name(name) for name, package in lock.items() for module in package["imports"]
    }
    needed = {m: "marimo" if m == "marimo" else homes.get(m, m) for m in imported(sources, notebook)}
    for name in sorted({*named, *needed.values()} - served - {"marimo"}):
        raise BuildError(
            "export",
            notebook,
            f"it asks for {name}, which the browser's Python does not have; leave it out, or add it to "
            "site/runtime.json.",
        )
    if missing := sorted({*needed.values()} - set(named)):
        wanted = ", ".join(f'"{name}"' for name in sorted({*named, *needed.values()}))
        line = f"# dependencies = [{wanted}]"
        lacks = f"does not name {', '.join(missing)}" if named else "is missing"
        raise BuildError(
            "export",
            notebook,
            f"its PEP 723 head {lacks}, so its editor would come up without; "
            + (
                f"that line should be\n{line}"
                if named
                else f"the file should begin with\n# /// script\n{line}\n# ///"
            ),
        )
    return named


def imported(sources: dependencies.Tree, notebook: Path) -> set[str]:
    """The top-level modules that a notebook imports, through glassbox too, without the standard library."""
    code = notebook.read_text(encoding="utf-8")
    if any(_draws_charts(sources, path) for path in sources.used(code)):
        code += f"\nimport glassbox.figures.specs.{notebook.stem}"  # what only a notebook's own page imports
    return sources.imported(code) - set(sys.stdlib_module_names)


def _draws_charts(sources: dependencies.Tree, module: Path) -> bool:
    """Whether a figure's module has a chart in its picture."""
    return module.name != "figure.py" and "glassbox.figures.vega" in sources.imports(module)
