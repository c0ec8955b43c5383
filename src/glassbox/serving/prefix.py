"""Requests that begin alike share the cache of their beginning, block by block.

A block can be shared if it and everything before it is the same: a key holds its token *and* all that the
layers below read before it. So each block is known by a hash of its own bytes and of the block before, and
the first difference ends the hits for the rest of the request.

    >>> seen = Store(block=4)
    >>> seen.read(b"be kind. hello").hit
    0
    >>> seen.read(b"be kind. howdy").hit
    8

Source: Kwon et al. 2023 (block sharing); SGLang, Zheng et al. 2023 (prefix caching).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from glassbox.costs.fields import check_whole, shown


@dataclass(frozen=True)
class Read:
    """One request against the store: its length, how much of it was there, how many blocks are new."""

    total: int
    hit: int
    new_blocks: int

    @property
    def computed(self) -> int:
        """What had to be worked through."""
        return self.total - self.hit


@dataclass
class Store:
    """The blocks kept so far, each by the hash of itself and all before it.

    Only whole blocks are kept. The last block of a request is always worked through, so that there is a
    last position to predict from.
    """

    block: int
    blocks: set[bytes] = field(default_factory=set)

    def __post_init__(self) -> None:
        check_whole(self.block, "block", 10**6)

    def read(self, items: bytes | Sequence[int]) -> Read:
        """Looks a request up and keeps its blocks; ``items`` are its bytes or token ids."""
        keys = chain(items, self.block)
        hits = 0
        while hits < len(keys) and keys[hits] in self.blocks:
            hits += 1
        if hits * self.block >= len(items):
            hits = max(0, hits - 1)
        new = sum(k not in self.blocks for k in keys)
        self.blocks.update(keys)
        return Read(len(items), hits * self.block, new)


def chain(items: bytes | Sequence[int], block: int) -> list[bytes]:
    """The keys of the whole blocks of ``items``: each hashes its own items and the key before it."""
    if not isinstance(items, (bytes, list, tuple)):
        raise ValueError(f"items is {shown(items)}; it should be bytes or a list of token ids")
    check_whole(block, "block", 10**6)
    keys, before = [], b""
    for start in range(0, len(items) - block + 1, block):
        piece = items[start : start + block]
        data = piece if isinstance(piece, bytes) else ",".join(map(str, piece)).encode()
        before = hashlib.blake2b(before + b"|" + data, digest_size=16).digest()
        keys.append(before)
    return keys


def serve(prompts: Sequence[bytes | Sequence[int]], block: int) -> list[Read]:
    """Reads prompts in order into one empty store."""
    store = Store(block)
    return [store.read(p) for p in prompts]
