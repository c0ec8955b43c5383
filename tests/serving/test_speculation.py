"""The formula of guess and check, against chance itself."""

import numpy as np
import pytest

from glassbox.serving import speculation


@pytest.mark.parametrize(("right", "guesses"), [(0.0, 5), (0.3, 1), (0.8, 4), (1.0, 6)])
def test_a_pass_yields_what_drawing_by_lot_yields(right, guesses):
    hits = np.random.default_rng(3).random((40_000, guesses)) < right
    accepted = np.cumprod(hits, axis=1).sum(axis=1)
    assert speculation.tokens_a_pass(right, guesses) == pytest.approx((1 + accepted).mean(), rel=0.02)


def test_the_closed_form_of_the_paper():
    for a, k in ((0.5, 3), (0.9, 8)):
        assert speculation.tokens_a_pass(a, k) == pytest.approx((1 - a ** (k + 1)) / (1 - a))
    assert speculation.speed_up(0.5, 3, 0.1) == pytest.approx((1 - 0.5**4) / 0.5 / 1.3)


def test_guessing_pays_where_it_is_more_often_right_than_it_is_dear():
    assert speculation.best_guesses(0.4, 0.5) == 0
    assert speculation.best_guesses(0.8, 0.02) > 4
    assert speculation.best_guesses(0.0, 0.0) == 0
    assert speculation.speed_up(0.4, 1, 0.5) < 1


@pytest.mark.parametrize(("call", "words"), [((1.5, 2), "right is 1.5"), ((0.5, -1), "guesses is -1")])
def test_nonsense_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        speculation.tokens_a_pass(*call)
    with pytest.raises(ValueError, match="cost is -1"):
        speculation.speed_up(0.5, 2, -1)
