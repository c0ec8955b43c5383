"""Cutting a text into parts that no token reaches across: what ``tokenizer.json`` calls pre-tokenizers.

Each ``make`` gives a function from one part to the parts that it is cut into; ``chain`` runs several.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from glassbox.tokens.foreign import fields, letters
from glassbox.tokens.foreign.fields import Json, UnknownError
from glassbox.tokens.foreign.traced import Traced

Cut = Callable[[Traced], list[Traced]]
_PATIENCE = 10.0  # seconds that a file's pattern may take on one text

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def make(step: Json | None) -> Cut:
    """The cutting that a ``pre_tokenizer`` of a file asks for; ``None`` leaves the text whole.

    Raises:
        UnknownError: It is of a kind, or has a field, that is not known here.
        ValueError: A field has a value that it cannot have.
    """
    if step is None:
        return lambda part: [part]
    return fields.kind(step, _KINDS, "the file cuts text by")(step)


def chain(cuts: Iterable[Cut]) -> Cut:
    """Several cuttings one after the other, each on all parts of the one before."""
    steps = list(cuts)

    def run(part: Traced) -> list[Traced]:
        parts = [part]
        for cut in steps:
            parts = [piece for p in parts for piece in cut(p) if piece.text]
        return parts

    return run


Match = tuple[int, int, bool]  # start, end, and whether the pattern matched there


def matches(pattern: Any, text: str) -> Iterator[Match]:
    """All stretches of a text, those that match a pattern and those between."""
    at = 0
    try:
        for match in pattern.finditer(text, timeout=_PATIENCE):
            start, end = match.span()
            if at < start:
                yield at, start, False
            yield start, end, True
            at = end
    except TimeoutError:
        raise ValueError(f"the pattern {pattern.pattern[:60]!r} of the file takes too long here") from None
    if at < len(text):
        yield at, len(text), False


def of_characters(hit: Callable[[str], bool]) -> Callable[[str], Iterator[Match]]:
    """Stretches of one character each, for a test instead of a pattern; others stand together."""
    known: dict[str, bool] = {}

    def find(text: str) -> Iterator[Match]:
        at = 0
        for index, c in enumerate(text):
            if c not in known:
                known[c] = hit(c)
            if known[c]:
                if at < index:
                    yield at, index, False
                yield index, index + 1, True
                at = index + 1
        if at < len(text):
            yield at, len(text), False

    return find


def _isolated(found: Iterator[Match]) -> list[tuple[int, int]]:
    return [(start, end) for start, end, _ in found]


def _removed(found: Iterator[Match]) -> list[tuple[int, int]]:
    return [(start, end) for start, end, hit in found if not hit]


def _contiguous(found: Iterator[Match]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    last = None
    for start, end, hit in found:
        if hit == last:
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
        last = hit
    return out


def _with_previous(found: Iterator[Match]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    was = False
    for start, end, hit in found:
        if hit and not was and out:
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
        was = hit
    return out


def _with_next(found: Iterator[Match]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    was = False
    for start, end, hit in reversed(list(found)):
        if hit and not was and out:
            out[-1] = (start, out[-1][1])
        else:
            out.append((start, end))
        was = hit
    return out[::-1]


_BEHAVIOURS = {
    "Isolated": _isolated,
    "Removed": _removed,
    "Contiguous": _contiguous,
    "MergedWithPrevious": _with_previous,
    "MergedWithNext": _with_next,
}


def by(find: Callable[[str], Iterator[Match]], behaviour: str, invert: bool = False) -> Cut:
    """Cuts where something is found.

    Args:
        find: Finds the stretches of a text.
        behaviour: What becomes of what was found: ``Isolated`` is a part of its own, ``Removed`` is gone,
            ``Contiguous`` is one part with its equals beside it, the others join a neighbour.
        invert: Take what was not found for what was.
    """
    if behaviour not in _BEHAVIOURS:
        raise UnknownError(f"Split has no behavior {behaviour!r}; there are {', '.join(_BEHAVIOURS)}")
    arrange = _BEHAVIOURS[behaviour]

    def cut(part: Traced) -> list[Traced]:
        found = find(part.text)
        if invert:
            found = ((start, end, not hit) for start, end, hit in found)
        return [part.cut(start, end) for start, end in arrange(found)]

    return cut


def _pattern(pattern: Any) -> Callable[[str], Iterator[Match]]:
    return lambda text: matches(pattern, text)


def pattern(text: str) -> Cut:
    """Cuts a text into what a pattern matches and what stands between.

    Raises:
        ValueError: The pattern cannot be read.
    """
    return by(_pattern(fields.compiled(text)), "Isolated")


def _split(step: Json) -> Cut:
    fields.only(step, "pattern behavior invert")
    behaviour = fields.get(step, "behavior", str, "Isolated")
    return by(_pattern(fields.pattern(step)), behaviour, fields.get(step, "invert", bool, False))


def _byte_level(step: Json) -> Cut:
    fields.only(step, "add_prefix_space use_regex trim_offsets")
    prefix = fields.get(step, "add_prefix_space", bool, True)
    words = by(_pattern(fields.compiled(GPT2)), "Isolated")
    cut = words if fields.get(step, "use_regex", bool, True) else make(None)

    def run(part: Traced) -> list[Traced]:
        if prefix and not part.text.startswith(" "):
            part = part.prepended(" ")
        return [piece.each(letters.spelled) for piece in cut(part)]

    return run


def _metaspace(step: Json) -> Cut:
    fields.only(step, "replacement prepend_scheme split add_prefix_space str_rep")
    sign = fields.get(step, "replacement", str, "▁")
    scheme = fields.get(step, "prepend_scheme", str)
    if scheme is None:
        scheme = "always" if fields.get(step, "add_prefix_space", bool, True) else "never"
    scheme = scheme.lower()
    if scheme not in ("always", "first", "never"):
        raise UnknownError(f"Metaspace has no prepend_scheme {scheme!r}; there are always, first and never")
    cut = by(of_characters(sign.__eq__), "MergedWithNext")
    split = fields.get(step, "split", bool, True)

    def run(part: Traced) -> list[Traced]:
        part = part.each(lambda c: sign if c == " " else None)
        wanted = scheme == "always" or (scheme == "first" and part.starts[0] == 0)
        if wanted and not part.text.startswith(sign):
            part = part.prepended(sign)
        return cut(part) if split else [part]

    return run


def is_punctuation(c: str) -> bool:
    """Whether a character is a sign: any of ASCII's, or of Unicode's class P."""
    return "!" <= c <= "/" or ":" <= c <= "@" or "[" <= c <= "`" or "{" <= c <= "~" or _category(c) == "P"


def _category(c: str) -> str:
    return unicodedata.category(c)[0]


_SPACE = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


def is_space(c: str) -> bool:
    """Whether a character is white space of Unicode (Python adds four controls to these)."""
    return bool(_SPACE.match(c))


def _digits(step: Json) -> Cut:
    fields.only(step, "individual_digits")
    alone = fields.get(step, "individual_digits", bool, False)
    return by(of_characters(lambda c: _category(c) == "N"), "Isolated" if alone else "Contiguous")


def _punctuation(step: Json) -> Cut:
    fields.only(step, "behavior")
    return by(of_characters(is_punctuation), fields.get(step, "behavior", str, "Isolated"))


def _whitespace_split(step: Json) -> Cut:
    fields.only(step, "")
    return by(of_characters(is_space), "Removed")


def _whitespace(step: Json) -> Cut:
    fields.only(step, "")
    return by(_pattern(fields.compiled(r"\w+|[^\w\s]+")), "Removed", invert=True)


def _bert(step: Json) -> Cut:
    return chain([_whitespace_split(step), by(of_characters(is_punctuation), "Isolated")])


def _delimiter(step: Json) -> Cut:
    fields.only(step, "delimiter")
    return by(of_characters(fields.need(step, "delimiter", str).__eq__), "Removed")


def _sequence(step: Json) -> Cut:
    return chain([make(s) for s in fields.need(step, "pretokenizers", list)])


_KINDS: dict[str, Callable[[Json], Cut]] = {
    "ByteLevel": _byte_level,
    "Split": _split,
    "Metaspace": _metaspace,
    "Digits": _digits,
    "Punctuation": _punctuation,
    "Whitespace": _whitespace,
    "WhitespaceSplit": _whitespace_split,
    "BertPreTokenizer": _bert,
    "CharDelimiterSplit": _delimiter,
    "Sequence": _sequence,
}
