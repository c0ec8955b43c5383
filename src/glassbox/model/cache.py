"""KV caches: what a model keeps of the positions it has read. One small class for each policy.

They share one interface, ``Cache``. ``update(layer, k, v)`` stores the new keys and values and returns all
that this layer may read, with their positions; ``length`` says how many positions have been read;
``cache_bytes`` is what the stored arrays really take.

    >>> cache = Growing(n_layers=1, n_kv_heads=1, d_head=2)
    >>> k = v = np.ones((1, 3, 2), dtype=np.float32)
    >>> keys, values, positions = cache.update(0, k, v)
    >>> keys.shape, positions.tolist(), cache.length
    ((1, 3, 2), [0, 1, 2], 3)

Keys are stored after rotation, so nothing has to be turned again.
"""

from __future__ import annotations

import abc
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from glassbox.arrays import Bools, Floats, Ints, check_shape
from glassbox.model import quantized

Part = Literal["key", "value"]
PARTS: tuple[Part, ...] = ("key", "value")


class Cache(abc.ABC):
    """What every policy shares: sizes, counts, the mask, and damage done on purpose.

    Attributes:
        n_layers: Layers.
        n_kv_heads: Heads that keys and values are kept for.
        d_head: Numbers in a key or a value.
        window: The most positions that a query may read, itself among them; None for all.
    """

    window: int | None = None

    def __init__(self, n_layers: int, n_kv_heads: int, d_head: int) -> None:
        self.n_layers, self.n_kv_heads, self.d_head = n_layers, n_kv_heads, d_head
        self._counts = [0] * n_layers  # positions read, per layer

    @property
    def length(self) -> int:
        """How many positions all layers have read."""
        return min(self._counts)

    @property
    def cache_bytes(self) -> int:
        """Bytes of the stored keys and values (not of rows allocated ahead)."""
        rows = sum(self._held(layer) for layer in range(self.n_layers))
        return 2 * self.n_kv_heads * self._row_bytes() * rows

    def update(self, layer: int, k: Floats, v: Floats) -> tuple[Floats, Floats, Ints]:
        """Stores new keys and values, returns all that this layer may read now.

        Args:
            layer: Which layer they come from.
            k: (n_kv_heads, n_new, d_head), rotated.
            v: (n_kv_heads, n_new, d_head).

        Returns:
            Keys and values, (n_kv_heads, n_keys, d_head), and the positions (n_keys,) they stand at.
        """
        check_shape("k", k, (self.n_kv_heads, None, self.d_head))
        check_shape("v", v, k.shape)
        keys, values = self._store(layer, k, v)
        self._counts[layer] += k.shape[1]
        return keys, values, np.arange(self._counts[layer] - keys.shape[1], self._counts[layer])

    def corrupt(self, layer: int, position: int, part: Part, rng: np.random.Generator) -> None:
        """Overwrites one stored key or value, in every head, with noise as large as the cache's own entries.

        Raises:
            ValueError: Nothing is stored there.
        """
        if not 0 <= layer < self.n_layers:
            raise ValueError(f"layer={layer} must lie between 0 and {self.n_layers - 1}")
        if not 0 <= position < self._counts[layer]:
            raise ValueError(
                f"position={position} is not stored; layer {layer} has read {self._counts[layer]}"
            )
        if part not in ("key", "value"):
            raise ValueError(f"part={part!r} must be 'key' or 'value'")
        held = self._held(layer)
        row = position - (self._counts[layer] - held)
        if row < 0:
            raise ValueError(f"position={position} has left the window of {self.window}; it cannot come back")
        scale = float(np.sqrt((self._read(part, layer, held) ** 2).mean())) + 1e-6
        noise = rng.normal(scale=scale, size=(self.n_kv_heads, 1, self.d_head))
        self._write(part, layer, row, noise.astype(np.float32))

    def rewind(self, length: int) -> None:
        """Forgets all positions from ``length`` on, as if they had never been read.

        Raises:
            ValueError: There are not so many, or what a window would need again has been dropped.
        """
        if not 0 <= length <= self.length:
            raise ValueError(f"length={length} must lie between 0 and {self.length}, the positions read")
        if length < self.length:
            self._forget(length)
            self._counts = [length] * self.n_layers

    def visible(self, query_positions: Ints, key_positions: Ints) -> Bools:
        """The mask: True where a query may read a key."""
        mask = key_positions <= query_positions[:, None]
        if self.window is not None:
            mask &= key_positions > query_positions[:, None] - self.window
        return mask

    # What a policy decides: what stays, and how its rows are written and read.

    @abc.abstractmethod
    def _store(self, layer: int, k: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Takes new rows in; returns the keys and values that may be read in this step."""

    @abc.abstractmethod
    def _forget(self, length: int) -> None:
        """Drops the rows of positions from ``length`` on."""

    @abc.abstractmethod
    def _held(self, layer: int) -> int:
        """How many positions a layer holds; they are the last that it has read."""

    @abc.abstractmethod
    def _row_bytes(self) -> int:
        """Bytes of one stored key or value of one head."""

    @abc.abstractmethod
    def _write(self, part: Part, layer: int, at: int, rows: Floats) -> None:
        """Overwrites held rows from ``at`` on with (n_kv_heads, n, d_head)."""

    @abc.abstractmethod
    def _read(self, part: Part, layer: int, count: int) -> Floats:
        """The first ``count`` held rows as (n_kv_heads, count, d_head) of float32."""


class _Whole(Cache):
    """Keeps every position. Rows are allocated ahead, and doubled when they run out.

    A subclass says how numbers are stored: ``_allocate`` makes its arrays, of shape (n_layers, n_kv_heads,
    capacity, …), and ``_write`` and ``_read`` use them.
    """

    def __init__(self, n_layers: int, n_kv_heads: int, d_head: int, capacity: int = 64) -> None:
        super().__init__(n_layers, n_kv_heads, d_head)
        self._capacity = max(1, capacity)
        self._stored = {part: self._allocate(self._capacity) for part in PARTS}

    def _store(self, layer: int, k: Floats, v: Floats) -> tuple[Floats, Floats]:
        at, end = self._counts[layer], self._counts[layer] + k.shape[1]
        if end > self._capacity:
            self._grow(end)
        self._write("key", layer, at, k)
        self._write("value", layer, at, v)
        return self._read("key", layer, end), self._read("value", layer, end)

    def _forget(self, length: int) -> None:
        """Nothing to drop: the next rows are written over what lies there."""

    def _held(self, layer: int) -> int:
        return self._counts[layer]

    def _grow(self, needed: int) -> None:
        old, held = self._stored, self._capacity
        while self._capacity < needed:
            self._capacity *= 2
        self._stored = {part: self._allocate(self._capacity) for part in PARTS}
        for part, arrays in old.items():
            for new, previous in zip(self._stored[part], arrays, strict=True):
                new[:, :, :held] = previous

    @abc.abstractmethod
    def _allocate(self, capacity: int) -> list[NDArray[Any]]:
        """Empty arrays for ``capacity`` positions."""


class Growing(_Whole):
    """Keeps everything, exactly, in 32-bit floats."""

    def _allocate(self, capacity: int) -> list[NDArray[Any]]:
        return [np.zeros((self.n_layers, self.n_kv_heads, capacity, self.d_head), dtype=np.float32)]

    def _row_bytes(self) -> int:
        return 4 * self.d_head

    def _write(self, part: Part, layer: int, at: int, rows: Floats) -> None:
        self._stored[part][0][layer, :, at : at + rows.shape[1]] = rows

    def _read(self, part: Part, layer: int, count: int) -> Floats:
        rows: Floats = self._stored[part][0][layer, :, :count]
        return rows


class Half(_Whole):
    """Keeps everything in 16-bit floats, as most engines do."""

    def _allocate(self, capacity: int) -> list[NDArray[Any]]:
        return [np.zeros((self.n_layers, self.n_kv_heads, capacity, self.d_head), dtype=np.float16)]

    def _row_bytes(self) -> int:
        return 2 * self.d_head

    def _write(self, part: Part, layer: int, at: int, rows: Floats) -> None:
        self._stored[part][0][layer, :, at : at + rows.shape[1]] = rows

    def _read(self, part: Part, layer: int, count: int) -> Floats:
        return self._stored[part][0][layer, :, :count].astype(np.float32)


class Quantized(_Whole):
    """Keeps everything in groups of 32 numbers of 8 or 4 bits with one 16-bit scale; see ``quantized``."""

    def __init__(
        self, n_layers: int, n_kv_heads: int, d_head: int, bits: int = 8, capacity: int = 64
    ) -> None:
        if bits not in (4, 8):
            raise ValueError(f"bits={bits} must be 8 or 4")
        if d_head % quantized.GROUP:
            raise ValueError(f"d_head={d_head} is not divisible by {quantized.GROUP}, a group's numbers")
        self.bits = bits
        super().__init__(n_layers, n_kv_heads, d_head, capacity)

    def _allocate(self, capacity: int) -> list[NDArray[Any]]:
        shape = (self.n_layers, self.n_kv_heads, capacity, self.d_head // quantized.GROUP)
        codes = np.zeros((*shape, quantized.code_bytes(self.bits)), dtype=np.uint8)
        return [codes, np.zeros(shape, dtype=np.float16)]

    def _row_bytes(self) -> int:
        return self.d_head // quantized.GROUP * (quantized.code_bytes(self.bits) + 2)

    def _write(self, part: Part, layer: int, at: int, rows: Floats) -> None:
        codes, scales = quantized.pack(rows, self.bits)
        self._stored[part][0][layer, :, at : at + rows.shape[1]] = codes
        self._stored[part][1][layer, :, at : at + rows.shape[1]] = scales

    def _read(self, part: Part, layer: int, count: int) -> Floats:
        codes, scales = (array[layer, :, :count] for array in self._stored[part])
        return quantized.unpack(codes, scales, self.bits)


class Sliding(Cache):
    """Keeps the last ``window`` positions of every layer and refuses to give back what it has dropped.

    A chunk of several queries needs more than ``window`` keys for the moment; they are returned once, and
    ``visible`` limits each query to its own window.
    """

    def __init__(self, n_layers: int, n_kv_heads: int, d_head: int, window: int) -> None:
        if window < 1:
            raise ValueError(f"window={window} must be at least 1")
        super().__init__(n_layers, n_kv_heads, d_head)
        self.window = self._keep = window
        empty = np.zeros((n_kv_heads, 0, d_head), dtype=np.float32)
        self._rows: dict[Part, list[Floats]] = {part: [empty] * n_layers for part in PARTS}

    def _store(self, layer: int, k: Floats, v: Floats) -> tuple[Floats, Floats]:
        keys = np.concatenate([self._rows["key"][layer], k], axis=1)
        values = np.concatenate([self._rows["value"][layer], v], axis=1)
        self._rows["key"][layer] = keys[:, -self._keep :].copy()
        self._rows["value"][layer] = values[:, -self._keep :].copy()
        return keys, values

    def _held(self, layer: int) -> int:
        held: int = self._rows["key"][layer].shape[1]
        return held

    def _forget(self, length: int) -> None:
        if self.length > self._keep:
            raise ValueError(
                f"length={length} is too far back: positions before it have left the window of {self._keep}"
            )
        self._rows = {part: [rows[:, :length] for rows in layers] for part, layers in self._rows.items()}

    def _row_bytes(self) -> int:
        return 4 * self.d_head

    def _write(self, part: Part, layer: int, at: int, rows: Floats) -> None:
        self._rows[part][layer][:, at : at + rows.shape[1]] = rows

    def _read(self, part: Part, layer: int, count: int) -> Floats:
        return self._rows[part][layer][:, :count]
