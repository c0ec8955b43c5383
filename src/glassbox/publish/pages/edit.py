"""Exports the notebooks' editor: marimo itself in the browser, on the runtime that the site serves.

    edit/attention.html    the notebook, editable; changes stay in the reader's browser
    edit/assets/…          marimo's own files, shared by all notebooks
    edit/editor-<hash>.js  the bar above the notebook: progress, failure, save, start over

marimo's exporter is called through Python, because its command line wants to look for local modules with a
tool of its own; glassbox comes as a wheel in the runtime instead.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import html
import json
import os
import re
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import marimo
from marimo._cli.parse_args import parse_args
from marimo._export.exporter import Exporter
from marimo._export.file import export_wasm
from marimo._export.requests import NotebookExecutionOptions, WASMFileExportRequest
from marimo._pyodide.pyodide_constraints import PYODIDE_LOCK_FILE_ENV
from marimo._schemas.export_options import WASMExportOptions, WASMRuntimeConfig
from marimo._utils.marimo_path import MarimoPath

from glassbox.publish import names
from glassbox.publish.errors import BuildError, disk
from glassbox.publish.files import write_whole
from glassbox.publish.pages import header, images
from glassbox.publish.pages.dependencies import Tree
from glassbox.publish.site import Site
from glassbox.publish.state import Build

Json = dict[str, Any]

# Nothing may be asked of another origin. marimo's page has inline scripts and styles and compiles code, so
# those stay allowed here, and figures bring a script as data; pages that are only read are far stricter.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' data:; "
    "style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' data: blob:; "
    "worker-src 'self' blob:; frame-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'"
)
# What every browser that can run WebAssembly passes over, and what marimo's wheel holds for its own authors.
_UNUSED = ("CLAUDE.md", "assets/*.ttf", "assets/*.woff")
# What stands in a page that is kept in place of an address, and which one of the manifest it is.
_HOLES = {"hole-for-index": "edit_index", "hole-for-lock": "edit_lock"}


def step(build: Build) -> None:
    """Exports the notebooks' editor."""
    export(build.site, build.carry("edit/assets"), build.sources)


def export(site: Site, carried: bool = False, sources: Tree | None = None) -> None:
    """Writes ``edit/<notebook>.html`` for every chapter; the runtime must be in the site already.

    Args:
        site: The build.
        carried: In a draft: marimo's own files come from the site before.
        sources: What imports which of our modules, where the build has asked already.

    Raises:
        BuildError: A notebook cannot be exported, or marimo's page is not as expected.
    """
    folder = site.out / "edit"
    manifest = _manifest(site)
    lock = _lock(site, manifest)
    sources = sources or Tree(site.root / "src")
    with disk("export", folder):
        if carried and site.before:
            _beside(site.before / "edit", folder)
        else:
            _assets(folder)
        images.copy(site, folder)
        scripts = [_script(site, folder, script) for script in ("download", "editor")]
        for chapter in site.chapters:
            site.report(f"export: editor for {chapter}")
            source = site.root / "notebooks" / f"{chapter}.py"
            page = _page(site, sources, source, manifest, lock, scripts)
            (folder / f"{chapter}.html").write_text(page, encoding="utf-8")


def _page(site: Site, sources: Tree, source: Path, manifest: Json, lock: Json, scripts: list[str]) -> str:
    """One notebook's editor: marimo's page, with the addresses of this site's Python."""
    wanted = header.check(sources, source, lock)
    page = _kept(site, source, manifest, lock)
    for hole, name in _HOLES.items():
        page = page.replace(hole, manifest[name])
    files = _files(site, manifest, lock, wanted)
    config = {"chapter": source.stem, "download": f"./{scripts[0]}", "files": files}
    return _framed(page, source.stem, scripts[1], config)


def _kept(site: Site, source: Path, manifest: Json, lock: Json) -> str:
    """Marimo's page of one notebook with holes for addresses, which change with every figure; made once."""
    versions = sorted((name, package["version"]) for name, package in lock.items())
    styles = [(site.root / style).read_bytes() for style in ("pyproject.toml", "notebooks/prose.css")]
    given = json.dumps([versions, marimo.__version__]).encode()
    key = names.short(b"\0".join([source.read_bytes(), given, *styles, Path(__file__).read_bytes()]))
    kept = site.cache / "editor" / f"{source.stem}.{key}.html"
    if not kept.exists():
        holes = manifest | {name: hole for hole, name in _HOLES.items()}
        page = _export(site, source, "edit", holes, site.out / manifest["edit_lock"])
        for hole in _HOLES:
            _once(page, re.escape(hole), str, source.stem)
        kept.parent.mkdir(exist_ok=True, parents=True)
        write_whole(kept, page.encode())
    return kept.read_text(encoding="utf-8")


def _beside(before: Path, folder: Path) -> None:
    """Copies the files that marimo lays beside its folder of assets."""
    folder.mkdir(parents=True)
    for path in before.iterdir():
        if path.is_file() and path.suffix not in (".html", ".js"):
            shutil.copyfile(path, folder / path.name)


def plain(site: Site, notebook: str, out: Path) -> None:
    """Writes what ``marimo export html-wasm --execute`` makes of one notebook, on the same runtime.

    It is what the benchmark compares a chapter with; ``out/index.html`` is the page.

    Args:
        site: A finished build, whose ``out`` holds the runtime.
        notebook: The chapter.
        out: The folder to fill.
    """
    manifest = _manifest(site)
    with disk("export", out):
        page = _export(
            site,
            site.root / "notebooks" / f"{notebook}.py",
            "run",
            manifest,
            site.out / manifest["edit_lock"],
            up="",
        )
        Exporter().export_assets(out)
        shutil.copytree(site.out / "runtime", out / "runtime", dirs_exist_ok=True)
        (out / "index.html").write_text(page, encoding="utf-8")


