"""KV caches: what a model keeps of the positions it has read. One small class for each policy.

They share one interface. ``update(layer, k, v)`` stores the new keys and values and returns all that this
layer may read, with their positions; ``length`` says how many positions have been read; ``cache_bytes``
is what the stored arrays really take.

    >>> cache = Growing(n_layers=1, n_kv_heads=1, d_head=2)
    >>> k = v = np.ones((1, 3, 2), dtype=np.float32)
    >>> keys, values, positions = cache.update(0, k, v)
    >>> keys.shape, positions.tolist(), cache.length
    ((1, 3, 2), [0, 1, 2], 3)

Keys are stored after rotation, so nothing has to be turned again.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from glassbox.arrays import Bools, Floats, Ints, check_shape
from glassbox.model import blocks

Part = Literal["key", "value"]


class Growing:
    """Keeps everything, exactly. The rows are allocated ahead and doubled when they run out."""

    window: int | None = None

    def __init__(self, n_layers: int, n_kv_heads: int, d_head: int, capacity: int = 64) -> None:
        self.n_layers, self.n_kv_heads, self.d_head = n_layers, n_kv_heads, d_head
        self._capacity = max(1, capacity)
        self._counts = [0] * n_layers  # positions read, per layer
        self._stored = {part: self._allocate(self._capacity) for part in ("key", "value")}

    @property
    def length(self) -> int:
        """How many positions all layers have read."""
        return min(self._counts)

    @property
    def cache_bytes(self) -> int:
        """Bytes of the stored keys and values (not of rows allocated ahead)."""
        return (
            2 * self.n_kv_heads * self._row_bytes() * sum(self._held(layer) for layer in range(self.n_layers))
        )

    def update(self, layer: int, k: Floats, v: Floats) -> tuple[Floats, Floats, Ints]:
        """Stores new keys and values, returns all that this layer holds.

        Args:
            layer: Which layer they come from.
            k: (n_kv_heads, n_new, d_head), rotated.
            v: (n_kv_heads, n_new, d_head).

        Returns:
            Keys and values, (n_kv_heads, n_keys, d_head), and the positions (n_keys,) they stand at.
        """
        check_shape("k", k, (self.n_kv_heads, None, self.d_head))
        check_shape("v", v, k.shape)
        at, end = self._counts[layer], self._counts[layer] + k.shape[1]
        if end > self._capacity:
            self._grow(end)
        self._write("key", layer, at, k)
        self._write("value", layer, at, v)
        self._counts[layer] = end
        return self._read("key", layer, end), self._read("value", layer, end), np.arange(end)

    def corrupt(self, layer: int, position: int, part: Part, rng: np.random.Generator) -> None:
        """Overwrites one stored key or value, in every head, with noise as large as the cache's own entries.

        Raises:
            ValueError: Nothing is stored there.
        """
        row = self._row(layer, position)
        if part not in self._stored:
            raise ValueError(f"part={part!r} must be 'key' or 'value'")
        around = self._read(part, layer, self._held(layer))
        noise = rng.normal(
            scale=float(np.sqrt((around**2).mean())) + 1e-6, size=(self.n_kv_heads, 1, self.d_head)
        )
        self._write(part, layer, row, noise.astype(np.float32))

    def visible(self, query_positions: Ints, key_positions: Ints) -> Bools:
        """The mask: True where a query may read a key."""
        mask = key_positions <= query_positions[:, None]
        if self.window is not None:
            mask &= key_positions > query_positions[:, None] - self.window
        return mask

    def _held(self, layer: int) -> int:
        return self._counts[layer]

    def _row(self, layer: int, position: int) -> int:
        if not 0 <= layer < self.n_layers:
            raise ValueError(f"layer={layer} must lie between 0 and {self.n_layers - 1}")
        if not 0 <= position < self._counts[layer]:
            raise ValueError(
                f"position={position} is not stored; layer {layer} has read {self._counts[layer]}"
            )
        return position

    def _grow(self, needed: int) -> None:
        old, held = self._stored, self._capacity
        while self._capacity < needed:
            self._capacity *= 2
        self._stored = {part: self._allocate(self._capacity) for part in old}
        for part, arrays in old.items():
            for new, previous in zip(self._stored[part], arrays, strict=True):
                new[:, :, :held] = previous

    # What a policy with another storage changes: how rows are laid out, written and read.

    def _allocate(self, capacity: int) -> list[NDArray[Any]]:
        return [np.zeros((self.n_layers, self.n_kv_heads, capacity, self.d_head), dtype=np.float32)]

    def _row_bytes(self) -> int:
        return 4 * self.d_head

    def _write(self, part: str, layer: int, at: int, rows: Floats) -> None:
        self._stored[part][0][layer, :, at : at + rows.shape[1]] = rows

    def _read(self, part: str, layer: int, count: int) -> Floats:
        rows: Floats = self._stored[part][0][layer, :, :count]
        return rows


class Half(Growing):
    """Keeps everything in 16-bit floats, as most engines do."""

    def _allocate(self, capacity: int) -> list[NDArray[Any]]:
        return [np.zeros((self.n_layers, self.n_kv_heads, capacity, self.d_head), dtype=np.float16)]

    def _row_bytes(self) -> int:
        return 2 * self.d_head

    def _read(self, part: str, layer: int, count: int) -> Floats:
        return self._stored[part][0][layer, :, :count].astype(np.float32)


class Blocks(Growing):
    """Keeps everything in blocks of 32 numbers of 8 or 4 bits with one 16-bit scale; see ``blocks``."""

    def __init__(
        self, n_layers: int, n_kv_heads: int, d_head: int, bits: int = 8, capacity: int = 64
    ) -> None:
        if bits not in (4, 8):
            raise ValueError(f"bits={bits} must be 8 or 4")
        if d_head % blocks.SIZE:
            raise ValueError(f"d_head={d_head} is not divisible by the block size {blocks.SIZE}")
        self.bits = bits
        super().__init__(n_layers, n_kv_heads, d_head, capacity)

    def _allocate(self, capacity: int) -> list[NDArray[Any]]:
        per_row = self.d_head // blocks.SIZE
        shape = (self.n_layers, self.n_kv_heads, capacity, per_row)
        codes = np.zeros((*shape, blocks.code_bytes(self.bits)), dtype=np.uint8)
        return [codes, np.zeros(shape, dtype=np.float16)]

    def _row_bytes(self) -> int:
        return self.d_head // blocks.SIZE * (blocks.code_bytes(self.bits) + 2)

    def _write(self, part: str, layer: int, at: int, rows: Floats) -> None:
        codes, scales = blocks.pack(rows, self.bits)
        self._stored[part][0][layer, :, at : at + rows.shape[1]] = codes
        self._stored[part][1][layer, :, at : at + rows.shape[1]] = scales

    def _read(self, part: str, layer: int, count: int) -> Floats:
        codes, scales = (array[layer, :, :count] for array in self._stored[part])
        return blocks.unpack(codes, scales, self.bits)


class Sliding(Growing):
    """Keeps the last ``window`` positions of every layer and refuses to give back what it has dropped."""

    def __init__(self, n_layers: int, n_kv_heads: int, d_head: int, window: int) -> None:
        if window < 1:
            raise ValueError(f"window={window} must be at least 1")
        super().__init__(n_layers, n_kv_heads, d_head)
        self.window = window
        self._rows = [np.zeros((2, n_kv_heads, 0, d_head), dtype=np.float32) for _ in range(n_layers)]

    def update(self, layer: int, k: Floats, v: Floats) -> tuple[Floats, Floats, Ints]:
        """Returns what was kept plus the new rows; afterwards only the last ``window`` rows stay.

        A chunk of several queries needs more than ``window`` keys for the moment; ``visible`` then limits
        each query to its own window.
        """
        check_shape("k", k, (self.n_kv_heads, None, self.d_head))
        check_shape("v", v, k.shape)
        rows = np.concatenate([self._rows[layer], np.stack([k, v])], axis=2)
        self._counts[layer] += k.shape[1]
        self._rows[layer] = rows[:, :, -(self.window or 1) :].copy()
        return rows[0], rows[1], np.arange(self._counts[layer] - rows.shape[2], self._counts[layer])

    def _held(self, layer: int) -> int:
        return self._rows[layer].shape[2]

    def _row(self, layer: int, position: int) -> int:
        super()._row(layer, position)
        row = position - (self._counts[layer] - self._held(layer))
        if row < 0:
            raise ValueError(f"position={position} has left the window of {self.window}; it cannot come back")
        return row

    def _write(self, part: str, layer: int, at: int, rows: Floats) -> None:
        self._rows[layer][0 if part == "key" else 1, :, at : at + rows.shape[1]] = rows

    def _read(self, part: str, layer: int, count: int) -> Floats:
        rows: Floats = self._rows[layer][0 if part == "key" else 1, :, :count]
        return rows
