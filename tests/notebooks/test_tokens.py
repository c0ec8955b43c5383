"""The notebook of Chapter 1: it runs, its controls reach their ends, and every number in its prose is recomputed."""

import functools
import gzip
import html
import json
import math
import random
import re
import unicodedata
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from glassbox.figures.figure import Figure
from glassbox.page.runner import Runner
from glassbox.publish.pages import controls, notebook, prose
from glassbox.tokens import bpe, measure, methods, notes, vocabularies

PATH = Path(__file__).parents[2] / "notebooks" / "tokens.py"
DATA = Path(__file__).parents[2] / "src" / "glassbox" / "data" / "texts"
FIGURES = [
    "split",
    "compare",
    "yours",
    "merge",
    "train",
    "methods",
    "cost",
    "languages",
    "numbers",
    "letters",
    "emoji",
    "chat",
    "swap",
]


@pytest.fixture(scope="module")
def chapter():
    return notebook.load(PATH)


@pytest.fixture(scope="module")
def runner(chapter):
    return Runner(chapter.program)


def test_the_chapter_has_its_figures_in_order(chapter):
    assert [f["name"] for f in chapter.program["figures"]] == FIGURES
    assert [b.name for b in chapter.blocks if b.kind == "figure"] == FIGURES


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_stands_at_its_defaults_and_at_each_controls_ends(chapter, runner, name):
    figure = next(f for f in chapter.program["figures"] if f["name"] == name)
    by_name = {c["name"]: c for c in chapter.program["controls"]}
    assert isinstance(runner.figure(name, {}), Figure)
    for control in figure["controls"]:
        options = controls.positions(by_name[control]) or ["", "x", "\ud800"]
        if by_name[control]["kind"] == "button":
            options = [1]
        if by_name[control]["kind"] == "file":
            options = [""]
        for value in {options[0], options[-1]}:
            shown = runner.figure(name, {control: value})
            assert shown.sentence.endswith("."), (control, value)


def test_every_figure_has_a_try_this_and_every_section_a_question_and_a_remember(chapter):
    blocks = chapter.blocks
    for n, block in enumerate(blocks):
        if block.kind == "figure":
            assert prose.plain(blocks[n + 1].html).startswith("Try this."), block.name
    page = "".join(b.html for b in blocks if b.kind == "prose")
    sections = re.split(r"<h2", page)[1:]
    assert len(sections) >= 9
    for section in sections:
        heading = prose.plain("<h2" + section.split("</h2>")[0])
        assert heading.endswith("?"), heading
        if "whiteboard" not in heading:
            assert "Remember." in prose.plain(section), heading


def test_there_are_at_least_six_checks_of_both_kinds(chapter):
    kinds = re.findall(r'data-check="(\w+)"', "".join(b.html for b in chapter.blocks))
    assert len(kinds) >= 6
    assert {"number", "reveal"} == set(kinds)


# --- Every number in the prose ------------------------------------------------------------------------


def n(text, name="gpt2"):
    return len(vocabularies.load(name).encode(text))


BASE = json.loads(gzip.decompress((DATA / "base.json.gz").read_bytes()))
TEXTS = {
    "everyday": BASE["everyday"],
    "clinical": notes.written(320, 1),
    "diagnoses": BASE["diagnoses"],
}


@functools.cache
def counts(kind, name="gpt2", drop=" {99}"):
    """Pieces and words of each text, as it stands or without what a pattern finds."""
    return [(n(re.sub(drop, "", t), name), len(re.sub(drop, "", t).split())) for t in TEXTS[kind]]


def rate(kind, name="gpt2", drop=" {99}"):
    """Pieces a word of all texts together."""
    pieces, words = zip(*counts(kind, name, drop), strict=True)
    return sum(pieces) / sum(words)


def tax(code, name="gpt2"):
    pieces = {c: sum(n(measure.declarations()[c][a], name) for a in ("1", "19")) for c in ("eng", code)}
    return pieces[code] / pieces["eng"]


def a_character(code):
    """GPT-2's pieces for one character of the declaration."""
    text = "\n".join(t for k, t in measure.declarations()[code].items() if k.isdigit())
    return n(text) / len(text)


def entries(name):
    return len(vocabularies.merges(name).vocab)


def more(a, b):
    return str(round(100 * (b / a - 1)))


