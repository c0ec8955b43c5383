"""SentencePiece's own tables and its own splits, from a model that it trains here."""

import base64
import io
import json

import pytest
import sentencepiece
from tokenizers import Tokenizer

from glassbox.tokens.foreign import charsmap, reading
from glassbox.tokens.foreign.traced import Traced
from tests.tokens.foreign import peers


def field(message, number):
    """The first field of a number in a protobuf message, as bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        size = {0: lambda: varint() * 0, 1: lambda: 8, 2: varint, 5: lambda: 4}[key & 7]()
        at += size
        if key >> 3 == number and key & 7 == 2:
            return message[at - size : at]
    raise AssertionError(f"no field {number}")


@pytest.fixture(scope="module")
def spoken():
    """A Unigram model with the table nmt_nfkc_cf, and the tokenizer.json that holds the same."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(peers.texts()),
        model_writer=written,
        vocab_size=1500,
        normalization_rule_name="nmt_nfkc_cf",
        minloglevel=3,
        hard_vocab_limit=False,
        num_threads=1,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    table = field(field(written.getvalue(), 3), 2)
    steps = [
        {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode()},
        {"type": "Strip", "strip_left": True, "strip_right": True},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"},
    ]
    file = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": {
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": "always",
            "split": False,
        },
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False},
        "model": {
            "type": "Unigram",
            "unk_id": model.unk_id(),
            "vocab": [[model.id_to_piece(n), model.get_score(n)] for n in range(len(model))],
            "byte_fallback": False,
        },
    }
    return model, file, table


def test_texts_are_rewritten_as_the_reference_library_does(spoken):
    _, file, table = spoken
    theirs = Tokenizer.from_str(json.dumps(file)).normalizer
    ours = charsmap.Charsmap(base64.b64encode(table).decode())
    read = reading.normals.make(file["normalizer"])
    strings = list(peers.strings(1500, seed=11))
    differing = [s for s in strings if read(Traced.of(s)).text != theirs.normalize_str(s)]
    assert differing == []
    assert ours.rewrite(Traced.of("ＡＢＣ ﬁ ①")).text == "abc fi 1"


def test_ids_are_those_of_the_reference_library(spoken):
    _, file, _ = spoken
    ours, theirs = reading.read(file), Tokenizer.from_str(json.dumps(file))
    strings = list(peers.strings(1500, seed=12))
    expected = [e.ids for e in theirs.encode_batch(strings, add_special_tokens=False)]
    assert [s for s, ids in zip(strings, expected, strict=True) if ours.encode(s) != ids] == []


def test_ids_of_ordinary_text_are_sentencepiece_s_own(spoken):
    model, file, _ = spoken
    ours = reading.read(file)
    for text in peers.texts():
        assert ours.encode(text) == model.encode(text)


def test_the_likeliest_ways_are_sentencepiece_s_own(spoken):
    model, file, _ = spoken
    ours = reading.unigram.make(file["model"])
    for word in ("patient", "everyone", "declaration"):
        theirs = model.nbest_encode(word, nbest_size=5, out_type=int)
        assert [[token for token, _, _ in way.tokens] for way in ours.ways(f"▁{word}", 5)] == theirs


def test_a_damaged_table_reads_nothing_out_of_bounds(spoken):
    _, _, table = spoken
    for cut in range(4, 4000, 97):
        size = (len(table[:cut]) - 4) // 4 * 4
        damaged = size.to_bytes(4, "little") + table[4:cut]
        if size:
            charsmap.Charsmap(base64.b64encode(damaged).decode()).rewrite(Traced.of("ＡＢＣ ﬁ ① e\u0301"))
