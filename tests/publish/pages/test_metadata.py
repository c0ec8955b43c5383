"""What others read about the pages: embedding, hosting, the offline list, the archive, texts handed on."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from glassbox.publish import serve
from glassbox.publish.pages import metadata, package, passing, policy
from glassbox.publish.pages.chapter import Chapter
from glassbox.publish.site import Site
from tests.conftest import load_build

ROOT = Path(__file__).resolve().parents[3]


class _Frame(HTMLParser):
    attributes: dict[str, str | None]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes = dict(attrs)


def kept(site: Path) -> dict[str, Any]:
    line = (site / "sw.js").read_text(encoding="utf-8").split("\n", 1)[0]
    return dict(json.loads(line.removeprefix("const BUILD = ").removesuffix(";")))


def test_oembed_describes_a_frame_that_hosts_may_show() -> None:
    title = 'A "title" & <more>'
    described = metadata.oembed("https://x.example/g/", "embed/attention/paint.html", title, (900, 612))
    frame = _Frame()
    frame.feed(described["html"])
    assert frame.attributes["src"] == "https://x.example/g/embed/attention/paint.html"
    assert frame.attributes["title"] == title
    assert frame.attributes["loading"] == "lazy"
    assert str(frame.attributes["sandbox"]).startswith("allow-scripts allow-same-origin ")
    assert (described["version"], described["type"]) == ("1.0", "rich")
    assert frame.attributes["height"] == str(described["height"]) == "612"
    assert described["width"] == 720


def test_without_the_site_s_address_no_page_names_a_description_and_none_is_written(site: Path) -> None:
    assert not (site / "oembed").exists()
    for page in (site / "embed").rglob("*.html"):
        assert "oembed" not in page.read_text(encoding="utf-8"), page


def test_with_the_address_every_part_s_description_names_it_in_full(cache: Path, tmp_path: Path) -> None:
    address = "https://x.example/g/"
    load_build().build(Site(ROOT, tmp_path / "dist", cache, only="attention", address=address))
    pages = sorted((tmp_path / "dist" / "embed").rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        text = page.read_text(encoding="utf-8")
        link = re.search(r'<link rel="alternate" type="application/json\+oembed" href="([^"]+)"', text)
        assert link, page
        described = json.loads(
            (tmp_path / "dist" / link[1].removeprefix(address)).read_text(encoding="utf-8")
        )
        frame = _Frame()
        frame.feed(described["html"])
        path = page.relative_to(tmp_path / "dist").as_posix()
        assert frame.attributes["src"] == address + path
        assert described["title"] == frame.attributes["title"]


def test_the_offline_list_names_existing_files_by_their_hash(site: Path) -> None:
    build = kept(site)
    for group, files in build["groups"].items():
        assert files, group
        for name, digest in files.items():
            assert hashlib.sha256((site / name).read_bytes()).hexdigest().startswith(digest)
    assert {"index.html", "glossary.html", "sources.html", "teach.html", "attention.html"} <= set(
        build["groups"]["shell"]
    )
    assert any("numpy" in name for name in build["groups"]["runtime"])


def test_search_engines_are_told_of_every_reading_page() -> None:
    build = SimpleNamespace(
        chapters={"tokens": None}, site=SimpleNamespace(address="https://book.example/a&b/")
    )
    listed = re.findall(r"<loc>https://book\.example/a&amp;b/(\w+)\.html</loc>", metadata.sitemap(build))
    assert listed == ["index", "tokens", "glossary", "teach", "sources"]


def test_the_shell_that_is_kept_at_once_is_small(site: Path) -> None:
    shell = kept(site)["groups"]["shell"]
    assert sum((site / name).stat().st_size for name in shell) < 4_000_000
    assert not [name for name in shell if name.startswith(("runtime/", "edit/", "frames/"))]


def test_whatever_a_chapter_loads_is_in_the_group_of_its_name(site: Path) -> None:
    groups = kept(site)["groups"]
    for name in (n for n in groups if n not in ("shell", "runtime", "more")):
        html = (site / f"{name}.html").read_text(encoding="utf-8")
        loads = set(re.findall(r'data-(?:frames|program)="([^"]+)"', html))
        assert loads
        assert loads - set(groups[name]) == set()


def _rules(text: str) -> list[tuple[str, str, str]]:
    """The (path, header, value) lines of a file named ``_headers``."""
    rules, path = [], ""
    for line in text.splitlines():
        if line.startswith("/"):
            path = line.strip()
        elif line.startswith("  "):
            name, value = line.strip().split(": ", 1)
            rules.append((path, name, value))
    return rules


def test_the_headers_file_keeps_for_ever_what_has_a_hash_and_nothing_else(site: Path) -> None:
    rules = _rules((site / "_headers").read_text(encoding="utf-8"))
    lasting = [path for path, name, value in rules if name == "Cache-Control" and "immutable" in value]
    assert lasting
    for file in site.rglob("*"):
        if file.is_file():
            path = "/" + file.relative_to(site).as_posix()
            immutable = any(fnmatch.fnmatch(path, rule) for rule in lasting)
            assert immutable == ("immutable" in serve._caching(path[1:])), path


def test_the_nginx_example_agrees_with_it(site: Path) -> None:
    text = (site / "hosting" / "nginx.conf").read_text(encoding="utf-8")
    lasting = re.search(r'location ~ "([^"]+)" \{\s+add_header Cache-Control "public, max-age=31536000', text)
    assert lasting
    assert text.count("{") == text.count("}")
    for file in site.rglob("*"):
        if file.is_file():
            path = file.relative_to(site).as_posix()
            found = re.search(lasting[1], f"/course/glassbox/{path}") is not None
            assert found == ("immutable" in serve._caching(path)), path


def test_the_archive_is_the_same_bytes_whenever_it_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "two.html").write_text("<p>two</p>" * 100)
    (folder / "one.whl").write_bytes(bytes(range(256)))
    package.write(folder, tmp_path / "first.zip")
    (folder / "one.whl").touch()
    package.write(folder, tmp_path / "second.zip")
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "first.zip") as archive:
        assert archive.namelist() == ["glassbox/a/two.html", "glassbox/one.whl"]
        assert archive.testzip() is None


def _chapter(name: str, controls: dict[str, tuple[str, str]]) -> Chapter:
    program = {
        "controls": [{"name": c, "kind": kind} for c, (_, kind) in controls.items()],
        "figures": [
            {"name": f, "controls": [c for c, (figure, _) in controls.items() if figure == f]}
            for f in {figure for figure, _ in controls.values()}
        ],
    }
    return Chapter(name, name, "", (), program, {}, 0)


def test_texts_of_the_same_kind_are_handed_to_the_other_chapters() -> None:
    chapters = {
        "one": _chapter("one", {"split_text": ("split", "text"), "split_size": ("split", "slider")}),
        "two": _chapter(
            "two",
            {
                "qkv_text": ("qkv", "text"),
                "heads_text": ("heads", "text"),
                "memory_config": ("memory", "text"),
            },
        ),
        "three": _chapter("three", {"cost_size": ("cost", "slider")}),
    }
    assert passing.texts(chapters, "one") == {"two": {"split_text": ["qkv_text", "heads_text"]}}
    assert passing.texts(chapters, "two") == {
        "one": {"qkv_text": ["split_text"], "heads_text": ["split_text"]}
    }
    assert passing.texts(chapters, "three") == {}


def test_an_embeds_policy_names_the_site_where_its_address_is_known_and_loosens_nothing_else() -> None:
    known = policy.embed("https://book.example/course/")
    assert "script-src 'self' https://book.example 'wasm-unsafe-eval'" in known
    assert "http: https:" not in known
    unknown = policy.embed("").split("; ")
    changed = {rule.split()[0] for rule in set(unknown) - set(policy.CSP.split("; "))}
    assert changed == {"script-src", "style-src", "font-src"}
    assert "'unsafe-inline'" not in next(r for r in unknown if r.startswith("script-src"))
