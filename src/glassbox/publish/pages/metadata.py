"""Writes what others read about the pages: course systems, hosts, search engines, and the browser's cache.

oembed/<chapter>/<part>.json     how to embed a figure or a question, for systems that ask (oEmbed); only when
                                 the site's address is known, since they take the lines as they stand
sw.js                            keeps the site readable without a network; lists every file with its hash
favicon.svg
_headers, .nojekyll, hosting/    how to serve the folder: Netlify style, nginx, GitHub Pages
sitemap.xml                      only when the site's address is known
glassbox.zip                     the whole site, to unpack on a course server
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from glassbox.publish.errors import BuildError
from glassbox.publish.pages import frame, heights, images, package
from glassbox.publish.state import Build

Json = dict[str, Any]

_HASH_DIGITS = 24  # of each file's SHA-256, enough to tell two builds apart


def step(build: Build) -> None:
    """Writes all of it; the archive last, so that it holds the rest."""
    out = build.site.out
    (out / "favicon.svg").write_bytes((build.site.root / "site" / "favicon.svg").read_bytes())
    _hosting(build)
    if build.site.address:
        _oembeds(build)
        (out / "sitemap.xml").write_text(sitemap(build), encoding="utf-8")
    (out / "sw.js").write_text(service_worker(build), encoding="utf-8")
    if not build.carry("glassbox.zip"):
        package.write(out, out / "glassbox.zip", build.site.report, build.site.cache / "zip")


def _oembeds(build: Build) -> None:
    for chapter, parts in build.parts.items():
        folder = build.site.out / "oembed" / chapter
        folder.mkdir(parents=True, exist_ok=True)
        for part in parts:
            path = f"embed/{chapter}/{part['name']}.html"
            described = oembed(build.site.address, path, part["title"], part["heights"])
            text = json.dumps(described, ensure_ascii=False, indent=1)
            (folder / f"{part['name']}.json").write_text(text + "\n", encoding="utf-8")


def oembed(address: str, path: str, title: str, high: heights.Pair) -> Json:
    """Describes one figure or question for a system that embeds it.

    Args:
        address: The site's, ending in a slash.
        path: The page to show, relative to it.
        title: What it shows, for the frame and for whoever hears the page.
        high: Its heights in px, in a narrow and a wide column.

    Source: oEmbed 1.0, section 2.3.4.4, the rich type.
    """
    return {
        "version": "1.0",
        "type": "rich",
        "provider_name": "Glassbox",
        "provider_url": f"{address}index.html",
        "title": title,
        "html": frame.frame(address + path, title, high),
        "width": heights.WIDTHS[1],
        "height": high[1],
        "cache_age": 86_400,
    }


def service_worker(build: Build) -> str:
    """The service worker with this build's files and version put before it."""
    kept = groups(build)
    version = hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]
    out = build.site.out
    sizes = {name: sum((out / path).stat().st_size for path in files) for name, files in kept.items()}
    listed = {"version": version, "groups": kept, "bytes": sizes, "raw": _raw(build)}
    listing = json.dumps(listed, separators=(",", ":"), sort_keys=True)
    script = (build.site.root / "site" / "js" / "sw.js").read_text(encoding="utf-8")
    return f"const BUILD = {listing};\n{script}"


def groups(build: Build) -> dict[str, dict[str, str]]:
    """What is kept together, each file with its hash.

    ``shell`` holds the reading pages with scripts, styles and fonts; a chapter's group what its figures
    answer from; ``runtime`` the reader's Python; ``more`` what is kept only once it was used.
    """
    out = build.site.out
    pages = [p for p in out.glob("*.html")]
    static = [p for p in (out / build.static).rglob("*") if p.name not in ("sw.js", "embed.js")]
    found = {"shell": [*pages, *static, *_public(out), out / "favicon.svg"], "runtime": _runtime(build)}
    for name in build.chapters:
        found[name] = [*(out / "frames" / name).glob("*.js"), *_programs(out, name)]
        if charts := build.charts.get(name):
            found[name] += [out / charts.vega, out / charts.specs, out / charts.lite]
    taken = {p for paths in found.values() for p in paths}
    rest = [*(out / "embed").rglob("*.html"), *(out / "program").glob("*.json")]
    found["more"] = [p for p in rest if p not in taken]
    return {name: _hashes(out, paths) for name, paths in found.items()}


def _public(out: Path) -> Iterable[Path]:
    """Authors' images."""
    return (out / images.FOLDER).rglob("*")


def _programs(out: Path, chapter: str) -> list[Path]:
    """The chapter's own program; those of single figures have one dot more."""
    return [p for p in (out / "program").glob(f"{chapter}.*.json") if p.name.count(".") == 2]


def _runtime(build: Build) -> list[Path]:
    """The files that pages which are read take from the manifest, and the manifest."""
    out = build.site.out
    manifest = json.loads((out / build.manifest).read_text(encoding="utf-8"))
    named = [f["url"] for f in _started(manifest)]
    return [out / build.manifest, out / manifest["lock"], *(out / name for name in named)]


def _raw(build: Build) -> dict[str, list[str]]:
    """The uncompressed files that hosts with Brotli are asked for instead: by the compressed ones' names."""
    manifest = json.loads((build.site.out / build.manifest).read_text(encoding="utf-8"))
    twice = {f["url"]: f["holds"] for f in _started(manifest) if "raw" in f}
    hashes = _hashes(build.site.out, [build.site.out / name for name in twice.values()])
    return {url: [name, hashes[name]] for url, name in twice.items()}


def _started(manifest: Json) -> list[Json]:
    return [*manifest["start"], *manifest["packages"].values(), manifest["rest"]]


def _hashes(out: Path, paths: Iterable[Path]) -> dict[str, str]:
    return {
        p.relative_to(out).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()[:_HASH_DIGITS]
        for p in sorted(paths)
        if p.is_file()
    }


def _hosting(build: Build) -> None:
    """Copies the hosting examples with this build's folder of scripts named in them."""
    source = build.site.root / "site" / "hosting"
    target = build.site.out / "hosting"
    target.mkdir(exist_ok=True)
    for path in sorted(source.iterdir()):
        text = path.read_text(encoding="utf-8").replace("{static}", build.static.strip("/"))
        (target / path.name).write_text(text, encoding="utf-8")
    headers = target / "_headers"
    if not headers.exists():
        raise BuildError("metadata", source, "the file _headers is missing; restore it from git.")
    (build.site.out / "_headers").write_text(headers.read_text(encoding="utf-8"), encoding="utf-8")
    (build.site.out / ".nojekyll").write_text("")  # GitHub Pages would leave out names with an underscore


def sitemap(build: Build) -> str:
    """Lists the reading pages for search engines."""
    names = ["index", *build.chapters, "glossary", "teach", "sources"]
    pages = "".join(f"<url><loc>{escape(build.site.address)}{n}.html</loc></url>\n" for n in names)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{pages}</urlset>\n'
    )
