"""What Chapter 4's pictures draw is what the model computes: streams, looks, cuts and votes, read back."""

import dataclasses
import html
import importlib
import json
import math
import re

import numpy as np
import pytest

from glassbox import model
from glassbox.figures import machine as figures
from glassbox.figures.machine import cuts, runs, sheet, tour
from glassbox.model import experiments
from glassbox.model.experiments import Edge, Part
from glassbox.model.transformer import Switches
from tests.figures import drawn

TEXT, OTHER = "Patient has severe chest", "She opened the wooden chest"
mlp_module = importlib.import_module("glassbox.figures.machine.mlp")
M = model.load()
C = M.config


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
            beside = rows[f"{layer + 1}.{head + 1}: layer {layer + 1}, head {head + 1}"].one(
                class_="mc-beside"
            )
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
    assert sets["1.4: layer 1, head 4"] == "@2"
    assert sets["hide has"] == "1.4"
    assert sets["the MLP of layer 2"] == "1.4 @2 2.MLP"
    assert {n for n, c in chips.items() if c.attrs["aria-selected"] == "true"} == {
        "1.4: layer 1, head 4",
        "hide has",
    }
    assert sets["by positions, in every head: the rotation"] == "1.4 @2 rotation"
    assert len(chips) == C.n_layers * (C.n_heads + 2) + 5 + 1  # and a word hidden each, and the rotation


