"""What a reader's model is called, and how it reads text: its tokenizer, and the tokens around texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from glassbox.model.checkpoint.fields import Fields
from glassbox.model.checkpoint.safetensors import parsed, shown

TOKENIZER, GENERATION = "tokenizer.json", "generation_config.json"


class Numbers:
    """Stands in for a tokenizer that is missing: a text is token numbers, as ``12 7 43``.

    Attributes:
        vocab_size: How many tokens the model knows.
        special: Control tokens: none is known.
    """

    def __init__(self, vocab_size: int) -> None:
        self.vocab_size = vocab_size
        self.special: dict[str, int] = {}

    @property
    def vocab(self) -> Sequence[bytes]:
        """What each token stands for: its number."""
        return _Written(self.vocab_size)

    def encode(self, text: str, special: bool = False) -> list[int]:
        """Reads token numbers.

        Raises:
            ValueError: There is something else than numbers of tokens; the sentence says what is missing.
        """
        ids = []
        for word in text.split():
            if not (word.isascii() and word.isdigit() and len(word) < 10 and int(word) < self.vocab_size):
                raise ValueError(
                    f"this model came without {TOKENIZER}, so text cannot be cut into its tokens; write "
                    f"their numbers, from 0 to {self.vocab_size - 1:,}, as 12 7 43 (not {shown(word)})"
                )
            ids.append(int(word))
        return ids

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Writes token numbers."""
        return b"".join(self.vocab[i] for i in ids)


class _Written(Sequence[bytes]):
    """Every number below a size as it is written, with a space before it."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._size))]
        if not 0 <= index < self._size:
            raise IndexError(f"there is no token {index}; there are {self._size:,}")
        return b" %d" % index


def of(
    folder: Path, config: Mapping[str, Any], vocab_size: int
) -> tuple[Any, tuple[int, ...], frozenset[int]]:
    """The tokenizer, the tokens that begin every text, and those that end one.

    Raises:
        ValueError: A file of these is wrong.
    """
    first, ends = _controls(folder, config, vocab_size)
    return Numbers(vocab_size), first, ends


def _controls(
    folder: Path, config: Mapping[str, Any], vocab_size: int
) -> tuple[tuple[int, ...], frozenset[int]]:
    """Start and end tokens of generation_config.json, where there is one, else of config.json."""
    found, where = dict(config), "config.json"
    if (folder / GENERATION).is_file():
        given = parsed(folder / GENERATION)
        found |= {k: v for k, v in given.items() if v is not None}
        where = GENERATION
    fields = Fields(found, where)
    start = fields.get("bos_token_id")
    first = () if start is None else (fields.whole("bos_token_id", low=0, high=vocab_size - 1),)
    listed = fields.get("eos_token_id")
    ends = listed if isinstance(listed, list) else [] if listed is None else [listed]
    for one in ends:
        if not isinstance(one, int) or isinstance(one, bool) or not 0 <= one < vocab_size:
            raise fields.fault("eos_token_id", f"holds {one!r}; expected tokens from 0 to {vocab_size - 1:,}")
    return first, frozenset(ends)


def name(config: Mapping[str, Any], folder: Path, kind: str) -> str:
    """What to call a model: the name it was saved under, else its folder's, else its family's."""
    given = config.get("_name_or_path")
    own = given.rstrip("/\\").replace("\\", "/").rsplit("/", 1)[-1] if isinstance(given, str) else ""
    return (own or folder.name or kind)[:60]