def spread(kind):
    rates = sorted(n(t) / len(t.split()) for t in measure.samples()[kind])
    return [f"{rates[0]:.2f}", f"{rates[-1]:.2f}"]


@functools.cache
def halves(kind, name="gpt2"):
    """By how many percent two random halves of these texts differ, at most, in 190 of 200 cuts."""
    found = []
    for seed in range(200):
        chance = random.Random(seed)
        side = np.array([chance.random() < 0.5 for _ in TEXTS[kind]])
        (a, b), (c, d) = (np.array(counts(kind, name))[s].sum(axis=0) for s in (side, ~side))
        found.append(100 * abs(np.log(a / b) - np.log(c / d)))
    return 100 * (math.exp(sorted(found)[190] / 100) - 1)


def parts(text):
    """GPT-2's pieces that hold digits."""
    pieces = [p.data.decode() for p in vocabularies.load("gpt2").pieces(text)]
    return [p for p in pieces if p.isdigit()]


def same(name):
    """How many of GPT-2's ids stand for the same bytes in another vocabulary."""
    return sum(
        a == b
        for a, b in zip(vocabularies.merges("gpt2").vocab, vocabularies.merges(name).vocab, strict=False)
    )


CLINICAL, EVERYDAY = rate("clinical"), rate("everyday")
PLATELETS = " thrombocytopenia"
CODE = "\n".join(measure.samples()["code"].split("\n")[:4])
BARE = re.sub("(?m)^ +", "", CODE)
HAND = list(bpe.learn({"aaabdaaabac": 1}))

