"""A vocabulary in a few bytes a token: what each merge joins, in byte planes, compressed.

Every token above the 256 single bytes is one pair of earlier tokens, so the pairs say it all. The low
bytes of all left ids stand together, then the middle bytes, then the high ones, then the same of the right
ids; bytes of one kind beside each other compress best.

    one line of JSON: {"merges": n, "special": [...]}
    256 bytes: what the ids 0 to 255 stand for
    6 planes of n bytes: left low, middle, high; right low, middle, high
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence

Pair = tuple[int, int]
_N_BYTES = 256


def pack(base: bytes, pairs: Sequence[Pair], special: Sequence[str]) -> bytes:
    """Packs a vocabulary; the same vocabulary always gives the same bytes."""
    header = json.dumps({"merges": len(pairs), "special": list(special)}).encode()
    planes = [bytes(pair[side] >> shift & 255 for pair in pairs) for side in (0, 1) for shift in (0, 8, 16)]
    return gzip.compress(header + b"\n" + base + b"".join(planes), 9, mtime=0)


def unpack(packed: bytes) -> tuple[bytes, list[Pair], list[str]]:
    """Restores base bytes, pairs and special tokens.

    Raises:
        ValueError: The bytes are not a packed vocabulary, or are cut short.
    """
    try:
        line, _, body = gzip.decompress(packed).partition(b"\n")
        header = json.loads(line)
        n, special = int(header["merges"]), [str(s) for s in header["special"]]
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"these {len(packed):,} bytes are not a packed vocabulary ({error})") from error
    if len(body) != _N_BYTES + 6 * n:
        raise ValueError(f"{n:,} merges take {_N_BYTES + 6 * n:,} bytes, but there are {len(body):,}")
    planes = [body[_N_BYTES + k * n : _N_BYTES + (k + 1) * n] for k in range(6)]
    lefts, rights = (
        [a | b << 8 | c << 16 for a, b, c in zip(*planes[k : k + 3], strict=True)] for k in (0, 3)
    )
    return body[:_N_BYTES], list(zip(lefts, rights, strict=True)), special
