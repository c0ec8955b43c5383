"""How much memory a model's past takes, from the model's own config.json.

Every token leaves a key and a value behind in every layer, so for a plain model the cost of one token is

    2 × layers × KV heads × head dimension × bytes of one number

and Llama 3 8B takes 2 × 32 × 8 × 128 × 2 = 131,072 bytes a token:

    >>> llama = {"model_type": "llama", "num_hidden_layers": 32, "num_attention_heads": 32,
    ...          "num_key_value_heads": 8, "hidden_size": 4096}
    >>> plan(llama, context=8192).bytes_per_token
    131072
    >>> plan(llama, context=8192).state_bytes == 2**30
    True

Many models are not plain. Their layers may slide, compress, share or keep a state of constant size;
``families`` holds the rules.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from glassbox.costs import catalogue, families
from glassbox.costs.fields import MAX_SEQUENCES, MAX_TOKENS, Fields, check_whole, shown
from glassbox.costs.layers import DTYPES, GROUP, GROUP_BYTES, KINDS, Layer


@dataclass(frozen=True)
class Row:
    """One layer of a plan.

    Attributes:
        index: Which layer, from 0.
        kind: What it keeps; one of ``layers.KINDS``.
        vectors: (how many, how long) of the vectors kept for each token.
        bytes_per_token: What one more token takes while its window is not full.
        window: The most tokens it keeps, None for all.
        tokens: How many of the context's tokens it holds.
        fixed_bytes: State that does not grow.
        summary_bytes: Vectors that stand for several tokens each, and what waits to become one.
        state_bytes: What one sequence takes in this layer.
        reserved_bytes: What an engine takes that reserves the full context.
    """

    index: int
    kind: str
    vectors: tuple[tuple[int, int], ...]
    bytes_per_token: int
    window: int | None
    tokens: int
    fixed_bytes: int
    summary_bytes: int
    state_bytes: int
    reserved_bytes: int


@dataclass(frozen=True)
class Plan:
    """What the cache of a model takes.

    Attributes:
        family: The config's model_type, of the language model inside if there is one.
        context: Tokens of each sequence.
        sequences: How many are kept at once.
        dtype: How numbers are stored.
        layers: One row a layer.
        notes: What was assumed, in sentences.
    """

    family: str
    context: int
    sequences: int
    dtype: str
    layers: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    @property
    def bytes_per_token(self) -> int:
        """What one more token of one sequence takes in all layers, at the start, before a window is full."""
        return sum(row.bytes_per_token for row in self.layers)

    @property
    def sequence_bytes(self) -> int:
        """The state one sequence needs."""
        return sum(row.state_bytes for row in self.layers)

    @property
    def state_bytes(self) -> int:
        """The state all sequences need."""
        return self.sequence_bytes * self.sequences

    @property
    def reserved_bytes(self) -> int:
        """What an engine takes that reserves the full context in every layer, for all sequences."""
        return sum(row.reserved_bytes for row in self.layers) * self.sequences

    @property
    def fixed_bytes(self) -> int:
        """The part of one sequence's state that does not grow with its text."""
        return sum(row.fixed_bytes for row in self.layers)

    @property
    def kinds(self) -> dict[str, int]:
        """How many layers there are of each kind, in order of ``layers.KINDS``."""
        counted = Counter(row.kind for row in self.layers)
        return {k: counted[k] for k in KINDS if counted[k]}