def _manifest(site: Site) -> Json:
    folder = site.out / "runtime"
    found = sorted(folder.glob("manifest*.json"))  # a finished site has a hash in the name
    if not found:
        raise BuildError("export", folder, "holds no manifest; the runtime step comes before the export.")
    manifest: Json = json.loads(found[0].read_text(encoding="utf-8"))
    return manifest


def _lock(site: Site, manifest: Json) -> Json:
    """The editor's packages by name."""
    lock: Json = json.loads((site.out / manifest["edit_lock"]).read_text(encoding="utf-8"))
    packages: Json = lock["packages"]
    return packages


def _assets(folder: Path) -> None:
    """Copies marimo's own files, once for all notebooks."""
    Exporter().export_assets(folder)
    for pattern in _UNUSED:
        for path in folder.glob(pattern):
            path.unlink()


def _script(site: Site, folder: Path, stem: str) -> str:
    """Writes one of the site's scripts beside the editor, named by its content; returns the name."""
    script = (site.root / "site" / "js" / f"{stem}.js").read_bytes()
    name = f"{stem}-{names.short(script)}.js"
    (folder / name).write_bytes(script)
    return name


def _export(site: Site, source: Path, mode: str, manifest: Json, lock: Path, up: str = "../") -> str:
    """One notebook's page; ``run`` mode also runs it and embeds the outputs.

    Args:
        site: A build whose ``out`` holds the runtime.
        source: The notebook.
        mode: ``edit`` or ``run``.
        manifest: The site's runtime.
        lock: The file of the editor's packages.
        up: How to get from the page to the folder that holds ``runtime/``.
    """
    places = WASMRuntimeConfig(
        pyodide_index_url=up + manifest["edit_index"],
        pyodide_lockfile_url=up + manifest["edit_lock"],
        pypi_index_url=up + "runtime/none/{package_name}",  # nothing is there: no package from elsewhere
    )
    options = WASMExportOptions(mode="edit" if mode == "edit" else "run", show_code=False, runtime=places)
    run = NotebookExecutionOptions(cli_args=parse_args(()), argv=[], quiet=True, persist_session=False)
    path = MarimoPath(str(source))
    request = WASMFileExportRequest(path=path, options=options, execution=run if mode == "run" else None)
    # marimo writes the versions of this lock file into the notebook's head; it would ask its maker's server.
    os.environ[PYODIDE_LOCK_FILE_ENV] = str(lock)
    with ThreadPoolExecutor(max_workers=1) as pool:  # a loop of its own: the caller may be inside one
        result = pool.submit(asyncio.run, export_wasm(request)).result()
    if result.did_error:
        remedy = "the notebook does not run from top to bottom; open it with: marimo edit " + str(source)
        raise BuildError("export", source, remedy)
    contents = result.contents
    return contents if isinstance(contents, str) else contents.decode()


def _framed(page: str, chapter: str, script: str, config: Json) -> str:
    """Adds the bar, its script, the policy and a description to marimo's page."""
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(POLICY)}">\n'
        f'<script type="application/json" id="glassbox-edit">{_inline(config)}</script>\n'
    )
    page = _once(page, r'<meta charset="utf-8" ?/?>', lambda found: f"{found}\n{head}", chapter)
    description = f"Edit the notebook behind the chapter “{chapter}”: marimo, running in this browser."
    page = _once(page, 'content="a marimo app"', lambda _: f'content="{description}"', chapter)
    page = _once(page, '"autosave": ?"off"', lambda _: '"autosave": "after_delay"', chapter)
    page = _once(page, '"auto_instantiate": ?false', lambda _: '"auto_instantiate": true', chapter)
    # The style itself stands in the page; where its file lies on the author's disk concerns nobody.
    page = _once(page, r'"custom_css": ?\[[^]]*\]', lambda _: '"custom_css": []', chapter)
    # After marimo's own copy of the notebook, which the script replaces by the reader's when there is one.
    return _once(page, "</head>", lambda _: f'<script src="./{script}"></script>\n</head>', chapter)


def _once(page: str, pattern: str, replacement: Any, chapter: str) -> str:
    """Replaces the one place that matches; marimo is pinned, so anything else means that it was changed."""
    made, count = re.subn(pattern, lambda found: replacement(found[0]), page)
    if count != 1:
        remedy = f"marimo's page has {count} places like {pattern}; is marimo the version in pyproject.toml?"
        raise BuildError("export", f"edit/{chapter}.html", remedy)
    return made


def _files(site: Site, manifest: Json, lock: Json, wanted: Sequence[str]) -> list[Json]:
    """Every file that a notebook's Python needs, with size and hash, addressed from ``edit/``."""
    # marimo brings Pyodide's loader itself, and asks for its other script under Pyodide's name.
    core = [f for f in manifest["core"] if not f["url"].endswith("/pyodide.js")]
    files = [f | {"url": "../" + f["url"].replace(".asm.js", ".asm.mjs")} for f in core]
    found: set[str] = set()
    waiting = ["pyodide-http", "micropip", "marimo-base", *(name for name in wanted if name != "marimo")]
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += lock[name]["depends"]
    for name in sorted(found):
        url = urljoin(manifest["index"], lock[name]["file_name"])
        digest = hashlib.sha256((site.out / url).read_bytes())
        integrity = f"sha256-{_base64(digest.digest())}"
        size = (site.out / url).stat().st_size
        files.append({"url": "../" + url, "bytes": size, "integrity": integrity})
    return files


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _inline(value: Json) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(value, sort_keys=True).replace("<", "\\u003c")
