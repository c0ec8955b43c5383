import re
from html import unescape

import pytest

from glassbox.figures.figure import Figure, Table, Work
from glassbox.figures.markup import el
from glassbox.page import check, guess

HOSTILE = '"><script>alert(1)</script>'
STATE = "?split_text=a word#split"


def asked(answer, choices=(2, 4, 8), **more):
    return guess.number("How many?", choices, answer, STATE, **more)


def right(made):
    return [c.text for c in made.choices if c.right]


def test_the_choice_nearest_to_the_true_value_is_right():
    assert right(asked(4)) == ["4"]
    assert right(asked(5.5)) == ["4"]
    assert right(asked(5.8)) == ["8"]  # as a factor 5.8 is nearer to 8 than to 4
    assert right(asked(-1, choices=(-2, 3))) == ["−2"]


def test_each_choice_says_how_near_it_was():
    assert [c.near for c in asked(4).choices] == [
        "You said 2: too low by a factor of 2.",
        "Right.",
        "You said 8: too high by a factor of 2.",
    ]
    assert [c.near for c in asked(60, choices=(3, 50, 55), unit="%").choices] == [
        "You said 3\u00a0%: too low by a factor of 20.",
        "Close: you said 50\u00a0%.",
        "55\u00a0% is the nearest of these.",
    ]
    assert asked(0, choices=(0, 5)).choices[1].near == "You said 5; it is less."


def test_the_true_value_and_its_unit_stand_in_the_answer():
    assert "It is <strong>1,049\u00a0words</strong>. So." in asked(1049, unit="words", explain="So.").markup()
    assert "It is <strong>1\u00a0word</strong>." in asked(1, unit="words").markup()


def test_of_words_the_one_that_code_found_is_right():
    made = guess.word("Which?", ("pain", "of"), "of", STATE)
    assert right(made) == ["of"]
    assert [c.near for c in made.choices] == ["Not pain.", "Right."]


def test_every_choice_opens_its_state_and_so_does_not_guessing():
    one = asked(4).markup()
    assert one.count('data-opens="?split_text=a+word#split"') == 4
    several = asked(4, name="x")
    assert {c.opens for c in several.choices} == {several.unsure}
    states = [f"?share={n}#paint" for n in (2, 4, 8, 5)]
    made = guess.number("How many?", (2, 4, 8), 5, states)
    assert [*(c.opens for c in made.choices), made.unsure] == states


def test_a_guess_is_named_after_its_figure():
    made = guess.number("How many?", (1, 2), 1, "?a=1#next_word")
    assert (made.name, asked(4, name="other").name) == ("guess-next-word", "other")
    assert ' id="guess-next-word"' in made.markup()


def test_its_id_depends_on_its_words_alone():
    assert asked(4).id == asked(8).id == check.number("How many?", 1, 0).id


def test_without_a_script_the_choices_can_be_read_and_the_answer_unfolds():
    drawn = asked(4, explain="Because.").markup()
    assert len(re.findall(r"<button[^>]* disabled[^>]*>", drawn)) == 4
    folded = re.search(r"<noscript>(.*?)</noscript>", drawn)[1]
    assert "<details><summary>Show the answer</summary>" in folded
    assert "It is <strong>4</strong>. Because." in folded


def test_the_room_kept_is_that_of_the_longest_answer():
    drawn = asked(4, choices=(2, 4, 1_000_000), explain="Because.").markup()
    longest = max(re.findall(r'data-near="([^"]*)"', drawn), key=len)
    room = re.search(r'<p class="room" aria-hidden="true">(.*?)</p>', drawn)[1]
    assert unescape(room).startswith(f'<span class="near">{unescape(longest)} </span>It is')


def test_a_notebook_shows_choices_as_text_and_no_dead_button():
    shown = asked(4)._repr_html_()
    assert "2 · 4 · 8" in shown
    assert "<button" not in shown
    assert "<details>" in shown


def test_plain_text_is_escaped_and_markup_passes():
    made = guess.word(HOSTILE, (HOSTILE, "b"), HOSTILE, f"?a={HOSTILE}#fig", explain=HOSTILE)
    assert "<script" not in made.markup() + made._repr_html_()
    assert "<em>really</em>" in guess.number(el("em", "really"), (1, 2), 1, STATE).markup()


def test_words_in_stars_stand_out_and_are_escaped_as_all_others():
    drawn = guess.number("After *a <b>*, how many?", (1, 2), 1, STATE, explain="So *of*.").markup()
    assert "After <em>a &lt;b&gt;</em>, how many?" in drawn
    assert "</strong>. So <em>of</em>.</p>" in drawn


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: asked(float("nan")), "a finite number, not nan"),
        (lambda: asked(1, choices=(1,)), "two to five different choices, not 1"),
        (lambda: asked(1, choices=()), "two to five different choices, not none"),
        (lambda: asked(1, choices=(1, 1.0)), "two to five different choices, not 1, 1"),
        (lambda: asked(1, choices=range(6)), "two to five different choices"),
        (lambda: guess.word("?", ("a", "b"), "c", STATE), "c, is not among the choices a, b"),
        (lambda: guess.number("?", (1, 2), 1, "#split"), "?split_text=Weather#split, not '#split'"),
        (lambda: guess.number("?", (1, 2), 1, [STATE]), "a state for each of 2 choices and one more, not 1"),
        (lambda: guess.number("?", (1, 2), 1, ["?a=1#b", "?a=1#b", "?a=1#c"]), "one figure, not b, c"),
    ],
)
def test_a_guess_that_cannot_be_answered_is_refused(made, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        made()


def test_a_true_value_is_read_from_a_figures_table():
    shown = Figure("T", "S.", el("b"), Table(("word", "share (%)"), (("of", 3), ("pain", 90))))
    assert guess.seen(shown, "pain", "share (%)") == 90
    assert guess.seen(Work(lambda: iter([shown])), "of", "share (%)") == 3
    with pytest.raises(ValueError, match=r"no 'chest' in 'share \(%\)': its rows are of, pain"):
        guess.seen(shown, "chest", "share (%)")