# Section (a word of its heading) to every number in its prose, in order, as it is written.
NUMBERS = {
    "": [more(EVERYDAY, CLINICAL)],
    "read instead": [
        "2",  # of GPT-2, a name
        f"{entries('gpt2'):,}",
        str(n(" weather")),
        str(n(" hyperlipidemia")),
        "256",
        "0",
        "255",
        *["0.25", *parts("0.25"), "1234567", *parts("1234567"), "2"],
        str(sum(bool(re.fullmatch(rb" ?[0-9]{4,}", t)) for t in vocabularies.merges("gpt2").vocab)),
        "2020",
    ],
    "same place": [
        *[str(n(PLATELETS)), "2"],
        *[str(n(PLATELETS, "cl100k_base")), "100", "4"],
        *[str(n(PLATELETS, "o200k_base")), "200", "4"],
        str(n(PLATELETS, "clinical")),
        *[str(n(" Harbaugh")), "2"],
        str(n(" Harbaugh", "clinical")),
        *[str(n(PLATELETS, "tekken")), str(n(PLATELETS, "qwen"))],
        "10",  # ICD-10-CM
        f"{entries('clinical'):,}",
    ],
    "that I use": ["2", "5"],
    "Who decides": [
        str(HAND[0].times),
        str(HAND[1].times),
        str(HAND[2].times),
        str(len("aaabdaaabac")),
        str(len(bpe.train(["aaabdaaabac"], 259).encode("aaabdaaabac"))),
        *["2026", "100", "20", "26"],  # the year at cl100k, whose rule parts the two halves
        "0",  # ends of the slider
        "100",
    ],
    "only way": ["256", "2018"],
    "specialist": [
        *["2", f"{EVERYDAY:.2f}", f"{CLINICAL:.2f}", more(EVERYDAY, CLINICAL)],
        *[f"{len(TEXTS[kind]):,}" for kind in ("everyday", "clinical")],
        *[f"{halves(kind):.1f}" for kind in ("everyday", "clinical")],
        *[*spread("clinical"), *spread("everyday")],
        *["2", f"{EVERYDAY:.2f}", f"{CLINICAL:.2f}", more(EVERYDAY, CLINICAL)],
        *[f"{rate(kind, 'clinical'):.2f}" for kind in ("everyday", "clinical")],
        more(rate("everyday", "clinical"), rate("clinical", "clinical")),
        *["1.08", "1.97", more(1.08, 1.97), "1.17", "1.37", more(1.17, 1.37)],
        "1,000,000",
        *["400", f"{400 * CLINICAL:.0f}", f"{400 * EVERYDAY:.0f}"],
        "3",  # Chapter 3
        *[f"{rate('diagnoses', v):.2f}" for v in ("clinical", "everyday")],
        *[f"{rate('everyday', v):.2f}" for v in ("clinical", "everyday")],
        *["2", f"{entries('gpt2'):,}", f"{rate('diagnoses'):.2f}"],
        *[f"{entries('clinical'):,}", f"{rate('diagnoses', 'clinical'):.2f}"],
        more(rate("diagnoses"), rate("diagnoses", "clinical")).lstrip("-"),
        *[f"{rate('clinical', v):.2f}" for v in ("clinical", "everyday")],
        *["100", f"{entries('cl100k_base'):,}", f"{rate('clinical', 'cl100k_base'):.2f}", "2"],
        *[f"{CLINICAL:.2f}", "200", f"{rate('clinical', 'o200k_base'):.2f}", f"{entries('o200k_base'):,}"],
        *[f"{rate('clinical', v):.2f}" for v in ("tekken", "qwen")],
        *[f"{rate('clinical', v, drop='[0-9]'):.2f}" for v in ("tekken", "qwen")],
        *["200", f"{rate('clinical', 'o200k_base', drop='[0-9]'):.2f}"],
        *["100", f"{rate('clinical', 'cl100k_base', drop='[0-9]'):.2f}"],
        *[str(len(CODE.splitlines())), str(n(CODE)), "2", f"{n(CODE) / len(CODE.split()):.2f}"],
        *[str(n(CODE, "cl100k_base")), "100", "2", str(n(BARE)), str(n(BARE, "cl100k_base"))],
    ],
    "language pay": [
        "2",
        *[f"{tax(c):.1f}" for c in ("spa", "hin", "mya")],
        "2",
        f"{1 / a_character('eng'):.1f}",
        *[f"{a_character(c):.1f}" for c in ("rus", "hin", "tam", "mya")],
        "200",
        *[f"{tax(c, 'o200k_base'):.1f}" for c in ("hin", "mya")],
        *["2", "100", "200"],
        *["2", "200"],  # from GPT-2 to o200k
    ],
    "clumsy": [
        *["2026", str(n("2026")), "2", "100", "200"],
        *["20", "26", "202", "6"],
        *[str(n(" 2026")), "2", str(n(" 2026", "cl100k_base"))],
        *["100", "200", "1234567", *"2026", "0.25", str(n("0.25 mg")), "123456", "1234567", "12345678"],
        *["100", "200", "123"],
        *[str(len("strawberry")), str(n(" strawberry")), str("strawberry".count("r")), str(n("strawberry"))],
    ],
    "smaller": [str(len("👋".encode())), str(n("👋")), "2"],
    "steer": ["2", "2", str(n(" SolidGoldMagikarp")), "2023", "2024"],
    "better tokenizer": [
        *[str(vocabularies.load("gpt2").encode(w)[0]) for w in (" patient", " has")],
        *["2", f"{entries('gpt2'):,}", str(same("cl100k_base")), "100", str(same("clinical"))],
        *["2", "2", "200"],
        "2024",  # a year
    ],
    "whiteboard": [],
    "stay with you": [more(EVERYDAY, CLINICAL), "2"],
}


def numbers_in(text):
    return re.findall(r"\d[\d,]*\d(?:\.\d+)?|\d+(?:\.\d+)?", text)


def test_every_number_in_the_prose_is_recomputed(chapter):
    page = "".join(b.html for b in chapter.blocks if b.kind == "prose")
    first, *sections = re.split(r"(?=<h2)", page)
    assert numbers_in(prose.plain(first)) == NUMBERS[""]
    seen = set()
    for section in sections:
        heading = prose.first(section, "h2")
        key = next(k for k in NUMBERS if k and k in heading)
        seen.add(key)
        assert numbers_in(prose.plain(section)) == NUMBERS[key], heading
    assert seen == set(NUMBERS) - {""}


def test_the_splits_in_the_prose_are_those_of_the_tokenizers(chapter):
    page = prose.plain("".join(b.html for b in chapter.blocks if b.kind == "prose"))

    def split(text, name="gpt2"):
        return "·".join(p.data.decode() for p in vocabularies.load(name).pieces(text))

    for text, name in [
        ("hyperlipidemia", "gpt2"),
        ("2026", "gpt2"),
        ("2026", "cl100k_base"),
        ("strawberry", "gpt2"),
    ]:
        assert split(text, name) in page


