"""The words of the book: each is explained once, where a chapter first needs it, and listed in the glossary.

    A piece with its number is called a <dfn>token</dfn>.
    <span class="meaning">Think of a box. It is the tokenizer's <dfn>vocabulary</dfn>.</span>
    <dfn title="prefill">prefilling</dfn>            listed as "prefill"
    <dfn class="everyday">piece</dfn>                said in everyday senses too: neither linked nor watched

``dfn`` marks a term where it is introduced. What the glossary says is the sentence around it, or all that a
``meaning`` holds; the text stands nowhere else. The page puts a link at a term's introduction and at its
first use in every other chapter; ``early`` finds words that are used before they are introduced. Headings,
code, formulas, links, words in italics and a chapter's promise are not looked at.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from glassbox.publish.errors import BuildError
from glassbox.publish.pages import prose
from glassbox.publish.pages.chapter import Block, Chapter
from glassbox.publish.site import Site

PAGE = "glossary.html"
_DFN = re.compile(r"<dfn([^>]*)>(.*?)</dfn>", re.S)
_EDGE = re.compile(r"</?(?:p|li|ul|ol|aside|div|h[1-6]|td|th|tr|table|blockquote|dd|dt)\b[^>]*>")
_END = re.compile(r"[.?!][”\"’)]*(?:</(?:em|strong|dfn|span)>)*\s+")
_SKIPPED = frozenset({"a", "code", "dfn", "em", "math", "pre", "h1", "h2", "h3", "h4", "summary", "button"})
_TAG = re.compile(r"(<[^>]+>)")


@dataclass
class Term:
    """One word.

    Attributes:
        name: As it is listed.
        slug: Its place in the glossary.
        everyday: Whether it is said in other senses too, so that its uses cannot be told from those.
        meaning: What the chapter says of it, as markup.
        chapter: Where it is introduced.
        at: The number of the block that introduces it.
        question: The heading it stands under.
        figure: The figure after it in the same section, or nothing.
        used: The other chapters that use it and link here.
    """

    name: str
    slug: str
    everyday: bool
    meaning: str
    chapter: str
    at: int
    question: str
    figure: str
    used: list[str] = field(default_factory=list)


def collect(site: Site, chapters: Mapping[str, Chapter]) -> dict[str, Term]:
    """The terms of all chapters by slug, in reading order.

    Raises:
        BuildError: A term is introduced twice.
    """
    found: dict[str, Term] = {}
    for name, chapter in chapters.items():
        for term in _introduced(chapter):
            if term.slug in found:
                first = found[term.slug].chapter
                before = f"{chapters[first].blocks[found[term.slug].at].cell} of notebooks/{first}.py"
                what = f"{chapter.blocks[term.at].cell} introduces “{term.name}”, and so does {before}"
                remedy = f"{what}; a word is introduced once: take one <dfn> away."
                raise BuildError("shell", site.root / "notebooks" / f"{name}.py", remedy)
            found[term.slug] = term
    return found


def early(chapters: Mapping[str, Chapter], terms: Mapping[str, Term]) -> list[str]:
    """What is said before it is introduced, a sentence each."""
    waiting = {slug: term for slug, term in terms.items() if not term.everyday}
    told = []
    for name, chapter in chapters.items():
        for at, block in enumerate(chapter.blocks):
            for slug in [s for s, t in waiting.items() if (t.chapter, t.at) == (name, at)]:
                del waiting[slug]
            if not at or block.kind == "figure":
                continue
            for slug in dict.fromkeys(_uses(block.html, waiting)):
                term = waiting.pop(slug)
                there = f"{chapters[term.chapter].blocks[term.at].cell} of notebooks/{term.chapter}.py"
                told.append(
                    f"notebooks/{name}.py: {block.cell} says “{term.name}” before {there} introduces it. "
                    "Introduce it sooner, link to where it is explained, or mark it <dfn class=“everyday”>."
                )
    return told


def linked(chapter: Chapter, terms: Mapping[str, Term]) -> list[str]:
    """The blocks' markup with links to the glossary: at introductions, and at first uses of others' terms."""
    ours = {s: t for s, t in terms.items() if t.chapter == chapter.name}
    others = {s: t for s, t in terms.items() if t.chapter != chapter.name and not t.everyday}
    pages = []
    for at, block in enumerate(chapter.blocks):
        if block.kind != "prose" or not at:
            pages.append(block.html)
            continue
        page = _DFN.sub(lambda m: _introduction(m, ours), block.html)
        pages.append(_walk(page, others, lambda text, slug: _first(text, slug, others, chapter.name)))
    return pages


def _introduction(match: re.Match[str], ours: Mapping[str, Term]) -> str:
    slug = _slug(_named(match))
    if slug not in ours:
        return match[0]
    return f'<dfn id="term-{slug}"><a class="term" href="{PAGE}#{slug}">{match[2]}</a></dfn>'


def _first(text: str, slug: str, others: dict[str, Term], chapter: str) -> str:
    """A link for a term's first use in a chapter; later ones stay as they are."""
    others.pop(slug).used.append(chapter)
    return f'<a class="term" id="use-{slug}" href="{PAGE}#{slug}">{text}</a>'


