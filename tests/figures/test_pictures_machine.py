"""What Chapter 4's pictures draw is what the model computes: streams, looks, cuts and votes, read back."""

import html
import json
import math
import re

import numpy as np
import pytest

from glassbox import model
from glassbox.figures import machine as figures
from glassbox.figures.machine import cuts, runs, sheet
from glassbox.model import experiments
from glassbox.model.experiments import Edge, Part
from tests.figures import drawn

TEXT, OTHER = "Patient has severe chest", "She opened the wooden chest"
M = model.load()
C = M.config


def names():
    return [M.tokenizer.decode_bytes([i]).decode() for i in range(C.vocab_size)]


def points(path):
    """Places of marks that are drawn as M x y h.01, and the ends of lines drawn as M x y V or H."""
    return [(float(a), float(b)) for a, b in re.findall(r"M(-?[\d.]+) (-?[\d.]+)", path.attrs["d"])]


def column(x, n):
    return round(x / 100 * n - 0.5)


# --- machine


@pytest.mark.parametrize("position", [1, 3, 99])
@pytest.mark.parametrize(("text", "cut"), [(TEXT, ""), (OTHER, "2.1 3.MLP"), (TEXT, "1 @2")])
def test_every_dot_is_a_share_of_attention_and_none_is_left_out(text, cut, position):
    picture = drawn.read(figures.machine(text, cut, position).picture)
    ids = drawn.ids_of(text, 8)
    i = min(position, len(ids) - 1)
    flow = experiments.flow(
        M,
        ids,
        [c.part for c in cuts.parse(cut) if c.part],
        [c.edge for c in cuts.parse(cut) if c.edge],
    )
    expected = {}
    for layer in range(C.n_layers):
        for head in range(C.n_heads):
            if {f"{layer + 1}.{head + 1}", f"{layer + 1}"} & set(cut.split()):
                continue
            for j, share in enumerate(flow.forward.weights[layer][head, i]):
                if share >= sheet.SEEN:
                    expected[layer, head, j] = round(3 + 12 * math.sqrt(share))
    lanes = {
        (top + bottom) / 2: (layer, head)
        for layer, row in enumerate(sheet.rows().heads)
        for head, (top, bottom) in enumerate(row)
    }
    found = {}
    for path in picture.all("path", "mc-dot"):
        for x, y in points(path):
            found[(*lanes[y], column(x, len(ids)))] = int(path.attrs["stroke-width"])
    assert found == expected


def test_streams_are_as_thick_as_they_are_large_and_marked_where_a_cut_moved_them():
    ids, n = drawn.ids_of(TEXT, 8), len(drawn.ids_of(TEXT, 8))
    whole, now = experiments.flow(M, ids), experiments.flow(M, ids, [Part(1, head=2)])
    picture = drawn.read(figures.machine(TEXT, "2.3").picture)
    count = 0
    for kind in ("mc-same", "mc-some", "mc-much"):
        for path in picture.all("path", kind):
            for x, bottom in points(path):
                count += 1
                i = column(x, n)
                assert ("mc-followed" in path.classes) == (i == n - 1)
                at = sheet.rows()
                starts = {at.embedding[1]: 0}
                for layer in range(C.n_layers):
                    starts |= {at.mlp[layer][1]: 2 * layer + 1, at.guess[layer][1]: 2 * layer + 2}
                k = starts[int(bottom)]
                size = np.linalg.norm(now.streams[k][i])
                assert int(path.attrs["stroke-width"]) == round(3 + 2.5 * math.log10(max(size, 1)))
                moved = np.linalg.norm(now.streams[k][i] - whole.streams[k][i]) / np.linalg.norm(
                    whole.streams[k][i]
                )
                assert kind == ("mc-much" if moved >= 0.25 else "mc-some" if moved >= 0.02 else "mc-same")
    assert count == n * (2 * C.n_layers + 1)


@pytest.mark.parametrize("cut", ["", "1.MLP", "@3", "2.1@2 4"])
def test_the_next_words_are_those_of_the_cut_model_beside_those_of_the_whole(cut):
    ids = drawn.ids_of(TEXT, 8)
    parts = {"1.MLP": [Part(0, mlp=True)], "2.1@2 4": [Part(3)]}.get(cut, [])
    edges = {"@3": [Edge(None, 3)], "2.1@2 4": [Edge(None, 2, 1, 0)]}.get(cut, [])
    before = drawn.softmax(M.forward(ids).logits[-1])
    after = drawn.softmax(experiments.flow(M, ids, parts, edges).forward.logits[-1])
    picture = drawn.read(figures.machine(TEXT, cut).picture)
    lines = picture.one(class_="mc-words").all("li")
    assert len(lines) == 6
    by_name = {str(runs.word(i)): i for i in range(C.vocab_size)}
    for line in lines:
        token = by_name[line.all("span")[0].text]
        assert line.one("i").share("--share") == pytest.approx(100 * after[token], abs=0.051)
        assert line.one("i").share("--mark") == pytest.approx(100 * before[token], abs=0.051)
        assert line.one("b").text == runs.percent(after[token]).replace("\u00a0", " ")
    assert by_name[lines[0].all("span")[0].text] == before.argmax()
    shown = {by_name[line.all("span")[0].text] for line in lines}
    assert {int(before.argmax()), int(after.argmax())} <= shown


