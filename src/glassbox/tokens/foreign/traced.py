"""Text that remembers where each of its characters came from, while steps rewrite it.

>>> text = Traced.of("Hi é")
>>> text.each({"é": "e´"}.get).spans(2, 5)
(2, 4)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple


class Traced(NamedTuple):
    """A text and, for each of its characters, the stretch of the original that it stands for.

    Attributes:
        text: What the steps so far have made.
        starts: Offset in the original at which each character's stretch begins.
        ends: Offset just behind it; equal to the start for a character that a step has put in.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str) -> Traced:
        """The original itself."""
        return cls(text, range(len(text)), range(1, len(text) + 1))

    def cut(self, start: int, end: int) -> Traced:
        """The characters from ``start`` to just before ``end``."""
        return Traced(self.text[start:end], self.starts[start:end], self.ends[start:end])

    def spans(self, start: int, end: int) -> tuple[int, int]:
        """Where in the original the characters from ``start`` to just before ``end`` come from."""
        return self.starts[start], max(self.starts[start], *self.ends[start:end])

    def rewritten(self, chunks: Iterable[tuple[str, int, int]]) -> Traced:
        """Puts new text in the place of old.

        Args:
            chunks: (new text, start, end): it stands for the characters from start to just before end.
                What no chunk covers is gone. Where start equals end the text is put in.
        """
        texts, starts, ends = [], [], []
        for text, start, end in chunks:
            if start < end:
                first, last = self.starts[start], self.ends[end - 1]
            else:
                first = last = self.starts[start] if start < len(self.text) else self.end
            texts.append(text)
            starts += [first] * len(text)
            ends += [last] * len(text)
        return Traced("".join(texts), starts, ends)

    def each(self, change: Callable[[str], str | None]) -> Traced:
        """Changes each character into what ``change`` gives for it; ``None`` leaves it."""
        if all(change(c) in (None, c) for c in set(self.text)):
            return self
        new = ((change(c), c) for c in self.text)
        return self.rewritten((c if n is None else n, i, i + 1) for i, (n, c) in enumerate(new))

    def prepended(self, text: str) -> Traced:
        """The same with a text put before it."""
        at = self.starts[0] if self.text else 0
        return Traced(
            text + self.text, [at] * len(text) + list(self.starts), [at] * len(text) + list(self.ends)
        )

    @property
    def end(self) -> int:
        """Offset just behind the last character; 0 for an empty text."""
        return self.ends[-1] if self.text else 0
