"""Which packages of the browser's Python a page's figures start with; its program names them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from glassbox.publish.pages.dependencies import Tree
from glassbox.publish.python import apart

Json = dict[str, Any]

_READS_WEIGHTS = Path("glassbox", "model", "weights.py")


def packages(program: Json, tree: Tree) -> list[str]:
    """What a program imports of ``apart.MODULES``, and the model's weights where a figure of it uses them.

    Args:
        program: A page's, as ``glassbox.page.runner`` describes it.
        tree: The sources.
    """
    code = "\n".join([program["imports"], *(cell["code"] for cell in program["cells"])])
    read = [path.relative_to(tree.source).with_suffix("").as_posix() + "/" for path in tree.modules(code)]
    wanted = [m for m in apart.MODULES if any(r.startswith(f"{_path(m)}/") for r in read)]
    used = {path.relative_to(tree.source) for path in tree.used(code)}
    return [*map(apart.package_of, wanted), *([apart.WEIGHTS] if _READS_WEIGHTS in used else [])]


def _path(module: str) -> str:
    return module.replace(".", "/")
