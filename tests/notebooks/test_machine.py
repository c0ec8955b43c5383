"""The notebook of Chapter 4: its order, its controls at their ends, and the numbers in its prose recomputed."""

import re
from pathlib import Path

import numpy as np
import pytest

from glassbox import model
from glassbox.figures.figure import Figure
from glassbox.figures.machine import facts, runs
from glassbox.model import experiments
from glassbox.model.experiments import Part
from glassbox.page.runner import Runner
from glassbox.publish.pages import controls, notebook, prose
from tests.figures import drawn

PATH = Path(__file__).parents[2] / "notebooks" / "machine.py"
FIGURES = ["machine"]
M = model.load()


@pytest.fixture(scope="module")
def chapter():
    return notebook.load(PATH)


@pytest.fixture(scope="module")
def runner(chapter):
    return Runner(chapter.program)


@pytest.fixture(scope="module")
def text(chapter):
    plain = prose.plain("".join(b.html for b in chapter.blocks if b.kind == "prose"))
    return plain.replace("\u00a0", " ")


def test_the_chapter_has_its_figures_in_order(chapter):
    assert [b.name for b in chapter.blocks if b.kind == "figure"] == FIGURES


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_stands_at_its_defaults_and_at_each_controls_ends(chapter, runner, name):
    figure = next(f for f in chapter.program["figures"] if f["name"] == name)
    by_name = {c["name"]: c for c in chapter.program["controls"]}
    assert isinstance(runner.figure(name, {}), Figure)
    assert figure["controls"]
    for control in figure["controls"]:
        assert control.startswith(name + "_")
        typed = [""] if control == "machine_cut" else ["", "\ud800", "word " * 600]
        options = controls.positions(by_name[control]) or typed
        for value in (options[0], options[-1]):
            assert runner.figure(name, {control: value}).sentence


def test_every_figure_is_followed_by_what_to_try_and_every_section_ends_in_what_to_remember(chapter):
    blocks = chapter.blocks
    for n, block in enumerate(blocks):
        if block.kind == "figure":
            assert "Try this." in blocks[n + 1].html, block.name
    for section in re.split(r"<h2", " ".join(b.html for b in blocks if b.kind == "prose"))[1:-2]:
        heading = section.split("</h2>")[0].split(">")[-1].rstrip("\u00b6# ")
        assert heading.endswith("?"), heading
        assert "Remember." in section, heading


def test_no_number_of_the_model_is_typed_into_the_prose():
    """Another model has other heads: each stands in braces, where it is computed."""
    source = PATH.read_text(encoding="utf-8")
    for cell in re.findall(r'mo\.md\((rf?)"""(.*?)"""', source, re.S):
        written = re.sub(r"\{[^{}]*\}", "", cell[1]) if cell[0] == "rf" else cell[1]
        written = re.sub(r"\]\(<?\?[^)]*\)|\$[^$]*\$", "", written)
        assert not re.search(r"\d\s*%|head \d|layer \d|\b\d\.\d\b", written), written


# --- What the prose says of the model, worked out here


def probabilities(of, parts=(), edges=()):
    return drawn.softmax(experiments.flow(M, drawn.ids_of(of, 8), parts, edges).forward.logits[-1])


def without_each_head(of):
    c = M.config
    return {
        f"{a + 1}.{b + 1}": probabilities(of, [Part(a, b)])
        for a in range(c.n_layers)
        for b in range(c.n_heads)
    }


def test_the_heads_of_the_tour_are_those_that_move_most_and_least(text):
    whole = probabilities(facts.CLINICAL)
    moved = {key: np.abs(p - whole).sum() / 2 for key, p in without_each_head(facts.CLINICAL).items()}
    top = int(whole.argmax())
    most, least = max(moved, key=moved.get), min(moved, key=moved.get)
    assert f"the head that matters most here, {most}: {runs.word(top)} " in text
    assert f"the one that matters least, {least}: {runs.word(top)} " in text
    stays = sum(p.argmax() == top for p in without_each_head(facts.CLINICAL).values())
    assert f"Of all {len(moved)} heads {stays} can go" in text


def test_an_outcome_says_where_the_probability_went():
    whole, cut = probabilities(facts.CLINICAL), probabilities(facts.CLINICAL, [Part(0, mlp=True)])
    top, new = int(whole.argmax()), int(cut.argmax())
    said = facts.outcome(facts.CLINICAL, "1.MLP")
    assert said.startswith(f"*{runs.word(top)}* ")
    assert runs.percent(cut[top]) in said
    assert (f"*{runs.word(new)}* leads with {runs.percent(cut[new])}" in said) == (new != top)
    assert facts.outcome(facts.CLINICAL, "") == f"*{runs.word(top)}* stays at {runs.percent(whole[top])}"


def test_a_hidden_word_is_hidden_where_it_stands():
    assert facts.hidden(facts.CLINICAL, "severe") == "@3"
    with pytest.raises(ValueError, match="without a token 'kettle'"):
        facts.place(facts.CLINICAL, "kettle")
