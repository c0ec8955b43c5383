"""What a conversation sends, turn by turn, and what that costs with and without cached beginnings.

A chat model is sent the whole conversation again at every turn. Three turns of 10 tokens, half question and
half answer, after a beginning of 10:

    >>> talk = Talk(beginning=10, turn=10)
    >>> [talk.sent(n) for n in (1, 2, 3)], talk.sent_by(3), talk.written_by(3)
    ([15, 25, 35], 75, 40)
    >>> [talk.known(n) for n in (1, 2, 3)]
    [0, 20, 30]

Answers cost the same either way and are left out of the bills.
"""

from __future__ import annotations

from dataclasses import dataclass

from glassbox.costs.fields import check_whole


@dataclass(frozen=True)
class Talk:
    """A conversation.

    Attributes:
        beginning: Tokens at the start that never change.
        turn: Tokens each turn adds, question and answer, half of them each.
        keep: The last turns that are sent again; None for all.
    """

    beginning: int
    turn: int
    keep: int | None = None

    def __post_init__(self) -> None:
        check_whole(self.beginning, "beginning", 10**9, low=0)
        check_whole(self.turn, "turn", 10**9, low=0)
        if self.keep is not None:
            check_whole(self.keep, "keep", 10**6)

    def sent(self, n: int) -> int:
        """Tokens sent at turn ``n``, counted from 1: the beginning, earlier turns, and the new question."""
        earlier = n - 1 if self.keep is None else min(n - 1, self.keep)
        return self.beginning + earlier * self.turn + self.turn // 2

    def known(self, n: int) -> int:
        """How many of them continue what was sent and answered at turn ``n`` - 1, from the first token on.

        Once an old turn is dropped, the texts differ right after the beginning.
        """
        if n == 1:
            return 0
        if self.keep is not None and n - 1 > self.keep:
            return self.beginning
        return self.beginning + (n - 1) * self.turn

    def sent_by(self, turns: int) -> int:
        """Tokens sent in the first ``turns`` turns together."""
        return sum(self.sent(n) for n in range(1, turns + 1))

    def written_by(self, turns: int) -> int:
        """Tokens that were ever new in them, the last answer among them."""
        return self.beginning + turns * self.turn


def bills(talk: Talk, turns: int, price: float, cached_percent: float) -> tuple[list[float], list[float]]:
    """What has been paid for input after each turn, without and with cached beginnings.

    Args:
        talk: The conversation.
        turns: How many turns.
        price: Of a million input tokens.
        cached_percent: The price of a cached token in percent of the full one.

    Returns:
        Two lists of ``turns`` sums, in the price's currency.
    """
    without, with_cache = [], []
    plain = cheap = 0.0
    for n in range(1, turns + 1):
        sent, known = talk.sent(n), talk.known(n)
        plain += sent * price / 1e6
        cheap += (sent - known + known * cached_percent / 100) * price / 1e6
        without.append(plain)
        with_cache.append(cheap)
    return without, with_cache
