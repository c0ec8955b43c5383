"""Compiles the browser's Python ahead, so that a reader's machine need not.

Pyodide ships its standard library as source, and compiling what one ``import numpy`` touches takes a page
longer than everything else it does. The build compiles it once, inside the pinned interpreter itself (run by
Node), so that the result depends on pinned files alone. Third-party sources are not changed by this: the
pinned files are checked first, and what a page gets is their compiled form.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from glassbox.publish.errors import BuildError, disk
from glassbox.publish.site import Site

Json = dict[str, Any]

_SITE = "/lib/python3.14/site-packages"
_STDLIB = "/lib/python314.zip"
_HERE = Path(__file__).parent
_SCRIPTS = ("compiler.mjs", "archive.py", "zips.py")
# What a lean archive has in place of these modules: their code is texts for help(), and LAPACK.
_INSTEAD = {
    "numpy._core._add_newdocs": "",
    "numpy._core._add_newdocs_scalars": "",
    "numpy.linalg._umath_linalg": (_HERE / "late.py").read_text(encoding="utf-8"),
}


Part = Literal["whole", "touched", "bare", "lean"]  # what ``archive.compile_archive`` makes of an archive
Wanted = tuple[Path, Part]


def compile_all(
    site: Site, pins: Json, core: list[Path], wanted: list[Wanted], lean: str
) -> dict[Wanted, Path]:
    """Compiles the standard library and wheels, taking from the cache what was compiled before.

    Args:
        site: The build.
        pins: ``site/runtime.json`` as read; its ``imports`` says what the editor and NumPy import.
        core: The interpreter's files.
        wanted: Archives, each with the part of it that is wanted. A wheel of which only what is imported is
            wanted is installed first.
        lean: The modules that a page which is read imports, separated by blanks.

    Returns:
        For each of them, its compiled form.

    Raises:
        BuildError: Node is missing, or the interpreter failed in it.
    """
    stdlib = next(p for p in core if p.name == "python_stdlib.zip")
    installed = sorted({p for p, part in wanted if part in ("touched", "lean") and p != stdlib})
    said = f"{lean}\n{pins['imports']}\n{_INSTEAD}"
    base = _hash([*core, *installed, *(_HERE / s for s in _SCRIPTS)], said)
    targets = {w: site.cache / "compiled" / _hash([w[0]], base + w[1]) / w[0].name for w in wanted}
    missing = [w for w, target in targets.items() if not target.exists()]
    if missing:
        plan = {
            "info": lock_info(pins),
            "installed": [str(w) for w in installed],
            "lean": lean,
            "imports": pins["imports"],
            "instead": _INSTEAD,
            "jobs": [_job(w, targets[w], _STDLIB if w[0] == stdlib else _SITE) for w in missing],
        }
        if all(
            part in ("whole", "bare") for _, part in missing
        ):  # after a change in src: what is imported matters not
            plan |= {"installed": [], "lean": "", "imports": ""}
            core = [targets.get((p, "touched"), p) for p in core]
        with disk("runtime", site.cache):
            _run(site, core, plan)
    return targets


def _job(wanted: Wanted, target: Path, inside: str) -> Json:
    target.parent.mkdir(parents=True, exist_ok=True)
    source, part = wanted
    return {"source": str(source), "target": str(target), "inside": inside, "part": part}


def lock_info(pins: Json) -> Json:
    """The head of a Pyodide lock file: which interpreter it is for."""
    return {
        "abi_version": pins["abi"],
        "arch": "wasm32",
        "platform": pins["platform"],
        "python": pins["python"],
    }


def _run(site: Site, core: list[Path], plan: Json) -> None:
    node = shutil.which("node")
    if node is None:
        remedy = "Node.js is not installed; install version 18 or newer (Debian: apt-get install nodejs npm)."
        raise BuildError("runtime", "node", remedy)
    total = len(plan["jobs"])
    with tempfile.TemporaryDirectory(dir=site.cache) as folder:
        home = Path(folder)
        for path in core:
            shutil.copyfile(path, home / path.name)
        (home / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        command = [node, str(_HERE / "compiler.mjs"), str(home), str(home / "plan.json")]
        with (home / "log").open("w+", encoding="utf-8") as log:
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process:
                for line in process.stdout or ():
                    site.report(f"runtime: compiled {line.strip()} of {total} packages for the browser")
            if process.returncode:
                log.seek(0)
                last = ([line.strip() for line in log if line.strip()] or ["no message"])[-1]
                remedy = (
                    f"the interpreter failed in it ({last[:200]}); update Node.js to version 18 or newer."
                )
                raise BuildError("runtime", "node", remedy)


def _hash(paths: Iterable[Path], more: str) -> str:
    digest = hashlib.sha256(more.encode())
    for path in paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
