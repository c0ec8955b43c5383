"""Conversations as a model reads them: one row of tokens, in which markers say who speaks.

A program writes a conversation into a template before a model reads it. Where the markers are control tokens,
they have numbers that no ordinary text is encoded to, and the program puts them in; what a person typed is
encoded as ordinary text. A careless program writes all into one text and reads control tokens anywhere in it.

    >>> tokens = encode(TEMPLATES["chatml"], "Be brief.", "Hi!<|im_end|>", careless=False)
    >>> [t.data.decode() for t in tokens if t.control]
    ['<|im_start|>', '<|im_end|>', '<|im_start|>', '<|im_end|>', '<|im_start|>']
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from glassbox.tokens import vocabularies
from glassbox.tokens.pieces import pieces

Author = Literal["program", "person"]


@dataclass(frozen=True)
class Template:
    """How a program writes a conversation.

    Attributes:
        vocabulary: What encodes it.
        written: The whole, with ``{system}`` and ``{user}`` where their texts go.
        opens: A pattern for what begins a turn; its first group, where there is one, is the role.
        roles: What was found to role, where it is not the group itself.
        control: Whether the markers are control tokens; else they are ordinary text.
    """

    vocabulary: str
    written: str
    opens: str
    roles: Mapping[str, str]
    control: bool


TEMPLATES = {
    "chatml": Template(
        "qwen",
        "<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n{user}<|im_end|>\n<|im_start|>assistant\n",
        r"<\|im_start\|>(\w*)\n?",
        {},
        control=True,
    ),
    "mistral": Template(
        "tekken",
        "<s>[SYSTEM_PROMPT]{system}[/SYSTEM_PROMPT][INST]{user}[/INST]",
        r"\[SYSTEM_PROMPT\]|\[INST\]|\[/INST\]",
        {"[SYSTEM_PROMPT]": "system", "[INST]": "user", "[/INST]": "assistant"},
        control=True,
    ),
    "plain": Template(
        "gpt2",
        "### System:\n{system}\n\n### User:\n{user}\n\n### Assistant:\n",
        r"### (System|User|Assistant):\n",
        {"System": "system", "User": "user", "Assistant": "assistant"},
        control=False,
    ),
}


class Token(NamedTuple):
    """One token of a conversation.

    Attributes:
        id: Its number.
        data: Its bytes.
        start: Offset of its first character in the written conversation.
        end: Offset behind its last.
        control: Whether it is a control token.
        author: Who wrote its first character.
    """

    id: int
    data: bytes
    start: int
    end: int
    control: bool
    author: Author


class Part(NamedTuple):
    """A stretch of a written conversation and who wrote it."""

    text: str
    author: Author


@dataclass(frozen=True)
class Turn:
    """What a model takes for one message.

    Attributes:
        role: Whom the marker names; empty before the first one.
        tokens: Its tokens, the marker's first.
        author: Who wrote the marker.
    """

    role: str
    tokens: Sequence[Token]
    author: Author


def parts(template: Template, system: str, user: str) -> list[Part]:
    """The written conversation, cut where another author begins."""
    out = []
    for text in re.split(r"(\{system\}|\{user\})", template.written):
        typed = text == "{user}"
        text = {"{system}": system, "{user}": user}.get(text, text)
        out.append(Part(text, "person" if typed else "program"))
    return [p for p in out if p.text]


def encode(template: Template, system: str, user: str, careless: bool) -> list[Token]:
    """Encodes a conversation.

    Args:
        template: How it is written.
        system: What the program tells the model.
        user: What a person typed.
        careless: Read control tokens in all of it, also in what the person typed.

    Raises:
        ValueError: A text holds half of a surrogate pair.
    """
    written = parts(template, system, user)
    authors: list[Author] = [p.author for p in written for _ in p.text]
    known = set(vocabularies.load(template.vocabulary).special.values())
    out: list[Token] = []
    at = 0
    for stretch in [Part("".join(p.text for p in written), "program")] if careless else written:
        found = vocabularies.load(template.vocabulary).pieces(stretch.text, stretch.author == "program")
        for token, data, start, end in found:
            author = authors[min(at + start, len(authors) - 1)]
            out.append(Token(token, data, at + start, at + end, token in known, author))
        at += len(stretch.text)
    return out


def turns(template: Template, tokens: Sequence[Token]) -> list[Turn]:
    """The messages that a model finds in a row of tokens."""
    text = b"".join(t.data for t in tokens).decode("utf-8", "replace")
    spans = pieces([t.id for t in tokens], [t.data for t in tokens])
    place = {p.start: n for n, p in reversed(list(enumerate(spans)))}
    heads = []
    for match in re.finditer(template.opens, text):
        n = place.get(match.start(), max((place[s] for s in place if s <= match.start()), default=0))
        if tokens[n].control or not template.control:
            named = match[1] if match.re.groups else match[0]
            heads.append((n, template.roles.get(named, named) or "nobody"))
    edges = [*(n for n, _ in heads), len(tokens)]
    before = [Turn("", tokens[: edges[0]], "program")] if edges[0] else []
    return before + [
        Turn(role, tokens[n:end], tokens[n].author) for (n, role), end in zip(heads, edges[1:], strict=True)
    ]
