import re
from html import unescape

import pytest

from glassbox.figures.markup import el
from glassbox.page import check

HOSTILE = '"><script>alert(1)</script>'


def data(markup: str, name: str) -> str:
    return unescape(re.search(rf'data-{name}="([^"]*)"', markup)[1])


def test_a_number_s_answer_and_tolerance_travel_in_data_attributes():
    drawn = check.number("How many?", 4096**2, 500_000, unit="scores", hint="Square it.").markup()
    assert (data(drawn, "answer"), data(drawn, "tolerance")) == ("16777216", "500000")
    assert data(drawn, "hint") == "Square it."
    assert data(drawn, "check") == "number"


def test_a_fraction_keeps_every_digit():
    assert float(data(check.number("?", 1 / 3, 0.01).markup(), "answer")) == 1 / 3


def test_the_answer_is_in_the_page_but_folded_away_and_the_field_waits_for_the_script():
    drawn = check.number("How many?", 1_048_576, 0, unit="bytes", explain="Two to the twentieth.").markup()
    assert "<details><summary>Show the answer</summary>" in drawn
    assert "<strong>1,048,576 bytes</strong>" in drawn
    assert "Two to the twentieth." in drawn
    assert re.search(r'<form class="attempt" hidden>', drawn)


def test_an_answer_with_a_tolerance_says_about():
    assert "<strong>about 788 pieces</strong>" in check.number("?", 788, 40, unit="pieces").markup()


def test_a_reveal_has_a_model_answer_and_no_number():
    drawn = check.reveal("Why not queries?", "A query is used once.").markup()
    assert "A query is used once." in drawn
    assert "data-answer" not in drawn
    assert "<textarea" in drawn


def test_a_question_s_id_depends_on_its_words_alone():
    one, same = check.number("How many?", 1, 0), check.number("How many?", 2, 1)
    other = check.reveal("Why?", "So.")
    assert data(one.markup(), "id") == data(same.markup(), "id") != data(other.markup(), "id")


def test_the_notebook_shows_the_same_markup():
    asked = check.reveal("Why?", "So.")
    assert asked._repr_html_() == asked.markup()


@pytest.mark.parametrize(
    "asked",
    [
        check.number(HOSTILE, 1, 0, unit=HOSTILE, hint=HOSTILE, explain=HOSTILE),
        check.reveal(HOSTILE, HOSTILE),
    ],
)
def test_plain_text_is_escaped(asked):
    assert "<script" not in asked.markup()


def test_markup_passes_as_markup():
    assert "<em>never</em>" in check.reveal(el("em", "never"), "So.").markup()


def test_an_answer_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="finite number, not nan"):
        check.number("?", float("nan"), 0)


def test_a_negative_tolerance_is_refused():
    with pytest.raises(ValueError, match=r"0 or more, not -1\.0"):
        check.number("?", 1, -1)


def test_a_check_is_found_in_its_chapter_by_its_name_which_outlives_its_wording():
    first, second = (check.reveal(q, "Because.", name="why-keys").markup() for q in ("Why?", "Why, again?"))
    assert ' id="why-keys"' in first
    assert ' id="why-keys"' in second
    assert data(first, "id") != data(second, "id")


def test_a_check_without_a_name_is_named_by_its_question():
    asked = check.number("How many?", 3, 0)
    assert asked.name == f"check-{asked.id}" == check.number("How many?", 4, 0).name
    assert asked.name != check.number("How many more?", 3, 0).name


@pytest.mark.parametrize("name", ["Why", "a b", "../x", "-a", "a--b", "1a", "ä", "a_b", HOSTILE])
def test_a_name_that_does_not_fit_an_address_is_refused(name):
    with pytest.raises(ValueError, match=re.escape(repr(name))):
        check.reveal("Why?", "Because.", name=name)


@pytest.mark.parametrize(
    ("answer", "tolerance", "shown"),
    [
        (7.389056099, 0.25, "about 7.4"),
        (4096**2, 300_000, "about 16,777,216"),
        (2, 0.05, "about 2"),
        (7.389056099, 0, "7.389056099"),
    ],
)
def test_an_answer_is_shown_with_the_digits_that_its_tolerance_leaves(answer, tolerance, shown):
    assert f"<strong>{shown}</strong>" in str(check.number("How many?", answer, tolerance).markup())
