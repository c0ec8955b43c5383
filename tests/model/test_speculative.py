"""Guess and check: the same text for every draft and every number of guesses, and caches that can go back."""

import numpy as np
import pytest

from glassbox import model
from glassbox.model.speculative import CutDown, Foreseen, Lookup, Round, fetched, rounds_along, rounds_of
from tests.model import small

PROMPTS = ("The nurse said that", "Patient has severe chest", "a b c a b c a b")


@pytest.fixture(scope="module")
def m():
    return model.load()


class Fixed:
    """A draft that knows the text, and is wrong at chosen places."""

    def __init__(self, text, start, wrong=()):
        self.text, self.start, self.wrong = text, start, set(wrong)

    def guess(self, text, count):
        at = len(text) - self.start
        return [i + (n + at in self.wrong) for n, i in enumerate(self.text[at : at + count])]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_text_is_the_one_that_the_model_writes_alone(m, prompt):
    ids = m.encode(prompt)
    alone = model.generate.greedy(m, ids, 20).ids
    for draft in (CutDown(m, 1), CutDown(m, m.config.n_layers - 1), Lookup()):
        for guesses in (1, 3, 7):
            rounds = list(rounds_of(m, ids, 20, draft, guesses))
            assert [i for r in rounds for i in r.ids] == alone


@pytest.mark.parametrize("prompt", PROMPTS)
def test_what_is_foreseen_is_what_happens(m, prompt):
    ids = m.encode(prompt)
    alone = model.generate.greedy(m, ids, 20).ids
    for guesses in (0, 1, 4):
        for real, known in (
            (CutDown(m, 2), Foreseen(CutDown(m, 2), ids, alone)),
            (Lookup(), Lookup()),
        ):
            happened = list(rounds_of(m, ids, 20, real, guesses))
            foreseen = list(rounds_along(alone, ids, known, guesses))
            assert [(r.ids, r.tested, len(r.guesses)) for r in happened] == [
                (r.ids, r.tested, len(r.guesses)) for r in foreseen
            ]
            assert [r.guesses[: r.tested] for r in happened] == [r.guesses[: r.tested] for r in foreseen]


def test_right_guesses_save_passes_and_a_wrong_one_costs_no_token(m):
    ids = m.encode(PROMPTS[0])
    alone = model.generate.greedy(m, ids, 20).ids
    every = list(rounds_of(m, ids, 20, Fixed(alone, len(ids)), 4))
    assert [len(r.ids) for r in every] == [5, 5, 5, 5]
    one_wrong = list(rounds_of(m, ids, 20, Fixed(alone, len(ids), wrong={7}), 4))
    assert [(r.accepted, r.tested) for r in one_wrong] == [(4, 4), (2, 3), (4, 4), (4, 4), (1, 1)]
    assert [i for r in one_wrong for i in r.ids] == alone
    assert [len(r.ids) for r in rounds_of(m, ids, 6, Fixed(alone, len(ids)), 0)] == [1] * 6


def test_the_whole_model_as_its_own_draft_is_always_right(m):
    rounds = list(rounds_of(m, m.encode(PROMPTS[1]), 15, CutDown(m, m.config.n_layers), 4))
    assert all(r.accepted == len(r.guesses) for r in rounds)
    assert len(rounds) == 3


def test_a_cut_down_draft_guesses_what_its_layers_alone_would_write(m):
    draft, ids = CutDown(m, 2), m.encode(PROMPTS[0])
    guessed = draft.guess(ids, 3)
    logits = draft.model.forward([*ids, *guessed[:-1]]).logits[len(ids) - 1 :]
    assert guessed == logits.argmax(axis=1).tolist()
    other = [*ids, guessed[0], 5]
    assert draft.guess(other, 2)[0] == draft.model.forward(other).logits[-1].argmax()


def test_lookup_takes_the_latest_place_with_the_longest_common_end():
    assert Lookup().guess([1, 2, 3, 9, 2, 3, 8, 1, 2, 3], 2) == [9, 2]
    assert Lookup(2).guess([1, 2, 3, 9, 2, 3, 8, 1, 2, 3], 2) == [8, 1]
    assert Lookup().guess([1, 2, 3], 4) == []
    assert Lookup().guess([7, 7], 4) == [7]


def test_what_is_tested_ends_with_the_first_wrong_guess():
    assert Round((1, 2, 3), 0, 9).tested == 1
    assert Round((1, 2, 3), 3, 9).tested == 3
    assert Round((), 0, 9).tested == 0


def test_a_pass_fetches_every_matrix_once(m):
    assert fetched(m) == sum(w.size for w in m.params.values() if w.ndim == 2)
    assert fetched(CutDown(m, 1).model) < fetched(m)


@pytest.mark.parametrize("kind", ["growing", "half", "eight", "sliding"])
def test_a_cache_that_went_back_is_one_that_never_read_further(kind):
    m = model.load() if kind == "eight" else small.model()[0]
    c = m.config
    sizes = (c.n_layers, c.n_kv_heads, c.d_head)
    make = {
        "growing": lambda: model.Growing(*sizes),
        "half": lambda: model.Half(*sizes),
        "eight": lambda: model.Quantized(*sizes, bits=8),
        "sliding": lambda: model.Sliding(*sizes, window=20),
    }[kind]
    there, short = make(), make()
    m.forward([1, 2, 3, 4, 5, 6], there)
    m.forward([1, 2, 3, 4], short)
    there.rewind(4)
    assert (there.length, there.cache_bytes) == (4, short.cache_bytes)
    a, b = (m.forward([7, 8], cache).logits for cache in (there, short))
    assert np.allclose(a, b, atol=1e-5)
    with pytest.raises(ValueError, match="length=9 must lie between 0 and 6"):
        there.rewind(9)


def test_a_window_that_has_slid_cannot_go_back():
    m = small.model()[0]
    c = m.config
    cache = model.Sliding(c.n_layers, c.n_kv_heads, c.d_head, window=3)
    m.forward([1, 2, 3, 4, 5], cache)
    with pytest.raises(ValueError, match="have left the window of 3"):
        cache.rewind(4)
    cache.rewind(5)


@pytest.mark.parametrize("layers", [0, 99])
def test_a_draft_without_layers_is_refused(m, layers):
    with pytest.raises(ValueError, match=f"n_layers={layers} must lie between 1"):
        CutDown(m, layers)
