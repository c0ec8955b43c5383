"""Packs a figure's states as what differs from the first one, since most of a picture stays as it is."""

from __future__ import annotations

import difflib
import itertools
import re
from typing import Any

Json = dict[str, Any]

# A state is compared word by word, and a large one tag by tag: the time grows with the square of the parts.
_TOKEN = re.compile(r"<[^<>]{0,40}|[A-Za-z]+|[0-9.]+|\s+|.", re.S)
# A chart's columns stand in brackets.
_LARGE_TOKEN = re.compile(r"<[^<>]*>|\[[^<>\[\]]*\]|[^<>\[\]]+|.", re.S)
_LARGE = 4_000  # characters


def pack(texts: dict[str, str]) -> Json:
    """Stores each state as what differs from the first one.

    A state is a list of copies ``[start, end]`` from ``base`` and of new strings, joined in order:

        >>> pack({"[0]": "<b>10 apples</b>", "[1]": "<b>11 apples</b>"})
        {'base': '<b>10 apples</b>', 'states': {'[0]': [[0, 16]], '[1]': ['<b>11', [5, 16]]}}

    Positions count UTF-16 code units, as the reader of this file (JavaScript) does.
    """
    base = next(iter(texts.values()))
    token = _LARGE_TOKEN if max(map(len, texts.values())) > _LARGE else _TOKEN
    tokens = token.findall(base)
    offsets = [0, *itertools.accumulate(_utf16(t) for t in tokens)]
    matcher = difflib.SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(tokens)
    return {
        "base": base,
        "states": {k: _differences(token.findall(t), matcher, offsets) for k, t in texts.items()},
    }


def _differences(tokens: list[str], matcher: difflib.SequenceMatcher[str], offsets: list[int]) -> list[Any]:
    matcher.set_seq1(tokens)
    out: list[Any] = []
    at = 0
    for block in matcher.get_matching_blocks():
        size = offsets[block.b + block.size] - offsets[block.b]
        if size < 6 and block.size:
            continue  # shorter to write than to point at
        if block.a > at:
            out.append("".join(tokens[at : block.a]))
        if block.size:
            out.append([offsets[block.b], offsets[block.b] + size])
        at = block.a + block.size
    return out


def unpack(packed: Json, state: str) -> str:
    """Restores one state's string; the same few lines stand in the page script."""
    units = packed["base"].encode("utf-16-le")
    pieces = packed["states"][state]
    return "".join(
        p if isinstance(p, str) else units[2 * p[0] : 2 * p[1]].decode("utf-16-le") for p in pieces
    )


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
