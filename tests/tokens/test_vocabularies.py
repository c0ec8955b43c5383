import builtins
import hashlib
import random
import sys
import unicodedata

import pytest
import regex
import tiktoken
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from glassbox.tokens import bpe, measure, packing, patterns, vocabularies
from glassbox.tokens.foreign import letters
from glassbox.training.vocabularies import RANK_FILES, rank_file
from tests.tokens.foreign import peers

OPENAI = ("gpt2", "cl100k_base", "o200k_base")
PUBLISHED = (*OPENAI, "tekken", "qwen")


def read(name, text):
    """The text as a vocabulary reads it."""
    return unicodedata.normalize("NFC", text) if name == "qwen" else text


@pytest.fixture(scope="module", params=PUBLISHED)
def published(request):
    return vocabularies.load(request.param)


def tiktoken_of(name):
    """A tiktoken encoding made from the shipped file alone, independent of ``Published``."""
    base, pairs, _ = packing.unpack(vocabularies.packed(name))
    vocab = [bytes([b]) for b in base]
    for left, right in pairs:
        vocab.append(vocab[left] + vocab[right])
    return tiktoken.Encoding(
        name,
        pat_str=vocabularies.PATTERNS[name],
        mergeable_ranks={data: rank for rank, data in enumerate(vocab)},
        special_tokens=dict(vocabularies.SPECIAL[name]),
    )


@pytest.mark.parametrize("name", OPENAI)
def test_the_packed_ranks_are_the_published_file_byte_for_byte(name):
    vocab = vocabularies.merges(name).vocab
    assert hashlib.sha256(rank_file(vocab)).hexdigest() == RANK_FILES[name][1]


@pytest.mark.parametrize("name", OPENAI)
def test_patterns_and_hashes_are_those_of_the_installed_tiktoken(name, monkeypatch):
    from tiktoken_ext import openai_public

    asked = {}
    monkeypatch.setattr(
        openai_public, "load_tiktoken_bpe", lambda url, expected_hash: asked.update(h=expected_hash) or {}
    )
    monkeypatch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", lambda **_: {})
    official = getattr(openai_public, name)()
    getattr(openai_public, RANK_FILES[name][0])()
    assert official["pat_str"] == vocabularies.PATTERNS[name]
    assert official["special_tokens"] == vocabularies.SPECIAL[name]
    assert asked["h"] == RANK_FILES[name][1]


def varied_strings(n):
    """Words of the samples, of all scripts, digits, signs, emoji, spaces and random characters, mixed."""
    rng = random.Random(7)
    samples = measure.samples()
    pool = [w for key in ("clinical", "everyday") for text in samples[key] for w in text.split()]
    pool += [
        w for d in measure.declarations().values() for t in measure.articles(d).values() for w in t.split()
    ]
    pool += [
        *samples["code"].split(" "),
        "👋",
        "👩‍👩‍👧‍👦",
        "🇺🇳",
        "\n",
        "\t",
        "  ",
        "\r\n",
        "'s",
        "'LL",
        "2026",
    ]
    # Unassigned characters are left out: the two pattern engines know different versions of Unicode.
    known = [chr(c) for c in range(32, 0x20000) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]
    for _ in range(n):
        words = rng.choices(pool, k=rng.randint(0, 9))
        words += ["".join(rng.choices(known, k=rng.randint(0, 4)))]
        rng.shuffle(words)
        yield rng.choice(["", " ", "  "]).join(words)


@pytest.mark.parametrize("name", PUBLISHED)
def test_our_encoder_equals_tiktoken_on_ten_thousand_strings(name):
    base, pairs, _ = packing.unpack(vocabularies.packed(name))
    ours = bpe.Tokenizer(pairs, (), base, regex.compile(vocabularies.PATTERNS[name]).findall)
    theirs = tiktoken_of(name)
    strings = list(varied_strings(10_000))
    assert len(set(strings)) > 9_500
    differing = [s for s in strings if ours.encode(s) != theirs.encode_ordinary(s)]
    assert differing == []


