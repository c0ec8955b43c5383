"""Rewriting a text before it is cut: what ``tokenizer.json`` calls normalizers.

Many texts become one: accents written apart and together, wide letters and plain ones, capitals and small
ones. What is lost here no token can give back.

    >>> make({"type": "Lowercase"})(Traced.of("ABC")).text
    'abc'
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Literal

from glassbox.tokens.foreign import charsmap, cuts, fields, letters
from glassbox.tokens.foreign.fields import Json
from glassbox.tokens.foreign.traced import Traced

Normal = Callable[[Traced], Traced]
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


def make(step: Json | None) -> Normal:
    """The rewriting that a ``normalizer`` of a file asks for; ``None`` changes nothing.

    Raises:
        UnknownError: It is of a kind, or has a field, that is not known here.
        ValueError: A field has a value that it cannot have.
    """
    if step is None:
        return lambda text: text
    return fields.kind(step, _KINDS, "the file normalises text by")(step)


def unicode_form(form: Form) -> Normal:
    """One of Unicode's four normal forms; characters that are rewritten together share their stretch."""

    def run(text: Traced) -> Traced:
        if unicodedata.is_normalized(form, text.text):
            return text
        chunks, at = [], 0
        for index in range(1, len(text.text) + 1):
            if index == len(text.text) or _apart(form, text.text[at:index], text.text[index]):
                chunks.append((unicodedata.normalize(form, text.text[at:index]), at, index))
                at = index
        return text.rewritten(chunks)

    return run


def _apart(form: Form, before: str, c: str) -> bool:
    """Whether a character, and so all that follows it, is rewritten by itself."""
    alone = unicodedata.normalize(form, c)
    if unicodedata.combining(unicodedata.normalize("NFD", c)[0]):
        return False
    return unicodedata.normalize(form, before + c) == unicodedata.normalize(form, before) + alone


def _form(step: Json) -> Normal:
    fields.only(step, "")
    return unicode_form(step["type"])


def _lowercase(step: Json) -> Normal:
    fields.only(step, "")
    return lambda text: text.each(str.lower)


def _strip_accents(step: Json) -> Normal:
    fields.only(step, "")
    return lambda text: text.each(lambda c: "" if unicodedata.category(c)[0] == "M" else None)


def _replace(step: Json) -> Normal:
    fields.only(step, "pattern content")
    pattern, content = fields.pattern(step), fields.get(step, "content", str, "")

    def run(text: Traced) -> Traced:
        if not pattern.search(text.text):
            return text
        found = cuts.matches(pattern, text.text)
        chunks: list[tuple[str, int, int]] = []
        for start, end, hit in found:
            if hit:
                chunks.append((content, start, end))
            else:
                chunks += [(c, start + n, start + n + 1) for n, c in enumerate(text.text[start:end])]
        return text.rewritten(chunks)

    return run


def _prepend(step: Json) -> Normal:
    fields.only(step, "prepend")
    before = fields.need(step, "prepend", str)
    return lambda text: text.prepended(before) if text.text else text


def _strip(step: Json) -> Normal:
    fields.only(step, "strip_left strip_right")
    left, right = (fields.get(step, name, bool, True) for name in ("strip_left", "strip_right"))

    def run(text: Traced) -> Traced:
        start, end = 0, len(text.text)
        while left and start < end and cuts.is_space(text.text[start]):
            start += 1
        while right and start < end and cuts.is_space(text.text[end - 1]):
            end -= 1
        return text.cut(start, end)

    return run


def _bert(step: Json) -> Normal:
    fields.only(step, "clean_text handle_chinese_chars strip_accents lowercase")
    lowercase = fields.get(step, "lowercase", bool, True)
    steps: list[Normal] = []
    if fields.get(step, "clean_text", bool, True):
        steps.append(lambda text: text.each(_clean))
    if fields.get(step, "handle_chinese_chars", bool, True):
        steps.append(lambda text: text.each(lambda c: f" {c} " if _is_chinese(ord(c)) else None))
    if fields.get(step, "strip_accents", bool, lowercase):
        apart = unicode_form("NFD")
        steps.append(lambda text: apart(text).each(lambda c: "" if unicodedata.category(c) == "Mn" else None))
    if lowercase:
        steps.append(lambda text: text.each(str.lower))
    return _after_another(steps)


def _clean(c: str) -> str | None:
    if c in "\t\n\r" or cuts.is_space(c):
        return " "
    return "" if c in "\0\ufffd" or unicodedata.category(c)[0] == "C" else None


def _is_chinese(code: int) -> bool:
    """The ranges of BERT's own code."""
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2A6DF
        or 0x2A700 <= code <= 0x2B81F
        or 0x2B920 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    )


_NMT_GONE = {*range(0x1, 0x9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F}
_NMT_SPACE = {0x9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD}


def _nmt(step: Json) -> Normal:
    fields.only(step, "")
    return lambda text: text.each(
        lambda c: "" if ord(c) in _NMT_GONE else " " if ord(c) in _NMT_SPACE else None
    )


def _precompiled(step: Json) -> Normal:
    fields.only(step, "precompiled_charsmap")
    packed = fields.get(step, "precompiled_charsmap", str, "")
    return charsmap.Charsmap(packed).rewrite if packed else make(None)


def _byte_level(step: Json) -> Normal:
    fields.only(step, "")
    return lambda text: text.each(letters.spelled)


def _sequence(step: Json) -> Normal:
    return _after_another([make(s) for s in fields.need(step, "normalizers", list)])


def _after_another(steps: list[Normal]) -> Normal:
    def run(text: Traced) -> Traced:
        for step in steps:
            text = step(text)
        return text

    return run


_KINDS: dict[str, Callable[[Json], Normal]] = {
    "NFC": _form,
    "NFD": _form,
    "NFKC": _form,
    "NFKD": _form,
    "Lowercase": _lowercase,
    "StripAccents": _strip_accents,
    "Replace": _replace,
    "Prepend": _prepend,
    "Strip": _strip,
    "BertNormalizer": _bert,
    "Nmt": _nmt,
    "Precompiled": _precompiled,
    "ByteLevel": _byte_level,
    "Sequence": _sequence,
}
