"""What Chapter 2's pictures draw is what the model computes: cells, bars, marks and labels, read back."""

import html
import json
import math
import re

import numpy as np
import pytest

from glassbox import model
from glassbox.costs import catalogue
from glassbox.figures import attention as figures
from glassbox.figures import vega
from glassbox.figures.written import percent
from glassbox.model import Switches
from tests.figures import drawn

TEXT = "Patient has severe chest"
LONGER = "She was tired, so she went to bed."
HEADS = (0, 6, 15)  # both ends and the middle; no two in one layer


def weights_of(text, head, limit=12, **switches):
    m = model.load()
    layer, h = divmod(head, m.config.n_heads)
    ids = drawn.ids_of(text, limit)
    return m.forward(ids, switches=Switches(**switches)).weights[layer][h]


def assert_matrix(table, weights, hatched):
    """Every cell says the weight in percent and is as dark; what may not be seen is hatched and empty."""
    rows = table.one("tbody").all("tr")
    assert len(rows) == len(weights)
    for i, row in enumerate(rows):
        cells = row.all("td")
        assert len(cells) == len(weights)
        for j, cell in enumerate(cells):
            if hatched and j > i:
                assert "hatch" in cell.classes
                assert (cell.text, cell.style("--w")) == ("", "")
            else:
                assert "heat" in cell.classes
                assert abs(int(cell.text) - 100 * weights[i, j]) < 1
                assert cell.share("--w") == int(cell.text)


# --- Matrices


@pytest.mark.parametrize("head", HEADS)
def test_the_opened_head_is_drawn_and_no_other(head):
    picture = drawn.read(figures.heads(TEXT, head).picture)
    assert_matrix(picture.one("table", "matrix"), weights_of(TEXT, head), hatched=True)
    names = [th.text for th in picture.one("table", "matrix").one("thead").all("th")]
    assert names == ["⟨start⟩", "Patient", "has", "severe", "chest"]
    assert picture.one(class_="hd-one").one("p", "m-axes")
    assert picture.all("p", "part")[0].text == f"Layer {head // 4 + 1}, head {head % 4 + 1}"


def test_every_small_head_is_shaded_by_its_own_weights():
    picture = drawn.read(figures.heads(LONGER, 0).picture)
    small = picture.all("div", "hd-small")
    assert len(small) == 16
    for head, node in enumerate(small):
        weights = weights_of(LONGER, head)
        n = len(weights)
        steps = np.zeros((n, n), dtype=int)
        for path in node.all("path")[1:]:
            step = int(re.search(r"--scale-(\d)", path.attrs["fill"])[1])
            for j, i in re.findall(r"M(\d+) (\d+)h1v1h-1z", path.attrs["d"]):
                steps[int(i), int(j)] = step
        exact = 6 * np.sqrt(np.tril(weights))
        assert (steps[exact > 1.001] == np.ceil(exact[exact > 1.001] - 1e-6)).all()
        assert (steps[exact <= 0.999] == 0).all()
        assert json.loads(node.attrs["data-set"])["open"] == f"layer {head // 4 + 1}, head {head % 4 + 1}"
        assert node.one("span").text.startswith(f"{head // 4 + 1}.{head % 4 + 1} ")