def test_each_part_says_what_is_left_when_it_alone_is_cut():
    ids = drawn.ids_of(OTHER, 8)
    top = int(M.forward(ids).logits[-1].argmax())
    picture = drawn.read(figures.machine(OTHER, "", 99, figures.BESIDE[1]).picture)
    rows = {r.all(class_="mc-chip")[0].attrs["aria-label"]: r for r in picture.all(class_="mc-head")}
    assert len(rows) == C.n_layers * C.n_heads
    for layer in range(C.n_layers):
        for head in range(C.n_heads):
            probs = drawn.softmax(experiments.without(M, ids, [Part(layer, head)]).logits[-1])
            beside = rows[f"layer {layer + 1}, head {head + 1}"].one(class_="mc-beside")
            assert beside.one("span").text == runs.percent(probs[top]).replace("\u00a0", " ")


def test_the_guess_over_each_layer_is_the_lens():
    logits = experiments.lens(M, drawn.ids_of(TEXT, 8))
    picture = drawn.read(figures.machine(TEXT).picture)
    said = [g.text for g in picture.all(class_="mc-says")][::-1]
    assert len(said) == C.n_layers + 1
    for row, text in zip(logits, said, strict=True):
        probs = drawn.softmax(row)
        best = int(probs.argmax())
        assert text == f"{runs.word(best)} {runs.percent(probs[best])}".replace("\u00a0", " ")


def test_a_press_cuts_one_more_part_or_puts_it_back():
    picture = drawn.read(figures.machine(TEXT, "1.4 @2").picture)
    chips = {c.attrs["aria-label"]: c for c in picture.all(class_="mc-chip")}
    sets = {name: json.loads(html.unescape(c.attrs["data-set"]))["cut"] for name, c in chips.items()}
    assert sets["layer 1, head 4"] == "@2"
    assert sets["hide has"] == "1.4"
    assert sets["the MLP of layer 2"] == "1.4 @2 2.MLP"
    assert {n for n, c in chips.items() if c.attrs["aria-selected"] == "true"} == {
        "layer 1, head 4",
        "hide has",
    }
    assert len(chips) == C.n_layers * (C.n_heads + 2) + 5


def test_all_heads_and_mlps_of_a_cut_layer_are_marked_as_cut():
    picture = drawn.read(figures.machine(TEXT, "3").picture)
    cut = {c.attrs["aria-label"] for c in picture.all(class_="mc-cut")}
    assert cut == {
        "the whole of layer 3",
        "the MLP of layer 3",
        *(f"layer 3, head {h + 1}" for h in range(C.n_heads)),
    }


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        ("9.1", r"'9\.1' names no part; write 1\.1 to 4\.4 for a head"),
        ("1.4 <b>", "'<b>' names no part"),
        ("@7", "@7 hides position 7, and this text has positions 0 to 4"),
        (" ".join(f"@{n}" for n in range(61)), "61 parts at once"),
    ],
)
def test_a_cut_that_is_not_there_is_refused_in_words(cut, said):
    with pytest.raises(ValueError, match=said):
        figures.machine(TEXT, cut)


def test_cuts_are_read_however_they_are_written():
    assert cuts.listed(cuts.parse(" 1.4,2.mlp;  @3 1.4\n2.1@3 3")) == "1.4 2.MLP @3 2.1@3 3"
    assert cuts.parse("") == ()


def test_the_sentence_says_what_the_cut_did():
    whole, cut = figures.machine(TEXT).sentence, figures.machine(TEXT, "1.MLP").sentence
    before = drawn.softmax(M.forward(drawn.ids_of(TEXT, 8)).logits[-1])
    top = int(before.argmax())
    after = drawn.softmax(experiments.without(M, drawn.ids_of(TEXT, 8), [Part(0, mlp=True)]).logits[-1])
    assert f"“{runs.word(top)}” {runs.percent(before[top])}" in whole
    assert f"goes from {runs.percent(before[top])} to {runs.percent(after[top])}" in cut
    assert "without the MLP of layer 1" in cut
