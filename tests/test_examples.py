"""Every fixed number: the computed ones are recomputed here, the others say whose they are."""

import math

import pytest

from glassbox import chapters, examples


def evaluate(line):
    names = {}
    exec(examples.IMPORTS, names)
    return eval(line, names)


def same(value, found):
    if isinstance(value, tuple):
        return isinstance(found, tuple) and len(value) == len(found) and all(map(same, value, found))
    return value == found if isinstance(value, str) else math.isclose(value, found, rel_tol=1e-12)


COMPUTED = [e for e in examples.all_examples() if e.provenance == "computed"]


@pytest.mark.parametrize("example", COMPUTED, ids=lambda e: e.key)
def test_a_computed_number_is_what_its_line_gives(example):
    assert same(example.value, evaluate(example.recompute))


def test_keys_are_unique_and_every_number_has_its_words():
    every = list(examples.all_examples())
    assert len({e.key for e in every}) == len(every)
    for e in every:
        assert e.what
        assert e.text
        assert e.recompute
        assert e.chapter in chapters.NAMES
        assert e.provenance == "computed" or e.source


def test_reported_numbers_are_all_there_and_named_as_such():
    values = {e.key: e.value for e in examples.REPORTED}
    assert values["pieces-general"] == (1.08, 1.97)
    assert values["pieces-medical"] == (1.17, 1.37)
    assert values["note-pieces"] == (788, 432, 548)
    assert values["next-words"] == (20.1, 8.3, 4.6, 3.9, 2.2)
    assert values["severe-attention"] == (10, 2, 85, 3)
    assert values["generation-seconds"] == (2.97, 0.18)
    assert values["generation-ratio"] == 16.5
    assert values["cache-8000"] == 1.0486
    assert values["users-8000"] == 61
    assert {e.provenance for e in examples.REPORTED} == {"reported"}


def test_what_the_reported_tables_say_about_themselves_is_so():
    general, medical = examples.example("pieces-general").value, examples.example("pieces-medical").value
    assert round(100 * (general[1] / general[0] - 1)) == 82
    assert round(100 * (medical[1] / medical[0] - 1)) == 17
    on_general, everyday, on_medical = examples.example("note-pieces").value
    assert (on_general, everyday, on_medical) == (400 * general[1], 400 * general[0], 400 * medical[1])
    assert round(100 * (on_medical / on_general - 1)) == -30
    without, with_cache = examples.example("generation-seconds").value
    assert round(without / with_cache, 1) == examples.example("generation-ratio").value
    assert sum(examples.example("severe-attention").value) == 100


def test_the_articles_are_credited():
    titles = {w.title for w in examples.CREDITS}
    assert len([t for t in titles if ":" in t]) == 4
    assert all(w.for_what and w.where for w in (*examples.PAPERS, *examples.CREDITS))


def test_an_unknown_key_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="llama3-8b-token"):
        examples.example("nothing")
