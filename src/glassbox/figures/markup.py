"""Markup that is safe by construction: strings are text, only ``el`` makes tags.

    >>> el("b", "3 < 4", title='say "hi"')
    '<b title="say &quot;hi&quot;">3 &lt; 4</b>'
    >>> el("p", "see ", el("i", "this"))
    '<p>see <i>this</i></p>'

A plain ``str`` child or attribute value is always escaped, whoever wrote it: a reader, a URL, or we.
Only a ``Markup``, which only ``el``, ``join`` and ``raw`` return, passes unescaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_VOID = frozenset({"br", "col", "hr", "img", "input", "wbr", "path", "line", "rect", "circle", "use"})

# Control characters that HTML forbids or that would vanish; shown by their pictures (U+2400 block).
_CONTROL_PICTURES = {code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)} | {0x7F: 0x2421}

# Characters that change the direction of what follows; text() isolates instead of passing them on.
_BIDI_CONTROLS = {code: f"⟨U+{code:04X}⟩" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}


class Markup(str):
    """A string that is already safe markup."""

    __slots__ = ()


Child = str | int | float | None | Iterable["Child"]


def text(value: object) -> Markup:
    """Escapes ``value`` as text: markup, control characters, direction overrides, lone surrogates."""
    if isinstance(value, Markup):
        return value
    plain = str(value).translate(_CONTROL_PICTURES).translate(_BIDI_CONTROLS)
    plain = "".join(f"⟨U+{ord(c):04X}⟩" if 0xD800 <= ord(c) <= 0xDFFF else c for c in plain)
    return Markup(escape(plain, quote=True))


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
