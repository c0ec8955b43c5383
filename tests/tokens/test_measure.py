import pytest

from glassbox.tokens import measure, vocabularies


def test_a_size_counts_pieces_words_characters_and_bytes():
    size = measure.size(vocabularies.load("clinical"), ["Ö k", "x"])
    assert (size.words, size.characters, size.utf8_bytes) == (3, 4, 5)
    assert size.per_word == size.pieces / 3
    assert size.per_character == size.pieces / 4
    assert size.per_byte == size.pieces / 5


def test_an_empty_text_costs_nothing():
    size = measure.size(vocabularies.load("everyday"), "")
    assert (size.pieces, size.per_word, size.per_character, size.per_byte) == (0, 0, 0, 0)


def test_a_bill_of_the_published_note():
    bill = measure.bill(400, 1.97, 2.50, 8_000)
    assert bill.pieces == 788
    assert bill.dollars == pytest.approx(788 * 2.5 / 1e6)
    assert bill.context_share == pytest.approx(0.0985)


@pytest.mark.parametrize("wrong", [(-1, 1, 1, 1), (1, -1, 1, 1), (1, 1, -1, 1), (1, 1, 1, 0)])
def test_a_bill_refuses_negative_numbers_and_an_empty_context(wrong):
    with pytest.raises(ValueError, match="must"):
        measure.bill(*wrong)


def test_the_declaration_comes_in_all_scripts_and_is_aligned():
    declarations = measure.declarations()
    assert len(declarations) >= 30
    assert next(iter(declarations)) == "eng"
    for language in declarations.values():
        assert set(measure.articles(language)) == {"1", "19"}
        assert all(len(text) > 40 for text in measure.articles(language).values())
        assert language["dir"] in ("ltr", "rtl")


def test_language_tax_is_relative_to_english_and_falls_with_newer_vocabularies():
    tax = {n: {t.code: t for t in measure.language_tax(vocabularies.load(n))} for n in ("gpt2", "o200k_base")}
    assert tax["gpt2"]["eng"].relative == 1
    for code in ("hin", "mya", "spa"):
        assert tax["gpt2"][code].relative > tax["o200k_base"][code].relative > 1
    assert tax["gpt2"]["hin"].relative > 8


def test_frequency_alone_makes_each_trained_vocabulary_best_at_home():
    rate = {
        (name, kind): measure.size(vocabularies.load(name), measure.samples()[kind]).per_word
        for name in ("clinical", "everyday")
        for kind in ("clinical", "everyday")
    }
    assert rate["clinical", "clinical"] < rate["everyday", "clinical"]
    assert rate["everyday", "everyday"] < rate["clinical", "everyday"]


def test_the_training_mix_has_words_of_both_kinds():
    mix = {kind: " ".join(texts) for kind, texts in measure.mix().items()}
    assert mix["clinical"].count("thrombocytopenia") > 10
    assert "thrombocytopenia" not in mix["everyday"]
    assert mix["everyday"].count("harbaugh") > 10
    assert "harbaugh" not in mix["clinical"]
    assert all(text == text.lower() for text in mix.values())


def test_halves_of_texts_that_are_all_alike_do_not_differ_and_of_few_nothing_is_said():
    known = vocabularies.load("clinical")
    assert measure.apart(known, ["one and the same"] * 40) == 0
    assert measure.apart(known, ["xqzxqzxqzxqz", "a"] * 20) > 0.1
    with pytest.raises(ValueError, match="3 texts cut 200 times; both should be 20 or more"):
        measure.apart(known, ["a"] * 3)
