"""Renders a notebook's Markdown as the page's HTML: headings with ids, formulas as MathML, no script."""

from __future__ import annotations

import html
import re

import markdown
from latex2mathml import converter

_EXTENSIONS = ["extra", "md_in_html", "toc", "pymdownx.arithmatex"]
_SETTINGS = {"pymdownx.arithmatex": {"generic": True, "smart_dollar": True}}


def render(text: str) -> str:
    """Renders Markdown; ``$…$`` and ``$$…$$`` become MathML, which browsers draw themselves.

    An author may write ``?memory_model=Gemma 3 27B``; in an address of the page a space is ``+``.
    """
    text = text.replace("<aside>", '<aside markdown="1">')
    page = markdown.markdown(text, extensions=_EXTENSIONS, extension_configs=_SETTINGS)
    page = re.sub(r'(?<= href=")\?[^"]*', lambda m: m[0].replace(" ", "+"), page)
    page = page.replace("<p><strong>Try this.", '<p class="try-this"><strong>Try this.')
    page = page.replace("<p><strong>Remember.", '<p class="remember"><strong>Remember.')
    page = re.sub(r'<span class="arithmatex">\\\((.*?)\\\)</span>', _inline, page, flags=re.S)
    page = page.replace("<code>", '<code translate="no">')
    page = re.sub(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', _display, page, flags=re.S)
    return together(page)


_CODE_OR_SHARE = re.compile(r"<(code|pre)\b.*?</\1>|(?<=\d)\s(?=%)", re.S)


def together(page: str) -> str:
    r"""Markup in which no line begins with the ``%`` of a share; code stays as it is.

    >>> together("40 % of it, <code>7 % 2</code>").replace("\xa0", "_")
    '40_% of it, <code>7 % 2</code>'
    """
    return _CODE_OR_SHARE.sub(lambda m: m[0] if m[1] else "\N{NO-BREAK SPACE}", page)


def _inline(match: re.Match[str]) -> str:
    return converter.convert(html.unescape(match[1]).strip())


def _display(match: re.Match[str]) -> str:
    formula = converter.convert(html.unescape(match[1]).strip(), display="block")
    said = html.escape(f"formula: {plain(formula).split(' = ')[0][:60].strip()}", quote=True)
    return f'<div class="formula scroll" tabindex="0" role="group" aria-label="{said}">{formula}</div>'


def plain(page: str) -> str:
    """The text of some markup, white space folded."""
    without_tex = re.sub(r"<annotation.*?</annotation>", "", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", without_tex)).split())


def escaped(page: str) -> str:
    """The text of some markup, as markup without tags."""
    return html.escape(plain(page), quote=False)


def first(page: str, tag: str) -> str:
    """The plain text of the first such element, or nothing."""
    found = re.search(rf"<{tag}\b[^>]*>(.*?)</{tag}>", page, flags=re.S)
    return plain(found[1]) if found else ""


def last(page: str, tag: str) -> str:
    """The plain text of the last such element, or nothing."""
    found = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", page, flags=re.S)
    return plain(found[-1]) if found else ""


def headings(page: str) -> list[tuple[str, str]]:
    """The (id, text) of each second-level heading, for the table of contents."""
    return [(i, plain(t)) for i, t in re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', page, flags=re.S)]