GOLDEN = [
    ("gpt2", "hello 👋 world 🌍", [31373, 50169, 233, 995, 12520, 234, 235]),
    ("gpt2", "Hello,", [15496, 11]),
    ("gpt2", "<|endoftext|>", [27, 91, 437, 1659, 5239, 91, 29]),
    ("gpt2", " Harbaugh", [39944]),
]


@pytest.mark.parametrize(("name", "text", "ids"), GOLDEN)
def test_golden_ids(name, text, ids):
    assert vocabularies.load(name).encode(text) == ids


def test_golden_splits():
    def split(name, text):
        return [p.data.decode() for p in vocabularies.load(name).pieces(text)]

    assert split("gpt2", "hyperlipidemia") == ["hyper", "lip", "id", "emia"]
    assert split("gpt2", "thrombocytopenia") == ["th", "rom", "b", "ocy", "top", "en", "ia"]
    assert split("o200k_base", "hyperlipidemia") == ["hyper", "lip", "idem", "ia"]
    assert split("o200k_base", "thrombocytopenia") == ["th", "romb", "ocyt", "open", "ia"]
    assert (
        len(vocabularies.load("gpt2").encode("This is an example “sentence“ to try encoding out on!")) == 16
    )


@pytest.mark.parametrize("name", OPENAI)
def test_strawberry_and_2026_split_as_stated(name):
    published = vocabularies.load(name)
    assert len(published.encode(" strawberry")) == 1
    assert len(published.encode("strawberry")) == 3
    assert len(published.encode("2026")) == 2


@pytest.mark.parametrize(
    ("name", "control"), [("gpt2", 50256), ("cl100k_base", 100257), ("o200k_base", 199999)]
)
def test_endoftext_is_a_control_token_only_when_asked_for(name, control):
    vocabulary = vocabularies.load(name)
    assert vocabulary.encode("<|endoftext|>", special=True) == [control]
    assert control not in vocabulary.encode("<|endoftext|>")
    assert vocabulary.decode_bytes([control]) == b"<|endoftext|>"
    text = "a<|endoftext|> b<|endoftext|>"
    assert vocabulary.encode(text, special=True) == tiktoken_of(name).encode(text, allowed_special="all")


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_every_text_comes_back_from_every_vocabulary(text):
    for name in vocabularies.NAMES:
        vocabulary = vocabularies.load(name)
        assert vocabulary.decode_bytes(vocabulary.encode(text)) == read(name, text).encode()
        assert b"".join(p.data for p in vocabulary.pieces(text)) == read(name, text).encode()


@pytest.mark.parametrize("name", vocabularies.NAMES)
def test_half_a_surrogate_pair_is_refused_by_every_vocabulary(name):
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        vocabularies.load(name).encode("x\udc4b")


def test_a_million_spaces_do_not_stop_the_page(monkeypatch):
    """tiktoken panics on them; here the limit is lowered so that both ways can be compared."""
    vocabulary = vocabularies.load("o200k_base")
    text = "x" + " " * 60_000 + "\n y" + " " * 60_000
    expected = vocabulary.encode(text)
    monkeypatch.setattr(vocabularies, "_LONG_RUN", 50_000)
    monkeypatch.setattr(vocabularies, "_LONG", vocabularies.re.compile(r"\s{50000}"))
    monkeypatch.setattr(vocabulary, "_encoding", None)  # tiktoken must not be asked
    assert vocabulary.encode(text) == expected


def test_a_letter_twenty_thousand_times_comes_back(published):
    assert published.decode_bytes(published.encode("a" * 20_000)) == b"a" * 20_000


@pytest.mark.parametrize("word", ["thrombocytopenia", "leishmaniasis", "hyperlipidemia"])
def test_clinical_words_are_one_token_in_clinical_and_several_elsewhere(word):
    clinical, everyday = vocabularies.load("clinical"), vocabularies.load("everyday")
    assert len(clinical.encode(word)) == len(clinical.encode(" " + word)) == 1
    assert len(everyday.encode(word)) >= 4


