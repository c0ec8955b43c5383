"""What guess and check is worth, from how often a guess is right and what guessing costs.

If every guess is right with chance a, independently, a pass with k guesses yields on average

    1 + a + a² + … + aᵏ = (1 − aᵏ⁺¹) / (1 − a)

tokens, and takes as long as one pass of the model and k of the draft. With a draft that costs nothing, eight
in ten right and four guesses:

    >>> round(tokens_a_pass(0.8, 4), 2), round(speed_up(0.8, 4, 0.0), 2), round(speed_up(0.8, 4, 0.5), 2)
    (3.36, 3.36, 1.12)

Source: Leviathan, Kalman & Matias 2022, *Fast Inference from Transformers via Speculative Decoding*, equation
1 and theorem 3.8. It holds while checking k + 1 tokens takes as long as writing one: bandwidth is short then.
"""

from __future__ import annotations

from glassbox.costs.fields import check_whole


def tokens_a_pass(right: float, guesses: int) -> float:
    """Tokens that one pass of the model yields on average.

    Args:
        right: The chance that a guess is right when all before it were, 0 to 1.
        guesses: How many are made for a pass.
    """
    _share(right, "right")
    check_whole(guesses, "guesses", 10_000, low=0)
    return sum(right**n for n in range(guesses + 1))


def speed_up(right: float, guesses: int, cost: float) -> float:
    """How many times sooner the text is written than without guesses.

    Args:
        right: As for ``tokens_a_pass``.
        guesses: As for ``tokens_a_pass``.
        cost: What one pass of the draft takes, in passes of the model.
    """
    if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not 0 <= cost <= 1e6:
        raise ValueError(f"cost is {cost!r:.40}; it should be a number from 0 to 1,000,000")
    return tokens_a_pass(right, guesses) / (1 + guesses * cost)


def best_guesses(right: float, cost: float, most: int = 64) -> int:
    """How many guesses pay best, 0 where none do; the fewest of equals."""
    return max(range(most + 1), key=lambda k: (speed_up(right, k, cost), -k))


def _share(value: float, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError(f"{name} is {value!r:.40}; it should be a number from 0 to 1")