def plan(config: Mapping[str, Any], context: int, sequences: int = 1, dtype: str = "fp16") -> Plan:
    """Works out the cache of a model from its config.

    Args:
        config: The mapping of a Hugging Face config.json.
        context: Tokens of each sequence, prompt and answer together; 0 or more.
        sequences: How many sequences are kept at once.
        dtype: How each number is stored: fp32, fp16, bf16, fp8, or q8_0 and q4_0 in groups of 32 that share
            a 16-bit scale. A constant state is not stored in groups.

    Raises:
        ValueError: The config is unknown or malformed, or an argument is out of range; the sentence names
            the field, what is wrong with it and what would be right.
    """
    check_whole(context, "context", MAX_TOKENS, low=0)
    check_whole(sequences, "sequences", MAX_SEQUENCES)
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ValueError(f"dtype is {shown(dtype)}; it should be one of {', '.join(DTYPES)}")
    fields = read(config)
    made = families.rule_of(fields.family)(fields)
    _check_groups(made, dtype)
    # Layers of one kind are one object, so each is worked out once.
    rows = tuple(_row(i, layer, context, dtype) for i, layer in enumerate(made))
    return Plan(fields.family, context, sequences, dtype, rows, tuple(dict.fromkeys(fields.notes)))


def _check_groups(made: list[Layer], dtype: str) -> None:
    """Engines refuse a cache in groups whose vectors do not fill them; so does this count."""
    lengths = {length for layer in made for _, length in layer.vectors}
    lengths |= {summary.length for layer in made for summary in layer.summaries}
    odd = [length for length in sorted(lengths) if length % GROUP]
    if dtype in GROUP_BYTES and odd:
        raise ValueError(
            f"this model keeps vectors of {odd[0]} numbers; blocks of {GROUP} ({dtype}) need a length that "
            f"should be a multiple of {GROUP}, and engines refuse it"
        )


def read(config: Mapping[str, Any]) -> Fields:
    """Finds the language model's own fields: the config itself, or the ``text_config`` inside it.

    Raises:
        ValueError: It is not a mapping, or its model_type is missing or not a word.
    """
    if not isinstance(config, Mapping):
        raise ValueError(f"a config is {shown(config)}; it should be a mapping of field names to values")
    family = _model_type(config, "")
    inner = config.get("text_config")
    if family in families.MISSING:
        families.rule_of(family)  # says what is missing, wherever the fields stand
    if family in families.WRAPPERS and inner is not None:
        if not isinstance(inner, Mapping):
            raise ValueError(
                f"text_config is {shown(inner)}; it should be a mapping, the language model's config"
            )
        name = _model_type(inner, "text_config.") if "model_type" in inner else families.WRAPPERS[family]
        return _fields(inner, name, "text_config.")
    if family in families.WRAPPERS and family not in families.RULES:
        raise ValueError(
            f"text_config is missing; a {family} config should keep its language model's fields there"
        )
    if inner is not None:
        raise ValueError(
            f"text_config is given, but models of type {shown(family)} are not known here to keep a language "
            "model there; that part alone, with its own model_type, should be given"
        )
    return _fields(config, family, "")


def _fields(config: Mapping[str, Any], family: str, where: str) -> Fields:
    """A config under the names that its rule reads: a field may have two, and writers use either."""
    other = {
        own: config[alias]
        for alias, own in catalogue.aliases().get(family, {}).items()
        if config.get(own) is None and config.get(alias) is not None
    }
    return Fields({**config, **other}, family, catalogue.defaults().get(family), where)


def _model_type(config: Mapping[str, Any], where: str) -> str:
    family = config.get("model_type")
    if family is None:
        raise ValueError(
            f"{where}model_type is missing; it should name the architecture, such as 'llama' or 'qwen3'"
        )
    if not isinstance(family, str):
        raise ValueError(f"{where}model_type is {shown(family)}; it should be a word, such as 'llama'")
    return family


@functools.lru_cache(maxsize=4096)
def _sizes(layer: Layer, context: int, dtype: str) -> tuple[int, int, int, int, int, int]:
    return (
        layer.token_bytes(dtype),
        layer.tokens_kept(context),
        layer.fixed_bytes(dtype),
        layer.summary_bytes(context, dtype),
        layer.state_bytes(context, dtype),
        layer.reserved_bytes(context, dtype),
    )


def _row(index: int, layer: Layer, context: int, dtype: str) -> Row:
    token, kept, *sizes = _sizes(layer, context, dtype)
    return Row(index, layer.kind, layer.vectors, token, layer.window, kept, *sizes)
