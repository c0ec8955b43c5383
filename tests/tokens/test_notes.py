"""Notes written by a program: as many as asked, the same for the same seed, and without a slot left open."""

import doctest
import re

from glassbox.tokens import notes


def test_the_examples_are_true():
    assert doctest.testmod(notes).failed == 0


def test_notes_are_as_many_as_asked_and_each_another():
    assert notes.N_NOTES >= 30
    found = notes.written()
    assert len(found) == len(set(found)) == notes.N_NOTES
    assert notes.written.__wrapped__() == found
    assert notes.written(notes.N_NOTES, seed=2) != found


def test_a_note_has_no_slot_left_open_and_says_nothing_twice():
    for seed in range(1, 6):
        for note in notes.written(60, seed):
            assert not re.search(r"[{}\[\]|]|  | \.|\.\.", note), note
            assert 50 < len(note.split()) < 160
            for name in ("finding", "imaging", "drug"):
                for option in notes.LISTS[name].split("|"):
                    assert note.count(option) <= 1, option


def test_every_list_and_every_kind_of_note_is_used():
    text = " ".join(notes.written(600))
    for options in notes.LISTS.values():
        for option in options.split("|"):
            assert re.split(r"\{", option)[0] in text
    for template in notes.NOTES:
        for name in re.findall(r"\{(\w+)\}", template):
            assert name in notes.LISTS
