"""Markup that is safe by construction: strings are text, only ``el`` makes tags.

    >>> el("b", "3 < 4", title='say "hi"')
    '<b title="say &quot;hi&quot;">3 &lt; 4</b>'
    >>> el("p", "see ", el("i", "this"))
    '<p>see <i>this</i></p>'

A plain ``str`` child or attribute value is always escaped, whoever wrote it: a reader, a URL, or we.
Only a ``Markup``, which only ``el``, ``join`` and ``raw`` return, passes unescaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import SupportsIndex

_VOID = frozenset({"br", "col", "hr", "img", "input", "wbr", "path", "line", "rect", "circle", "use"})

_SVG = frozenset({"text", "tspan", "title"})  # have no such attribute; an element around them says it

# What holds a name of its own that a reader of the screen can go to; a chart's name is its whole sentence.
_NAMED = re.compile(
    r'<\w+(?=[^>]* role="(?:grid|group|region)")(?![^>]* data-chart=)[^>]* aria-label="(?=(?P<name>[^"]*))'
)

# Shown by name, because they would vanish, be refused by HTML, or reorder what follows: control characters
# other than tab and newline, overrides of the text's direction, halves of surrogate pairs.
_SPECIAL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Markup(str):
    """A string that is already safe markup."""

    __slots__ = ()


class Kept(str):
    """Text that is data, such as a token or a word of the model: no translator may change it.

    The element or the table's cell that holds it says so with ``translate="no"``.

    >>> el("td", Kept("chest"))
    '<td translate="no">chest</td>'
    """

    __slots__ = ()

    def strip(self, chars: str | None = None, /) -> Kept:
        """As of any text; what is left is still data."""
        return Kept(super().strip(chars))

    def removeprefix(self, prefix: str, /) -> Kept:
        """As of any text; what is left is still data."""
        return Kept(super().removeprefix(prefix))

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> Kept:
        """As of any text; the result is still data."""
        return Kept(super().replace(old, new, count))


Child = str | int | float | None | Iterable["Child"]


def text(value: object) -> Markup:
    r"""Escapes ``value`` as text; characters that would vanish or reorder are shown by name.

    >>> text("a\x00 <b>")
    'a␀ &lt;b&gt;'
    """
    if isinstance(value, Markup):
        return value
    return Markup(escape(visible(str(value)), quote=True))


def visible(plain: str) -> str:
    r"""Names the characters that would vanish or reorder what follows; the result is still plain text.

    >>> visible("a\x00 <b>")
    'a␀ <b>'
    """
    return _SPECIAL.sub(_by_name, plain) if _SPECIAL.search(plain) else plain


def _by_name(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def join(children: Iterable[Child], separator: str = "") -> Markup:
    """Concatenates children, escaping those that are not markup."""
    return Markup(str(text(separator)).join(_child(c) for c in children))


def raw(trusted: str) -> Markup:
    """Declares a literal of our own to be markup. Never call it on text that came from outside."""
    return Markup(trusted)


def el(tag: str, *children: Child, **attributes: object) -> Markup:
    """Builds one element.

    Args:
        tag: Its name.
        *children: Text (escaped), markup, or iterables of both; ``None`` is left out.
        **attributes: ``class_`` gives ``class``; an inner underscore becomes a hyphen (``aria_label``);
            ``None`` and ``False`` are left out, ``True`` gives the bare name.
    """
    head = tag
    if tag not in _SVG and "translate" not in attributes and any(isinstance(c, Kept) for c in children):
        attributes["translate"] = "no"
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        name = name.rstrip("_").replace("_", "-")
        head += f" {name}" if value is True else f' {name}="{text(value)}"'
    if tag in _VOID and not children:
        return Markup(f"<{head}>" if tag in ("br", "col", "hr", "img", "input", "wbr") else f"<{head}/>")
    return Markup(f"<{head}>{''.join(_child(c) for c in children)}</{tag}>")


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, (str, int, float)):
        return text(child)
    return "".join(_child(c) for c in child)


def grid(head: Child, body: Child, label: str, **attributes: object) -> Markup:
    """A table whose cells the arrow keys walk: rows in ``tr`` with ``role="row"``, cells ``gridcell``.

    The grid is the box around the table, and the table itself is drawing only: HTML allows no roles on the rows
    and cells of a table that is one, and scripts and readers of the screen both find the grid by its roles.
    """
    table = el("table", el("thead", head), el("tbody", body), **attributes, role="presentation")
    return el("div", table, role="grid", aria_label=label)


def under(title: str, picture: Markup) -> Markup:
    """Puts a figure's title before the names of its picture's boxes and grids: a page has many an “attention matrix”.

    >>> under("Heads", el("div", role="grid", aria_label="pieces"))
    '<div role="grid" aria-label="Heads: pieces"></div>'
    """
    before = f"{text(title)}: "
    return Markup(_NAMED.sub(lambda m: m[0] if m["name"].startswith(before) else m[0] + before, picture))