def test_the_two_trained_vocabularies_have_the_same_size():
    assert vocabularies.load("clinical").vocab_size == vocabularies.load("everyday").vocab_size == 24_000
    for name, about in vocabularies.ABOUT.items():
        assert len(vocabularies.merges(name).vocab) == about.entries


def test_the_trace_of_a_published_vocabulary_ends_in_its_tokens(published):
    for word in (" weather", "hyperlipidemia", "strawberry", "é"):
        assert published.trace(word)[-1] == [p.data for p in published.pieces(word)]


def test_a_changed_file_is_refused(monkeypatch):
    monkeypatch.setitem(vocabularies.HELD, "gpt2", "0" * 64)
    with pytest.raises(ValueError, match=r"gpt2\.bpe has been changed"):
        vocabularies.packed("gpt2")


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match="there are gpt2, cl100k_base"):
        vocabularies.load("gpt5")


@pytest.mark.parametrize("token", [-1, 100256, 100270, 10**9])
def test_an_unknown_id_of_a_published_vocabulary_is_refused(token):
    with pytest.raises(ValueError, match=f"id {token} is not in cl100k_base"):
        vocabularies.load("cl100k_base").data(token)


def test_without_tiktoken_the_sentence_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(ModuleNotFoundError, match="run by the package tiktoken"):
        vocabularies.Published("gpt2")


def test_tiktoken_is_imported_only_when_a_published_vocabulary_is_run(monkeypatch):
    real = builtins.__import__
    monkeypatch.setattr(
        builtins, "__import__", lambda n, *a, **k: pytest.fail(n) if n == "tiktoken" else real(n, *a, **k)
    )
    vocabularies.load.cache_clear()
    vocabularies.load("clinical").encode("x")
    vocabularies.merges("gpt2").trace(" weather")


@pytest.mark.parametrize("name", vocabularies.NAMES)
def test_the_replay_of_every_text_ends_in_its_encoding(name):
    vocabulary = vocabularies.load(name)
    new_letters = "\U00010d4a\u1c89\ua7cb\U00016ea0"  # of a Unicode that not every pattern engine knows
    fixed = [
        "",
        "2026",
        "1234567",
        "a  b",
        "it 's  b",
        "a\t\t b",
        "שלום  עולם",
        f"{new_letters} {new_letters}",
    ]
    for text in [*fixed, *varied_strings(400)]:
        states = vocabulary.replay(text[:60])
        assert [p for part in states[-1] for p in part] == [p.data for p in vocabulary.pieces(text[:60])]
        assert all(len(b"".join(part)) for part in states[0])
        assert vocabulary.trace(text[:60])[0] == [bytes([b]) for b in read(name, text[:60]).encode()]


def test_no_merge_of_a_replay_joins_across_a_cut_of_the_pattern():
    for name, parts in (("cl100k_base", [b"202", b"6"]), ("o200k_base", [b"202", b"6"]), ("gpt2", [b"2026"])):
        states = vocabularies.load(name).replay("2026")
        assert all([b"".join(part) for part in state] == parts for state in states)
        assert [len(state) for state in vocabularies.load(name).trace("2026")] == sorted(
            {sum(map(len, state)) for state in states}, reverse=True
        )


# The other library takes ``{1,3}+`` for “several times”, and Python's white space holds four separators more.
PEERS_PATTERN = {name: p.replace("{1,3}+", "{1,3}") for name, p in patterns.PATTERNS.items()}
PEERS_PATTERN |= dict.fromkeys(
    ("clinical", "everyday"),
    r" ?[^\W\d_]+| ?\d+| ?(?:[^\w\s\x1c-\x1f]|_)+|[\s\x1c-\x1f]+(?![^\s\x1c-\x1f])|[\s\x1c-\x1f]+",
)


