"""WordPiece: from the left, the longest entry that fits, then the longest that fits behind it.

Entries that continue a word are written with a sign before them. A word that cannot be covered to its end is
unknown as a whole.

    >>> WordPiece({"un": 0, "##do": 1, "##done": 2, "[UNK]": 3}, 3).cut("undone")
    [(0, 0, 2), (2, 2, 6)]

Source: Wu et al. 2016, arXiv:1609.08144; the greedy cut is that of BERT (Devlin et al. 2018).
"""

from __future__ import annotations

from collections.abc import Mapping

from glassbox.tokens.foreign import fields, merging
from glassbox.tokens.foreign.fields import Json
from glassbox.tokens.foreign.merging import Token


class WordPiece:
    """Turns parts into ids, the longest entry first.

    Attributes:
        vocab: Entry to id.
    """

    def __init__(
        self, vocab: Mapping[str, int], unknown: int, prefix: str = "##", longest: int = 100
    ) -> None:
        """Keeps the entries.

        Args:
            vocab: Entry to id.
            unknown: The id of a word that cannot be covered.
            prefix: What entries that continue a word are written with.
            longest: Characters; a longer word is unknown.
        """
        self.vocab = vocab
        self._unknown, self._prefix, self._longest = unknown, prefix, longest
        self._widest = max(map(len, vocab), default=0)

    def cut(self, part: str) -> list[Token]:
        """Cuts one part into (id, start, end)."""
        whole = [(self._unknown, 0, len(part))]
        if len(part) > self._longest:
            return whole
        out: list[Token] = []
        start = 0
        while start < len(part):
            sign = self._prefix if start else ""
            for end in range(min(len(part), start + self._widest), start, -1):
                if (token := self.vocab.get(sign + part[start:end])) is not None:
                    out.append((token, start, end))
                    start = end
                    break
            else:
                return whole
        return out


def make(step: Json) -> WordPiece:
    """A ``WordPiece`` model as a file describes it.

    Raises:
        UnknownError: It has a field that is not known here.
        ValueError: A field has a value that it cannot have.
    """
    fields.only(step, "vocab unk_token continuing_subword_prefix max_input_chars_per_word")
    vocab = merging.entries(step)
    unknown = fields.get(step, "unk_token", str, "[UNK]")
    if unknown not in vocab:
        raise ValueError(f"unk_token is {unknown!r}, which the vocabulary does not hold")
    prefix = fields.get(step, "continuing_subword_prefix", str, "##")
    return WordPiece(vocab, vocab[unknown], prefix, fields.get(step, "max_input_chars_per_word", int, 100))
