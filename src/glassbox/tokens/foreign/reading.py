"""Reads a tokenizer from its file: ``tokenizer.json`` of Hugging Face's library, or a ``.tiktoken`` file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from glassbox.tokens.foreign import added, cuts, fields, merging, normals, ranks, unigram, wordpiece
from glassbox.tokens.foreign.fields import Json, UnknownError
from glassbox.tokens.foreign.tokenizer import Method, Plan, Surface, Tokenizer

_METHODS: dict[str, Callable[[Json], Method]] = {
    "BPE": merging.make,
    "Unigram": unigram.make,
    "WordPiece": wordpiece.make,
}


def read_file(name: str, content: bytes) -> Tokenizer:
    """Reads a file of a tokenizer by what is in it: ``tokenizer.json``, ``.tiktoken`` or ``tekken.json``.

    Args:
        name: The file's name.
        content: Its bytes.

    Raises:
        ValueError: It is none of these, or cannot be read; the sentence says why.
    """
    start = content[:4096].lstrip()
    if start.startswith(b"{"):
        held = _json(content)
        return ranks.read_tekken(held) if "config" in held and "model" not in held else read(held)
    if b"\0" in start or start.startswith(b"\n"):
        raise ValueError(
            f"{name} is a binary file, as SentencePiece writes it; take the tokenizer.json beside it"
        )
    return ranks.read_lines(content)


def read(file: str | bytes | Json) -> Tokenizer:
    """Reads a ``tokenizer.json``.

    Args:
        file: Its content.

    Raises:
        ValueError: It is no such file, a field has a value that it cannot have, or it asks for something
            that is not known here (``fields.UnknownError``); the sentence names it.
    """
    content = file if isinstance(file, Mapping) else _json(file)
    if not isinstance(content.get("model"), Mapping):
        raise ValueError("this file is not a tokenizer.json: it has no “model”")
    fields.only(content, _FIELDS)
    model = fields.need(content, "model", dict)
    method = _method(model)
    steps = {name: fields.get(content, name, dict) for name in ("normalizer", "pre_tokenizer", "decoder")}
    before, after = _around(fields.get(content, "post_processor", dict))
    surface = _surface(model, steps)
    return Tokenizer(
        Plan(
            [added.entry(e) for e in fields.get(content, "added_tokens", list, [])],
            normals.make(steps["normalizer"]),
            cuts.make(steps["pre_tokenizer"]),
            method,
            surface,
            before,
            after,
            _kind(method, surface),
            _told(steps),
        )
    )


_FIELDS = "version truncation padding added_tokens normalizer pre_tokenizer post_processor decoder model"


def _json(file: str | bytes) -> Json:
    try:
        content = json.loads(file)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"this file is not a tokenizer.json: it cannot be read as JSON ({error})") from None
    if not isinstance(content, dict):
        raise ValueError("this file is not a tokenizer.json: it has no “model”")
    return content


def _method(model: Json) -> Method:
    if model.get("type") is None:  # files from before the field existed
        kind = "Unigram" if isinstance(model.get("vocab"), list) else "WordPiece"
        model = {**model, "type": "BPE" if "merges" in model else kind}
    return fields.kind(model, _METHODS, "the file's model is")(model)


def _steps(step: Json | None, inner: str) -> list[Json]:
    """A step, or those of a sequence of them, in order."""
    if step is None:
        return []
    if step.get("type") == "Sequence":
        return [s for part in fields.need(step, inner, list) for s in _steps(part, inner)]
    return [step]


def _surface(model: Json, steps: Mapping[str, Json | None]) -> Surface:
    """How entries are written, from the steps that write and read them."""
    decoders = {s.get("type"): s for s in _steps(steps["decoder"], "decoders")}
    cut = {s.get("type"): s for s in _steps(steps["pre_tokenizer"], "pretokenizers")}
    written = {s.get("type") for s in _steps(steps["normalizer"], "normalizers")} | cut.keys()
    if "CTC" in decoders:
        raise UnknownError("the file decodes by CTC, as speech models do, which this page does not know")
    space = ""
    if meta := decoders.get("Metaspace") or cut.get("Metaspace"):
        space = fields.get(meta, "replacement", str, "▁")
    elif replace := decoders.get("Replace"):
        held = replace.get("pattern")
        if isinstance(held, dict) and replace.get("content") == " ":
            space = str(held.get("String", ""))
    return Surface(
        byte_level="ByteLevel" in decoders or "ByteLevel" in written,
        byte_fallback="ByteFallback" in decoders or fields.get(model, "byte_fallback", bool, False),
        space=space,
        begins=_begins(decoders),
        continues=fields.get(model, "continuing_subword_prefix", str, "") if "WordPiece" in decoders else "",
        closes=fields.get(decoders["BPEDecoder"], "suffix", str, "</w>") if "BPEDecoder" in decoders else "",
    )


def _begins(decoders: Mapping[Any, Json]) -> bool:
    """Whether decoding takes away a first space."""
    if meta := decoders.get("Metaspace"):
        scheme = fields.get(meta, "prepend_scheme", str)
        return bool(fields.get(meta, "add_prefix_space", bool, True) if scheme is None else scheme != "never")
    return bool(fields.get(decoders.get("Strip", {}), "start", int, 0))


def _kind(method: Method, surface: Surface) -> str:
    if not isinstance(method, merging.Merging):
        return type(method).__name__
    if surface.byte_level:
        return "byte-level BPE"
    return "BPE with byte fallback" if surface.byte_fallback else "BPE"


def _told(steps: Mapping[str, Json | None]) -> str:
    """What happens to a text on its way, by the names in the file."""
    names = {
        "Normalised": _steps(steps["normalizer"], "normalizers"),
        "cut": _steps(steps["pre_tokenizer"], "pretokenizers"),
    }
    listed = {verb: ", ".join(str(s.get("type")) for s in some) for verb, some in names.items()}
    told = [f"{verb} by {some}" for verb, some in listed.items() if some]
    sentence = "; ".join(told)
    return f"{sentence[0].upper()}{sentence[1:]}." if told else "Neither normalised nor cut before."


Ids = tuple[int, ...]


def _around(step: Json | None) -> tuple[Ids, Ids]:
    """The ids that a file puts before and behind one text."""
    before: Ids = ()
    after: Ids = ()
    for part in _steps(step, "processors"):
        kind = part.get("type")
        if kind in ("BertProcessing", "RobertaProcessing"):
            before, after = (_special(part, "cls"), *before), (*after, _special(part, "sep"))
        elif kind == "TemplateProcessing":
            first, last = _template(part)
            before, after = first + before, after + last
        elif kind != "ByteLevel":
            raise UnknownError(f"the file puts tokens around a text by {kind}, which this page does not know")
    return before, after


def _special(step: Json, name: str) -> int:
    pair = fields.need(step, name, list)
    if len(pair) != 2 or not isinstance(pair[1], int):
        raise ValueError(f"{name} of the post_processor should be a text and its id, not {str(pair)[:60]}")
    return pair[1]


def _template(step: Json) -> tuple[Ids, Ids]:
    sides: tuple[list[int], list[int]] = ([], [])
    known = fields.get(step, "special_tokens", dict, {})
    seen = 0
    for place in fields.need(step, "single", list):
        if "Sequence" in place:
            seen = 1
            continue
        name = fields.need(fields.need(place, "SpecialToken", dict), "id", str)
        ids = known.get(name, {}).get("ids")
        if not isinstance(ids, list) or not all(isinstance(i, int) for i in ids):
            raise ValueError(f"the post_processor names {name!r}, and its special_tokens give no ids for it")
        sides[seen].extend(ids)
    return tuple(sides[0]), tuple(sides[1])
