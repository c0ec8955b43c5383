"""Entries that are found in a text before anything else: control tokens, and others taken whole.

Control tokens such as ``<|im_start|>`` steer a model. A text in which they are read as such comes from a
program; in what a person typed they should stay ordinary text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from glassbox.tokens.foreign import cuts, fields
from glassbox.tokens.foreign.fields import Json
from glassbox.tokens.foreign.traced import Traced


@dataclass(frozen=True)
class Entry:
    """One added entry.

    Attributes:
        id: Its number.
        content: Its text.
        special: Whether it is a control token.
        normalized: Whether it is looked for in the normalised text rather than in the original.
        single_word: Whether letters beside it keep it from being found.
        lstrip: Whether white space before it belongs to it.
        rstrip: Whether white space behind it does.
    """

    id: int
    content: str
    special: bool = False
    normalized: bool = True
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False


def entry(step: Json) -> Entry:
    """One of a file's ``added_tokens``.

    Raises:
        UnknownError: It has a field that is not known here.
        ValueError: A field is missing or has a value that it cannot have.
    """
    switches = ("special", "normalized", "single_word", "lstrip", "rstrip")
    fields.only(step, f"id content {' '.join(switches)}")
    token, content = fields.need(step, "id", int), fields.need(step, "content", str)
    if token < 0 or not content:
        raise ValueError(f"an added token has the id {token} and the text {content!r}")
    special, normalized, *rest = (fields.get(step, name, bool) for name in switches)
    return Entry(token, content, bool(special), normalized is not False, *map(bool, rest))


class Finder:
    """Finds entries in a text, the leftmost first and the longest of those."""

    def __init__(self, entries: list[Entry], spelled: Callable[[str], str] = str) -> None:
        """Prepares the search.

        Args:
            entries: What to find.
            spelled: How the text that is searched would write an entry.
        """
        self._found = {spelled(e.content): e for e in entries}
        alternatives = sorted(filter(None, self._found), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, alternatives))) if alternatives else None

    def split(self, text: Traced, special: bool) -> Iterator[tuple[Entry | None, Traced]]:
        """Cuts a text into entries and what stands between them.

        Args:
            text: The text.
            special: Whether control tokens are read as such.
        """
        at = 0
        for match in self._pattern.finditer(text.text) if self._pattern else ():
            found, (start, end) = self._found[match[0]], match.span()
            if (found.special and not special) or (found.single_word and _inside_word(text.text, start, end)):
                continue
            while found.lstrip and start > 0 and cuts.is_space(text.text[start - 1]):
                start -= 1
            while found.rstrip and end < len(text.text) and cuts.is_space(text.text[end]):
                end += 1
            start = max(start, at)
            if at < start:
                yield None, text.cut(at, start)
            yield found, text.cut(start, end)
            at = end
        if at < len(text.text):
            yield None, text.cut(at, len(text.text))


def _inside_word(text: str, start: int, end: int) -> bool:
    return (start > 0 and _is_word(text[start - 1])) or (end < len(text) and _is_word(text[end]))


def _is_word(c: str) -> bool:
    return c == "_" or unicodedata.category(c)[0] in "LNM"
