"""Writes the pages: chapters, embeds, and the pages around them, each complete before any script runs."""

from __future__ import annotations

import dataclasses
import json
import shutil
from typing import Any
from urllib.parse import urlsplit

import jinja2
from markupsafe import Markup as Safe

from glassbox.figures import style
from glassbox.figures.figure import PROVENANCE
from glassbox.publish import names
from glassbox.publish.pages import (
    content,
    frame,
    glossary,
    images,
    needs,
    passing,
    policy,
    prose,
    references,
)
from glassbox.publish.pages.chapter import excerpt
from glassbox.publish.pages.content import Content
from glassbox.publish.site import Site
from glassbox.publish.state import Build

Json = dict[str, Any]

MISSING = "404.html"  # by this name hosts find it
SCRIPTS = ("live", "tools", "after", "own", "tour", "wall")  # fetched when they are needed
AT_ONCE = 2  # figures of a chapter that are laid out first; what follows waits for a quiet moment


def step(build: Build) -> None:
    """Writes every page."""
    build.static = _static(build.site)
    build.manifest = _manifest(build.site)
    images.copy(build.site, build.site.out)
    pages = _Pages(build)
    for name in build.chapters:
        pages.chapter(name)
        for figure in pages.content.figures[name]:
            pages.embed(name, figure)
        for check in pages.content.checks[name]:
            pages.check(name, check)
        build.parts[name] = [*pages.content.figures[name], *pages.content.checks[name]]
    for name in ("index", "glossary", "teach", "sources"):
        pages.around(name)
    pages.missing()
    if said := pages.content.heights.sentence():
        build.notes.append(said)
    build.notes += glossary.early(build.chapters, pages.content.terms)


def _manifest(site: Site) -> str:
    """Names the worker's list of files by its content, so that a page never starts another build's Python."""
    plain = site.out / "runtime" / "manifest.json"
    name = "runtime/" + names.write(plain.parent, "manifest", ".json", plain.read_bytes())
    plain.unlink()
    return name


def _static(site: Site) -> str:
    """Copies scripts, styles and fonts into one folder named by their content."""
    source = site.root / "site"
    files = sorted(p for part in ("css", "js", "fonts") for p in (source / part).rglob("*") if p.is_file())
    contents = {p.relative_to(source).as_posix(): p.read_bytes() for p in files}
    contents["css/figures.css"] = style.for_pages().encode()
    contents["css/charts.css"] = style.for_charts().encode()
    whole = b"".join(name.encode() + b"\0" + contents[name] + b"\0" for name in sorted(contents))
    folder = f"static-{names.short(whole)}/"
    for name, data in contents.items():
        path = site.out / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for name in ("embed.js", "sw.js"):  # addresses that others keep: hosts' pages, the browser
        if name in {p.name for p in files}:
            shutil.copyfile(site.out / folder / "js" / name, site.out / name)
    return folder


def counted(chapters: int) -> str:
    """How many chapters there are, in words, as a sentence begins.

    >>> counted(1), counted(4), counted(12)
    ('One chapter', 'Four chapters', '12 chapters')
    """
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
    number = words[chapters] if chapters < len(words) else str(chapters)
    return f"{number} chapter" if chapters == 1 else f"{number} chapters"


