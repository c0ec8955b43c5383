"""SentencePiece's table of what is rewritten into what, as T5, XLM-R and ALBERT carry it in their files.

The table is a *double array*: a tree of bytes in one list of 32-bit numbers. To follow a byte from a node,
go to the node's offset xor the byte; if the number there is labelled with that byte, the branch exists. A
leaf holds a place in a second run of bytes, where the replacement stands and ends with a 0.

Source: Aoe 1989, "An Efficient Digital Search Algorithm by Using a Double-Array Structure"; the layout is
that of the library darts-clone.
"""

from __future__ import annotations

import base64
import binascii
import functools
import struct

from glassbox.tokens.foreign import fields
from glassbox.tokens.foreign.traced import Traced

_LONGEST = 6  # bytes; a cluster of characters up to this length is looked up whole


class Charsmap:
    """Rewrites text by a packed table."""

    def __init__(self, packed: str) -> None:
        """Reads the table.

        Args:
            packed: Base64 of the tree's size in bytes (32 bits, little endian), the tree, the replacements.

        Raises:
            ValueError: It is cut short or no such table.
        """
        try:
            raw = base64.b64decode(packed, validate=True)
        except binascii.Error as error:
            raise ValueError(f"precompiled_charsmap is not base64 ({error})") from None
        size = struct.unpack_from("<I", raw)[0] if len(raw) >= 4 else 0
        if size % 4 or not 0 < size <= len(raw) - 4:
            raise ValueError(f"precompiled_charsmap says {size:,} bytes of tree and has {len(raw):,} in all")
        self._units = struct.unpack_from(f"<{size // 4}I", raw, 4)
        self._texts = raw[4 + size :]
        self._clusters = fields.compiled(r"\X")
        self._find = functools.lru_cache(65_536)(self._lookup)

    def rewrite(self, text: Traced) -> Traced:
        """Replaces each cluster of characters that the table holds, else each of its characters."""
        chunks: list[tuple[str, int, int]] = []
        for cluster in self._clusters.finditer(text.text):
            start, end = cluster.span()
            if len(cluster[0].encode()) < _LONGEST and (new := self._find(cluster[0])) is not None:
                chunks.append((new, start, end))
                continue
            for at in range(start, end):
                new = self._find(text.text[at])
                chunks.append((text.text[at] if new is None else new, at, at + 1))
        return text.rewritten(chunks)

    def _lookup(self, key: str) -> str | None:
        """What the shortest entry that the key begins with is rewritten into."""
        units = self._units
        node = _offset(units[0])
        for byte in key.encode():
            node ^= byte
            if node >= len(units) or units[node] & 0x800000FF != byte:
                return None
            unit = units[node]
            node ^= _offset(unit)
            if unit >> 8 & 1:  # an entry ends here
                place = units[node] & 0x7FFFFFFF if node < len(units) else len(self._texts)
                end = self._texts.find(b"\0", place)
                return self._texts[place : end if end >= 0 else None].decode("utf-8", "replace")
        return None


def _offset(unit: int) -> int:
    return unit >> 10 << ((unit & 1 << 9) >> 6)
