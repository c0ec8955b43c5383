import doctest
import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassbox.tokens import bpe, naive

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]))
LATIN = bpe.train(["the cat sat on the mat, the cat ate the rat"] * 3, 300)


def test_the_example_by_hand_gives_the_published_ids():
    tokenizer = bpe.train(["aaabdaaabac"], 259)
    assert tokenizer.encode("aaabdaaabac") == [258, 100, 258, 97, 99]
    assert [m.times for m in bpe.learn({"aaabdaaabac": 1})] == [4, 2, 2]


def test_a_tie_goes_to_the_smaller_pair_of_ids():
    assert bpe.train(["aaabdaaabac"], 259).merges == [((97, 97), 256), ((97, 98), 257), ((256, 257), 258)]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text("abc ", max_size=30), max_size=6))
def test_training_equals_a_trainer_that_counts_everything_again_after_each_merge(texts):
    assert bpe.train(texts, 290).merges == naive.train(texts, 290)


@settings(deadline=None)
@given(ANY_TEXT)
def test_decoding_gives_back_every_text(text):
    assert LATIN.decode_bytes(LATIN.encode(text)) == text.encode()


@settings(deadline=None)
@given(st.text("aehmrst tc,.", max_size=60))
def test_encoding_equals_merging_by_scanning_the_whole_word_again_and_again(text):
    assert LATIN.encode(text) == naive.encode(text, LATIN.merges)


@settings(deadline=None)
@given(ANY_TEXT)
def test_words_joined_are_the_text(text):
    assert "".join(bpe.words(text)) == text


@settings(deadline=None)
@given(ANY_TEXT)
def test_pieces_cover_the_text_and_name_the_characters_they_touch(text):
    at = 0
    for piece in LATIN.pieces(text):
        touched = text[piece.start : piece.end].encode()
        assert piece.data in touched
        assert text.encode()[at : at + len(piece.data)] == piece.data
        at += len(piece.data)
    assert at == len(text.encode())


def test_tokens_that_are_parts_of_a_character_share_its_span():
    assert [(p.data.hex(), p.start, p.end) for p in LATIN.pieces("x👋")] == [
        ("78", 0, 1),
        ("f0", 1, 2),
        ("9f", 1, 2),
        ("91", 1, 2),
        ("8b", 1, 2),
    ]


@pytest.mark.parametrize("text", ["\ud83d", "good \udc4b bad", "a" * 100 + "\ud800"])
def test_half_a_surrogate_pair_is_refused_with_a_sentence(text):
    for reads in (LATIN.trace, LATIN.pieces):
        with pytest.raises(ValueError, match=r"half of a surrogate pair"):
            reads(text)
    with pytest.raises(ValueError, match=r"half of a surrogate pair") as caught:
        LATIN.encode(text)
    where = next(i for i, c in enumerate(text) if 0xD800 <= ord(c) < 0xE000) + 1
    assert f"character {where} is" in str(caught.value)


def test_the_trace_of_a_word_starts_with_bytes_and_ends_with_its_tokens():
    trace = LATIN.trace(" the")
    assert trace[0] == [b" ", b"t", b"h", b"e"]
    assert trace[-1] == [LATIN.data(i) for i in LATIN.encode(" the")] == [b" the"]
    assert [len(state) for state in trace] == sorted({len(s) for s in trace}, reverse=True)


def test_emoji_families_and_combining_marks_come_back():
    for text in ["👩‍👩‍👧‍👦", "👍🏽🇺🇳", "é́̂", "क्ष", "\x00\x1f\x7f", "\u202eabc", "𝔘𝔫𝔦"]:
        assert LATIN.decode_bytes(LATIN.encode(text)).decode() == text


def test_special_tokens_count_only_when_asked_for():
    tokenizer = bpe.train(["low lower lowest"] * 2, 262, special=("<|end|>", "<|pad|>"))
    assert tokenizer.special == {"<|end|>": 260, "<|pad|>": 261}
    assert tokenizer.vocab_size == 262
    assert 260 not in tokenizer.encode("low<|end|>low")
    assert tokenizer.encode("low<|end|>low", special=True).count(260) == 1
    assert tokenizer.decode_bytes(tokenizer.encode("a<|pad|>", special=True)) == b"a<|pad|>"


def test_training_ends_when_no_pair_occurs_twice():
    assert bpe.train(["abcdefg"], 1000).merges == []
    assert bpe.train([], 300).merges == []


def test_a_vocabulary_without_room_for_the_bytes_is_refused():
    with pytest.raises(ValueError, match="vocab_size=255 is below 256 bytes"):
        bpe.train(["a"], 255)