def _introduced(chapter: Chapter) -> Iterator[Term]:
    question = ""
    for at, block in enumerate(chapter.blocks):
        if block.kind != "prose":
            continue
        question = prose.last(block.html, "h2") or question
        for match in _DFN.finditer(block.html):
            name = _named(match)
            everyday = "everyday" in match[1]
            meaning = _meaning(block.html, match.start())
            figure = _figure(chapter.blocks[at + 1 :])
            yield Term(name, _slug(name), everyday, meaning, chapter.name, at, question, figure)


def _figure(after: tuple[Block, ...]) -> str:
    """The next figure, if no other section begins before it."""
    for block in after:
        if block.kind == "figure":
            return block.name
        if "<h2" in block.html:
            break
    return ""


def _named(match: re.Match[str]) -> str:
    """The term's name: its title, or its text, small at the beginning of a sentence."""
    titled = re.search(r'title="([^"]+)"', match[1])
    if titled:
        return html.unescape(titled[1])
    name = prose.plain(match[2])
    return name if name[1:] != name[1:].lower() else name[0].lower() + name[1:]


def _slug(name: str) -> str:
    """Its place in an address.

    >>> _slug("KV cache")
    'kv-cache'
    """
    return re.sub(r"[^\w]+", "-", name.lower()).strip("-")


def _meaning(page: str, at: int) -> str:
    """The ``meaning`` around a place, or else the sentence."""
    for match in re.finditer(r'<span class="meaning">', page):
        end = _closed(page, match.end())
        if match.start() <= at < end:
            return _clean(page[match.end() : end])
    start = max((m.end() for m in _EDGE.finditer(page, 0, at)), default=0)
    edge = _EDGE.search(page, at)
    end = edge.start() if edge else len(page)
    start = max([start, *(m.end() for m in _END.finditer(page, start, at))])
    stop = _END.search(page, page.index("</dfn>", at), end)
    return _clean(page[start : stop.end() if stop else end])


def _closed(page: str, at: int) -> int:
    """Where the span ends that was opened before a place."""
    depth = 1
    for match in re.finditer(r"<(/?)span\b", page[at:]):
        depth += -1 if match[1] else 1
        if not depth:
            return at + match.start()
    return len(page)


def _clean(part: str) -> str:
    """A part of a page that stands by itself: without links, whose addresses hold in the chapter alone.

    The term is bold. Where tags do not pair, since the part cuts through one, it is plain text.
    """
    part = re.sub(r"</?a\b[^>]*>", "", part)
    part = re.sub(r"<dfn[^>]*>", "<strong>", part).replace("</dfn>", "</strong>")
    part = re.sub(r"[\s:;,]+$", "", part)
    part += "" if re.search(r"[.?!](?:</\w+>|[)”])*$", part) else "."
    opened: list[str] = []
    for closing, tag in re.findall(r"<(/?)(\w+)[^>]*?>", part):
        if not closing:
            opened.append(tag)
        elif not opened or opened.pop() != tag:
            return prose.escaped(part)
    return prose.escaped(part) if opened else part


def _said(text: str, terms: Mapping[str, Term]) -> dict[str, Term]:
    """The terms that stand in a text, be it as part of a word; most texts have none."""
    low = text.lower()
    return {slug: t for slug, t in terms.items() if any(form in low for form in _small(t.name))}


@functools.lru_cache(maxsize=1024)
def _small(name: str) -> tuple[str, ...]:
    return tuple(form.lower() for form in _forms(name))


def _pattern(terms: Mapping[str, Term]) -> re.Pattern[str]:
    """Any of the terms, in one or more: the longest first, and no part of a longer word."""
    forms = {form: slug for slug, t in terms.items() for form in _forms(t.name)}
    names = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{names})(?![\w-])", re.I)


def _forms(name: str) -> tuple[str, ...]:
    """A term's singular and plural.

    >>> _forms("vocabulary"), _forms("matrix"), _forms("token")
    (('vocabulary', 'vocabularies'), ('matrix', 'matrices'), ('token', 'tokens'))
    """
    if name.endswith("y"):
        return name, name[:-1] + "ies"
    return (name, name[:-2] + "ices") if name.endswith("ix") else (name, name + "s")


def _uses(page: str, terms: Mapping[str, Term]) -> list[str]:
    found: list[str] = []

    def note(text: str, slug: str) -> str:
        found.append(slug)
        return text

    _walk(page, dict(terms), note)
    return found


def _walk(page: str, terms: dict[str, Term], use: Callable[[str, str], str]) -> str:
    """Gives every use of a term in running text to ``use``, and puts what it returns in its place."""
    inside: list[str] = []
    parts = _TAG.split(page)
    for n, part in enumerate(parts):
        if part.startswith("<"):
            tag = re.match(r"</?(\w+)", part)
            if tag and tag[1] in _SKIPPED:
                if part.startswith("</"):
                    inside.pop()
                else:
                    inside.append(tag[1])
        elif part.strip() and not inside and (said := _said(part, terms)):
            parts[n] = _pattern(said).sub(lambda m: _replaced(m[0], terms, use), part)
    return "".join(parts)


def _replaced(text: str, terms: Mapping[str, Term], use: Callable[[str, str], str]) -> str:
    """One use; a term whose first use in this very text was taken already stays as it is."""
    low = text.lower()
    slug = next((s for s, t in terms.items() if low in {f.lower() for f in _forms(t.name)}), "")
    return use(text, slug) if slug else text
