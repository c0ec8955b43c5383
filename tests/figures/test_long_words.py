"""Texts without a space: what quotes them stays short."""

from glassbox.figures import attention


def test_a_very_long_word_is_quoted_by_its_end():
    shown = attention.next_word("a" * 20_000)
    assert len(shown.sentence) < 300
    assert len(shown.picture) < 20_000
    assert "… aaa" in shown.sentence