def test_what_the_chapter_says_of_size_and_of_swapping_is_so(chapter):
    page = prose.plain("".join(b.html for b in chapter.blocks if b.kind == "prose"))
    # More entries do not help by themselves: twice as many need no fewer pieces on the notes.
    assert entries("cl100k_base") > 1.9 * entries("gpt2")
    assert rate("clinical", "cl100k_base") >= CLINICAL > rate("clinical", "o200k_base")
    assert "size helps everybody" not in page
    # Nearly every number means something else in another box: single bytes stay.
    assert 256 <= same("cl100k_base") < 0.01 * entries("gpt2")
    assert "every one of them means" not in page.replace("nearly every one of them means", "")
    # Digits go in pieces of one to three.
    lengths = {len(d) for text in ("0.25", "7", "2026", "1234567") for d in parts(text)}
    assert lengths == {1, 2, 3}
    assert parts("0.25") == ["0", "25"]
    for untrue in (
        "twos and threes",
        "they do not get any",
        "Change one and you have to train",
        "two thirds more",
    ):
        assert untrue not in page


def test_the_four_methods_open_on_a_word_that_each_cuts_in_its_own_way(chapter, runner):
    assert "hypothyroidism is cut in 4 different ways" in runner.figure("methods", {}).sentence
    page = prose.plain("".join(b.html for b in chapter.blocks if b.kind == "prose"))
    told = [
        "·".join(p.data.decode().strip().removeprefix("##") for p in one.pieces("on hypothyroidism")[1:])
        for one in methods.load().values()
    ]
    assert len(set(told)) == 4
    *first, last = (way.lstrip("·") for way in told)  # Unigram's space before the word is an entry of its own
    assert told[-1].startswith("·")
    assert f"{', '.join(first)} and, after a piece for the space alone, {last}, in the order above" in page


def test_the_links_to_the_switch_show_a_control_token_read_both_ways(chapter, runner):
    page = "".join(b.html for b in chapter.blocks if b.kind == "prose")
    found = [
        parse_qs(urlsplit(html.unescape(a)).query) for a in re.findall(r'href="(\?split_text=No[^"]*)"', page)
    ]
    assert [f.get("split_special") for f in found] == [["false"], ["true"]]
    ids = [
        [
            row[2]
            for row in runner.figure(
                "split", {"split_text": f["split_text"][0], "split_special": on}
            ).table.rows
        ]
        for f, on in zip(found, (False, True), strict=True)
    ]
    assert [50256 in i for i in ids] == [False, True]
    assert (
        len(ids[0]) == len(ids[1]) + 5
    )  # harmless pieces, of which one holds a full stop, or one that steers


def test_a_brick_can_hold_two_words_where_no_space_parts_them():
    assert n("addEventListener", "cl100k_base") == 1
    assert n("我们的", "o200k_base") == 1
    assert n(" 2026", "cl100k_base") == n(" 2026", "o200k_base")


def test_the_numbers_of_the_checks_are_recomputed(chapter):
    page = "".join(b.html for b in chapter.blocks)
    answers = [float(a) for a in re.findall(r'data-answer="([^"]+)"', page)]
    two = bpe.Tokenizer([m.pair for m, _ in zip(bpe.learn({"abababac": 1}), range(2), strict=False)])
    assert answers == [
        n("She ate a strawberry."),
        n("The patient has hyperlipidemia."),
        round(400 * CLINICAL),
        round(8_000 / CLINICAL),
        len(two.encode("abababac")),
        entries("gpt2") - 256,
    ]
    shown = prose.plain(page)
    assert "She | ·ate | ·a | ·strawberry | ." in shown
    assert "The | ·patient | ·has | ·hyper | lip | id | emia | ." in shown
    assert f"400 words times {CLINICAL:.2f} pieces a word." in shown
    assert f"8,000 divided by {CLINICAL:.2f}. Of everyday English {8_000 / EVERYDAY:,.0f} words" in shown
    assert "ab, ab, ab, a, c" in shown
    assert next(bpe.learn({"abababac": 1})).times == 3


@pytest.mark.parametrize("path", sorted(PATH.parent.glob("*.py")), ids=lambda p: p.stem)
def test_side_notes_are_written_in_html_because_marimo_reads_no_markdown_inside_them(path: Path):
    for note in re.findall(r"<aside\b.*?</aside>", path.read_text(encoding="utf-8"), flags=re.S):
        assert "markdown=" not in note
        assert re.findall(r"\*\w|`|\]\(", note) == []


