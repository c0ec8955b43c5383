"""From a file's tensors to the model's weights: which go where, whether they fit, and the filling itself."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassbox.model.checkpoint.families import Family, Names
from glassbox.model.checkpoint.safetensors import Tensor, floats
from glassbox.model.config import Config
from glassbox.model.narrow import GROUP, Narrow, Packed

# Left over in some files, and no part of the model: tables that code can work out, and towers for pictures.
SPARE = ("rotary_emb.inv_freq", "attn.bias", "attn.masked_bias", "attn.rotary_emb.inv_freq")
TOWERS = ("vision_tower.", "multi_modal_projector.")


@dataclass(frozen=True)
class Progress:
    """How far the reading is.

    Attributes:
        read: Bytes read.
        total: Bytes to read.
    """

    read: int
    total: int


@dataclass(frozen=True)
class Part:
    """One weight of the model and the tensors that it is stacked from."""

    name: str
    shape: tuple[int, ...]
    tensors: tuple[Tensor, ...]

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return sum(t.size for t in self.tensors)

    @property
    def groups(self) -> bool:
        """Whether it can be kept in 8 bits: a matrix whose rows fall into whole groups."""
        return len(self.shape) == 2 and self.shape[1] % GROUP == 0

    def nbytes(self, bits: int) -> float:
        """What it takes where matrices are kept in so many bits."""
        if bits == 8 and self.groups:
            return self.size * (1 + 2 / GROUP)
        return self.size * (2 if bits < 32 and self.kind else 4)

    @property
    def kind(self) -> str | None:
        """The 16-bit type that all its tensors share and in which it can stay; None where it must be wide."""
        types = {t.dtype for t in self.tensors}
        shared = types.pop().lower() if len(self.shape) == 2 and len(types) == 1 else "f32"
        return None if shared == "f32" else shared


def plan(family: Family, config: Config, tensors: Mapping[str, Tensor], kind: str) -> list[Part]:
    """Finds the tensors of every weight.

    Raises:
        ValueError: One is missing, has another shape than the config promises, or is left over.
    """
    before = _before(family, tensors)
    parts = [
        _part(name, shape, _theirs(family, name, before, tensors), tensors, family.turned)
        for name, shape in config.laid().items()
    ]
    used = {t.name for p in parts for t in p.tensors}
    spare = (*SPARE, "lm_head.weight") if config.tied else SPARE
    for name, tensor in tensors.items():
        if name not in used and not name.endswith(spare) and not any(tower in name for tower in TOWERS):
            raise tensor.fault(f"a {kind} of this config.json has no such weight")
    return parts


def _before(family: Family, tensors: Mapping[str, Tensor]) -> str:
    """What stands before every name: ``model.`` or more, or nothing."""
    last = family.outside["embedding"][0]
    found = sorted((n for n in tensors if n.endswith(last) and "vision" not in n), key=len)
    if not found:
        raise ValueError(f"no tensor of the files is called {last}: this is no whole model")
    return found[0].removesuffix(last)


def _theirs(family: Family, name: str, before: str, tensors: Mapping[str, Tensor]) -> list[str]:
    """The names that a weight has in the files."""
    layer, _, rest = name.partition(".")
    if rest:
        return [f"{before}{family.layers}{layer}.{n}" for n in _named(family.layer, rest)]
    if name == "head":
        heads = [n for n in tensors if n.endswith("lm_head.weight")]
        return heads[:1] or ["lm_head.weight"]
    return [before + n for n in _named(family.outside, name)]


def _named(names: Names, name: str) -> tuple[str, ...]:
    if name not in names:
        raise ValueError(f"config.json asks for a weight that its family has no name for ({name})")
    return names[name]


def _part(
    name: str, shape: tuple[int, ...], theirs: list[str], tensors: Mapping[str, Tensor], turned: bool
) -> Part:
    if missing := [n for n in theirs if n not in tensors]:
        raise ValueError(f"{missing[0]} is missing from the files")
    found = tuple(tensors[n] for n in theirs)
    flip = turned and _flips(name, shape)
    rows = 0
    for tensor in found:
        got = tensor.shape[::-1] if flip else tensor.shape
        if len(got) != len(shape) or got[1:] != shape[1:]:
            raise _misfit(tensor, shape, flip, len(found))
        rows += got[0]
    if rows != shape[0]:
        raise _misfit(found[0], shape, flip, len(found))
    return Part(name, shape, found)


def _flips(name: str, shape: tuple[int, ...]) -> bool:
    return len(shape) == 2 and "." in name


def _misfit(tensor: Tensor, shape: tuple[int, ...], flip: bool, count: int) -> ValueError:
    wanted = list(shape[::-1] if flip else shape)
    together = f" (with {count - 1} others, one below the other)" if count > 1 else ""
    return tensor.fault(f"its shape is {list(tensor.shape)}; config.json promises {wanted}{together}")


def width(parts: list[Part], memory: int | None) -> int:
    """In how many bits matrices are kept: 32 where they fit, else as the files have them, else 8.

    Raises:
        ValueError: Not even so do they fit; the sentence has the numbers.
    """
    sizes = {bits: sum(p.nbytes(bits) for p in parts) for bits in (32, 16, 8)}
    for bits, size in sizes.items():
        if memory is None or size <= memory:
            return bits
    numbers = sum(p.size for p in parts)
    raise ValueError(
        f"this model has {numbers / 1e6:,.0f} million numbers, which take {min(sizes.values()) / 1e9:.2f} GB "
        f"of memory; there is room for {(memory or 0) / 1e9:.2f} GB here"
    )


def fill(family: Family, parts: list[Part], bits: int) -> Generator[Progress, None, dict[str, Any]]:
    """Reads every tensor to its place.

    Args:
        family: Whose tensors they are.
        parts: What ``plan`` found.
        bits: How matrices are kept, as ``width`` says.

    Yields:
        How far it is, some megabytes apart; the weights by name are what it returns.
    """
    total = sum(t.size * (4 if t.dtype == "F32" else 2) for p in parts for t in p.tensors)
    done, params = 0, {}
    for part in parts:
        weight = _empty(part, bits)
        top = 0
        for tensor in part.tensors:
            flip = family.turned and _flips(part.name, part.shape)
            rows = tensor.shape[-1 if flip else 0]
            for read in _into(weight, top, rows, tensor, flip):
                done += read
                yield Progress(done, total)
            top += rows
        params[part.name] = _gained(part.name, weight, family.gain)
    return params


def _empty(part: Part, bits: int) -> Any:
    """Where one weight will be."""
    if bits == 8 and part.groups:
        return Packed.empty(part.shape)
    if bits < 32 and (kind := part.kind):
        return Narrow(np.empty(part.shape, np.uint16), kind)  # type: ignore[arg-type]
    return np.empty(part.shape, np.float32)


def _into(weight: Any, top: int, rows: int, tensor: Tensor, flip: bool) -> Generator[int, None, None]:
    """Fills some rows of a weight from one tensor, slice by slice; yields the bytes of each."""
    place = weight.bits if isinstance(weight, Narrow) else weight
    as_stored = isinstance(weight, Narrow)
    at = top * math.prod(tensor.shape[1:])  # where its first number goes, if rows stay rows
    whole = np.empty(tensor.size, np.uint16 if as_stored else np.float32) if flip else None
    for first, stored in tensor.slices():
        numbers = stored if as_stored else floats(stored, tensor.dtype)
        if whole is not None:
            whole[first : first + len(numbers)] = numbers
        elif isinstance(place, Packed):
            place.put(at + first, numbers)
        else:
            place.reshape(-1)[at + first : at + first + len(numbers)] = numbers
        yield stored.nbytes
    if whole is None:
        return
    turned = whole.reshape(tensor.shape).T
    if isinstance(place, Packed):
        place.put(top * turned.shape[1], np.ascontiguousarray(turned).reshape(-1))
    else:
        place[top : top + rows] = turned


def _gained(name: str, weight: Any, more: float) -> Any:
    """A norm's gain with what its family leaves out of the file; all other weights as they are."""
    return weight + np.float32(more) if more and "norm" in name else weight