def peer(name):
    """The same entries as a tokenizer.json, run by Hugging Face's library."""
    vocab = vocabularies.merges(name).vocab
    entries = {"".join(letters.OF_BYTE[b] for b in data): n for n, data in enumerate(vocab)}
    pairs = packing.unpack(vocabularies.packed(name))[1]
    merges = [tuple("".join(letters.OF_BYTE[b] for b in vocab[i]) for i in pair) for pair in pairs]
    whole = name in ("tekken", "qwen")  # their makers let a whole entry stand without its merges
    made = tokenizers.Tokenizer(tokenizers.models.BPE(entries, merges, ignore_merges=whole))
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(PEERS_PATTERN[name]), "isolated")
    bytewise = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, bytewise])
    if name == "qwen":
        made.normalizer = tokenizers.normalizers.NFC()
    return made


def strings_of_all_planes(n):
    """So many different strings; every plane of Unicode that holds characters is among them."""
    rng = random.Random(32)
    far = [*range(0x30000, 0x31000), *range(0xF0000, 0xF1000), *range(0x100000, 0x101000)]
    found = {}
    for text in peers.strings(2 * n, seed=31):
        found[text + chr(rng.choice(far)) * rng.choice([0, 0, 0, 1, 2])] = None
        if len(found) == n:
            return list(found)
    raise AssertionError(f"{len(found)} of {n} strings")


@pytest.fixture(scope="module")
def twenty_thousand():
    strings = strings_of_all_planes(20_000)
    assert len(set(strings)) == 20_000
    assert {ord(c) >> 16 for text in strings for c in text} >= {0, 1, 2, 3, 14, 15, 16}
    return strings


@pytest.mark.parametrize("name", vocabularies.NAMES)
def test_ids_of_twenty_thousand_strings_are_those_of_hugging_face_s_library(name, twenty_thousand):
    theirs, ours = peer(name), vocabularies.load(name)
    first = patterns.FIRST.get(name, 0)
    found = theirs.encode_batch(twenty_thousand)
    pairs = zip(twenty_thousand, found, strict=True)
    assert [text for text, e in pairs if ours.encode(text) != [first + i for i in e.ids]] == []


@pytest.mark.parametrize("name", ["tekken", "qwen"])
def test_the_files_of_other_firms_are_packed_as_they_were_published(name):
    """Every entry is a merge of two earlier ones, as the packing needs; numbers and bytes stay."""
    vocab = vocabularies.merges(name).vocab
    assert len(set(vocab)) == len(vocab) == vocabularies.ABOUT[name].entries
    ours = vocabularies.load(name)
    assert [ours.data(patterns.FIRST.get(name, 0) + n) for n in range(len(vocab))] == vocab


def test_mistral_s_control_tokens_stand_before_the_bytes():
    tekken = vocabularies.load("tekken")
    assert tekken.encode("[INST] Hi[/INST]", special=True) == [3, *tekken.encode(" Hi"), 4]
    assert min(tekken.encode("[INST] Hi[/INST]")) >= 1_000
    assert tekken.vocab_size == 131_072


def test_qwen_reads_an_accent_typed_apart_as_the_one_letter_and_says_where_it_stood():
    qwen = vocabularies.load("qwen")
    assert qwen.encode("cafe\u0301") == qwen.encode("café")
    last = qwen.pieces("cafe\u0301 x")[-2]
    assert (last.start, last.end) == (2, 5)


def test_qwen_and_tekken_cut_digits_one_by_one():
    for name in ("qwen", "tekken"):
        assert [p.data for p in vocabularies.load(name).pieces("0.25")] == [b"0", b".", b"2", b"5"]


def test_vocabularies_that_are_not_there_yet_are_asked_for_together(monkeypatch, tmp_path):
    there = tmp_path / "there"
    there.write_bytes(b"")
    held = {"gpt2": there}
    monkeypatch.setattr(vocabularies, "_file", lambda name: held.get(name, tmp_path / "missing"))
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'glassbox_qwen', 'glassbox_clinical'$"):
        vocabularies.want("gpt2", "qwen", "clinical")
    vocabularies.want("gpt2", "nonsense")
