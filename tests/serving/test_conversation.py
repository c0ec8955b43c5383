"""A conversation's tokens and its two bills, by hand."""

import pytest

from glassbox.serving.conversation import Talk, bills


def test_a_bill_by_hand():
    """Three turns: 10 + 5, 10 + 10 + 5 and 10 + 20 + 5 tokens are sent, 0, 20 and 30 of them known."""
    talk = Talk(beginning=10, turn=10)
    assert [talk.sent(n) for n in (1, 2, 3)] == [15, 25, 35]
    assert [talk.known(n) for n in (1, 2, 3)] == [0, 20, 30]
    without, with_cache = bills(talk, 3, price=1e6, cached_percent=10)
    assert without == pytest.approx([15, 40, 75])
    assert with_cache == pytest.approx([15, 15 + 5 + 2, 22 + 5 + 3])


def test_trimming_keeps_only_the_fixed_beginning_cached():
    talk = Talk(beginning=10, turn=10, keep=2)
    assert [talk.sent(n) for n in (3, 4, 9)] == [35, 35, 35]
    assert [talk.known(n) for n in (3, 4, 9)] == [30, 10, 10]


def test_the_same_price_for_cached_tokens_makes_the_same_bill():
    without, with_cache = bills(Talk(2000, 600), 30, 3, 100)
    assert without == pytest.approx(with_cache)


def test_what_was_sent_and_what_was_ever_new():
    talk = Talk(2000, 600)
    assert talk.sent_by(30) == sum(2000 + 600 * n + 300 for n in range(30))
    assert talk.written_by(30) == 2000 + 30 * 600


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((-1, 600), "beginning is -1"),
        ((0, 1.5), "turn is 1.5"),
        ((0, 600, 0), "keep is 0; it should be a whole number from 1"),
    ],
)
def test_a_conversation_that_cannot_be_is_refused_by_name(values, words):
    with pytest.raises(ValueError, match=words):
        Talk(*values)