def test_random_halves_of_what_rates_are_measured_on_agree_within_two_percent_in_every_vocabulary():
    for kind in TEXTS:
        for name in vocabularies.NAMES:
            assert halves(kind, name) < 2, (kind, name)


def test_what_rates_are_measured_on_runs_from_one_end_of_its_list_to_the_other():
    """A part of the list of diagnoses alone gave GPT-2 2.39 pieces a word, the whole of it 1.6."""
    for kind, letters in (("diagnoses", "ABCDEFGHI"), ("everyday", "abcdefghi")):
        quarter = len(TEXTS[kind]) // 4
        assert quarter > 800
        assert len({t[0] for t in TEXTS[kind]} & set(letters)) == len(letters)
    first, last = TEXTS["diagnoses"][:2000], TEXTS["diagnoses"][-2000:]
    assert any("cholera" in t.lower() for t in first)
    assert any("resistance to" in t.lower() for t in last)  # Z16, near the list's end


def test_gpt_2_has_the_years_up_to_2020_whole_and_three_written_texts_are_plainer_than_a_dictionary():
    assert all(n(str(year)) == 1 for year in range(1990, 2021))
    assert all(n(str(year)) > 1 for year in range(2021, 2030))
    assert max(n(t) / len(t.split()) for t in measure.samples()["everyday"]) < EVERYDAY
    assert min(n(t) / len(t.split()) for t in measure.samples()["clinical"]) < CLINICAL


def test_declarations_are_composed_as_people_send_them():
    """Vietnamese came with letters and accents apart, which made it one of the dearest languages."""
    for language in measure.declarations().values():
        for text in measure.articles(language).values():
            assert unicodedata.normalize("NFC", text) == text
    assert tax("vie", "o200k_base") < 2


def test_other_notes_of_the_same_program_agree_with_these_within_two_percent():
    for seed in (2, 3):
        others = notes.written(320, seed)
        assert set(others).isdisjoint(TEXTS["clinical"])
        for name in vocabularies.NAMES:
            again = measure.size(vocabularies.load(name), others).per_word
            assert again == pytest.approx(rate("clinical", name), rel=0.02)


def test_what_the_chapter_says_of_the_specialist_s_gain_is_so(chapter):
    """Much on its own list, nothing to speak of on notes; and digits are what two boxes pay for."""
    assert rate("diagnoses", "clinical") < min(
        rate("diagnoses", v) for v in vocabularies.NAMES if v != "clinical"
    )
    gained = rate("diagnoses", "clinical") / min(rate("diagnoses"), rate("diagnoses", "everyday"))
    assert gained == pytest.approx(
        0.71, abs=0.01
    )  # on all of ICD-10-CM, of which every fifth line is measured
    assert rate("clinical", "clinical") == pytest.approx(rate("clinical", "everyday"), rel=0.02)
    assert rate("everyday", "clinical") > 1.2 * rate("everyday", "everyday")
    for name, other in (("tekken", "o200k_base"), ("qwen", "cl100k_base")):
        assert rate("clinical", name) > CLINICAL
        assert rate("clinical", name, drop="[0-9]") == pytest.approx(
            rate("clinical", other, drop="[0-9]"), rel=0.01
        )
        assert rate("clinical", name, drop="[0-9]") < rate("clinical", drop="[0-9]")
    blank = [v.pieces(CODE) for v in map(vocabularies.load, ("gpt2", "cl100k_base"))]
    assert [sum(not p.data.strip(b" ") for p in pieces) for pieces in blank] == [13, 3]
    saved = n(CODE) - n(CODE, "cl100k_base") - (n(BARE) - n(BARE, "cl100k_base"))
    assert saved > (n(CODE) - n(CODE, "cl100k_base")) / 2
    page = prose.plain("".join(b.html for b in chapter.blocks if b.kind == "prose"))
    assert "a program of this project wrote" in page
    for row in ("a general one, reported 1.08 1.97 +82 %", "a medical one, reported 1.17 1.37 +17 %"):
        assert row in page


def test_vocabularies_that_no_licence_lets_us_ship_are_said_by_name(chapter):
    page = prose.plain("".join(b.html for b in chapter.blocks if b.kind == "prose"))
    said = re.search(r"The vocabularies of ([^.]*) are not among ours", page)[1]
    for name in ("Llama", "Gemma", "DeepSeek"):
        assert name in said
        assert not any(name.lower() in known for known in vocabularies.NAMES)