def test_all_heads_and_mlps_of_a_cut_layer_are_marked_as_cut():
    picture = drawn.read(figures.machine(TEXT, "3").picture)
    cut = {c.attrs["aria-label"] for c in picture.all(class_="mc-cut")}
    assert cut == {
        "the whole of layer 3",
        "the MLP of layer 3",
        *(f"3.{h + 1}: layer 3, head {h + 1}" for h in range(C.n_heads)),
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


def test_without_the_rotation_the_next_words_are_those_of_a_model_without_positions():
    ids = drawn.ids_of(tour.KEYS, 8)
    flow = experiments.flow(M, ids, switches=Switches(positions=False))
    shown = figures.machine(tour.KEYS, "Rotation")
    rows = {row[0]: row[2] for row in shown.table.rows[:6]}
    probs = drawn.softmax(flow.forward.logits[-1])
    best = int(probs.argmax())
    assert rows[f"next word: {runs.word(best)}"] == pytest.approx(100 * probs[best], abs=0.01)
    assert "without the rotation by positions" in shown.sentence
    assert drawn.softmax(M.forward(ids).logits[-1]).argmax() != best


@pytest.mark.parametrize("cut", ["", "2.1 3.MLP"])
def test_a_stream_is_read_where_it_has_come_to(cut):
    flow = experiments.flow(M, drawn.ids_of(TEXT, 8), [c.part for c in cuts.parse(cut)])
    at = sheet.rows()
    tops = [at.embedding[0], *(y for a in range(C.n_layers) for y in (at.heads[a][-1][0], at.guess[a][0]))]
    for depth in range(2 * C.n_layers):
        shown = figures.machine(TEXT, cut, depth=depth)
        probs = drawn.softmax(M.read_out(flow.streams[depth][-1:])[0])
        best = int(probs.argmax())
        assert f"says “{runs.word(best)}” {runs.percent(probs[best])};" in shown.sentence
        picture = drawn.read(shown.picture)
        assert_strip(picture.one("div", "strip"), flow.streams[depth][-1])
        assert points(picture.one("path", "mc-here"))[0][1] == tops[depth]
        assert picture.one("path", "mc-veil").attrs["d"] == f"M0 0H100V{tops[depth]}H0z"
        layer, heads = divmod(depth, 2)
        waiting = (C.n_layers - layer) * (C.n_heads + 2) - heads * C.n_heads
        assert len(picture.all(class_="mc-above")) == waiting
    assert not drawn.read(figures.machine(TEXT, cut).picture).all("path", "mc-veil")


def test_a_heads_longest_look_back_can_be_cut_alone():
    weights = experiments.flow(M, drawn.ids_of(TEXT, 8)).forward.weights
    picture = drawn.read(figures.machine(TEXT, "1.2@3", 99, figures.BESIDE[2]).picture)
    chips = {c.attrs["aria-label"].rsplit(" ", 1)[1]: c for c in picture.all(class_="mc-look")}
    assert len(chips) == C.n_layers * C.n_heads
    for key, chip in chips.items():
        layer, head = (int(n) - 1 for n in key.split("."))
        look = f"{key}@{weights[layer][head, -1, :-1].argmax()}"
        wanted = "" if look == "1.2@3" else f"1.2@3 {look}"
        assert json.loads(html.unescape(chip.attrs["data-set"]))["cut"] == wanted
        assert chip.attrs["aria-selected"] == str(look == "1.2@3").lower()


def test_under_each_token_stand_its_bytes_and_its_id():
    ids = drawn.ids_of(TEXT, 8)
    cells = drawn.read(figures.machine(TEXT).picture).one(class_="mc-ids").all("span")[1:-1]
    assert [int(c.text) for c in cells] == list(ids)
    for cell, token in zip(cells, ids, strict=True):
        assert f"the bytes {M.piece(token)[:16].hex(' ')} are token {token}," in cell.attrs["data-detail"]


# --- The tour


def test_the_tour_has_twelve_stops_and_each_button_leads_to_its_own():
    stops = tour.stops()
    assert len(stops) == tour.STOPS == 12
    for at, stop in enumerate(stops, 1):
        p = stop.place
        shown = figures.machine(p.text, p.cut, p.position, depth=p.depth)
        picture = drawn.read(shown.picture)
        assert picture.one(class_="mc-said").text.startswith(f"{at} of 12. {stop.title}.")
        dots = picture.all(class_="mc-stop")
        assert [d.attrs.get("aria-current") for d in dots] == [None] * (at - 1) + ["step"] + [None] * (
            12 - at
        )
        for other, dot in zip(stops, dots, strict=True):
            moves = json.loads(html.unescape(dot.attrs["data-set"]))
            now = {"text": p.text, "cut": p.cut, "position": p.position, "depth": p.depth}
            assert {**now, **moves} == {**dataclasses.asdict(other.place)}
        ahead, back = picture.one(class_="mc-next"), picture.all(class_="mc-turn")[0]
        assert ahead.attrs["data-set"] == dots[at % 12].attrs["data-set"]
        assert back.attrs["data-set"] == dots[at - 2].attrs["data-set"]


def test_a_stop_in_an_address_shows_it_and_the_readers_own_controls_come_first():
    for at, stop in enumerate(tour.stops(), 1):
        p = stop.place
        named = figures.machine(TEXT, "", 7, depth=2 * C.n_layers, tour=at)
        assert named.sentence == figures.machine(p.text, p.cut, p.position, depth=p.depth).sentence
    mine = figures.machine(TEXT, "4.2", tour=6)
    assert "without layer 4, head 2" in mine.sentence
    said = drawn.read(mine.picture)
    assert said.one(class_="mc-said").text.startswith("Your own way. Stop 6 of the tour")
    moves = json.loads(html.unescape(said.one(class_="mc-next").attrs["data-set"]))
    assert moves == {"tour": 1, "cut": tour.stops()[5].place.cut, "position": 7}


def test_a_press_at_a_stop_remembers_it_and_one_that_leads_to_a_stop_is_there():
    picture = drawn.read(figures.machine(TEXT, "1.4", 7, depth=2 * C.n_layers).picture)
    chips = {
        c.attrs["aria-label"]: json.loads(html.unescape(c.attrs["data-set"]))
        for c in picture.all(class_="mc-chip")
    }
    assert chips["4.2: layer 4, head 2"] == {"tour": 6, "cut": "1.4 4.2"}
    assert chips["1.4: layer 1, head 4"] == {"cut": ""}


def test_what_the_tour_says_of_cuts_is_what_the_cuts_do():
    for stop in tour.stops():
        p, said = stop.place, stop.says()
        whole, cut = runs.run(p.text).probs[-1], runs.run(p.text, p.cut).probs[-1]
        if not p.cut:
            continue
        top = int(whole.argmax())
        assert runs.percent(cut[top]) in said, stop.title
        if int(cut.argmax()) != top:
            assert f"*{runs.word(int(cut.argmax()))}* leads with {runs.percent(cut.max())}" in said


def test_two_heads_that_can_go_alone_cannot_go_together():
    """The tour says so of two heads by name; another model may need another pair."""
    whole = runs.run(TEXT).probs[-1]
    left = [runs.run(TEXT, cut).probs[-1] for cut in (*tour.PAIR, " ".join(tour.PAIR))]
    assert [int(p.argmax()) == int(whole.argmax()) for p in left] == [True, True, False]


def test_the_sentence_says_what_the_cut_did():
    whole, cut = figures.machine(TEXT).sentence, figures.machine(TEXT, "1.MLP").sentence
    before = drawn.softmax(M.forward(drawn.ids_of(TEXT, 8)).logits[-1])
    top = int(before.argmax())
    after = drawn.softmax(experiments.without(M, drawn.ids_of(TEXT, 8), [Part(0, mlp=True)]).logits[-1])
    assert f"“{runs.word(top)}” {runs.percent(before[top])}" in whole
    assert runs.moved(before[top], after[top]) in cut
    assert "without the MLP of layer 1" in cut


# --- Strips


def bars_of(strip):
    """The numbers that a strip draws, between -1 and 1: its path goes along their tops."""
    path = strip.one("path", "s-up").attrs["d"]
    return [1 - float(top) for top in re.findall(r"V([\d.]+)h1", path)]


def assert_strip(strip, values, high=None):
    full = high or abs(values).max()
    assert bars_of(strip) == pytest.approx((values / full).tolist(), abs=0.0501)


def marked(strip):
    return int(re.match(r"M(\d+) ", strip.one("path", "v-mark").attrs["d"])[1])


# --- embed


def test_a_word_is_its_row_and_its_neighbours_are_the_nearest_by_a_slow_search():
    token = M.tokenizer.encode(" severe")[0]
    rows = M.params["embedding"].astype(float)
    cosines = {
        i: float(rows[token] @ row / np.linalg.norm(rows[token]) / np.linalg.norm(row))
        for i, row in enumerate(rows)
        if i != token
    }
    best = sorted(cosines, key=cosines.get, reverse=True)[:8]
    picture = drawn.read(figures.embed("severe").picture)
    found = drawn.bars(picture.one(class_="chart-bars"))
    assert [name for name, _, _ in found] == [str(runs.word(i)) for i in best]
    for (_, share, written), i in zip(found, best, strict=True):
        assert share == pytest.approx(100 * max(cosines[i], 0), abs=0.01)
        assert written == f"{cosines[i]:.2f}"
    own, other = picture.all("div", "strip")
    assert_strip(own, rows[token])
    assert_strip(other, rows[best[0]])


def test_a_word_of_several_tokens_shows_them_all_from_bytes_to_rows():
    pieces = M.tokenizer.encode(" asthma")
    assert len(pieces) == 4
    shown = figures.embed("asthma")
    assert "This is 4 tokens" in shown.note
    assert f"is row {pieces[-1]} of" in shown.sentence
    picture = drawn.read(shown.picture)
    spelled = [li.text for li in picture.one("ol", "em-bytes").all("li")]
    assert spelled == [f"{M.piece(i).hex(' ')} → {runs.word(i)} → {i}" for i in pieces]
    assert b"".join(M.piece(i) for i in pieces) == b" asthma"
    for strip, i in zip(picture.all("div", "strip"), pieces, strict=False):
        assert_strip(strip, M.params["embedding"][i])
    assert figures.embed("").sentence.startswith("“⟨end of text⟩” is row")


@pytest.mark.parametrize(("word", "minus", "plus"), [("patient", "the", "The"), ("his", "he", "she")])
def test_a_moved_row_is_a_sum_of_three_and_its_neighbours_a_slow_search(word, minus, plus):
    w, a, b = (M.tokenizer.encode(f" {t}")[0] for t in (word, minus, plus))
    rows = M.params["embedding"].astype(float)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    moved = rows[w] + rows[b] - rows[a]
    cosines = {
        i: float(row @ moved / np.linalg.norm(moved)) for i, row in enumerate(rows) if i not in (w, a, b)
    }
    best = sorted(cosines, key=cosines.get, reverse=True)[:8]
    shown = figures.embed(word, minus, plus)
    found = drawn.bars(drawn.read(shown.picture).one(class_="chart-bars"))
    assert [name for name, _, _ in found] == [str(runs.word(i)) for i in best]
    assert f"comes nearest to the row of “{runs.word(best[0])}”" in shown.sentence
    assert str(runs.word(best[0])) == {"patient": "Patient", "his": "him"}[word]


# --- residual


@pytest.mark.parametrize("number", [1, 70, 128])
def test_the_rows_of_the_sum_add_up_to_its_last_row(number):
    flow = experiments.flow(M, drawn.ids_of(TEXT, 8))
    terms = [flow.embedding[-1]]
    for heads, mlp in zip(flow.heads, flow.mlps, strict=True):
        terms += [heads[:, -1].sum(axis=0), mlp[-1]]
    picture = drawn.read(figures.residual(TEXT, number).picture)
    lines = picture.all("li")[1:]
    values = [float(line.one("b").text.replace("−", "-").replace(",", "")) for line in lines]
    assert sum(values[:-1]) == pytest.approx(values[-1], abs=0.006 * len(values))
    for line, term in zip(lines, [*terms, flow.streams[-1][-1]], strict=True):
        assert_strip(line.one("div", "strip"), term)
        assert marked(line.one("div", "strip")) == number - 1
        size = float(line.one("span", "rs-size").text.replace(",", ""))
        assert size == pytest.approx(np.linalg.norm(term), abs=0.051)


# --- project


@pytest.mark.parametrize("head", [0, 3, 14])
@pytest.mark.parametrize("which", range(4))
def test_a_number_is_its_row_of_weights_times_what_goes_in(which, head):
    layer, h = divmod(head, C.n_heads)
    group = h // (C.n_heads // C.n_kv_heads)
    ids = drawn.ids_of(TEXT, 8)
    flow = experiments.flow(M, ids)
    x = flow.streams[2 * layer][-1].astype(float)
    x = x / np.sqrt((x**2).mean() + C.norm_eps) * M.params[f"{layer}.norm_attention"]
    heads = M.params[f"{layer}.w_qkv"].reshape(C.n_heads + 2 * C.n_kv_heads, C.d_head, C.d_model)
    rows = [heads[h], heads[C.n_heads + group], heads[C.n_heads + C.n_kv_heads + group]]
    goes_in = x
    if which == 3:
        one = flow.forward.head(layer, h)
        goes_in = one.weights[-1] @ one.v
        rows.append(M.params[f"{layer}.w_o"][:, h * C.d_head : (h + 1) * C.d_head])
    result = rows[which] @ goes_in
    shown = figures.project(TEXT, head, figures.MATRICES[which], 5)
    strips = drawn.read(shown.picture).all("div", "strip")
    for strip, values in zip(
        strips, [goes_in, rows[which][4], goes_in * rows[which][4], result], strict=True
    ):
        assert_strip(strip, values)
    assert marked(strips[3]) == 4
    assert f" is {result[4]:.2f}:".replace("-", "−") in shown.sentence
    assert [row[1] for row in shown.table.rows] == pytest.approx(result.tolist(), abs=1e-3)
    if which == 2:  # a value is not turned: the model holds the same numbers
        assert result.tolist() == pytest.approx(flow.forward.head(layer, h).v[-1].tolist(), abs=1e-3)
    if which == 3:
        assert result.tolist() == pytest.approx(flow.heads[layer][h, -1].tolist(), rel=1e-3, abs=1e-2)


# --- heads_join


def test_all_heads_together_add_what_they_add_one_by_one():
    flow = experiments.flow(M, drawn.ids_of(TEXT, 8))
    for layer in range(C.n_layers):
        lines = drawn.read(figures.heads_join(TEXT, layer + 1).picture).all("li")[1:]
        assert len(lines) == C.n_heads + 1
        for head, line in enumerate(lines[:-1]):
            one = flow.forward.head(layer, head)
            mixed, added = line.all("div", "strip")
            assert_strip(mixed, one.weights[-1] @ one.v)
            assert_strip(added, flow.heads[layer][head, -1])
            size = float(line.one("span", "number").text.replace(",", ""))
            assert size == pytest.approx(np.linalg.norm(flow.heads[layer][head, -1]), abs=0.051)
        assert_strip(lines[-1].all("div", "strip")[1], flow.heads[layer][:, -1].sum(axis=0))


# --- mlp


def test_the_units_that_write_most_are_named_and_what_is_cut_is_what_the_answer_lacks():
    ids = drawn.ids_of(TEXT, 8)
    flow = experiments.flow(M, ids)
    for layer in range(C.n_layers):
        fired = experiments.units(M, flow, layer)
        written = abs(fired[-1]) * np.linalg.norm(M.params[f"{layer}.w_down"], axis=0)
        order = sorted(range(C.d_ff), key=lambda u: -written[u])
        shown = figures.mlp(TEXT, layer + 1, 2, 4)
        picture = drawn.read(shown.picture)
        named = [
            name.split()[1]
            for name, _, _ in drawn.bars(picture.one(class_="ml-units").one(class_="chart-bars"))
        ]
        assert named == [str(u) for u in order[:8]]
        assert_strip(picture.one(class_="ml-units").one("div", "strip"), fired[-1])
        before = drawn.softmax(M.forward(ids).logits[-1])
        after = drawn.softmax(experiments.without_units(M, ids, layer, order[:4]).logits[-1])
        top = int(before.argmax())
        assert shown.sentence.endswith(f" {runs.moved(before[top], after[top])}.")
        first = drawn.bars(picture.one(class_="ml-answer").one(class_="chart-bars"))[0]
        assert first[1] == pytest.approx(100 * after[top], abs=0.01)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_what_wakes_a_unit_fires_it_and_what_fires_it_below_zero_is_told_apart(rank):
    picture = drawn.read(figures.mlp(TEXT, 2, rank).picture)
    unit = int(re.search(r"Unit (\d+) in this text", picture.text)[1])
    fired = np.concatenate(
        [experiments.units(M, experiments.flow(M, M.encode(t)), 1)[1:, unit] for t in mlp_module.TEXTS]
    )
    up, down = (
        [float(li.one("span", "number").text.replace("−", "-")) for li in ul.all("li")]
        for ul in picture.all("ul", "ml-waking")
    )
    assert up[0] == pytest.approx(fired.max(), abs=0.051)
    assert down[0] == pytest.approx(fired.min(), abs=0.051)
    assert up == sorted(up, reverse=True)
    assert down == sorted(down)
    assert min(up) > -0.05 < 0.05 > max(down)


# --- lens


def test_every_cell_is_what_that_stream_would_say_there():
    ids = drawn.ids_of(OTHER, 8)
    rows = drawn.read(figures.lens(OTHER).picture).one("tbody").all("tr")
    assert len(rows) == C.n_layers + 1
    for i in range(len(ids)):
        probs = drawn.softmax(experiments.lens(M, ids, i))
        for k, row in enumerate(reversed(rows)):
            cell, best = row.all("td")[i], int(probs[k].argmax())
            assert cell.one("b").text == str(runs.word(best))
            assert cell.share("--w") == pytest.approx(100 * probs[k][best], abs=0.51)


# --- unembed


@pytest.mark.parametrize("temperature", [0.2, 1, 3])
def test_logits_and_shares_are_worked_out_again(temperature):
    logits = M.forward(drawn.ids_of(TEXT, 8)).logits[-1].astype(float)
    shares = drawn.softmax(logits / temperature)
    shown = figures.unembed(TEXT, temperature)
    order = np.argsort(-logits)[:6]
    lines = drawn.read(shown.picture).one("tbody").all("tr")
    for line, i in zip(lines, order, strict=False):
        assert line.one("th").text == str(runs.word(i))
        assert float(line.all("td")[0].text) == pytest.approx(logits[i], abs=0.0051)
        assert line.all("td")[2].text == runs.percent(shares[i]).replace("\u00a0", " ")
    assert lines[-1].all("td")[2].share("--w") == pytest.approx(100 * (1 - shares[order].sum()), abs=0.51)
    with pytest.raises(ValueError, match="temperature is 0"):
        figures.unembed(TEXT, 0)


# --- contributions


@pytest.mark.parametrize("word", ["", "of", "tightness"])
def test_all_votes_add_up_to_the_logit(word):
    shown = figures.contributions(TEXT, word)
    logits = M.forward(drawn.ids_of(TEXT, 8)).logits[-1]
    token = M.tokenizer.encode(f" {word}")[0] if word else int(logits.argmax())
    votes = [row[1] for row in shown.table.rows]
    assert len(votes) == 1 + C.n_layers * (C.n_heads + 1)
    assert sum(votes) == pytest.approx(logits[token], abs=1e-2)
    probs = drawn.softmax(experiments.without(M, drawn.ids_of(TEXT, 8), [Part(0, mlp=True)]).logits[-1])
    left = {row[0]: row[2] for row in shown.table.rows}
    assert left["the MLP of layer 1"] == pytest.approx(100 * probs[token], abs=0.01)
    lines = drawn.read(shown.picture).all("li")
    most = max(map(abs, votes))
    for line, vote in zip([li for li in lines if li.all("i")], reversed(votes), strict=True):
        against, agreed = (i.share("--share") for i in line.all("i"))
        assert against == pytest.approx(max(-vote, 0) / most * 100, abs=0.06)
        assert agreed == pytest.approx(max(vote, 0) / most * 100, abs=0.06)


# --- kept


def test_what_is_kept_gives_the_same_answer_for_the_work_it_says():
    ids = drawn.ids_of(TEXT, 8)
    cache = M.new_cache()
    before, last = M.forward(ids[:-1], cache), M.forward(ids[-1:], cache)
    again = M.forward(ids, last_only=True)
    np.testing.assert_allclose(last.logits, again.logits, rtol=1e-3, atol=1e-3)
    shown = figures.kept(TEXT, 2)
    assert [row[1] for row in shown.table.rows] == [last.multiply_adds, again.multiply_adds]
    assert "agree to a thousandth" in shown.note
    strips = drawn.read(shown.picture).one("ol").all("div", "strip")
    assert len(strips) == 2 * (len(ids) - 1)
    for i in range(len(ids) - 1):
        assert_strip(strips[2 * i], before.k[1][:, i].reshape(-1), abs(before.k[1]).max())
        assert_strip(strips[2 * i + 1], before.v[1][:, i].reshape(-1), abs(before.v[1]).max())
    assert figures.kept("", 1).sentence  # the start alone


# --- learning


def test_every_moment_is_what_the_log_recorded():
    record = model.log()
    for at, sentence in enumerate(figures.sentences()):
        rows = drawn.read(figures.learning(sentence).picture).one("tbody").all("tr")
        assert len(rows) == len(record["seen"])
        for row, seen in zip(rows, record["seen"], strict=True):
            nats = next(r["held_out"] for r in record["rows"] if r["step"] == seen["step"])
            assert row.one("th").text == f"{seen['step']:,}"
            assert row.one("span", "lr-bits").text == f"{nats / math.log(2):.1f}"
            for cell, (token, p) in zip(row.all("td", "heat"), seen["sentences"][at]["next"], strict=True):
                assert cell.one("b").text.removeprefix("‿") == token.strip()
                assert cell.share("--w") == pytest.approx(100 * p, abs=0.51)
    with pytest.raises(ValueError, match="sentence is"):
        figures.learning("Once upon a time")


def test_a_probability_that_looks_the_same_stays():
    assert runs.moved(0.874, 0.866) == "stays at 87\u00a0%"
    assert runs.moved(0.87, 0.62) == "goes from 87\u00a0% to 62\u00a0%"
    assert [runs.signed(v) for v in (0.444, -0.001, 0.001, -1234.5)] == ["+0.44", "0.00", "0.00", "−1,234.50"]
    assert [runs.percent(p) for p in (0, 0.0001, 0.001, 0.5, 0.997, 0.9999, 1)] == [
        "0\u00a0%",
        "under 1\u00a0%",
        "under 1\u00a0%",
        "50\u00a0%",
        "over 99\u00a0%",
        "over 99\u00a0%",
        "100\u00a0%",
    ]
