"""What the figures of this chapter share: a reader's text as the model reads it, kept for reuse."""

from __future__ import annotations

import functools
import html
from dataclasses import dataclass

from glassbox import model
from glassbox.figures import markup, subject
from glassbox.figures.markup import Kept
from glassbox.model.transformer import ON, Forward, Switches
from glassbox.tokens.pieces import mended

START_LABEL = "⟨start⟩"
QUOTED = 80  # characters of the reader's text that a sentence quotes
LONGEST = 20_000  # characters that are cut into tokens: more than the model's context ever holds


@dataclass(frozen=True, eq=False)
class Reading:
    """A text, cut into tokens and read by the model.

    Attributes:
        text: What was read, without characters that would vanish or turn the line round.
        ids: Its tokens, the start token first.
        labels: One short label a token, for axes.
        forward: What the model computed.
        note: A sentence when the text was shortened or could not be read, else empty.
    """

    text: str
    ids: tuple[int, ...]
    labels: tuple[Kept, ...]
    forward: Forward
    note: str


def visible(text: str) -> str:
    """Names the characters that would vanish or reorder what follows, as markup does; still plain text."""
    return html.unescape(markup.text(text))


def label(token: int, next_word: bool = False) -> Kept:
    """A token as a word: without its leading space, or with a tie where it continues a word."""
    m = subject.model()
    if next_word and token in m.stops:
        return Kept("⟨end of text⟩")
    if token in m.begins:
        return Kept(START_LABEL)
    data = m.piece(token)
    word = data.decode("utf-8", "replace").replace("\n", "⏎")
    word = visible(word)
    if "\ufffd" in word:
        return Kept("0x" + data.hex())
    if word.startswith(" ") and word.strip():
        return Kept(word[1:])
    return Kept(f"‿{word}" if word.strip() else "␣" * len(word))


def labels(ids: tuple[int, ...] | list[int]) -> tuple[Kept, ...]:
    """Labels of a text's tokens; the first word after the start has no tie."""
    first = len(subject.model().begins)
    return tuple(label(t).removeprefix("‿") if i <= first else label(t) for i, t in enumerate(ids))


def cut(text: str, limit: int, start: bool = True) -> tuple[tuple[int, ...], str]:
    """The last tokens of a text, those that begin every text before them, and a note where some were left out.

    Args:
        text: What the reader typed.
        limit: Most tokens, those of the beginning included; up to the model's context.
        start: False leaves the beginning's tokens out.

    Raises:
        ValueError: There is no text, and the model has no token to begin with.
    """
    m = subject.model()
    text = text.strip()
    characters, text = len(text), text[-LONGEST:]
    room = min(limit, m.config.context) - len(m.begins)
    text, note = mended(text)
    ids = m.tokenizer.encode(text)
    if characters > LONGEST:
        read_here = min(len(ids), room)
        note += f" Your text has {characters:,} characters; only its last {read_here} tokens are read here."
    elif len(ids) > room:
        note += f" Your text has {len(ids):,} tokens; only the last {room} are read here."
    ids = ids[-room:]
    whole = (*(m.begins if start or not ids else ()), *ids)
    if not whole:
        raise ValueError(f"there is no text yet, and texts of {m.name} begin with no token of their own")
    return whole, note.strip()


def tail(text: str) -> str:
    """The last few words of a text, so that a sentence that quotes it stays short."""
    words = visible(mended(text.strip()[-LONGEST:])[0]).split()
    last = " ".join(words[-8:])
    return "… " * (len(words) > 8 or len(last) > QUOTED) + last[-QUOTED:] if words else START_LABEL


@subject.kept(maxsize=24)
def read(text: str, limit: int = 12, switches: Switches = ON, start: bool = True) -> Reading:
    """Reads the end of a text.

    Args:
        text: What the reader typed.
        limit: Most tokens to read, the start token included; up to the model's context.
        switches: Parts of the model to leave out.
        start: False leaves out the start token.
    """
    m = subject.model()
    whole, note = cut(text, limit, start)
    names = labels(whole) if start else _without_start(whole)
    return Reading(
        visible(mended(text.strip()[-LONGEST:])[0]), whole, names, m.forward(whole, switches=switches), note
    )


def _without_start(ids: tuple[int, ...]) -> tuple[Kept, ...]:
    return tuple(label(t).removeprefix("‿") if i == 0 else label(t) for i, t in enumerate(ids))


def head_names() -> list[str]:
    """``layer 1, head 1`` and so on, in order."""
    c = subject.model().config
    return [f"layer {a + 1}, head {b + 1}" for a in range(c.n_layers) for b in range(c.n_heads)]


def head_at(index: int) -> tuple[int, int]:
    """Layer and head, counted from 0, of the ``index``-th name."""
    c = subject.model().config
    if not 0 <= index < c.n_layers * c.n_heads:
        raise ValueError(
            f"head is {index}; it should be a whole number from 0 to {c.n_layers * c.n_heads - 1}"
        )
    return index // c.n_heads, index % c.n_heads


ENOUGH = 0.4  # of its weight: less makes no habit
HABITS = {
    "previous": "looks at the token before",
    "first": "rests on the first token",
    "self": "looks at itself",
    "same": "looks for the same token earlier",
    "deciding": "looks at the deciding adjective",
}


@functools.lru_cache(maxsize=1)
def habits() -> dict[str, list[float]]:
    """Habit to its score for each head of our model, in the order of ``head_names``, on held-out texts."""
    return {name: [s for layer in model.card()["heads"][name] for s in layer] for name in HABITS}


def best_head(habit: str) -> int:
    """Index of the head with the highest measured score for a habit."""
    scores = habits()[habit]
    return max(range(len(scores)), key=scores.__getitem__)


def habit_of(index: int) -> tuple[str, float] | None:
    """The habit that takes most of a head's weight, if it takes at least 40 %.

    A deciding adjective stands right before its noun: a head that reads the token before reads it too, and is
    called by what it does everywhere.
    """
    found = [(habits()[name][index], name) for name in HABITS if name != "deciding"]
    score, name = max(found)
    if score < ENOUGH:
        score, name = habits()["deciding"][index], "deciding"
    return (name, score) if score >= ENOUGH else None
