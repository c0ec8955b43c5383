r"""Where each token of a text stands in it.

    >>> place([b"h", b"\xc3", b"\xa9"])
    [(0, 1), (1, 2), (1, 2)]

A token may hold a part of a character. It then shares the whole character's span with the other parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class Piece(NamedTuple):
    """One token of a text.

    Attributes:
        id: Its number in the vocabulary.
        data: Its bytes.
        start: Offset in characters of the first character it touches.
        end: Offset just behind the last character it touches.
    """

    id: int
    data: bytes
    start: int
    end: int


def utf8(text: str) -> bytes:
    """Encodes text, and says in a sentence why half a character cannot be encoded.

    Raises:
        ValueError: The text holds a lone surrogate, which stands for no character.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise ValueError(
            f"character {error.start + 1} is U+{code:04X}, half of a surrogate pair: it stands for no "
            "character, so it has no bytes and no tokens; remove it or paste the text again"
        ) from None


_HALF = re.compile(r"[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")


def mended(text: str) -> tuple[str, str]:
    r"""Reads each half of a surrogate pair as U+FFFD, as tiktoken does, so that any text has tokens.

    >>> mended("x\ud83d")[0] == "x\ufffd", mended("good")
    (True, ('good', ''))

    Returns:
        The text, and a sentence that says what was read and where; empty if there was nothing to mend.
    """
    found = [(m.start() + 1, ord(m[0])) for m in _HALF.finditer(text)]
    # Two halves that stand together become one character.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if not found:
        return text, ""
    place, code = found[0]
    sentence = f"Character {place:,} is U+{code:04X}, half of a surrogate pair, which stands for no character"
    if len(found) > 1:
        sentence += f"; there are {len(found) - 1:,} more like it"
    return text, f"{sentence}. It is read as U+FFFD, the replacement sign, as tiktoken does."


_INSIDE = bytes(range(0x80, 0xC0))  # bytes of a character behind its first


def place(data: Iterable[bytes]) -> list[tuple[int, int]]:
    """Finds the characters that each token touches.

    Args:
        data: The bytes of each token, which joined are the text's UTF-8 bytes.

    Returns:
        One (start, end) in characters for each token.
    """
    spans = []
    begun = 0  # characters that begin in the tokens so far
    for chunk in data:
        start = begun - (0x80 <= chunk[0] < 0xC0)  # it goes on with the last one
        begun += len(chunk.translate(None, _INSIDE))
        spans.append((start, begun))
    return spans


def pieces(ids: Iterable[int], data: Iterable[bytes]) -> list[Piece]:
    """Joins ids, bytes and spans to one list."""
    data = list(data)
    return [Piece(i, d, *span) for i, d, span in zip(ids, data, place(data), strict=True)]
