"""What the card says was measured: found again from the shipped weights, and enough for what the pages claim."""

import numpy as np
import pytest

from glassbox import model
from glassbox.model.experiments import Edge, cut
from glassbox.training import causes, copying, words

CARD = model.card()
NEAR, FAR = 60, 450  # tokens between a name and the question


def from_zero(heads):
    """(layer, head) of a list that counts from 1, whatever else stands in it."""
    return [(int(head[0]) - 1, int(head[1]) - 1) for head in heads]


# --- The measures -------------------------------------------------------------------------------------


def test_a_copied_token_stands_where_its_source_says():
    m = model.load()
    for copy in copying.doubled(m, 5, 1, length=9):
        assert copy.readers == list(range(10, 18))
        assert [copy.ids[s] for s in copy.sources] == [copy.ids[r + 1] for r in copy.readers]
        assert all(s < r for r, s in zip(copy.readers, copy.sources, strict=True))
    for copy in copying.questions(m, 3, 5, 1):
        assert m.tokenizer.vocab[copy.ids[copy.sources[0]]].decode().strip() in " ".join(words.SHE + words.HE)
        question = copy.ids[2 : copy.sources[0]]  # without “The”, which stands first only once
        assert copy.ids[-len(question) :] == question


def test_looks_that_are_cut_are_those_of_one_head_at_the_places_named():
    m = model.load()
    copies = copying.doubled(m, 2, 4, length=7)
    found = copying.pair(m, copies)
    layer, head = np.unravel_index(np.argmin(found["without its look one token back"]), (4, 4))

    def unlinked(ids):
        def station(name, at, value):
            if (name, at) == ("scores", layer):
                value = value.copy()
                rows = np.arange(1, len(ids))
                value[head, rows, rows - 1] = -np.inf
            return value

        return m.forward(ids, station=station).logits

    right = [
        float(np.mean(unlinked(c.ids)[c.readers].argmax(axis=1) == np.array(c.ids)[c.sources]))
        for c in copies
    ]
    assert found["without its look one token back"][layer][head] == pytest.approx(np.mean(right), abs=1e-4)
    assert found["linkers"][0] == [layer + 1, head + 1, pytest.approx(np.mean(right), abs=1e-4)]
    for steps in (found["linkers"], found["readers"]):
        assert 1 <= len(steps) <= copying.MOST
        assert all(step[2] >= copying.FEW for step in steps[:-1])


# --- Found again --------------------------------------------------------------------------------------


def test_repeats_and_words_with_two_meanings_are_found_again():
    m = model.load()
    assert copying.repeats(m) == pytest.approx(CARD["repeats"], abs=0.02)
    for now, then in zip(causes.nouns(m), CARD["nouns"], strict=True):
        assert now["noun"] == then["noun"]
        assert now["alone"] == pytest.approx(then["alone"], abs=0.01)
        for pairs in zip(now["pairs"], then["pairs"], strict=True):
            for (a, *found), (b, *recorded) in zip(*pairs, strict=True):
                assert a == b
                assert found == pytest.approx(recorded, abs=0.01)


@pytest.mark.parametrize("what", ["names", "random tokens"])
def test_what_cuts_leave_of_copying_is_found_again(what):
    m, found = model.load(), CARD["copying"][what]
    copies = copying.questions(m, 2, 20, 9) if what == "names" else copying.doubled(m, 8, 9)
    heads = {kind: from_zero(found[kind]) for kind in ("readers", "linkers")}
    unread = [
        cut(m, c.ids, [Edge(r, s, *at) for at in heads["readers"] for r, s in zip(c.readers, c.sources, strict=True)])
        for c in copies
    ]  # fmt: skip
    unlinked = [
        cut(m, c.ids, [Edge(i, i - 1, *at) for at in heads["linkers"] for i in range(1, len(c.ids))])
        for c in copies
    ]
    whole = [m.forward(c.ids) for c in copies]
    for forwards, recorded in (
        (whole, found["whole"]),
        (unread, found["readers"][-1][2]),
        (unlinked, found["linkers"][-1][2]),
    ):
        right = np.mean([c.right(f) for c, f in zip(copies, forwards, strict=True)])
        assert right == pytest.approx(recorded, abs=0.06)


# --- Enough for what is claimed -----------------------------------------------------------------------


def test_a_name_is_said_again_near_and_far():
    rows = CARD["recall"]
    assert rows[0]["tokens"] < 20
    assert rows[-1]["tokens"] > 400
    assert all(row["right"] >= 0.95 for row in rows if row["tokens"] < NEAR)
    assert all(row["right"] >= 0.80 for row in rows if row["tokens"] < FAR)


def test_random_tokens_are_copied_and_a_few_heads_do_it():
    assert CARD["repeats"] >= 0.9
    for found in CARD["copying"].values():
        assert found["whole"] >= 0.9
        assert found["linkers"][0][2] < 0.2, "one head that looks back is enough to stop it"
        assert found["readers"][-1][2] < 0.2


def test_a_bare_noun_is_undecided_and_an_adjective_decides_it():
    for row in CARD["nouns"]:
        for (_, near, far), (_, other, other_far) in row["pairs"]:
            assert near >= 0.6, row
            assert other <= 0.05, row
            assert far >= 0.6, row
            assert other_far <= 0.1, row
        assert 0.2 <= row["alone"] <= 0.6, row
    assert CARD["nouns"][0]["pairs"][0][0][:2] == ["severe", pytest.approx(0.87, abs=0.07)]


@pytest.mark.parametrize("where", ["edges", "edges_unseen"])
def test_the_edge_to_the_adjective_is_the_reason(where):
    found = CARD[where]
    assert found["deciding"] >= 0.5
    assert abs(found["other words"]) < 0.1
