"""How many scores attention computes: one for every query and every key it may see.

>>> exact(4)  # 1 + 2 + 3 + 4
10
>>> windowed(4, window=2)  # 1 + 2 + 2 + 2
7
"""

from __future__ import annotations

from glassbox.costs.fields import MAX_TOKENS, check_whole


def exact(n_tokens: int) -> int:
    """Scores of one head over ``n_tokens`` tokens, each seeing itself and all before it."""
    check_whole(n_tokens, "n_tokens", MAX_TOKENS, low=0)
    return n_tokens * (n_tokens + 1) // 2


def windowed(n_tokens: int, window: int) -> int:
    """The same where each token sees only the last ``window`` tokens, itself among them."""
    check_whole(n_tokens, "n_tokens", MAX_TOKENS, low=0)
    check_whole(window, "window", MAX_TOKENS)
    if n_tokens <= window:
        return exact(n_tokens)
    return exact(window) + (n_tokens - window) * window


def strided_row(position: int, window: int) -> int:
    """Keys that a token reads which sees the last ``window`` tokens, and before them every ``window``-th.

    >>> [strided_row(position, 4) for position in (0, 3, 4, 20)]
    [1, 4, 5, 9]

    Args:
        position: Of the token, from 0.
        window: In tokens, the token itself among them.

    Source: Child et al. 2019, *Generating Long Sequences with Sparse Transformers*, the fixed pattern.
    """
    check_whole(position, "position", MAX_TOKENS, low=0)
    check_whole(window, "window", MAX_TOKENS)
    return position + 1 if position < window else window + (position - window) // window + 1


def square(n_tokens: int) -> int:
    """All cells of the table, those above the diagonal too: what is stored if nothing is skipped."""
    check_whole(n_tokens, "n_tokens", MAX_TOKENS, low=0)
    return n_tokens**2


def score_bytes(n_tokens: int, n_heads: int = 1, n_layers: int = 1, bytes_per_score: int = 2) -> int:
    """Bytes of the whole square of scores, if it were written to memory.

    Source: Dao et al. 2022, *FlashAttention*, which avoids writing it.
    """
    for value, name in ((n_heads, "n_heads"), (n_layers, "n_layers"), (bytes_per_score, "bytes_per_score")):
        check_whole(value, name, 10**6)
    return square(n_tokens) * n_heads * n_layers * bytes_per_score


def work(n_scores: int, n_layers: int, n_heads: int, d_head: int) -> int:
    """Operations to compute that many scores in every head and to mix by them.

    A score is a product of ``d_head`` multiply-adds, and so is its part in the mix; each counts as two.

    Source: Kaplan et al. 2020, *Scaling Laws for Neural Language Models*, section 2.1.
    """
    for value, name in ((n_layers, "n_layers"), (n_heads, "n_heads"), (d_head, "d_head")):
        check_whole(value, name, 10**6)
    return 2 * 2 * n_scores * n_layers * n_heads * d_head


def rows_without_cache(n_tokens: int) -> int:
    """Rows of work to write ``n_tokens`` tokens one by one and start over each time: 1 + 2 + … + n."""
    return exact(n_tokens)


def rows_with_cache(n_tokens: int) -> int:
    """Rows of work with a cache: each token is worked through once."""
    check_whole(n_tokens, "n_tokens", MAX_TOKENS, low=0)
    return n_tokens