class _Pages:
    """Renders templates with what the steps before have found."""

    def __init__(self, build: Build) -> None:
        self.build = build
        self.site = build.site
        loader = jinja2.FileSystemLoader(build.site.root / "site" / "templates")
        self.env = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
        self.env.trim_blocks = self.env.lstrip_blocks = True
        self.manifest: Json = json.loads((self.site.out / build.manifest).read_text(encoding="utf-8"))
        self.content = Content(build)
        self.programs = {name: self._program(name, c.program) for name, c in build.chapters.items()}

    def chapter(self, name: str) -> None:
        """Writes one chapter page."""
        chapter = self.build.chapters[name]
        order = list(self.build.chapters)
        at = order.index(name)
        by_name = {f["name"]: f for f in self.content.figures[name]}
        body = [
            by_name[b.name] if b.kind == "figure" else {"kind": b.kind, "html": Safe(page)}
            for b, page in zip(chapter.blocks, glossary.linked(chapter, self.content.terms), strict=True)
        ]
        cut = [n for n, b in enumerate(body) if b["kind"] == "figure"][:AT_ONCE][-1] + 1
        toc = [
            {"id": i, "text": t}
            for b in chapter.blocks
            if b.kind == "prose"
            for i, t in prose.headings(b.html)
        ]
        self._page(
            "chapter.html",
            f"{name}.html",
            title=chapter.title,
            description=chapter.description,
            opening=body[0],
            first=body[1:cut],
            later=body[cut:],
            toc=toc,
            prev=self.content.link(order[at - 1]) if at else None,
            next=self.content.link(order[at + 1]) if at + 1 < len(order) else None,
            data={
                **self._data(self.programs[name]),
                **self._charts(name),
                "chapter": name,
                "passes": json.dumps(passing.texts(self.build.chapters, name)),
            },
            name=name,
        )

    def embed(self, chapter: str, figure: Json) -> None:
        """Writes the page of one figure alone, with the part of the program that it needs."""
        name = figure["name"]
        program = excerpt(self.build.chapters[chapter].program, name)
        self._page(
            "embed.html",
            f"embed/{chapter}/{name}.html",
            title=figure["title"],
            description=figure["sentence"],
            part=content.led(figure, name, f"../../{chapter}.html"),
            data={
                **self._data(self._program(f"{chapter}.{name}", program)),
                **(self._charts(chapter) if figure["charts"] else {}),
                "chapter": chapter,
                "embed": "",
            },
            name=chapter,
        )

    def check(self, chapter: str, check: Json) -> None:
        """Writes the page of one question alone; it needs no Python."""
        self._page(
            "embed.html",
            f"embed/{chapter}/{check['name']}.html",
            title=check["title"],
            description=f"A question on {self.build.chapters[chapter].title}",
            part=check,
            data={"chapter": chapter, "embed": ""},
            name=chapter,
        )

    def around(self, name: str) -> None:
        """Writes the landing, glossary, teach or sources page."""
        texts = {
            "index": (
                "Glassbox",
                "How a language model reads, attends and remembers, with every number computed in the page.",
            ),
            "glossary": (
                "Glossary",
                "Every word that the book introduces, as its chapter explains it, with the way back there.",
            ),
            "teach": (
                "Teach with Glassbox",
                "Every figure and every question, ready to embed in a course page.",
            ),
            "sources": ("Sources", "Where every fixed number comes from, and the line that recomputes it."),
        }
        title, description = texts[name]
        figures = self.content.figures.items()
        self._page(
            f"{name}.html",
            f"{name}.html",
            title=title,
            description=description,
            figures={c: [content.led(f, "", f"{c}.html") for f in found] for c, found in figures},
            checks=self.content.checks,
            terms=self.content.words() if name == "glossary" else [],
            counted=counted(len(self.build.chapters)),
            references=references.collect(self.site.root) if name == "sources" else None,
            data={"chapter": name, "program": "", "manifest": "", "worker": "", **self._scripts()},
            name=name,
        )

    def missing(self) -> None:
        """Writes the page for addresses that do not exist; it answers at any depth.

        Its links therefore start at the site's address, where that is known. Where it is not they start with
        ``./``, which the development server and the recipe for nginx replace by the site's place.
        """
        self._page(
            "missing.html",
            MISSING,
            root=urlsplit(self.site.address).path or "./",
            title="No such page",
            description="The address names no page of this site; here is the way back.",
            data={"chapter": "", "program": "", "manifest": "", "worker": "", **self._scripts()},
            name="missing",
        )

    def _policy(self, path: str) -> str:
        if path.startswith("embed/"):
            return policy.embed(self.site.address)
        return policy.page(self.site.models)

    def _page(self, template: str, path: str, root: str = "", **context: Any) -> None:
        depth = path.count("/")
        root = root or "../" * depth or "./"
        html = self.env.get_template(template).render(
            root=root,
            static=root + self.build.static,
            address=self.site.address,  # whoever asks for a description needs it in full, where it is known
            path=path,
            canonical=self.site.address + path if self.site.address and path != MISSING else "",
            chapters=[self.content.link(n, current=n == context["name"]) for n in self.build.chapters],
            csp=self._policy(path),
            provenance=PROVENANCE,
            **context,
        )
        target = self.site.out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(html, encoding="utf-8")

    def _program(self, stem: str, program: Json) -> tuple[str, int]:
        """Writes a page's program; returns its address, and how many megabytes Python takes to answer."""
        first = needs.packages(program, self.build.sources)
        text = json.dumps({**program, "packages": first}, ensure_ascii=False, separators=(",", ":"))
        files = [*self.manifest["start"], *(self.manifest["packages"][name] for name in first)]
        path = names.write(self.site.out / "program", stem, ".json", text.encode())
        return f"program/{path}", round(sum(f["bytes"] for f in files) / 1e6)

    def _scripts(self) -> Json:
        scripts = {name: f"{self.build.static}js/{name}.js" for name in SCRIPTS}
        return {**scripts, "sandbox": frame.SANDBOX}

    def _data(self, program: tuple[str, int]) -> Json:
        address, megabytes = program
        worker = self.build.static + "js/worker.js"
        python = {"program": address, "manifest": self.build.manifest, "worker": worker}
        shown = {"model": self.build.shown.name} if self.build.shown else {}
        return {**python, "megabytes": megabytes, **self._scripts(), **shown}

    def _charts(self, chapter: str) -> Json:
        """What draws a page's charts, asked for when one is near or touched."""
        found = self.build.charts.get(chapter)
        if found is None:
            return {}
        return {"charts": f"{self.build.static}js/charts.js", **dataclasses.asdict(found)}
