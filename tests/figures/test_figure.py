import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassbox.figures import Figure, Table, Work, el, percents


def figure(sentence="Half.") -> Figure:
    return Figure("Title", sentence, el("i", "x"), Table(("a", "b"), ((1, "<2>"),)))


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=40))
def test_rounded_shares_always_sum_to_a_hundred(parts):
    shares = [p / sum(parts) for p in parts]
    rounded = percents(shares)
    assert sum(rounded) == 100
    assert all(abs(r - 100 * s) < 1.0000001 for r, s in zip(rounded, shares, strict=True))


def test_the_largest_remainder_gets_the_missing_percent():
    assert percents([1 / 3, 1 / 3, 1 / 3]) == [34, 33, 33]
    assert percents([0.854, 0.1, 0.046]) == [85, 10, 5]


def test_a_table_row_of_the_wrong_length_is_refused_with_both_numbers():
    with pytest.raises(ValueError, match=r"has 1 cells for 2 columns"):
        Table(("a", "b"), ((1,),))


def test_a_table_escapes_its_cells():
    table = Table(("n", "word"), ((1, 'say "x", y'), (2, "<b>")))
    assert "&lt;b&gt;" in table.markup()


def test_a_figure_in_a_notebook_escapes_its_sentence_and_brings_its_styles():
    shown = figure("<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in shown
    assert "<style>" in shown


def test_work_shows_its_last_state_and_refuses_to_show_nothing():
    assert Work(lambda: iter([figure("a"), figure("b")])).last().sentence == "b"
    with pytest.raises(ValueError, match="yielded no figure"):
        Work(lambda: iter([])).last()


def test_a_sentence_and_a_note_name_what_would_vanish_or_turn_the_line_round():
    shown = Figure("Title", "a\x00\u202eb\ud800\x1f<c>", el("i", "x"), Table(("a",), ()), note="\x9b")
    assert shown.sentence == "a␀⟨U+202E⟩b⟨U+D800⟩␟<c>"
    assert shown.note == "⟨U+009B⟩"
