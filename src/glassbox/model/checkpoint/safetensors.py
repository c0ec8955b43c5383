"""Reads ``*.safetensors`` by slices: a header that says where each tensor lies, then the tensors' bytes.

    8 bytes            how long the header is, as a little-endian number
    the header         JSON: {"name": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}, …}
    the rest           the tensors one after the other, without gaps

Nothing in a file is believed before it is checked: every fault is one sentence that names the file and what
is wrong with it, and no byte outside the file is asked for. A file may come from anywhere.

Source: the format's own description, github.com/huggingface/safetensors.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glassbox.arrays import Floats
from glassbox.model.narrow import widen

HEADER = 100_000_000  # bytes: the format's own limit
SLICE = 1 << 23  # bytes that are read at a time
TYPES = {"F32": 4, "F16": 2, "BF16": 2}  # what this reader can turn into numbers, and the bytes of one
OTHERS = (".bin", ".pt", ".pth", ".gguf", ".h5")  # formats that are not read here
SHARDS = "model.safetensors.index.json"


@dataclass(frozen=True)
class Tensor:
    """Where one tensor lies: in which file, from which byte, of which shape and type."""

    file: Path
    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)

    def slices(self) -> Iterator[tuple[int, NDArray[Any]]]:
        """Its numbers as they are stored, some at a time: the index of the first, and the numbers.

        16-bit numbers come as ``uint16``, 32-bit ones as ``float32``.

        Raises:
            ValueError: The file has become shorter, or a number is not finite.
        """
        wide = TYPES[self.dtype]
        with self.file.open("rb") as file:
            file.seek(self.start)
            for first in range(0, self.size, SLICE // wide):
                wanted = min(SLICE // wide, self.size - first) * wide
                data = file.read(wanted)
                if len(data) != wanted:
                    raise self.fault("the file ends within it")
                stored = np.frombuffer(data, dtype="<f4" if wide == 4 else "<u2")
                bad = np.count_nonzero(~_finite(stored, self.dtype))
                if bad:
                    raise self.fault(f"{bad:,} of its numbers are not finite (NaN or infinity)")
                yield first, stored

    def read(self) -> Floats:
        """All its numbers in 32 bits."""
        out = np.empty(self.size, dtype=np.float32)
        for first, stored in self.slices():
            out[first : first + len(stored)] = floats(stored, self.dtype)
        return out.reshape(self.shape)

    def fault(self, what: str) -> ValueError:
        """A sentence about this tensor."""
        return ValueError(f"{self.file.name}: {self.name}: {what}")


def floats(stored: NDArray[Any], dtype: str) -> Floats:
    """Numbers as they are stored, in 32 bits."""
    if dtype == "F32":
        return stored
    return widen(stored.astype(np.uint16, copy=False), "f16" if dtype == "F16" else "bf16")


def _finite(stored: NDArray[Any], dtype: str) -> NDArray[np.bool_]:
    """An exponent of ones alone is infinity or NaN, in each of the three types."""
    ones = {"F32": 0x7F800000, "F16": 0x7C00, "BF16": 0x7F80}[dtype]
    bits = stored.view(np.uint32) if dtype == "F32" else stored
    found: NDArray[np.bool_] = (bits & ones) != ones
    return found


def find(folder: Path) -> dict[str, Tensor]:
    """All tensors of a folder's ``*.safetensors``, one file or several shards, none of them read yet.

    Raises:
        ValueError: There is none, a shard is missing, two hold the same tensor, or a header is wrong.
    """
    files = _files(folder)
    found: dict[str, Tensor] = {}
    for file in files:
        for name, tensor in header(file).items():
            if name in found:
                raise tensor.fault(f"{found[name].file.name} holds a tensor of this name too")
            found[name] = tensor
    return found


def _files(folder: Path) -> list[Path]:
    there = sorted(folder.glob("*.safetensors"))
    index = folder / SHARDS
    if index.is_file():
        return [folder / name for name in _shards(index, {p.name for p in there})]
    if not there:
        others = sorted(
            p.name for p in folder.iterdir() if p.suffix in (".bin", ".pt", ".pth", ".gguf", ".h5")
        )
        instead = f"; {others[0]} is another format, which is not read here" if others else ""
        raise ValueError(f"there is no *.safetensors among the files{instead}")
    numbered = [p.name for p in there if "-of-" in p.name]
    if numbered:
        raise ValueError(
            f"{numbered[0]} is one of several shards, and {SHARDS} is missing: it names them all"
        )
    return there


def _shards(index: Path, there: set[str]) -> list[str]:
    """The shards that an index names, each once, all of them there and in this folder."""
    named = parsed(index).get("weight_map")
    if not isinstance(named, dict) or not named:
        raise ValueError(f"{index.name}: weight_map is missing or empty; it names the shard of each tensor")
    shards = []
    for name in named.values():
        if not isinstance(name, str) or not name.endswith(".safetensors") or Path(name).name != name:
            raise ValueError(f"{index.name}: weight_map: {shown(name)} is no name of a shard in this folder")
        if name not in shards:
            shards.append(name)
    if missing := [name for name in shards if name not in there]:
        raise ValueError(
            f"{index.name}: the shard {missing[0]} is missing ({len(missing)} of {len(shards)} are)"
        )
    return sorted(shards)


def header(file: Path) -> dict[str, Tensor]:
    """What one file holds.

    Raises:
        ValueError: The header is no header, or disagrees with itself or with the file's length.
    """
    length = file.stat().st_size
    with file.open("rb") as opened:
        first = opened.read(8)
        if len(first) < 8:
            raise ValueError(f"{file.name}: it has {length} bytes; a header alone takes more than 8")
        long = int.from_bytes(first, "little")
        if not 2 <= long <= min(HEADER, length - 8):
            most = min(HEADER, length - 8)
            raise ValueError(f"{file.name}: it gives its header {long:,} bytes, and at most {most:,} can be")
        text = opened.read(long)
    entries = _json(file.name, text)
    entries.pop("__metadata__", None)
    tensors = [_tensor(file, name, entry, 8 + long, length) for name, entry in entries.items()]
    at = 8 + long
    for tensor in sorted(tensors, key=lambda t: (t.start, t.size)):
        if tensor.start != at:
            kind = "overlaps what stands before it" if tensor.start < at else "leaves a gap before it"
            raise tensor.fault(f"data_offsets: it {kind}")
        at += tensor.size * TYPES.get(tensor.dtype, 1)
    if at != length:
        raise ValueError(f"{file.name}: its tensors end at byte {at:,}, the file at byte {length:,}")
    return {t.name: t for t in tensors}


def _tensor(file: Path, name: str, entry: object, base: int, length: int) -> Tensor:
    def fault(field: str, what: str) -> ValueError:
        return ValueError(f"{file.name}: {shown(name)[1:-1]}: {field} {what}")

    if not isinstance(entry, dict):
        raise fault("its entry", f"is {shown(entry)}; expected dtype, shape and data_offsets")
    dtype, shape, offsets = (entry.get(k) for k in ("dtype", "shape", "data_offsets"))
    if not isinstance(dtype, str) or dtype not in TYPES:
        raise fault("dtype", f"is {shown(dtype)}; this page reads {', '.join(TYPES)}")
    if not (isinstance(shape, list) and len(shape) <= 8 and all(_whole(n) for n in shape)):
        raise fault("shape", f"is {shown(shape)}; expected a list of whole numbers")
    if not (isinstance(offsets, list) and len(offsets) == 2 and all(_whole(n) for n in offsets)):
        raise fault("data_offsets", f"is {shown(offsets)}; expected two whole numbers")
    start, end = offsets
    if not start <= end <= length - base:
        raise fault(
            "data_offsets", f"is {shown(offsets)}, outside the {length - base:,} bytes that follow the header"
        )
    if end - start != math.prod(shape) * TYPES[dtype]:
        wanted = math.prod(shape) * TYPES[dtype]
        raise fault(
            "data_offsets",
            f"spans {end - start:,} bytes; {dtype} of shape {shown(shape)} takes {shown(wanted)}",
        )
    return Tensor(file, name, dtype, tuple(shape), base + start)


def _whole(n: object) -> bool:
    return isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 1 << 48


# ---- JSON that may come from anywhere ----


def parsed(file: Path, most: int = 50_000_000) -> dict[str, Any]:
    """A file's JSON object.

    Raises:
        ValueError: The file is missing or very large, or holds something else.
    """
    if not file.is_file():
        raise ValueError(f"{file.name} is missing")
    if file.stat().st_size > most:
        raise ValueError(f"{file.name}: it has {file.stat().st_size:,} bytes; at most {most:,} are read")
    return _json(file.name, file.read_bytes())


def _json(name: str, text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text.decode("utf-8"), parse_constant=_no_number, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).split("\n")[0]
        raise ValueError(f"{name}: its text is not the JSON that was expected ({why[:120]})") from None
    if not isinstance(found, dict):
        raise ValueError(f"{name}: it holds {shown(found)}; expected names and values in braces")
    return found


def _no_number(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the name {shown(next(n for n in names if names.count(n) > 1))} stands there twice")
    return found


def shown(value: object, most: int = 60) -> str:
    """A value as a sentence quotes it: short, in one line."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except ValueError:  # a number of thousands of digits
        return "a number without end"
    return text if len(text) <= most else f"{text[: most - 1]}…"
