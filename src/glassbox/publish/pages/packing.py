"""Packs a figure's states as what differs from the first one, since most of a picture stays as it is."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from typing import Any

Json = dict[str, Any]

# A state is compared word by word, and a large one tag by tag.
_TOKEN = re.compile(r"<[^<>]{0,40}|[A-Za-z]+|[0-9.]+|\s+|.", re.S)
# A chart's columns stand in brackets.
_LARGE_TOKEN = re.compile(r"<[^<>]*>|\[[^<>\[\]]*\]|[^<>\[\]]+|.", re.S)
_LARGE = 4_000  # characters
# The least that is worth a copy, in code units: compressed, a shorter one takes more than its text. Most
# copies follow the last one; one from elsewhere has two numbers that nothing else in the file repeats.
_ON, _ELSEWHERE = 24, 40
_NEAR = 8  # places within which a copy counts as following, beside twice what was passed over
_TRIED = 4  # places before and after the expected one that are looked at, so that the work stays in bounds


def pack(texts: dict[str, str]) -> Json:
    """Stores each state as what differs from the first one.

    A state is a list of copies ``[start, end]`` from ``base`` and of new strings, joined in order:

        >>> pack({"[0]": "<b>10 apples hang on one tree</b>", "[1]": "<b>11 apples hang on one tree</b>"})
        {'base': '<b>10 apples hang on one tree</b>', 'states': {'[0]': [[0, 33]], '[1]': ['<b>11', [5, 33]]}}

    Positions count UTF-16 code units, as the reader of this file (JavaScript) does. The work grows with the
    length of the states, whatever changes between them.
    """
    base = next(iter(texts.values()))
    token = _LARGE_TOKEN if max(map(len, texts.values())) > _LARGE else _TOKEN
    first = _Base(token.findall(base))
    return {"base": base, "states": {k: first.differences(token.findall(t)) for k, t in texts.items()}}


class _Base:
    """The first state in pieces, and where each two neighbours stand in it."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._offsets = [0, *itertools.accumulate(_utf16(t) for t in tokens)]
        self._places: dict[tuple[str, ...], list[int]] = {}
        for n in range(len(tokens) - 1):
            self._places.setdefault((tokens[n], tokens[n + 1]), []).append(n)

    def differences(self, tokens: list[str]) -> list[Any]:
        """A state as copies and new strings: at each place the longest copy near the expected one."""
        out: list[Any] = []
        at = done = after = 0  # where we are, up to where all is written, and where the last copy ended
        while at < len(tokens):
            passed = at - done
            place, end = self._longest(tokens, at, after + passed)
            size = self._offsets[end] - self._offsets[place]
            on = 0 <= place - after <= 2 * passed + _NEAR
            if size < (_ON if on else _ELSEWHERE):
                at += 1
                continue
            if passed:
                out.append("".join(tokens[done:at]))
            out.append([self._offsets[place], self._offsets[end]])
            at = done = at + end - place
            after = end
        return [*out, "".join(tokens[done:])] if done < len(tokens) else out

    def _longest(self, tokens: list[str], at: int, expected: int) -> tuple[int, int]:
        """The longest stretch of the base that stands at a place of a state; of two, the nearer."""
        places = self._places.get(tuple(tokens[at : at + 2]), ())
        middle = bisect_left(places, expected)
        found = (0, 0)
        rank = (0, 0)
        for place in places[max(0, middle - _TRIED) : middle + _TRIED]:
            end, most = place, min(len(self._tokens), place + len(tokens) - at)
            while end < most and self._tokens[end] == tokens[at + end - place]:
                end += 1
            better = (self._offsets[end] - self._offsets[place], -abs(place - expected))
            if better > rank:
                found, rank = (place, end), better
        return found


def unpack(packed: Json, state: str) -> str:
    """Restores one state's string; the same few lines stand in the page script."""
    units = packed["base"].encode("utf-16-le")
    pieces = packed["states"][state]
    return "".join(
        p if isinstance(p, str) else units[2 * p[0] : 2 * p[1]].decode("utf-16-le") for p in pieces
    )


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
