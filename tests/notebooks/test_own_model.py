"""The notebook of the reader's own model: it runs at its controls' ends, and its numbers are recomputed."""

import re
from pathlib import Path

import pytest

from glassbox.figures.figure import Figure
from glassbox.figures.own_model import facts
from glassbox.model.checkpoint.families import FAMILIES
from glassbox.page.runner import Runner
from glassbox.publish.pages import controls, notebook, prose

PATH = Path(__file__).parents[2] / "notebooks" / "own_model.py"
FIGURES = ["parts", "guesses", "depth", "looks", "rest", "room", "pace"]


@pytest.fixture(scope="module")
def chapter():
    return notebook.load(PATH)


@pytest.fixture(scope="module")
def runner(chapter):
    return Runner(chapter.program)


def test_the_chapter_has_its_figures_in_order(chapter):
    assert [f["name"] for f in chapter.program["figures"]] == FIGURES


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_stands_at_its_defaults_and_at_each_controls_ends(chapter, runner, name):
    figure = next(f for f in chapter.program["figures"] if f["name"] == name)
    by_name = {c["name"]: c for c in chapter.program["controls"]}
    assert isinstance(runner.figure(name, {}), Figure)
    for control in figure["controls"]:
        options = controls.positions(by_name[control]) or ["", "x", "\ud800", "word " * 400]
        if by_name[control]["kind"] == "button":
            options = [1]
        for value in {options[0], options[-1]}:
            assert runner.figure(name, {control: value}).sentence.endswith("."), (control, value)


def test_every_figure_has_a_try_this_and_every_section_a_question_and_a_remember(chapter):
    for n, block in enumerate(chapter.blocks):
        if block.kind == "figure":
            assert prose.plain(chapter.blocks[n + 1].html).startswith("Try this."), block.name
    page = "".join(b.html for b in chapter.blocks if b.kind == "prose")
    sections = [s for s in page.split("<h2")[1:] if "Whiteboard" not in s and "In short" not in s]
    assert len(sections) == 4
    for section in sections:
        assert prose.plain("<h2" + section.split("</h2>")[0]).endswith("?")
        assert "Remember." in prose.plain(section)


def test_the_page_names_every_family_that_is_read_and_has_a_place_for_its_files(chapter):
    page = "".join(b.html for b in chapter.blocks if b.kind == "prose")
    assert set(facts.KNOWN_AS) == set(FAMILIES)
    for name in facts.KNOWN_AS.values():
        assert name in prose.plain(page)
    assert page.count('class="own-model"') == 1


def test_the_numbers_of_the_prose(chapter):
    page = prose.plain("".join(b.html for b in chapter.blocks if b.kind == "prose"))
    assert "128 times the size of ours" in page  # 134,515,008 / 1,049,728 = 128.1
    assert "Our model has 16 heads" in page
    assert facts.bytes_a_token(30, 3, 64) == 23_040
    assert "In Llama 3 8B the MLPs hold 70 %" in page  # 3 × 4096 × 14336 × 32 of 8,030,261,248
    assert facts.LLAMA_3_8B.n_params() == 8_030_261_248
    assert "after 122,500" in page  # 2 × 8,030,261,248 / 131,072 = 122,531
    assert "For ours it comes after 2,100 tokens" in page  # 2 × 1,049,728 / 1,024 = 2,050


def test_what_our_model_leaves_on_its_first_token_is_what_the_figure_says(chapter, runner):
    page = prose.plain("".join(b.html for b in chapter.blocks if b.kind == "prose"))
    rest = next(c for c in chapter.program["controls"] if c["name"] == "rest_text")
    assert rest["value"] == facts.RESTING
    said = re.search(r"leaves (\d+) % of all attention on “⟨start⟩”", runner.figure("rest", {}).sentence)
    assert said
    assert f"it leaves {said[1]} % of its attention on the start token" in page


def test_the_past_of_our_model_outgrows_it_after_a_few_thousand_tokens(chapter, runner):
    def said(tokens):
        return runner.figure("room", {"room_tokens": tokens, "room_numbers": "16 bits"}).sentence

    assert "% of its weights" in said(2000)
    assert "times its weights" in said(4000)
