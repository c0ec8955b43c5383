"""Cuts a marimo notebook into what a page needs: blocks to show, and a program that answers its figures.

A cell becomes one of four things, told by its output and its name:

    mo.md(...)                      prose
    share = mo.ui.slider(...)       a control
    def paint(share): figures...    a figure, because the cell has a name
    check.number(...)               a self-check
    guess.number(...)               a guess before a figure

Cells without output only compute; ``cutting`` sorts them.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from glassbox import chapters
from glassbox.publish.errors import BuildError
from glassbox.publish.pages import cells, cutting, dependencies, presets, prose
from glassbox.publish.pages.chapter import Block, Chapter, described
from glassbox.publish.pages.keeping import Keeping
from glassbox.publish.site import Site
from glassbox.publish.state import Build


def step(build: Build) -> None:
    """Runs the notebooks and cuts them into prose, controls, checks and figures."""
    names = build.site.chapters
    if twice := [name for name in names if names.count(name) > 1]:
        at = build.site.root / "src" / "glassbox" / "chapters.py"
        raise BuildError("check notebooks", at, f"{twice[0]} has two records; take one away.")
    for name in names:
        build.site.report(f"notebook {name}")
        path = build.site.root / "notebooks" / f"{name}.py"
        chapter = build.chapters[name] = _kept(build.site, build.sources, path)
        cover, figures = chapters.record(name).cover, [f["name"] for f in chapter.program["figures"]]
        if cover not in figures:
            at = build.site.root / "src" / "glassbox" / "chapters.py"
            what = f"the cover of {name} is {cover}, and its figures are {', '.join(figures)}"
            raise BuildError("check notebooks", at, f"{what}; name one of them.")


def _kept(site: Site, sources: dependencies.Tree, path: Path) -> Chapter:
    """Loads a notebook, or takes it from the cache when neither it nor what it imports has changed."""
    try:
        code = path.read_text(encoding="utf-8")
        core = sources.fingerprint(f"{_ENGINE}\n{code}")
    except (OSError, SyntaxError, UnicodeDecodeError):
        return load(path)  # and say what is wrong
    key = hashlib.sha256(f"{core}\0{sys.version}\0{code}".encode()).hexdigest()[:16]
    folder = site.cache / "chapters"
    kept = folder / f"{path.stem}.{key}.json"
    if kept.exists():
        return Chapter.read(kept)
    if site.only not in (None, path.stem):  # another's chapter stays as it was built last
        earlier = sorted(folder.glob(f"{path.stem}.*.json"), key=lambda p: p.stat().st_mtime_ns)
        if earlier:
            return Chapter.read(earlier[-1])
    keeping = Keeping(site.cache / "cells" / f"{path.stem}.json", sources, _ENGINE)
    chapter = load(path, keeping)
    kept.parent.mkdir(parents=True, exist_ok=True)
    chapter.write(kept)
    return Chapter.read(kept)


_ENGINE = "import glassbox.publish.pages.notebook"  # what cuts every notebook


def load(path: Path, keeping: Keeping | None = None) -> Chapter:
    """Reads a notebook, runs its prose, checks and controls, and cuts out its program.

    Args:
        path: The notebook's file.
        keeping: What its cells showed the last time, which those that are as they were show again.

    Raises:
        BuildError: A cell breaks a rule; the sentence names the cell and the rule.
    """
    found = cells.module(path)
    by_id, order = cells.read(path, found)
    cut = cutting.Cut(path, by_id, order, vars(found), keeping)
    cut.run()
    program = cut.program()
    headings = [b.html for b in cut.blocks if b.kind == "prose"]
    if not headings or not (title := prose.first(headings[0], "h1")):
        raise BuildError(
            "check notebooks", path, "start the notebook with a cell mo.md('# Title') and its promise."
        )
    if not program["figures"]:
        remedy = "this chapter has no figure; name a cell, as def paint(share), that ends in a Figure."
        raise BuildError("check notebooks", path, remedy)
    words = sum(len(prose.plain(b.html).split()) for b in cut.blocks if b.kind != "figure")
    linked = _linked(path, cut.blocks, list(described(program)))
    _in_place(path, cut.blocks)
    _heads(path, cut.blocks)
    if keeping:
        keeping.write()
    description = prose.first(headings[0], "p")
    return Chapter(path.stem, title, description, tuple(cut.blocks), program, linked, words, cut.charts)


def _linked(
    path: Path, blocks: list[Block], figures: list[dict[str, Any]]
) -> dict[str, list[dict[str, Any]]]:
    """The states that prose and guesses lead to, by figure.

    Raises:
        BuildError: A link leads nowhere, or a marked word has no end; the sentence names the cell.
    """
    written = [b for b in blocks if b.kind in ("prose", "guess")]
    for block in written:
        try:
            presets.collect(block.html, figures)
        except ValueError as error:
            raise BuildError("check notebooks", path, f"{block.cell}: {error}.") from error
        if said := _unsound(block.html):
            raise BuildError("check notebooks", path, f"{block.cell}: {said}.")
    return presets.collect("".join(b.html for b in written), figures)


_NO_END = frozenset({"area", "br", "col", "hr", "img", "input", "source", "wbr"})
_NEVER = re.compile(r"<(script|iframe|object|embed)\b|<[^<>]*\s(on[a-z]+)=")


def _unsound(page: str) -> str:
    """What of some prose a page would not show as it was meant, or nothing."""
    if never := _NEVER.search(page):
        return f"{never[1] or never[2]} does nothing, since pages run no script of the prose; take it away"
    if re.search(r"<dfn[^>]*>\s*</dfn>", page):
        return "a <dfn> has no word in it; write the word that it explains"
    page = re.sub(r"<math\b.*?</math>|<[^<>]*/>", "", page, flags=re.S)
    begun = Counter(re.findall(r"<([a-z][a-z0-9]*)\b", page))
    ended = Counter(re.findall(r"</([a-z][a-z0-9]*)>", page))
    for tag in [t for t in begun | ended if t not in _NO_END and begun[t] != ended[t]]:
        if begun[tag] > ended[tag]:
            what = "a word" if tag == "dfn" else "what"
            return f"{what} that begins with <{tag}> has no end; write </{tag}> behind it"
        return f"a </{tag}> ends what did not begin; take it away or write <{tag}> before it"
    return ""


def _heads(path: Path, blocks: list[Block]) -> None:
    """A heading is an address, so each is worded differently; the chapter's title stands once.

    Raises:
        BuildError: There is another like it; the sentence names both cells.
    """
    seen: dict[str, str] = {}
    for n, block in enumerate(b for b in blocks if b.kind == "prose"):
        if n and "<h1" in block.html:
            what = f"a second title, “{prose.first(block.html, 'h1')}”; sections begin with ##"
            raise BuildError("check notebooks", path, f"{block.cell}: {what}.")
        for slug, text in prose.headings(block.html):
            if slug in seen:
                what = f"the heading “{text}” stands in {seen[slug]} too; word one of them differently"
                raise BuildError("check notebooks", path, f"{block.cell}: {what}.")
            seen[slug] = block.cell


def _in_place(path: Path, blocks: list[Block]) -> None:
    """A guess is answered by the figure after it.

    Raises:
        BuildError: A guess opens another.
    """
    for at, block in enumerate(blocks):
        if block.kind != "guess":
            continue
        after = next((b.name for b in blocks[at + 1 :] if b.kind == "figure"), "none")
        opened = presets.opened(block.html)
        if opened != after:
            remedy = f"the guess “{block.question[:60]}” opens #{opened}, and the figure after it is {after}."
            raise BuildError("check notebooks", path, f"{remedy} A guess stands right before its figure.")
