"""Reads the finished folder as a browser would and checks what the site promises.

* every local address that a page or stylesheet names exists;
* nothing is loaded from another origin;
* ids are unique within a page, and each page has one ``<main>``, a title and a description;
* an embed page weighs less than 150 KB before Python, with all it loads.
"""

from __future__ import annotations

import gzip
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from glassbox import chapters
from glassbox.publish.errors import BuildError
from glassbox.publish.state import Build

MAX_EMBED_BYTES = 150_000  # as sent, text compressed, before Python
MAX_PAGE_SCRIPT_BYTES = 6_000  # compressed
_LOADING = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}
_TEXT = {".html", ".css", ".js", ".json", ".svg", ".mjs"}


class _Page(HTMLParser):
    """Collects ids, links and loaded addresses of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.meta: dict[str, str] = {}
        self.data: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Sorts one element's addresses."""
        values = {k: v or "" for k, v in attrs}
        if tag != "title" or "body" not in self.tags:  # a drawing in the body may have titles of its own
            self.tags.append(tag)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "meta" and "name" in values:
            self.meta[values["name"]] = values.get("content", "")
        if tag == "body":
            self.data = {k[5:]: v for k, v in values.items() if k.startswith("data-")}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        for name in ("src", "href"):
            if (
                name in values
                and (tag, name) in _LOADING
                and values.get("rel") not in ("canonical", "alternate")
            ):
                self.loads.append(values[name])
        if tag == "figure" and "data-frames" in values:
            self.data.setdefault("frames", values["data-frames"])


def step(build: Build) -> None:
    """Checks the folder; raises ``BuildError`` at the first broken promise."""
    out = build.site.out
    ids: dict[Path, set[str]] = {}
    pages = {path: _read(path) for path in _pages(out) if not _known(build, path)}
    for path, page in pages.items():
        ids[path.resolve()] = set(page.ids)
        _check_page(path, page)
    for path, page in pages.items():
        for address in page.links + page.loads:
            _check_address(build, path, address, ids, loaded=address in page.loads)
    for name in build.chapters:
        for path in sorted((out / "embed" / name).glob("*.html")):
            if path in pages:
                _check_embed(out, path, pages[path])
    script = out / build.static / "js" / "page.js"
    if (size := _sent(script)) > MAX_PAGE_SCRIPT_BYTES:
        raise _fault(
            script, f"the page script takes {size:,} bytes compressed, more than {MAX_PAGE_SCRIPT_BYTES:,}"
        )


def _pages(out: Path) -> list[Path]:
    """All pages but the notebooks' editor, which is marimo's own."""
    return [p for p in sorted(out.rglob("*.html")) if p.relative_to(out).parts[0] != "edit"]


def _known(build: Build, path: Path) -> bool:
    """Whether this is a draft, and the page the same as in the site before, where it was checked."""
    before = build.site.before and build.site.before / path.relative_to(build.site.out)
    return bool(before and before.is_file() and before.read_bytes() == path.read_bytes())


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _check_page(path: Path, page: _Page) -> None:
    twice = {i for i in page.ids if page.ids.count(i) > 1}
    if twice:
        raise _fault(path, f"the id {sorted(twice)[0]!r} stands twice")
    for tag in ("main", "title"):
        if page.tags.count(tag) != 1:
            raise _fault(path, f"there are {page.tags.count(tag)} <{tag}> elements instead of one")
    if not page.meta.get("description"):
        raise _fault(path, "there is no description")


def _check_address(build: Build, path: Path, address: str, ids: dict[Path, set[str]], loaded: bool) -> None:
    parts = urlsplit(address)
    if parts.scheme in ("http", "https") or parts.netloc:
        if loaded:
            raise _fault(path, f"{address} is loaded from another origin")
        return
    if parts.scheme:
        return
    local = unquote(parts.path)
    if local.startswith("/") and local.startswith(root := urlsplit(build.site.address).path):
        local = f"{build.site.out}/{local.removeprefix(root)}"
    target = (path.parent / local).resolve() if local else path.resolve()
    if target.is_dir():
        target = target / "index.html"
    if not target.exists() and build.site.only and target.stem in chapters.NAMES:
        return  # another chapter's page, which this build of one chapter leaves out
    if not target.exists() and target not in {(build.site.out / part).resolve() for part in build.carried}:
        raise _fault(path, f"it names {address}, which does not exist")
    if parts.fragment and target in ids and parts.fragment not in ids[target]:
        raise _fault(path, f"it names {address}, but that page has no such place")


def _check_embed(out: Path, path: Path, page: _Page) -> None:
    files = {path, *((path.parent / unquote(urlsplit(a).path)).resolve() for a in page.loads)}
    if page.data.get("frames"):
        files.add(out / page.data["frames"])
    size = sum(_sent(f) for f in files if f.is_file())
    fonts = sum(f.stat().st_size for f in _fonts(files))
    if size + fonts > MAX_EMBED_BYTES:
        raise _fault(
            path, f"this embed takes {size + fonts:,} bytes before Python, more than {MAX_EMBED_BYTES:,}"
        )


def _fonts(files: set[Path]) -> set[Path]:
    """The fonts that an embed's stylesheets preload or declare first: at most one is used."""
    found: list[Path] = []
    for sheet in files:
        if sheet.suffix == ".css":
            names = re.findall(r"url\(([^)]+\.woff2)\)", sheet.read_text(encoding="utf-8"))
            found += [(sheet.parent / n.strip("\"'")).resolve() for n in names]
    return {max(found, key=lambda f: f.stat().st_size)} if found else set()


def _sent(path: Path) -> int:
    content = path.read_bytes()
    return len(gzip.compress(content, 6, mtime=0)) if path.suffix in _TEXT else len(content)


def _fault(path: Path, what: str) -> BuildError:
    return BuildError("verify", path.name, f"{what}; mend the template or the notebook and build again.")