@pytest.mark.parametrize("head", HEADS)
def test_the_bars_of_a_head_are_what_the_card_measured(head):
    picture = drawn.read(figures.heads(TEXT, head).picture)
    card = model.card()["heads"]
    found, without = (drawn.bars(bars) for bars in picture.all(class_="chart-bars"))
    names = ("previous", "first", "self", "same", "deciding")
    for (_, share, shown), name in zip(found, names, strict=True):
        value = card[name][head // 4][head % 4]
        assert share == pytest.approx(100 * value, abs=0.006)
        assert shown == f"{100 * value:.0f} %"
    for (_, share, _), what in zip(without, ("names", "random tokens"), strict=True):
        left = model.card()["copying"][what]["without the head"][head // 4][head % 4]
        assert share == pytest.approx(100 * left, abs=0.006)


@pytest.mark.parametrize("head", HEADS)
def test_a_head_says_what_is_left_of_the_next_word_without_it(head):
    m, ids = model.load(), drawn.ids_of(TEXT)

    def silent(name, layer, value):
        if (name, layer) == ("heads", head // 4):
            value = value.copy()
            value[head % 4] = 0
        return value

    before = drawn.softmax(m.forward(ids).logits[-1])
    after = drawn.softmax(m.forward(ids, station=silent).logits[-1])
    was, now = (percent(p[before.argmax()]) for p in (before, after))
    said = f"stays at {now}" if was == now else f"goes from {was} to {now}"
    assert figures.heads(TEXT, head).sentence.endswith(f" {said}.")


@pytest.mark.parametrize("text", ["Patient has severe chest", "Patient has wooden chest"])
def test_one_head_at_work_says_what_comes_next(text):
    m = model.load()
    probs = drawn.softmax(m.forward(drawn.ids_of(text, 8)).logits[-1])
    found = drawn.bars(drawn.read(figures.qkv(text, 4).picture).one(class_="chart-bars"))
    best = np.argsort(-probs)[:3]
    assert [w for _, _, w in found] == [percent(probs[i]).replace("\u00a0", " ") for i in best]
    assert [name for name, _, _ in found] == [m.piece(int(i)).decode().strip() for i in best]


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("head", HEADS)
def test_the_mask_figure_draws_the_head_with_or_without_its_mask(on, head):
    picture = drawn.read(figures.mask(LONGER, on, head).picture)
    assert_matrix(picture.one("table", "matrix"), weights_of(LONGER, head, mask=on), hatched=on)


def test_the_surprise_bars_are_those_of_the_model_with_and_without_mask():
    m, ids = model.load(), drawn.ids_of(LONGER)
    bars = drawn.bars(drawn.read(figures.mask(LONGER, True, 0).picture).one(class_="chart-bars"))
    for (name, share, written), on in zip(bars[:2], (True, False), strict=True):
        probs = drawn.softmax(m.forward(ids, switches=Switches(mask=on)).logits)
        bits = float(np.mean([-math.log2(probs[t, ids[t + 1]]) for t in range(len(ids) - 1)]))
        assert written == f"{bits:.2f} bits"
        assert share == pytest.approx(
            100 * bits / max(12, *(float(w.split()[0]) for _, _, w in bars)), abs=0.1
        )
        assert name.startswith("mask on" if on else "mask off")


@pytest.mark.parametrize("start", [True, False])
def test_the_sink_is_drawn_with_its_first_token_and_without(start):
    m, text = model.load(), "The patient has a history of asthma."
    first = model.card()["heads"]["first"]
    layer, h = max(((a, b) for a in range(4) for b in range(4)), key=lambda at: first[at[0]][at[1]])
    words = m.tokenizer.encode(text)
    picture = drawn.read(figures.sink(text, start).picture)
    weights = m.forward([m.start, *words] if start else words).weights[layer][h]
    assert_matrix(picture.one("table", "matrix"), weights, hatched=True)
    resting = {(a - 1, b - 1) for a, b, _ in model.card()["sink"]["heads"]}

    def barred(name, layer, value):
        if name == "weights":
            value = value.astype(np.float64).copy()
            for head in (h for a, h in resting if a == layer):
                value[head, 1:, 0] = 0
                value[head, 1:] /= value[head, 1:].sum(axis=-1, keepdims=True)
        return value

    def as_is(name, layer, value):
        return value

    reads = (([m.start, *words], as_is), (words, as_is), ([m.start, *words], barred))
    for (_, _, written), (read, station) in zip(
        drawn.bars(picture.one(class_="chart-bars")), reads, strict=True
    ):
        probs = drawn.softmax(m.forward(read, station=station).logits)
        skip = len(read) - len(words)
        bits = [-math.log2(probs[t, read[t + 1]]) for t in range(skip, len(read) - 1)]
        assert written == f"{np.mean(bits):.1f} bits"


# --- qkv


def head_of(text, head):
    """q, k, v of one query head: the group's key and value head found by division."""
    m = model.load()
    f = m.forward(drawn.ids_of(text, 8))
    layer, h = divmod(head, m.config.n_heads)
    kv = h // (m.config.n_heads // m.config.n_kv_heads)
    return f.q[layer][h], f.k[layer][kv], f.v[layer][kv]


@pytest.mark.parametrize("head", [0, 3, 9, 14])  # first and second head of a group, first and last group
@pytest.mark.parametrize("stage", figures.STAGES)
def test_every_cell_of_every_stage_is_worked_out_again(stage, head):
    q, k, _ = head_of(TEXT, head)
    scores = np.array(
        [[sum(a * b for a, b in zip(x, y, strict=True)) for y in k.tolist()] for x in q.tolist()]
    )
    table = drawn.read(figures.qkv(TEXT, head, stage, 3, 1).picture).one("table", "matrix")
    if stage in ("softmax", "mix"):
        powers = np.exp(scores / math.sqrt(32)) * np.tril(np.ones_like(scores))
        assert_matrix(table, powers / powers.sum(axis=1, keepdims=True), hatched=True)
        return
    shown = scores if stage == "scores" else scores / math.sqrt(32)
    assert [len(row.all("td")) for row in table.one("tbody").all("tr")] == [5] * 5
    for i, row in enumerate(table.one("tbody").all("tr")):
        for j, cell in enumerate(row.all("td")):
            if stage == "masked" and j > i:
                assert ("hatch" in cell.classes, cell.text) == (True, "")
            else:
                assert float(cell.text) == pytest.approx(shown[i, j], abs=0.051)
            assert ("m-at" in cell.classes) == ((i, j) == (3, 1))


def strip_of(node):
    """A strip's numbers in units of a full bar: up is positive."""
    numbers = {}
    for path in (node.one("path", "s-up"), node.one("path", "s-down")):
        for at, tall in re.findall(r"M([\d.]+) 10v(-?[\d.]+)h", path.attrs["d"]):
            numbers[round(float(at) - 0.1)] = -float(tall) / 10
    return [numbers[n] for n in sorted(numbers)]


@pytest.mark.parametrize("head", [0, 3, 9, 14])
def test_the_mix_is_drawn_from_the_groups_own_values(head):
    q, k, v = head_of(TEXT, head)
    scores = np.where(np.tril(np.ones((len(q), len(q)))), (q @ k.T) / math.sqrt(32), -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    for i in (0, 2, 4):
        strips = drawn.read(figures.qkv(TEXT, head, "mix", i, 0).picture).all("div", "strip")
        high = float(np.abs(v[: i + 1]).max())
        best = [c for c in np.argsort(-weights[i])[:4] if c <= i]
        parts = [weights[i, c] * v[c] for c in best] + [weights[i] @ v]
        assert len(strips) == len(parts)
        for node, part in zip(strips, parts, strict=True):
            expected = np.clip(part / high, -1, 1)
            np.testing.assert_allclose(strip_of(node), expected, atol=0.006)
        names = ["⟨start⟩", "Patient", "has", "severe", "chest"]
        tones = [node.one("svg").style("--tone") for node in strips]
        assert tones == ["var(--value)"] * len(best) + ["var(--accent)"]
        assert strips[-1].text == f"their sum: what {names[i]} takes on"
        for node, c in zip(strips, best, strict=False):
            assert node.text.endswith(f"% of the value of {names[c]}")
            assert abs(int(node.text.split()[0]) - 100 * weights[i, c]) < 1


@pytest.mark.parametrize("head", [0, 9])
def test_the_strips_of_a_score_are_its_query_key_and_product(head):
    q, k, _ = head_of(TEXT, head)
    picture = drawn.read(figures.qkv(TEXT, head, "scaled", 4, 3).picture)
    high = max(np.abs(q[4]).max(), np.abs(k[3]).max())
    product = q[4] * k[3]
    expected = (q[4] / high, k[3] / high, product / np.abs(product).max())
    for node, values in zip(picture.all("div", "strip"), expected, strict=True):
        np.testing.assert_allclose(strip_of(node), values, atol=0.006)
    named = [("query", "query of chest"), ("key", "key of severe"), ("accent", "their product")]
    for node, (tone, name) in zip(picture.one("div", "strips").all("div", "strip"), named, strict=True):
        assert node.one("svg").style("--tone") == f"var(--{tone})"
        assert node.one("span").text == name
    total = float(product.sum())
    plain = drawn.read(figures.qkv(TEXT, head, "scores", 4, 3).picture)
    assert plain.one("p", "strip-sum").text == f"sum of the 32 products: {total:.2f}".replace("-", "−")
    assert picture.one("p", "strip-sum").text == (
        f"sum of the 32 products: {total:.2f}, divided by √32: {total / math.sqrt(32):.2f}".replace("-", "−")
    )


# --- next_word, order, scaling, distance


@pytest.mark.parametrize(("temperature", "top_k"), [(1.0, 0), (0.5, 5), (0, 0), (2, 1)])
def test_the_bars_of_the_next_word_are_its_probabilities(temperature, top_k):
    m = model.load()
    logits = m.forward(drawn.ids_of("The patient has", 512)).logits[-1].astype(np.float64)
    order = np.argsort(-logits, kind="stable")
    probs = drawn.softmax(logits / temperature) if temperature else (logits == logits.max()).astype(float)
    if top_k:
        probs[order[top_k:]] = 0
    probs /= probs.sum()
    picture = drawn.read(figures.next_word("The patient has", temperature, top_k).picture)
    ours, reported = picture.all(class_="chart-bars")
    found = drawn.bars(ours)
    for (name, share, written), token in zip(found[:10], order[:10], strict=True):
        assert m.tokenizer.decode_bytes([int(token)]).decode().strip() == name
        assert share == pytest.approx(100 * probs[token], abs=0.006)
        if probs[token] >= 0.001:
            assert written == f"{100 * probs[token]:.1f} %"
        elif not probs[token]:
            assert written == "cut"
    assert found[10][0] == "all others"
    assert found[10][1] == pytest.approx(100 * (1 - probs[order[:10]].sum()), abs=0.006)
    assert [(n, s) for n, s, _ in drawn.bars(reported)][:5] == [
        ("been", 20.1), ("a", 8.3), ("not", 4.6), ("no", 3.9), ("had", 2.2)
    ]  # fmt: skip


@pytest.mark.parametrize("arranged", figures.ARRANGEMENTS)
@pytest.mark.parametrize(("mask", "positions"), [(False, False), (True, True)])
def test_the_words_stand_as_arranged_and_their_bars_are_how_far_outputs_moved(arranged, mask, positions):
    m, sentence = model.load(), "the nurse thanked the tired doctor because"
    ids = drawn.ids_of(sentence, 16)
    inner = list(range(1, len(ids) - 1))
    if arranged == "first two words swapped":
        inner[0], inner[1] = inner[1], inner[0]
    elif arranged == "reversed":
        inner.reverse()
    elif arranged == "shuffled":
        inner = np.random.default_rng(5).permutation(np.array(inner)).tolist()
    to = [0, *inner, len(ids) - 1]

    def outputs(tokens):
        f = m.forward(tokens, switches=Switches(mask=mask, positions=positions))
        group = m.config.n_heads // m.config.n_kv_heads
        mixed = [f.weights[0][h] @ f.v[0][h // group] for h in range(m.config.n_heads)]
        return np.concatenate(mixed, axis=1)

    before, after = outputs(ids), outputs([ids[i] for i in to])
    picture = drawn.read(figures.order(arranged, mask, positions).picture)
    data = [m.tokenizer.data(i).decode() for i in ids[1:]]
    names = ["⟨start⟩", data[0], *(d[1:] if d[0] == " " else f"‿{d}" for d in data[1:])]
    line = picture.all("span", "od-word")
    assert [s.text for s in line] == [names[i] for i in to]
    assert [n for n, s in enumerate(line) if "od-off" in s.classes] == [
        n for n, i in enumerate(to) if names[i] != names[n]
    ]
    for n, (name, share, written) in enumerate(drawn.bars(picture.one(class_="chart-bars"))):
        moved = float(np.linalg.norm(after[to.index(n)] - before[n]) / np.linalg.norm(before[n]))
        assert name == names[n]
        assert share == pytest.approx(100 * min(moved, 1), abs=0.02)
        if moved < 1e-6:
            assert written == "0 %"
        elif moved >= 0.01:
            assert written == f"{100 * moved:.0f} %"


@pytest.mark.parametrize("width", [4, 64, 512])
def test_each_panel_of_the_scaling_marks_the_tables_numbers(width):
    figure = figures.scaling(width)
    row = next(r for r in figure.table.rows if r[0] == width)
    for n, panel in enumerate(("spread", "largest", "entropy", "slope")):
        sets = drawn.rows(figure.picture, f"attention.scaling_{panel}")
        raw, divided = sets["here"]
        assert (raw["series"], divided["series"]) == ("raw", "÷ √d")
        assert (raw["width"], divided["width"]) == (width, width)
        assert raw["value"] == pytest.approx(row[1 + 2 * n], rel=0.01, abs=0.006)
        assert divided["value"] == pytest.approx(row[2 + 2 * n], rel=0.01, abs=0.006)
        lines = drawn.lines(sets, "width", "value")
        assert {name: dict(line)[width] for name, line in lines.items()} == {
            r["series"]: r["value"] for r in sets["here"]
        }


@pytest.mark.parametrize("head", HEADS)
def test_the_line_of_distances_is_the_tables(head):
    figure = figures.distance(head)
    scores = [row[1] for row in figure.table.rows]
    ((_, sets, values),) = vega.found(figure.picture)
    assert values == {"low": min(-6, math.floor(min(scores))), "high": max(6, math.ceil(max(scores)))}
    assert [row["back"] for row in sets["lines"]] == list(range(len(scores)))
    assert [row["score"] for row in sets["lines"]] == pytest.approx(scores, abs=0.006)
    best = int(np.argmax(scores))
    assert sets["best"] == [sets["lines"][best]]


# --- Breaks and reasons


@pytest.mark.parametrize("lead", [0, 5, 14])
def test_the_dilution_line_and_circles_are_the_formula_and_the_card(lead):
    sets = drawn.rows(figures.dilution(lead).picture, "attention.dilution")
    assert len(sets["lines"]) > 30
    for row in sets["lines"]:
        share = math.exp(lead) / (math.exp(lead) + row["keys"] - 1)
        assert row["share"] == pytest.approx(share, rel=1e-5)
    measured = [(row["tokens"], row["weight"]) for row in model.card()["recall"]]
    found = [(row["keys"], row["share"]) for row in sets["measured"]]
    assert found == [(pytest.approx(t, rel=1e-5), pytest.approx(w, rel=1e-5)) for t, w in measured]
    assert [row["text"] for row in sets["named"]] == [f"{lead} points ahead"]


@pytest.mark.parametrize("text", [TEXT, "She opened a wooden chest"])
def test_each_panel_shows_the_row_turned_round_and_the_word_it_leads_to(text):
    m, ids = model.load(), drawn.ids_of(text, 10)
    whole = m.forward(ids)
    probs = drawn.softmax(whole.logits[-1])
    top = int(probs.argmax())
    for table in drawn.read(figures.not_explanation(text).picture).one("div", "three").all("table"):
        panel = next(
            p for p in drawn.read(figures.not_explanation(text).picture).one("div", "three").kids()
            if p.one("table").text == table.text
        )  # fmt: skip
        layer, h = (int(n) - 1 for n in re.findall(r"\d+", panel.one("p", "soft").text))
        row = whole.weights[layer][h, -1]
        changed = whole.weights[layer].copy()
        order = np.argsort(row, kind="stable")
        changed[h, -1, order] = row[order[::-1]]
        cells = [[c.text for c in r.all("td")] for r in table.one("tbody").all("tr")]
        for j, (before, after) in enumerate(cells):
            assert abs(int(before.split()[0]) - 100 * row[j]) < 1
            assert abs(int(after.split()[0]) - 100 * changed[h, -1, j]) < 1

        def turned(name, at, value, layer=layer, changed=changed):
            return changed if (name, at) == ("weights", layer) else value

        after = drawn.softmax(m.forward(ids, station=turned).logits[-1])
        shown = [c.text for c in table.one("tfoot").all("td")]
        assert shown == [percent(p[top], 1).replace("\u00a0", " ") for p in (probs, after)]
    bars = drawn.bars(drawn.read(figures.not_explanation(text).picture).one(class_="chart-bars"))
    assert len(bars) == len(ids) - 1
    for j, (_, share, _) in enumerate(bars):

        def unseen(name, at, value, j=j):
            if name == "weights":
                value = value.astype(np.float64).copy()
                value[:, -1, j] = 0
                value[:, -1] /= value[:, -1].sum(axis=-1, keepdims=True)
            return value

        left = drawn.softmax(m.forward(ids, station=unseen).logits[-1])[top]
        assert share == pytest.approx(100 * left, abs=0.02)


# --- Tiles and the square


@pytest.mark.parametrize("size", [2, 4, 7])
def test_tiles_are_done_one_by_one_and_a_row_is_finished_after_its_last(size):
    n = len(drawn.ids_of("The patient has a history of asthma and was given aspirin", 13))
    order = [
        (top, left)
        for top in range(0, n, size)
        for left in range(0, n, size)
        if left <= min(top + size, n) - 1
    ]
    for at in (1, 2, len(order) // 2, len(order) - 1, len(order)):
        picture = drawn.read(figures.tiled(size, at).picture)
        boxes = picture.all("path", "tl-done") + picture.all("path", "tl-now")
        assert [b.attrs["d"] for b in boxes] == [
            f"M{left} {top}H{min(left + size, n)}V{min(top + size, n)}H{left}z" for top, left in order[:at]
        ]
        finished = sum(
            all(tile in order[:at] for tile in order if tile[0] == i // size * size) for i in range(n)
        )
        facts = {d.one("dt").text: d.one("dd").text for d in picture.one("dl").kids()}
        assert facts["rows finished"] == f"{finished} of {n}"
        top, left = order[at - 1]
        held = (min(top + size, n) - top) * (min(left + size, n) - left)
        assert facts["in memory now"] == f"{held} score{'s' * (held != 1)}"
        assert facts["the whole square"] == f"{n * n} scores"


@pytest.mark.parametrize("n", [figures.LENGTHS[0], 10_000, figures.LENGTHS[-1]])
def test_the_square_marks_its_length_on_every_line(n):
    sets = drawn.rows(figures.quadratic(n, "A100 80 GB").picture, "attention.quadratic")
    llama = catalogue.models()["Llama 3 8B"]
    a_score = 2 * 2 * llama.config["num_hidden_layers"] * llama.config["hidden_size"]

    def counted(m):
        windowed = m * (m + 1) / 2 if m <= 4096 else 4096 * 4097 / 2 + (m - 4096) * 4096
        return [a_score * m * (m + 1) / 2, a_score * windowed, 2 * llama.parameters * 1e9 * m]

    assert {r["tokens"] for r in sets["here"]} == {n}
    assert [r["operations"] for r in sets["here"]] == pytest.approx(counted(n), rel=1e-4)
    lines = list(drawn.lines(sets, "tokens", "operations").values())
    for k, line in enumerate(lines):
        assert line == [(m, pytest.approx(counted(m)[k], rel=1e-4)) for m in figures.LENGTHS]
    share = counted(n)[0] / (counted(n)[0] + counted(n)[2])
    assert f": {percent(share)} of all the arithmetic" in figures.quadratic(n, "A100 80 GB").sentence
    assert catalogue.gpus()["A100 80 GB"].tflops == 312


@pytest.mark.parametrize("window", figures.WINDOWS)
@pytest.mark.parametrize("kind", figures.PATTERNS[:3])
def test_a_pattern_is_drawn_counted_and_run(kind, window):
    shown = figures.cheaper(kind, window)
    m = model.load()
    ids = m.encode("The patient's name is Ada. She has a fever. The patient's name is")
    n = len(ids)
    seen = {
        (i, j)
        for i in range(n)
        for j in range(i + 1)
        if kind == "everything" or i - j < window or (kind == "sparse" and j % window == 0)
    }
    path = drawn.read(shown.picture).one("path", "ch-seen").attrs["d"]
    assert {(int(i), int(j)) for j, i in re.findall(r"M(\d+) (\d+)h1v1", path)} == seen
    assert f" {len(seen)} of the {n * (n + 1) // 2} scores" in shown.sentence

    def masked(name, layer, value):
        if name == "weights":
            keep = np.array([[(i, j) in seen for j in range(n)] for i in range(n)])
            value = np.where(keep, value, 0).astype(np.float64)
            value = value / value.sum(axis=-1, keepdims=True)
        return value

    probs = drawn.softmax(m.forward(ids, station=masked).logits[-1])
    best = int(probs.argmax())
    assert f"“{m.piece(best).decode().strip()}” with {percent(probs[best])}." in shown.sentence
    assert ("“Ada”" in shown.sentence) == (kind == "everything" or window == 16)


def test_linear_attention_computes_no_scores_and_is_not_run():
    shown = figures.cheaper("linear", 8)
    d = model.load().config.d_head
    assert "computes no score" in shown.sentence
    assert f"{d} × {d} numbers and {d} more" in shown.sentence
    assert "It is not run here" in shown.note


def test_dilution_shows_what_the_names_hang_on():
    found = model.card()["copying"]["names"]
    bars = drawn.bars(drawn.read(figures.dilution(5).picture).one(class_="chart-bars"))
    least = np.min(found["without its look at the source"])
    wanted = [found["whole"], found["linkers"][0][2], least, found["readers"][-1][2]]
    assert [share for _, share, _ in bars] == pytest.approx([100 * w for w in wanted], abs=0.01)


# --- paint


@pytest.mark.parametrize(("severe", "drawers"), [(0, 0), (50, 20), (100, 0), (0, 100)])
def test_the_pots_the_ring_and_the_map_show_the_mix(severe, drawers):
    pots = {"severe": (0.84, 0.12, 0.14), "chest": (0.76, 0.76, 0.76), "drawers": (0.40, 0.24, 0.06)}
    words = {"pain": (1, 0, 0), "tightness": (0.5, 0.5, 0), "X-ray": (0, 1, 0), "lid": (0, 0.5, 0.5),
             "handle": (0, 0, 1), "damage": (0.5, 0, 0.5)}  # fmt: skip

    def colour(mix):
        return np.array(mix) @ np.array(list(pots.values()))

    def hexed(values):
        return "#" + "".join(f"{round(255 * float(c)):02x}" for c in values)

    def nearest(mix):
        return min(words, key=lambda w: round(float(np.linalg.norm(colour(mix) - colour(words[w]))), 9))

    mix = (severe / 100, 1 - (severe + drawers) / 100, drawers / 100)
    picture = drawn.read(figures.paint(severe, drawers).picture)
    for li, share, value in zip(picture.one("ul", "paint-pots").kids(), mix, pots.values(), strict=True):
        assert li.one("span", "meter").share("--share") == round(100 * share)
        assert li.one("span", "meter").style("--tone") == hexed(value)
        assert li.one("i", "paint-drop").style("--paint") == hexed(value)
        assert li.one("span", "number").text == f"{round(100 * share)} %"
    assert picture.one("i", "paint-mixed").style("--paint") == hexed(colour(mix))
    *dots, ring = picture.all("circle")
    assert len(dots) == 66
    for dot in dots:
        sets = json.loads(html.unescape(dot.attrs["data-set"]))
        a, b = sets["severe"], sets["drawers"]
        at = (a / 100, 1 - (a + b) / 100, b / 100)
        assert dot.attrs["fill"] == hexed(colour(at))
        assert float(dot.attrs["cx"]) == pytest.approx(10 + 0.8 * (b + a / 2), abs=0.051)
        assert float(dot.attrs["cy"]) == pytest.approx(86 - 0.74 * a, abs=0.051)
        assert (float(dot.attrs["r"]) > 3) == (nearest(at) == nearest(mix))
        assert dot.one("title").text == f"{a} % severe, {b} % drawers: {nearest(at)}"
    assert float(ring.attrs["cx"]) == pytest.approx(10 + 0.8 * (drawers + severe / 2), abs=0.051)
    assert float(ring.attrs["cy"]) == pytest.approx(86 - 0.74 * severe, abs=0.051)
    for corner, label in zip(((100, 0), (0, 0), (0, 100)), picture.all("text", "paint-word"), strict=True):
        at = next(
            d
            for d in dots
            if json.loads(html.unescape(d.attrs["data-set"]))
            == dict(zip(("severe", "drawers"), corner, strict=True))
        )
        assert label.text == ("severe" if corner[0] else "drawers" if corner[1] else "chest")
        assert all(abs(float(label.attrs[a]) - float(at.attrs[f"c{a}"])) <= 12 for a in "xy"), (
            "by its own corner"
        )
    figure = figures.paint(severe, drawers)
    assert [row[1] for row in figure.table.rows] == [*(round(100 * share) for share in mix), 100]
    assert [row[2] for row in figure.table.rows] == [*map(hexed, pots.values()), hexed(colour(mix))]
    assert "Shares add up" not in figure.note
    assert "drawers gets what severe leaves: 30 %." in figures.paint(70, 31).note


@pytest.mark.parametrize("word", ["pain", "damage", "X-ray"])
def test_the_mixer_backwards_draws_its_ranges_and_fades_the_rest(word):
    figure = figures.paint_reverse(word)
    picture = drawn.read(figure.picture)
    for li, row in zip(picture.one("ul", "paint-pots").kids(), figure.table.rows, strict=True):
        bar = li.one("span", "paint-range").one("i")
        assert (bar.share("--from"), bar.share("--to")) == (row[1], row[3])
        assert li.one("span", "number").text == f"{row[1]} to {row[3]} %"
    for dot in picture.all("circle")[:-1]:
        assert ("opacity" not in dot.attrs) == dot.one("title").text.endswith(f": {word}")


# --- head_map, loss


@pytest.mark.parametrize("opened", HEADS)
def test_every_head_stands_where_it_was_measured_and_leads_to_itself(opened):
    card, config = model.card()["heads"], model.load().config
    figure = figures.head_map(opened)
    sets = drawn.rows(figure.picture, "attention.head_map")
    assert len(sets["heads"]) == config.n_layers * config.n_heads
    for index, row in enumerate(sets["heads"]):
        layer, head = divmod(index, config.n_heads)
        assert row["head"] == f"layer {layer + 1}, head {head + 1}"
        for what in ("previous", "first", "same", "self"):
            assert row[what] == pytest.approx(card[what][layer][head])
        assert json.loads(row["set"]) == {"head": row["head"]}
        assert row["sends"] == f"?heads_open=layer+{layer + 1}%2C+head+{head + 1}#heads"
    assert [r["head"] for r in sets["here"]] == [figures.head_names()[opened]]
    bars = drawn.bars(drawn.read(figure.picture).one(class_="chart-bars"))
    layer, head = divmod(opened, config.n_heads)
    values = [card[what][layer][head] for what in ("previous", "first", "same", "self")]
    assert [share for _, share, _ in bars] == pytest.approx([100 * v for v in values], abs=0.01)
    assert f"{100 * values[0]:.0f}\u00a0% of its attention on the token before" in figure.sentence


def test_pointing_at_a_head_shows_the_weights_that_opening_it_shows():
    m = model.load()
    weights = m.forward(m.encode("She has an old chest of drawers")).weights
    for index, row in enumerate(drawn.rows(figures.head_map(0).picture, "attention.head_map")["heads"]):
        layer, head = divmod(index, m.config.n_heads)
        shades = [
            math.ceil(6 * math.sqrt(share))
            for n, reader in enumerate(weights[layer][head], 1)
            for share in reader[:n]
        ]
        assert row["cells"] == "".join(map(str, shades))


def test_a_heads_colour_is_where_most_of_its_weight_goes():
    card = model.card()["heads"]
    named = {"previous": "the token before", "first": "the first token", "self": "itself"}
    for row in drawn.rows(figures.head_map(0).picture, "attention.head_map")["heads"]:
        layer, head = (int(n) - 1 for n in re.findall(r"\d+", row["head"]))
        shares = {named[what]: card[what][layer][head] for what in named}
        most = max(shares, key=shares.__getitem__)
        assert row["series"] == (most if shares[most] >= 0.4 else "no single place")


def test_the_training_is_drawn_as_it_was_logged():
    log = model.log()
    figure = figures.loss(1400)
    curves = drawn.lines(drawn.rows(figure.picture, "attention.loss"), "step", "bits")
    for name, field in (("texts it learned from", "loss"), ("texts kept from it", "held_out")):
        logged = [(r["step"], r[field] / math.log(2)) for r in log["rows"] if r[field] is not None]
        assert [s for s, _ in curves[name]] == [s for s, _ in logged]
        assert [v for _, v in curves[name]] == pytest.approx([v for _, v in logged], rel=1e-5)
    skills = drawn.lines(drawn.rows(figure.picture, "attention.skills"), "step", "share")
    assert [v for _, v in skills["repeats random tokens"]] == [r["repeats"] for r in log["rows"]]
    kept = {s["step"] for s in log["seen"]}
    for row in drawn.rows(figure.picture, "attention.loss")["lines"]:
        pressed = json.loads(row["set"])["step"]
        assert abs(pressed - row["step"]) == min(abs(k - row["step"]) for k in kept)


@pytest.mark.parametrize("step", [0, 1400, 6500])
def test_what_it_would_have_said_is_what_was_logged(step):
    seen = next(s for s in model.log()["seen"] if s["step"] == step)
    rows = drawn.read(figures.loss(step).picture).one("table", "lo-said").one("tbody").all("tr")
    assert len(rows) == len(seen["sentences"])
    for row, logged in zip(rows, seen["sentences"], strict=True):
        words = [cell.one("b").text for cell in row.all("td")]
        assert words == [w[1:] if w.startswith(" ") else f"‿{w}" for w, _ in logged["next"]]
        assert [c.share("--w") for c in row.all("td")] == [round(100 * p) for _, p in logged["next"]]


def test_a_step_that_was_not_kept_is_refused():
    with pytest.raises(ValueError, match="step is 1; it should be one of 0, 150"):
        figures.loss(1)
    with pytest.raises(ValueError, match="head is 16; it should be a whole number from 0 to 15"):
        figures.head_map(16)
