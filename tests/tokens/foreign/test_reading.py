"""Tokenizers read from files give the ids, the texts and the places that the reference library gives."""

import base64
import doctest
import json

import pytest
import tokenizers

from glassbox.tokens import foreign, vocabularies
from glassbox.tokens.foreign import (
    fields,
    letters,
    merging,
    normals,
    ranks,
    reading,
    traced,
    unigram,
    wordpiece,
)
from glassbox.training.vocabularies import rank_file
from tests.tokens.foreign import peers

N_STRINGS = 1_500


@pytest.fixture(scope="module", params=peers.KINDS)
def pair(request):
    theirs = peers.peer(request.param)
    return reading.read(theirs.to_str()), theirs


def test_ids_are_those_of_the_reference_library(pair):
    ours, theirs = pair
    strings = list(peers.strings(N_STRINGS))
    for special in (True, False):
        theirs.encode_special_tokens = not special
        expected = [e.ids for e in theirs.encode_batch(strings, add_special_tokens=False)]
        differing = [s for s, ids in zip(strings, expected, strict=True) if ours.encode(s, special) != ids]
        assert differing == []


def test_texts_are_those_of_the_reference_library(pair):
    ours, theirs = pair
    for text in peers.strings(300, seed=8):
        ids = ours.encode(text, special=True)
        shown = ours.decode_bytes(ids).decode("utf-8", "replace")
        assert shown == theirs.decode(ids, skip_special_tokens=False)


def test_tokens_around_a_text_are_those_of_the_reference_library(pair):
    ours, theirs = pair
    assert ours.wrapped(ours.encode("Hello you")) == theirs.encode("Hello you").ids


def test_pieces_stand_in_order_within_the_text(pair):
    ours, _ = pair
    for text in peers.strings(300, seed=9):
        pieces = ours.pieces(text)
        assert [p.id for p in pieces] == ours.encode(text)
        assert all(0 <= p.start <= p.end <= len(text) for p in pieces)
        assert [p.start for p in pieces] == sorted(p.start for p in pieces)


@pytest.mark.parametrize("kind", ["gpt2", "llama3", "falcon", "gemma"])
def test_pieces_stand_where_the_reference_library_puts_them(kind):
    theirs = peers.peer(kind)
    theirs.encode_special_tokens = True
    ours = reading.read(theirs.to_str())
    for text in peers.strings(300, seed=10):
        expected = theirs.encode(text, add_special_tokens=False).offsets
        assert [(p.start, p.end) for p in ours.pieces(text)] == expected


def test_a_composed_letter_stands_for_both_of_its_characters():
    ours = reading.read(peers.peer("qwen").to_str())
    piece = next(p for p in ours.pieces("cafe\u0301") if p.data.endswith("é".encode()[-1:]))
    assert piece.end == 5


def test_each_kind_is_named(pair):
    ours, _ = pair
    assert ours.kind in ("byte-level BPE", "BPE with byte fallback", "Unigram", "WordPiece")


def test_what_was_typed_is_no_control_token():
    ours = reading.read(peers.peer("llama3").to_str())
    assert ours.special["<|im_end|>"] not in ours.encode("<|im_end|>")
    assert ours.encode("<|im_end|>", special=True) == [ours.special["<|im_end|>"]]


def test_merges_are_replayed_in_the_order_in_which_they_were_learned():
    file = {
        "model": {
            "type": "BPE",
            "vocab": {"a": 5, "b": 4, "c": 3, "bc": 2, "abc": 1, "ab": 0},
            "merges": ["b c", "a b", "a bc"],
        }
    }
    ours = reading.read(file)
    assert ours.trace("abc") == [[b"a", b"b", b"c"], [b"a", b"bc"], [b"abc"]]
    assert ours.encode("abc") == [1]


