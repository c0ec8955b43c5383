"""The notebook of Chapter 4: its order, its controls at their ends, and the numbers in its prose recomputed."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from glassbox import model
from glassbox.figures.figure import Figure
from glassbox.figures.machine import SILENCED, facts, runs, tour
from glassbox.model import experiments
from glassbox.model.experiments import Edge, Part
from glassbox.page.runner import Runner
from glassbox.publish.pages import controls, notebook, prose
from tests.figures import drawn

PATH = Path(__file__).parents[2] / "notebooks" / "machine.py"
FIGURES = [
    "machine",
    "embed",
    "residual",
    "project",
    "heads_join",
    "mlp",
    "lens",
    "unembed",
    "contributions",
    "kept",
    "learning",
]
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
        typed = [""] if control.endswith("_cut") else ["", "\ud800", "word " * 600]
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
        written = re.sub(r"\[[^\]]*\]\(<?\?[^)]*\)|\$[^$]*\$", "", written)
        written = written.replace("about 2.7", "")  # e is no number of the model
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


def test_the_heads_of_the_tour_are_those_that_move_most_and_least():
    whole = probabilities(facts.CLINICAL)
    moved = {key: np.abs(p - whole).sum() / 2 for key, p in without_each_head(facts.CLINICAL).items()}
    top = int(whole.argmax())
    most, least = max(moved, key=moved.get), min(moved, key=moved.get)
    by_title = {stop.title: stop for stop in tour.stops()}
    heavy, light = by_title["The head that matters most"], by_title["The head that matters least"]
    assert (heavy.place.cut, light.place.cut) == (most, least)
    assert heavy.says().startswith(f"Without {most}, *{runs.word(top)}* ")
    stays = sum(p.argmax() == top for p in without_each_head(facts.CLINICAL).values())
    all_of_them = f"Each of the {stays} heads can go"
    assert (
        all_of_them if stays == len(moved) else f"Of the {len(moved)} heads {stays} can go"
    ) in light.says()


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


def test_the_sizes_in_the_prose_are_the_models(text):
    c = M.config
    assert f"holds {100 * c.vocab_size * c.d_model / c.n_params():.0f} % of all the numbers" in text
    mlps = sum(
        math.prod(shape)
        for name, shape in c.shapes().items()
        if name.split(".")[-1] in ("w_gate", "w_up", "w_down")
    )
    assert f"with {100 * mlps / c.n_params():.0f} % of all learned numbers" in text
    assert 2 * mlps > c.n_params()  # “it is the largest part”
    weights = (
        sum(math.prod(shape) for name, shape in c.shapes().items() if name in ("0.w_q", "0.w_o")) // c.n_heads
    )
    shared = sum(math.prod(shape) for name, shape in c.shapes().items() if name in ("0.w_k", "0.w_v"))
    assert f"one head works with {weights + shared // c.n_kv_heads:,} weights" in text
    assert c.n_heads == 2 * c.n_kv_heads  # “two heads share one”
    assert c.n_heads * c.d_head == c.d_model  # a single head of that width takes matrices of the same size
    one = M.forward([0], M.new_cache())
    assert f"{sum(a.size for a in (*one.k, *one.v)):,} numbers a token" in text


def test_the_stream_grows_until_what_it_began_with_is_a_small_part(text):
    streams = experiments.flow(M, drawn.ids_of(facts.CLINICAL, 8)).streams
    bottom, top = (float(np.linalg.norm(s[-1])) for s in (streams[0], streams[-1]))
    assert f"from a size of {bottom:,.1f} to {top:,.0f}" in text
    assert top > 5 * bottom


def test_the_same_token_has_the_same_row_in_both_sentences_and_no_other_row_the_same():
    flows = [experiments.flow(M, drawn.ids_of(t, 8)) for t in (facts.CLINICAL, facts.HOUSEHOLD)]
    np.testing.assert_array_equal(flows[0].embedding[-1], flows[1].embedding[-1])
    for layer in range(M.config.n_layers):
        heads = [f.heads[layer][:, -1].sum(axis=0) for f in flows]
        mlps = [f.mlps[layer][-1] for f in flows]
        assert abs(heads[0] - heads[1]).max() > 0.01
        assert abs(mlps[0] - mlps[1]).max() > 0.01


def test_the_guess_forms_where_the_prose_says(text):
    for sentence in (facts.CLINICAL, facts.HOUSEHOLD):
        said = experiments.lens(M, drawn.ids_of(sentence, 8)).argmax(axis=1).tolist()
        first = max((k + 1 for k, token in enumerate(said) if token != said[-1]), default=0)
        where = f"layer {first}" if first else "the embedding"
        assert f"says {runs.word(said[-1])} from {where} on" in text
    at_first = experiments.lens(M, drawn.ids_of(facts.CLINICAL, 8)).argmax(axis=1)[0]
    assert str(runs.word(at_first)) == "chest"  # “fits itself best”
    assert f"chest would be followed by {runs.word(at_first)}:" in text


def test_only_the_step_to_a_capital_is_shared_by_pairs(text):
    rows = M.params["embedding"].astype(float)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    at = {str(runs.word(i)): i for i in range(M.config.vocab_size)}
    found = {}
    for name, pairs in (("caps", facts.CAPITALS), ("he", facts.GENDER), ("is", facts.TENSES)):
        steps = np.array([rows[at[b]] - rows[at[a]] for a, b in pairs])
        steps /= np.linalg.norm(steps, axis=1, keepdims=True)
        off = ~np.eye(len(pairs), dtype=bool)
        found[name] = float((steps @ steps.T)[off].mean())
        assert f"{found[name]:.2f}".replace("-", "−") in text
    assert f"of {facts.counted(len(facts.CAPITALS))} pairs" in text
    assert found["caps"] > 0.2 > 0.1 > max(abs(found["he"]), abs(found["is"]))
    assert str(runs.word(experiments.nearest(M, at["man"], 1)[0][0])) == "woman"


def test_the_voter_and_the_needed_are_who_the_prose_names(text):
    ids = drawn.ids_of(facts.CLINICAL, 8)
    top = int(M.forward(ids).logits[-1].argmax())
    votes = experiments.contributions(M, ids, top)
    c = M.config
    points, left = {"the embedding": votes.embedding}, {}
    for layer in range(c.n_layers):
        name = f"the MLP of layer {layer + 1}"
        points[name] = votes.mlps[layer]
        left[name] = probabilities(facts.CLINICAL, [Part(layer, mlp=True)])[top]
        for head in range(c.n_heads):
            name = f"head {layer + 1}.{head + 1}"
            points[name] = votes.heads[layer, head]
            left[name] = probabilities(facts.CLINICAL, [Part(layer, head)])[top]
    most, needed = max(points, key=points.get), min(left, key=left.get)
    assert f"Most votes for {runs.word(top)} come from {most}" in text
    assert f"The cut that costs most is that of {needed}," in text
    share = runs.percent(left[needed]).replace("\u00a0", " ")
    assert f"with a vote of {points[needed]:+.2f}: it leaves {share}".replace("-", "−") in text


def test_the_cuts_of_the_last_section_say_what_they_do(text):
    c = M.config
    heads = [Part(layer, head) for layer in range(c.n_layers) for head in range(c.n_heads)]
    whole = probabilities(facts.CLINICAL)
    top = int(whole.argmax())
    for found, parts in (
        (facts.outcome(facts.CLINICAL, facts.all_heads()), heads),
        (facts.outcome(facts.CLINICAL, facts.all_mlps()), [Part(a, mlp=True) for a in range(c.n_layers)]),
        (facts.outcome(facts.CLINICAL, facts.heads_of(1)), [Part(1, head) for head in range(c.n_heads)]),
    ):
        after = probabilities(facts.CLINICAL, parts)
        assert found.startswith(f"*{runs.word(top)}* ")
        assert runs.percent(after[top]) in found
        assert prose.plain(found.replace("*", "")).replace("\u00a0", " ") in text
    layer, head = (int(n) - 1 for n in facts.heaviest(facts.CLINICAL, "head").key.split("."))
    after = probabilities(facts.CLINICAL, edges=[Edge(None, 3, layer, head)])
    assert f"to {runs.percent(after[top])}".replace("\u00a0", " ") in text
    without = [
        float(probabilities(facts.CLINICAL, edges=[Edge(None, at) for at in hidden])[top])
        for hidden in ((3,), (1, 2, 3))
    ]
    assert without[0] == pytest.approx(without[1], abs=0.03)  # “nearly the same is left”
    singles = {
        (a, b): probabilities(facts.CLINICAL, edges=[Edge(None, 3, a, b)])[top] for a, b in np.ndindex(4, 4)
    }
    layer, head = min(singles, key=singles.__getitem__)
    assert facts.one_look(facts.CLINICAL, "severe") == f"{layer + 1}.{head + 1}@3"


def test_the_answers_of_the_checks_are_right(chapter):
    answers = {
        b.name: float(found[1])
        for b in chapter.blocks
        if b.kind == "check" and (found := re.search(r'data-answer="([^"]+)"', b.html))
    }
    c = M.config
    assert answers == {
        "parts-that-add": c.n_layers * (c.n_heads + 1),
        "numbers-in-the-table": M.params["embedding"].size,
        "row-times-vector": 1,
        "lead-of-two": pytest.approx(math.exp(2)),
        "kept-by-a-token": 2 * c.n_layers * c.n_kv_heads * c.d_head,
    }


def test_the_last_stop_of_the_slider_silences_a_whole_mlp(runner):
    c = M.config
    assert SILENCED[-1] == c.d_ff
    ids = drawn.ids_of(facts.CLINICAL, 8)
    for layer in range(c.n_layers):
        after = drawn.softmax(experiments.without(M, ids, [Part(layer, mlp=True)]).logits[-1])
        top = int(M.forward(ids).logits[-1].argmax())
        asked = {"mlp_layer": layer + 1, "mlp_silenced": c.d_ff}
        assert f" {runs.percent(after[top])}." in runner.figure("mlp", asked).sentence
