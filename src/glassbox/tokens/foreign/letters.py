"""The 256 characters in which byte-level vocabularies are written, one for each byte.

A ``tokenizer.json`` is text, and a single byte is often none. GPT-2's authors wrote each byte as one visible
character: the bytes of visible Latin-1 characters as themselves, the others as U+0100 and up, in order.

    >>> spelled(" é"), data("Ġthe")
    ('ĠÃ©', b' the')

Source: ``bytes_to_unicode`` in openai/gpt-2, ``src/encoder.py``.
"""

from __future__ import annotations

_VISIBLE = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_OTHERS = [b for b in range(256) if b not in _VISIBLE]
OF_BYTE = [chr(b) if b in _VISIBLE else chr(0x100 + _OTHERS.index(b)) for b in range(256)]
_BYTE = {character: byte for byte, character in enumerate(OF_BYTE)}


def spelled(text: str) -> str:
    """Writes a text's UTF-8 bytes, a character for each."""
    return "".join([OF_BYTE[b] for b in text.encode()])


def data(token: str) -> bytes | None:
    """The bytes that a token is written for, ``None`` where it is not written so."""
    try:
        return bytes(_BYTE[c] for c in token)
    except KeyError:
        return None