def test_a_part_of_which_the_vocabulary_has_nothing_is_left_out_as_the_reference_library_does():
    """It was answered with a sentence of Python's, about zip()."""
    for vocab, text in (({}, "ab"), ({"a": 0}, "xy"), ({"a": 0, "b": 1, "ab": 2}, "xyab")):
        file = {"model": {"type": "BPE", "vocab": vocab, "merges": ["a b"] if "ab" in vocab else []}}
        peer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, [("a", "b")] if "ab" in vocab else []))
        assert reading.read(file).encode(text) == peer.encode(text).ids


def test_a_method_without_merges_has_nothing_to_replay():
    with pytest.raises(ValueError, match="Unigram does not build its pieces by merging"):
        reading.read(peers.peer("t5").to_str()).replay("word")


BPE = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}
BAD = [
    ("not json", "cannot be read as JSON"),
    ("[1, 2]", "it has no “model”"),
    ('{"architectures": ["LlamaForCausalLM"]}', "it has no “model”"),
    ({"model": {"type": "WordLevel", "vocab": {}}}, "model is WordLevel, which is not known here"),
    ({"model": BPE | {"dropout": 0.1}}, "leaves out merges at random"),
    ({"model": BPE | {"merges": [["a", "c"]]}}, "merge 1 joins 'a' and 'c'.*no 'c'"),
    ({"model": BPE | {"merges": ["a b c"]}}, "merge 1 is"),
    ({"model": BPE | {"unk_token": "<unk>"}}, "unk_token is '<unk>'"),
    ({"model": BPE | {"vocab": {"a": -1}}}, "gives 'a' the id -1"),
    ({"model": BPE | {"vocab": {"a": "0"}}}, "gives 'a' the id '0'"),
    ({"model": BPE | {"vocab": ["a"]}}, "BPE’s vocab is .* it should be an object"),
    ({"model": BPE | {"novelty": 3}}, "BPE’s novelty is set in the file"),
    ({"model": BPE, "pre_tokenizer": {"type": "UnicodeScripts"}}, "cuts text by UnicodeScripts"),
    ({"model": BPE, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated"}}, r"the pattern '\(a' cannot be read"),
    ({"model": BPE, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Odd"}}, "no behavior 'Odd'"),
    ({"model": BPE, "pre_tokenizer": {}}, "type is missing"),
    ({"model": BPE, "normalizer": {"type": "Transliterate"}}, "normalises text by Transliterate"),
    ({"model": BPE, "normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAAAA=="}}, "precompiled_charsmap says 0 bytes of tree"),
    ({"model": BPE, "normalizer": {"type": "Precompiled", "precompiled_charsmap": "*"}}, "not base64"),
    ({"model": BPE, "post_processor": {"type": "Odd"}}, "puts tokens around a text by Odd"),
    ({"model": BPE, "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}]}}, "names '<s>'"),
    ({"model": BPE, "decoder": {"type": "CTC"}}, "decodes by CTC"),
    ({"model": BPE, "added_tokens": [{"id": 1}]}, "content is missing"),
    ({"model": {"type": "Unigram", "vocab": [["a"]]}}, "entry 0 of the vocabulary"),
    ({"model": {"type": "Unigram", "vocab": [["a", "x"]]}}, "its score should be a number"),
    ({"model": {"type": "Unigram", "vocab": [["a", -1.0]], "unk_id": 7}}, "unk_id is 7, and there are 1 entries"),
    ({"model": {"type": "WordPiece", "vocab": {"a": 0}}}, r"unk_token is '\[UNK\]'"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "sentence"), BAD)
def test_what_a_file_asks_for_and_is_not_known_is_refused_by_name(file, sentence):
    with pytest.raises(ValueError, match=sentence):
        reading.read(file if isinstance(file, str) else json.dumps(file))


def test_the_refusal_of_something_unknown_can_be_told_from_a_damaged_file():
    with pytest.raises(fields.UnknownError):
        reading.read({"model": {"type": "WordLevel"}})


def test_unigram_says_that_nothing_covers_a_character():
    ours = reading.read({"model": {"type": "Unigram", "vocab": [["a", -1.0]]}})
    with pytest.raises(ValueError, match="no entry covers 'b'"):
        ours.encode("ab")


def test_unigram_lists_the_likeliest_ways_best_first():
    theirs = peers.peer("t5")
    model = json.loads(theirs.to_str())["model"]
    ours = unigram.make(model)
    for part in ("▁patients", "▁thrombocytopenia", "▁Everyone"):
        ways = ours.ways(part, 5)
        assert ways[0].tokens == ours.cut(part)
        assert [w.score for w in ways] == sorted((w.score for w in ways), reverse=True)
        assert len({tuple(w.tokens) for w in ways}) == len(ways)


MODULES = (foreign, letters, merging, normals, ranks, traced, unigram, wordpiece)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_the_examples_are_true(module):
    done = doctest.testmod(module, extraglobs={"Traced": traced.Traced})
    assert done.attempted
    assert not done.failed


def tiktoken_file(name):
    return rank_file(vocabularies.merges(name).vocab)


def test_a_tiktoken_file_gives_the_ids_of_tiktoken():
    ours = reading.read_file("r50k_base.tiktoken", tiktoken_file("gpt2"))
    theirs = vocabularies.load("gpt2")
    assert ours.kind == "byte-level BPE"
    assert ours.steps == "Text is cut as GPT-2 does."
    for text in peers.strings(N_STRINGS, seed=13):
        assert ours.encode(text) == theirs.encode(text)
        assert ours.decode_bytes(ours.encode(text)) == text.encode()
    for text in peers.strings(200, seed=14):
        assert ours.pieces(text) == theirs.pieces(text)


def test_a_tekken_file_gives_mistral_s_ids():
    vocab = vocabularies.merges("tekken").vocab
    entries = [
        {"rank": n, "token_bytes": base64.b64encode(d).decode(), "token_str": None}
        for n, d in enumerate(vocab)
    ]
    config = {
        "pattern": vocabularies.PATTERNS["tekken"],
        "default_vocab_size": len(vocab) + 1000,
        "default_num_special_tokens": 1000,
    }
    special = [{"rank": 3, "token_str": "[INST]", "is_control": True}]
    file = json.dumps({"config": config, "vocab": [*entries, {"rank": 9}], "special_tokens": special})
    ours, theirs = reading.read_file("tekken.json", file.encode()), vocabularies.load("tekken")
    for text in peers.strings(300, seed=15):
        assert ours.encode(text) == theirs.encode(text)
    assert ours.encode("[INST] Hi", special=True) == theirs.encode("[INST] Hi", special=True)


BAD_FILES = [
    ("a.tiktoken", b"IQ== 0\nnonsense\n", "line 2 of this file is 'nonsense'"),
    ("a.tiktoken", b"IQ== 0\n", "no entry of this file is the byte 00"),
    ("tokenizer.model", b"\n\x0e\n\x05<unk>\x15\0\0", "tokenizer.model is a binary file"),
    ("tekken.json", b'{"config": {}, "vocab": []}', "default_num_special_tokens is missing"),
    ("config.json", b'{"architectures": []}', "it has no “model”"),
    ("empty.json", b"", "no entry of this file"),
]


@pytest.mark.parametrize(("name", "content", "sentence"), BAD_FILES, ids=[n for n, *_ in BAD_FILES])
def test_a_file_that_is_none_of_these_is_told_apart(name, content, sentence):
    with pytest.raises(ValueError, match=sentence):
        reading.read_file(name, content)


def test_the_steps_of_a_file_are_told_by_its_own_names():
    assert reading.read(peers.peer("qwen").to_str()).steps == "Normalised by NFC; cut by Split, ByteLevel."
    assert reading.read({"model": BPE}).steps == "Neither normalised nor cut before."
