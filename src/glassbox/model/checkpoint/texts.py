"""What a reader's model is called, and how it reads text: its tokenizer, and the tokens around texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from glassbox.model.checkpoint.fields import Fields
from glassbox.model.checkpoint.safetensors import parsed, shown
from glassbox.model.transformer import Tokenizer
from glassbox.tokens.foreign import reading
from glassbox.tokens.foreign.fields import UnknownError

TOKENIZER, GENERATION = "tokenizer.json", "generation_config.json"


class Numbers:
    """Stands in for a tokenizer that is missing: a text is token numbers, as ``12 7 43``.

    Attributes:
        vocab_size: How many tokens the model knows.
        why: What is missing, as ``came without tokenizer.json``.
        special: Control tokens: none is known.
    """

    def __init__(self, vocab_size: int, why: str) -> None:
        self.vocab_size, self.why = vocab_size, why
        self.special: dict[str, int] = {}

    def data(self, token: int) -> bytes:
        """A token as it is written: its number, with a space before it."""
        return b" %d" % token

    def encode(self, text: str, special: bool = False) -> list[int]:
        """Reads token numbers.

        Raises:
            ValueError: There is something else than numbers of tokens; the sentence says what is missing.
        """
        ids = []
        for word in text.split():
            if not (word.isascii() and word.isdigit() and len(word) < 10 and int(word) < self.vocab_size):
                raise ValueError(
                    f"this model {self.why}, so text cannot be cut into its tokens; write their "
                    f"numbers, from 0 to {self.vocab_size - 1:,}, as 12 7 43 (not {shown(word)})"
                )
            ids.append(int(word))
        return ids

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Writes token numbers."""
        return b"".join(map(self.data, ids))


def of(
    folder: Path, config: Mapping[str, Any], vocab_size: int
) -> tuple[Tokenizer, tuple[int, ...], frozenset[int]]:
    """The tokenizer, the tokens that begin every text, and those that end one.

    The tokenizer's file says what begins a text; where there is none, the start token of the configs does.

    Raises:
        ValueError: A file of these is wrong, or the tokenizer is another model's.
    """
    first, ends = _controls(folder, config, vocab_size)
    if not (folder / TOKENIZER).is_file():
        return Numbers(vocab_size, f"came without {TOKENIZER}"), first, ends
    try:
        found = reading.read((folder / TOKENIZER).read_bytes())
    except UnknownError as error:
        return Numbers(vocab_size, f"has a {TOKENIZER} that is not read here ({error})"), first, ends
    except ValueError as error:
        raise ValueError(f"{TOKENIZER}: {error}") from None
    if found.vocab_size > vocab_size:
        largest = f"{TOKENIZER}: it knows {found.vocab_size:,} tokens"
        raise ValueError(f"{largest}, the model {vocab_size:,}: it belongs to another model")
    return found, found.before, ends


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
