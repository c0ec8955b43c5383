"""Four methods trained on one text give what their reference library gives, and Unigram's shares are shares."""

import doctest
import itertools
import json
import math

import pytest
from tokenizers import Tokenizer

from glassbox.tokens import measure, methods, vocabularies
from glassbox.training import methods as training
from tests.tokens.foreign import peers

NAMES = ("bytes", "fallback", "wordpiece", "unigram")


def test_the_four_have_the_same_size_and_their_examples_are_true():
    assert tuple(methods.files()) == NAMES
    assert {one.vocab_size for one in methods.load().values()} == {training.SIZE}
    assert doctest.testmod(methods).failed == 0


@pytest.mark.parametrize("name", NAMES)
def test_each_cuts_as_the_reference_library_does(name):
    theirs, ours = Tokenizer.from_str(json.dumps(methods.files()[name])), methods.load()[name]
    strings = [*peers.strings(1_500, seed=21), *(t for texts in measure.mix().values() for t in texts[:300])]
    expected = [e.ids for e in theirs.encode_batch(strings, add_special_tokens=False)]
    assert [s for s, ids in zip(strings, expected, strict=True) if ours.encode(s) != ids] == []


@pytest.mark.parametrize("name", NAMES)
def test_training_again_gives_the_shipped_file(name):
    assert json.loads(json.dumps(training.train(name))) == methods.files()[name]


def test_only_those_that_know_bytes_give_every_text_back():
    for text in peers.strings(200, seed=22):
        for name in ("bytes", "fallback"):
            one = methods.load()[name]
            assert one.decode_bytes(one.encode(text)).decode() == text
    assert b"[UNK]" in [p.data for p in methods.load()["wordpiece"].pieces("東京")]
    assert b"<unk>" in [p.data for p in methods.load()["unigram"].pieces("東京")]


def test_unigram_s_shares_are_those_of_all_ways_to_cut():
    """Against every way to cut, written out."""
    model = {p[0]: p[1] for p in methods.files()["unigram"]["model"]["vocab"]}
    for word in ("platelet", "bleeding"):
        part = f"▁{word}"
        ways = {}
        for places in itertools.product((False, True), repeat=len(part) - 1):
            cuts = [0, *(n for n, cut in enumerate(places, 1) if cut), len(part)]
            pieces = [part[a:b] for a, b in itertools.pairwise(cuts)]
            if all(p in model for p in pieces):
                ways[tuple(p.replace("▁", " ") for p in pieces)] = math.exp(sum(model[p] for p in pieces))
        total = sum(ways.values())
        best = sorted(ways, key=ways.get, reverse=True)[:5]
        found = methods.weigh(word, 5)
        assert [w.pieces for w in found] == best
        assert [w.share for w in found] == pytest.approx([ways[b] / total for b in best])


def test_a_changed_file_of_the_four_is_refused(monkeypatch):
    monkeypatch.setitem(vocabularies.HELD, "methods", "0" * 64)
    with pytest.raises(ValueError, match=r"methods\.json\.gz has been changed"):
        vocabularies.packed("methods")