@pytest.mark.parametrize("token", [-1, 300, 10**9])
def test_an_unknown_id_is_refused_by_number(token):
    with pytest.raises(ValueError, match=f"id {token} is not in this vocabulary"):
        LATIN.decode_bytes([token])


def test_a_merge_of_tokens_that_do_not_exist_yet_is_refused():
    with pytest.raises(ValueError, match="both must come before it"):
        bpe.Tokenizer([(97, 256)])
    with pytest.raises(ValueError, match="both must come before it"):
        bpe.Tokenizer([(-1, 97)])
    assert bpe.Tokenizer([(0, 0)]).encode("\0\0\0") == [256, 0]


def test_words_that_were_cut_are_kept_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(bpe, "_CACHED_WORDS", 3)
    tokenizer = bpe.Tokenizer([(97, 98)])
    for word in ("ab", "aab", "abb", "ba", "bab", "ab"):
        assert tokenizer.decode_bytes(tokenizer.encode(word)) == word.encode()
        assert len(tokenizer._cache) <= 3


def test_packing_gives_the_same_tokenizer_and_the_same_bytes():
    again = bpe.Tokenizer.from_bytes(LATIN.to_bytes())
    assert again.merges == LATIN.merges
    assert again.vocab == LATIN.vocab
    assert again.to_bytes() == LATIN.to_bytes()
    special = bpe.Tokenizer.from_bytes(bpe.train(["aa aa"], 259, special=("<|e|>",)).to_bytes())
    assert special.special == {"<|e|>": 257}


@pytest.mark.parametrize(
    "broken",
    [b"", b"nonsense", LATIN.to_bytes()[:-9], bpe.packing.gzip.compress(b"{}\n")],
    ids=["empty", "nonsense", "cut off", "of something else"],
)
def test_bytes_that_are_no_vocabulary_are_refused(broken):
    with pytest.raises(ValueError, match="not a packed vocabulary"):
        bpe.Tokenizer.from_bytes(broken)


def test_planes_of_the_wrong_length_are_refused():
    short = bpe.packing.gzip.compress(bpe.packing.gzip.decompress(LATIN.to_bytes())[:-1])
    with pytest.raises(ValueError, match="merges take"):
        bpe.Tokenizer.from_bytes(short)


def test_one_letter_twenty_thousand_times_is_no_trap():
    tokenizer = bpe.train(["a" * 64] * 2, 262)
    before = time.process_time()
    ids = tokenizer.encode("a" * 20_000)
    assert time.process_time() - before < 1  # a scan of the word per merge takes minutes
    assert tokenizer.decode_bytes(ids) == b"a" * 20_000


def test_a_pasted_megabyte_comes_back():
    text = "".join(f"{n} mg of the cat, " for n in range(60_000))
    assert len(text) > 1_000_000
    assert LATIN.decode_bytes(LATIN.encode(text)).decode() == text


def test_weights_decide_like_repeated_texts():
    counted = bpe.count_words(["low low lower"] * 3)
    assert counted == Counter({"low": 3, " low": 3, " lower": 3})
    assert [m.pair for m in bpe.learn(counted)] == [
        p for p, _ in bpe.train(["low low lower"] * 3, 999).merges
    ]


@given(st.lists(st.text(alphabet="ab cé👋", max_size=30), max_size=5), st.integers(256, 275))
def test_the_plain_one_and_the_fast_one_are_each_others_inverse(texts, size):
    merges = naive.train(texts, size)
    tokenizer = bpe.Tokenizer([pair for pair, _ in merges])
    assert merges == tokenizer.merges == bpe.train(texts, size).merges
    for text in texts:
        ids = naive.encode(text, merges)
        assert ids == tokenizer.encode(text)
        assert naive.decode(ids, merges) == tokenizer.decode_bytes(ids) == text.encode()


def test_the_examples_of_both_hold():
    assert doctest.testmod(naive).failed == 0
    assert doctest.testmod(naive).attempted == 4
    assert doctest.testmod(bpe).failed == 0


def test_a_trace_applies_the_merge_that_was_learned_first_and_not_the_smallest_pair():
    tokenizer = bpe.Tokenizer([(98, 99), (97, 98)])
    assert tokenizer.trace("abc") == [[b"a", b"b", b"c"], [b"a", b"bc"]]
    assert tokenizer.encode("abc") == [97, 256]


def test_pieces_read_a_control_token_only_when_asked_to():
    tokenizer = bpe.Tokenizer([], special=["<|x|>"])
    assert [p.id for p in tokenizer.pieces("a<|x|>", special=True)] == [97, 256]
    assert [p.id for p in tokenizer.pieces("a<|x|>")] == list(b"a<|x|>")
