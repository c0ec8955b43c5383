"""Guess and check: a cheap draft proposes the next tokens, the model checks all of them in one pass.

Where a pass costs the same for one token as for five, because fetching the weights is what takes the time,
checking four guesses is as dear as writing one token. Guesses are taken as far as the model itself would have
written them, and where the first one is wrong the model's own token stands there instead. So each pass yields
at least one token, and the text is the one that the model writes alone.

    >>> from glassbox import model
    >>> m = model.load()
    >>> ids = m.encode("The nurse said that")
    >>> rounds = list(rounds_of(m, ids, 12, Lookup(), 4))
    >>> [i for r in rounds for i in r.ids] == model.generate.greedy(m, ids, 12).ids
    True

For tokens that are drawn instead of the likeliest there is a rule of acceptance that leaves the distribution
as it is; that rule is not needed here and not built.

Source: Leviathan, Kalman & Matias 2022, *Fast Inference from Transformers via Speculative Decoding*; Chen and
others 2023, *Accelerating Large Language Model Decoding with Speculative Sampling*. ``Lookup``: Saxena 2023,
*Prompt Lookup Decoding*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from glassbox.model.transformer import Model


class Draft(Protocol):
    """What proposes tokens."""

    def guess(self, text: Sequence[int], count: int) -> list[int]:
        """At most ``count`` tokens that may follow ``text``."""


@dataclass(frozen=True)
class Round:
    """One pass of the model.

    Attributes:
        guesses: What the draft proposed.
        accepted: How many of them, from the first on, are what the model itself writes.
        own: The token that the model puts after those.
    """

    guesses: tuple[int, ...]
    accepted: int
    own: int

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens that this pass yields."""
        return (*self.guesses[: self.accepted], self.own)

    @property
    def tested(self) -> int:
        """Guesses that were looked at: behind the first wrong one nothing counts."""
        return min(self.accepted + 1, len(self.guesses))


def rounds_of(model: Model, ids: Sequence[int], n_new: int, draft: Draft, guesses: int) -> Iterator[Round]:
    """Writes the likeliest tokens after ``ids``, as ``generate.greedy`` does, in fewer passes.

    Args:
        model: The model.
        ids: The prompt, start token first.
        n_new: How many tokens to write.
        draft: What proposes.
        guesses: How many tokens it proposes for each pass; 0 for none.
    """
    if guesses < 0:
        raise ValueError(f"guesses={guesses} must not be negative")
    cache, text, unread = model.new_cache(), list(ids), list(ids)
    end = len(text) + n_new
    while len(text) < end:
        proposed = draft.guess(text, min(guesses, end - len(text) - 1)) if guesses else []
        logits = model.forward([*unread, *proposed], cache).logits[len(unread) - 1 :]
        picks = logits.argmax(axis=1).tolist()
        accepted = 0
        while accepted < len(proposed) and proposed[accepted] == picks[accepted]:
            accepted += 1
        cache.rewind(len(text) + accepted)
        done = Round(tuple(proposed), accepted, picks[accepted])
        yield done
        text += done.ids
        unread = [done.own]


def rounds_along(alone: Sequence[int], ids: Sequence[int], draft: Draft, guesses: int) -> Iterator[Round]:
    """The same rounds where it is known what the model writes ``alone`` after ``ids``: nothing is run."""
    at = 0
    while at < len(alone):
        proposed = draft.guess([*ids, *alone[:at]], min(guesses, len(alone) - at - 1)) if guesses else []
        accepted = 0
        while accepted < len(proposed) and proposed[accepted] == alone[at + accepted]:
            accepted += 1
        done = Round(tuple(proposed), accepted, alone[at + accepted])
        yield done
        at += len(done.ids)


class CutDown:
    """The first layers of a model, read out as if they were all of it, with a cache of their own."""

    def __init__(self, model: Model, n_layers: int) -> None:
        if not 1 <= n_layers <= model.config.n_layers:
            raise ValueError(f"n_layers={n_layers} must lie between 1 and {model.config.n_layers}")
        params = {
            k: v for k, v in model.params.items() if not k[0].isdigit() or int(k.split(".")[0]) < n_layers
        }
        self.model = replace(model, config=replace(model.config, n_layers=n_layers), params=params)
        self._cache, self._read = self.model.new_cache(), list[int]()

    def guess(self, text: Sequence[int], count: int) -> list[int]:
        """What these layers alone would write; what was rejected since the last call is forgotten first."""
        if count < 1:
            return []
        same = 0
        while same < min(len(self._read), len(text) - 1) and self._read[same] == text[same]:
            same += 1
        self._cache.rewind(same)
        self._read = self._read[:same]
        found, unread = list[int](), list(text[same:])
        while len(found) < count:
            logits = self.model.forward(unread, self._cache, last_only=True).logits[-1]
            self._read += unread
            found.append(int(logits.argmax()))
            unread = found[-1:]
        return found


class Foreseen:
    """A cut-down draft along a text that is known: what it would put at every place, read in one pass.

    Behind its first wrong guess it says what it would put in the known text, and there nothing counts.
    """

    def __init__(self, draft: CutDown, ids: Sequence[int], alone: Sequence[int]) -> None:
        logits = draft.model.forward([*ids, *alone[:-1]]).logits[len(ids) - 1 :]
        self._start, self._guessed = len(ids), logits.argmax(axis=1).tolist()

    def guess(self, text: Sequence[int], count: int) -> list[int]:
        """The next ``count`` of them."""
        at = len(text) - self._start
        found: list[int] = self._guessed[at : at + count]
        return found


class Lookup:
    """No model at all: what followed the last time that the text's last tokens stood there before.

    Attributes:
        longest: The most tokens that are compared.
    """

    def __init__(self, longest: int = 3) -> None:
        self.longest = longest

    def guess(self, text: Sequence[int], count: int) -> list[int]:
        """The tokens behind the latest earlier place with the longest common end, if there is one."""
        for n in range(min(self.longest, len(text) - 1), 0, -1):
            for at in range(len(text) - n - 1, -1, -1):
                if list(text[at : at + n]) == list(text[-n:]):
                    return list(text[at + n : at + n + count])
        return []


def fetched(model: Model) -> int:
    """Weights that one pass over a few tokens fetches: all layers' and the table that is read out."""
    return model.layer_products + model.config.vocab_size * model.config.d_model
