import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassbox.page import controls

SLIDER = {"name": "share", "kind": "slider", "start": 0, "stop": 100, "step": 1, "value": 50}
STEPS = {"name": "n", "kind": "slider", "steps": [1, 10, 100], "value": 10}
CHOICE = {
    "name": "tok",
    "kind": "select",
    "options": {"GPT-2": "gpt2", "o200k": "o200k_base"},
    "value": "GPT-2",
}


def test_numbers_are_clamped_to_the_control():
    assert controls.value(SLIDER, -5) == 0
    assert controls.value(SLIDER, 1e9) == 100
    assert controls.value(SLIDER, 50) == 50
    assert isinstance(controls.value(SLIDER, 50.0), int)


def test_irregular_steps_take_the_nearest():
    assert controls.value(STEPS, 40) == 10
    assert controls.value(STEPS, 1e300) == 100


def test_a_choice_gives_the_value_behind_its_label():
    assert controls.value(CHOICE, "o200k") == "o200k_base"
    with pytest.raises(ValueError, match=r"tok has no option 'x'; it has GPT-2, o200k"):
        controls.value(CHOICE, "x")


FILE = {"name": "own", "kind": "file", "value": "", "accept": [".json"]}


def test_a_chosen_file_is_what_a_notebook_s_file_control_gives(tmp_path, monkeypatch):
    path = tmp_path / "own-1-2" / "tokenizer.json"
    path.parent.mkdir()
    path.write_bytes(b"{}")
    monkeypatch.setattr(controls, "CHOSEN", f"{tmp_path}/")
    assert controls.value(FILE, "") == []
    (file,) = controls.value(FILE, str(path))
    assert (file.name, file.contents) == ("tokenizer.json", b"{}")
    assert controls.value(FILE, str(path))[0] is file  # a keystroke elsewhere does not read it again


@pytest.mark.parametrize("wire", ["/etc/passwd", "/chosen/../etc/passwd", 5, None, ["/chosen/x"]])
def test_what_was_not_chosen_in_the_page_is_no_file(wire):
    with pytest.raises(ValueError, match="own takes a file that was chosen in the page"):
        controls.value(FILE, wire)


@pytest.mark.parametrize("wire", ["5", None, [], {}, True, math.nan, math.inf, 10**400])
def test_what_is_not_a_number_is_refused_by_name(wire):
    with pytest.raises(ValueError, match="share takes a number"):
        controls.value(SLIDER, wire)


def test_text_beyond_the_limit_is_refused_with_both_numbers():
    spec = {"name": "text", "kind": "text", "value": "", "rows": 3, "max": None}
    with pytest.raises(ValueError, match=r"1,200,001 characters; the page takes up to 1,200,000"):
        controls.value(spec, "x" * 1_200_001)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_ends_inside_the_control(wire):
    assert 0 <= controls.value(SLIDER, wire) <= 100


@pytest.mark.parametrize("wire", [None, [], {}, {"a": []}, math.nan, True, 1, "\ud800", "constructor"])
def test_what_is_no_option_is_refused_with_the_options(wire):
    with pytest.raises(ValueError, match=r"tok has no option .*; it has GPT-2, o200k"):
        controls.value(CHOICE, wire)


@pytest.mark.parametrize("spec", [SLIDER, CHOICE, {"name": "on", "kind": "switch", "value": False}])
def test_a_refusal_stays_a_sentence_however_long_the_value(spec):
    with pytest.raises(ValueError, match="x") as refused:
        controls.value(spec, "x" * 100_000)
    assert len(str(refused.value)) < 200


def test_a_slider_between_two_steps_takes_the_nearest_step():
    assert controls.value(SLIDER, 1.4) == 1
    assert controls.value({**SLIDER, "start": 1, "stop": 12, "step": 5}, 12) == 11
    tenths = {**SLIDER, "stop": 2, "step": 0.1}
    assert [controls.value(tenths, n / 10) for n in range(21)] == [n / 10 for n in range(21)]
    assert controls.value(tenths, 0.3049) == 0.3
