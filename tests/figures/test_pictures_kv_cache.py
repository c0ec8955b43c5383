"""What Chapter 3's pictures draw is what the model, the costs and the simulators say, read back."""

import json
import math
import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from glassbox import model
from glassbox.costs import catalogue, kv
from glassbox.figures import kv_cache as figures
from glassbox.figures import vega
from glassbox.figures.kv_cache import runs
from glassbox.figures.kv_cache.precision import BITS, PROMPTS, measured
from glassbox.model.speculative import CutDown, Lookup, fetched, rounds_of
from glassbox.serving import engine, latency, paging, prefix
from glassbox.serving.conversation import Talk, bills
from tests.costs.test_kv import REFERENCE
from tests.figures import drawn


def words_of(ids):
    m = model.load()
    return [m.tokenizer.data(i).decode("utf-8", "replace") if i != m.start else "⟨start⟩" for i in ids]


# --- steps, race, notepad


@pytest.mark.parametrize("word", [1, 6, 12])
def test_the_two_triangles_have_a_cell_for_each_row_of_work(word):
    without, cached = drawn.read(figures.steps(word).picture).one("div", "steps").kids()
    for side, kept in ((without, False), (cached, True)):
        lines = side.one("ol").kids()
        assert len(lines) == 12
        for n, line in enumerate(lines, 1):
            assert ("ahead" in line.classes) == (n > word)
            assert ("now" in line.classes) == (n == word)
            cells = line.all("i")
            assert len(cells) == (n if n <= word else 0)
            assert [("kept" in c.classes) for c in cells] == [
                kept and m < n for m in range(1, len(cells) + 1)
            ]
    assert without.one("p", "steps-total").one("b").text == f"= {word * (word + 1) // 2}"
    assert cached.one("p", "steps-total").one("b").text == f"= {word}"


@pytest.mark.parametrize("length", [16, 64, 256])
def test_the_race_shows_its_counts_and_their_ratio(length):
    m = model.load()
    counts = [model.generate.multiply_adds(m, len(m.encode("The patient has")), length, c) for c in (0, 1)]
    shown = figures.race(length).picture
    picture = drawn.read(shown)
    for lane, count in zip(picture.all("div", "race-lane"), counts, strict=True):
        number, prefixed = re.search(r"([\d.]+)\s([kMGT]) multiply-adds", lane.text).groups()
        assert float(number) * 1000 ** " kMGT".index(prefixed) == pytest.approx(count, rel=0.006)
        assert lane.one("span", "meter").share("--share") == 0
    sets = drawn.rows(shown, "kv_cache.race")
    (line,) = drawn.lines(sets, "tokens", "times").values()
    assert sets["here"] == [{"tokens": length, "text": f"{length} tokens"}]
    for n, ratio in line:
        pair = [
            model.generate.multiply_adds(m, len(m.encode("The patient has")), round(n), c) for c in (0, 1)
        ]
        assert ratio == pytest.approx(pair[0] / pair[1], rel=1e-5)


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("word", [1, 5, 9])
def test_every_cell_of_the_notepad_says_how_far_its_key_has_moved(word, ahead):
    m = model.load()
    ids = m.encode("The patient has severe chest pain and a cough")
    switches = model.Switches(mask=not ahead)
    before, after = (m.forward(ids[:n], switches=switches).k for n in (word, word + 1))
    body = drawn.read(figures.notepad(word, ahead).picture).one("tbody").all("tr")[1:]
    assert len(body) == len(before) == 4
    for layer, row in enumerate(body):
        *cells, new, query = row.all("td")
        assert len(cells) == word
        assert (new.text, query.text) == ("KV", "Q")
        for n, cell in enumerate(cells):
            old, now = before[layer][:, n], after[layer][:, n]
            percent = 100 * float(np.linalg.norm(now - old) / np.linalg.norm(old))
            if percent < 0.0009:
                assert cell.text == "KV"
            elif percent > 0.0011:
                assert cell.one("i", "changed").text == (
                    f"{percent:.0f} %" if percent >= 1 else f"{percent:.2g} %"
                )
    kept = drawn.read(figures.notepad(word, ahead).picture).one("dl").all("b")
    written, read, thrown = (int(b.text.split()[0].replace(",", "")) for b in kept)
    assert written == 2 * 2 * 32 * 4
    assert read == written * (word + 1)
    assert thrown == 4 * (4 * 32 + 2 * 4 * (word + 1))


# --- memory, roofline, sharing


@pytest.mark.parametrize(
    ("name", "context", "precision", "users"),
    [
        ("Llama 3 8B", 8000, "fp16", 1),
        ("Gemma 3 27B", 131_072, "q8_0", 61),
        ("DeepSeek-V3", 1000, "fp16", 1024),
        ("Llama 3 70B", 1_000_000, "q4_0", 8),
    ],
)
def test_the_calculator_draws_every_layer_the_two_totals_and_the_gpu(name, context, precision, users):
    preset = catalogue.models()[name]
    plan = kv.plan(preset.config, context, users, precision)
    shown = figures.memory(name, context, precision, users, "H200", 8, together=False).picture
    picture = drawn.read(shown)
    token, user, fit = picture.one("dl").all("span", "big")
    assert token.text == f"{plan.bytes_per_token:,} bytes"
    assert amount(user.text) == pytest.approx(plan.sequence_bytes, rel=1e-4)
    left = 8 * 141e9 - preset.weight_bytes
    assert int(fit.text.split()[0].replace(",", "")) == left // plan.sequence_bytes

    top = max(row.reserved_bytes for row in plan.layers)
    ((_, sets, values),) = vega.found(shown)
    assert values["count"] == len(plan.layers) == len(sets["layers"])
    assert values["top"] == pytest.approx(top, rel=1e-5)
    for row, box in zip(plan.layers, sets["layers"], strict=True):
        assert (box["from"], box["to"], box["kind"]) == (row.index, row.index + 1, row.kind)
        assert box["bytes"] == row.state_bytes
    pale = {box["from"]: box["bytes"] for box in sets["ghosts"]}
    assert pale == {r.index: r.reserved_bytes for r in plan.layers if r.reserved_bytes > r.state_bytes}

    state, reserved = drawn.bars(picture.one(class_="chart-bars"))
    assert state[1] == pytest.approx(100 * plan.state_bytes / plan.reserved_bytes, abs=0.006)
    assert reserved[1] == 100
    assert amount(state[2]) == pytest.approx(plan.state_bytes, rel=1e-3)
    assert amount(reserved[2]) == pytest.approx(plan.reserved_bytes, rel=1e-3)

    parts = picture.one(class_="memory-gpu").one("div", "whole").all("i")
    caches = min(plan.state_bytes, left)
    for node, part in zip(parts, (preset.weight_bytes, caches, left - caches), strict=True):
        assert node.share("--share") == pytest.approx(100 * part / (8 * 141e9), abs=0.006)
    assert ("does not fit" in picture.one(class_="memory-gpu").text) == (plan.state_bytes > left)


def test_gpus_that_share_every_layer_hold_what_copies_leave():
    """DeepSeek-V3 on 16 A100s: every one keeps all compressed vectors, and a sixteenth of the weights."""
    figure = figures.memory("DeepSeek-V3", 8000, gpu="A100 80 GB", gpus=16)
    left = 80e9 - 671e9 / 16
    fit = int(left // (70_272 * 8000))
    assert f"; {fit} users fit" in figure.sentence
    alone = int((16 * 80e9 - 671e9) // (70_272 * 8000))
    assert alone > 10 * fit
    assert (
        f"keeps a copy of the compressed vectors, which belong to no head; kept once, the memory would hold {alone:,} users"
        in figure.sentence
    )
    parts = drawn.read(figure.picture).one(class_="memory-gpu").one("div", "whole").all("i")
    assert parts[1].share("--share") == pytest.approx(100 * 70_272 * 8000 / 80e9, abs=0.006)
    added = figures.memory("DeepSeek-V3", 8000, gpu="A100 80 GB", gpus=16, together=False)
    assert f"; {alone:,} users fit" in added.sentence
    assert "copy" not in added.sentence
    assert "some of the 16 keep the same head" in figures.memory("Llama 3 8B", gpus=16).sentence
    assert "keep" not in figures.memory("Llama 3 8B", gpus=8).sentence.split(";")[1]


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_a_pasted_config_of_every_known_family_is_drawn_and_its_sums_multiply_out(name):
    config = REFERENCE[name]["config"]
    plan = kv.plan(config, 1000)
    picture = drawn.read(figures.memory(pasted=json.dumps(config), context=1000).picture)
    assert picture.one(class_="memory").all("p", "memory-problem") == []
    total = 0.0
    for line in picture.one("ul", "memory-sums").kids():
        for said in re.findall(r"(\d+ layers? .*?) = ", line.text):
            product = re.sub(r"KV heads?|layers?|bytes?|tokens|,", "", said).replace("×", "*")
            total += eval(product)  # the page's own arithmetic, as it stands there
    assert total == plan.sequence_bytes


def amount(words):
    """``1.0486 GB`` or ``544 MiB`` as bytes."""
    number, unit = re.match(r"([\d.,]+) (\w+)", words).groups()
    sizes = {"bytes": 1, **{f"{p}B": 1000**n for n, p in enumerate("kMGTP", 1)}}
    sizes |= {f"{p}iB": 1024**n for n, p in enumerate("KMGTP", 1)}
    return float(number.replace(",", "")) * sizes[unit]


def test_the_sums_of_the_calculator_multiply_out():
    for name, precision in (("Llama 3 8B", "fp16"), ("Gemma 3 27B", "fp32"), ("Qwen3 4B", "q4_0")):
        picture = drawn.read(figures.memory(name, 8192, precision).picture)
        lines = picture.one("ul", "memory-sums").kids()
        assert len(lines) == (2 if name == "Gemma 3 27B" else 1)
        for line in lines:
            total = line.all("b")[-1].text
            said = re.search(r"\d+ layers? .*(?= = )", line.text)[0]
            said = said.replace(",", "").replace("(", "").replace(")", "")
            product = math.prod(int(re.match(r"\d+", factor.strip())[0]) for factor in said.split("×"))
            assert amount(total) == pytest.approx(product, rel=1e-3), line.text


@pytest.mark.parametrize(("context", "batch"), [(128, 1), (2048, 64), (131_072, 1024)])
def test_the_dots_stand_on_the_roof_where_arithmetic_and_bytes_put_them(context, batch):
    preset, gpu = catalogue.models()["Llama 3 8B"], catalogue.gpus()["A100 80 GB"]
    shown = figures.roofline("Llama 3 8B", "A100 80 GB", context, batch).picture
    sets = drawn.rows(shown, "kv_cache.roofline")
    weights = preset.parameters * 1e9
    per_score = 4 * 32 * 32 * 128
    prefill = (
        context * (2 * weights + per_score * (context + 1) / 2),
        2 * weights + context * 131_072,
    )
    decode = (batch * (2 * weights + per_score * context), 2 * weights + batch * context * 131_072)
    for dot, (flops, moved) in zip(sets["phases"], (prefill, decode), strict=True):
        intensity = flops / moved
        rate = min(gpu.tflops, intensity * gpu.bandwidth_gb_s / 1000)
        assert (dot["intensity"], dot["speed"]) == (
            pytest.approx(intensity, rel=2e-3),
            pytest.approx(rate, rel=2e-3),
        )
    assert [r["intensity"] for r in sets["ridge"]] == pytest.approx([312_000 / 2039], rel=1e-5)
    assert sets["roof"][1] == {"intensity": pytest.approx(312_000 / 2039, rel=1e-5), "speed": 312}


def test_a_mark_stands_at_what_a_purchase_makes_better_and_nowhere_else():
    figure = figures.roofline("Llama 3 8B", "A100 80 GB", 2048, 1)
    base, *bought = figure.table.rows
    rows = drawn.read(figure.picture).one("table", "roofline-bought").one("tbody").all("tr")
    assert "▲" not in rows[0].text
    for line, row in zip(rows[1:], bought, strict=True):
        better = [row[1] < 0.95 * base[1], *(row[n] > 1.05 * base[n] for n in (2, 3, 4))]
        assert ["▲" in cell.text for cell in line.all("td")] == better
        assert any(better)


def test_a_slow_rate_is_never_said_to_be_nought():
    figure = figures.roofline("Llama 3 8B", "A100 80 GB", 131_072, 1024)
    rate = figure.table.rows[0][2]
    assert 0 < rate < 1
    each = float(re.search(r"gives each ([\d.]+) tokens a second", figure.sentence)[1])
    assert each == pytest.approx(rate, rel=0.1)
    rows = drawn.read(figure.picture).one("table", "roofline-bought").one("tbody").all("tr")
    for line, row in zip(rows, figure.table.rows, strict=True):
        assert float(line.all("td")[1].text.rstrip(" ▲")) == pytest.approx(row[2], rel=0.1)


@pytest.mark.parametrize("sets", [1, 8, 32])
def test_query_heads_stand_around_the_sets_they_read(sets):
    picture = drawn.read(figures.sharing_heads(sets).picture)
    groups = picture.one(class_="sharing-heads").one("ul").kids()
    assert [len(g.one("span", "sharing-queries").all("i")) for g in groups] == [32 // sets] * sets
    for name, share, written in drawn.bars(picture.one(class_="chart-bars")):
        n = int(name.split()[0])
        assert share == pytest.approx(100 * n / 32, abs=0.006)
        assert amount(written) == pytest.approx(2 * 32 * n * 128 * 2 * 8192, rel=1e-3)


def test_the_two_heads_that_share_a_set_are_drawn_with_their_own_weights():
    picture = drawn.read(figures.sharing_heads(8).picture).one(class_="sharing-own")
    layer, kv_set = (int(n) - 1 for n in re.search(r"Layer (\d), set (\d)", picture.text).groups())
    m = model.load()
    weights = m.forward(m.encode("Patient has severe chest")).weights
    gaps = {
        (a, s): np.abs(w[2 * s, -1] - w[2 * s + 1, -1]).sum() for a, w in enumerate(weights) for s in (0, 1)
    }
    assert max(gaps, key=gaps.get) == (layer, kv_set)
    rows = drawn.shaded(picture.one("table"))
    for row, head in zip(rows, (2 * kv_set, 2 * kv_set + 1), strict=True):
        for (said, shade), weight in zip(row, weights[layer][head, -1], strict=True):
            assert abs(int(said.split()[0]) - 100 * weight) < 1
            assert shade == int(said.split()[0])


# --- window, precision, corrupt


@pytest.mark.parametrize("width", [1, 5, 11])
def test_the_window_frames_what_it_holds_and_shades_how_far_the_texts_are_apart(width):
    m = model.load()
    texts = ("The nurses were tired, so", "The patient was tired, so")
    sizes = (4, 2, 32)
    told, instead = (m.forward(m.encode(t), model.Sliding(*sizes, window=width)) for t in texts)
    n = len(m.encode(texts[0]))
    picture = drawn.read(figures.window(width).picture)
    rows = picture.one("table", "chart-cells").one("tbody").all("tr")[::-1]
    assert [r.one("th").text for r in rows] == [*(f"layer {a} reads" for a in range(1, 5)), "output"]
    assert [len(r.all("td")) for r in rows] == [n] * 5
    heads = picture.one("tfoot").all("th")
    assert [th.text for th in heads] == [w.strip() for w in words_of(m.encode(texts[0]))]
    for level, row in enumerate(rows):
        a, b = (
            f.k[level].transpose(1, 0, 2).reshape(n, -1) if level < 4 else f.hidden for f in (told, instead)
        )
        for at, cell in enumerate(row.all("td")):
            apart = float(
                np.linalg.norm(a[at] - b[at])
                * math.sqrt(2)
                / math.hypot(np.linalg.norm(a[at]), np.linalg.norm(b[at]))
            )
            assert cell.share("--w") == pytest.approx(100 * min(apart, 1), abs=0.51)
            assert ("seen" in cell.classes) == (level < 4 and n - 1 - width < at <= n - 1)
            assert (cell.text == "0") == (apart == 0)
    here, there = (drawn.softmax(f.logits[-1]) for f in (told, instead))
    bars = drawn.bars(picture.one(class_="chart-bars"))
    whole = [m.forward(m.encode(t)).logits[-1] for t in texts]  # eleven tokens reach over either text
    wanted = [*np.argsort(-whole[0])[:2], np.argmax(whole[1]), np.argmax(told.logits[-1])]
    tokens = list(dict.fromkeys(int(t) for t in wanted))
    for (name, share, _), (token, probs) in zip(
        bars, ((t, p) for t in tokens for p in (here, there)), strict=True
    ):
        assert name.endswith(f"→ {words_of([token])[0].strip()}")
        assert share == pytest.approx(100 * probs[token], abs=0.006)


@pytest.mark.parametrize("width", range(1, 12))
def test_the_window_says_whether_the_fact_is_in_reach_relayed_or_gone(width):
    m = model.load()
    ids = [m.encode(t) for t in ("The nurses were tired, so", "The patient was tired, so")]
    fact = max(n for n, (a, b) in enumerate(zip(*ids, strict=True)) if a != b)
    distance = len(ids[0]) - 1 - fact
    probs = [drawn.softmax(m.forward(i, model.Sliding(4, 2, 32, width)).logits[-1]) for i in ids]
    moved = 50 * float(np.abs(probs[0] - probs[1]).sum())
    figure = figures.window(width)
    said = re.search(r"moves (less than 1|\d+)\s%", figure.sentence)[1]
    assert said == ("less than 1" if 0 < moved < 0.5 else f"{moved:.0f}")
    if width > distance:
        assert figure.sentence.startswith(f"A window of {width} still reaches ")
    elif 4 * (width - 1) < distance:
        assert "do not arrive" in figure.sentence
        assert moved == 0
    else:
        assert "stacked layers relay the fact" in figure.sentence
        assert moved > 0
    marked = drawn.read(figure.picture).one("tfoot").all("th", "fact")
    differ = [n for n, (a, b) in enumerate(zip(*ids, strict=True)) if a != b]
    assert [th.text for th in marked] == [words_of(ids[0])[n].strip() for n in differ]
    for n, th in zip(differ, marked, strict=True):
        assert f"“{th.text}”" in figure.sentence
        lost = figure.sentence.partition("no longer")[2]
        assert (f"“{th.text}”" in lost) == (len(ids[0]) - width > n and width > distance)


@pytest.mark.parametrize("bits", [16, 8, 4])
def test_the_bars_of_a_precision_are_its_bytes_and_its_errors(bits):
    figure = figures.precision(bits)
    picture = drawn.read(figure.picture)
    memory, error = picture.all(class_="chart-bars")
    numbers = 2 * 4 * 2 * 32
    for (name, share, written), size in zip(
        drawn.bars(memory), (2 * numbers, numbers * 34 // 32, numbers * 18 // 32), strict=True
    ):
        assert written == f"{size:,} bytes"
        assert share == pytest.approx(100 * size / 1100, abs=0.006)
        assert name.endswith("bits")
    typical = [measured(PROMPTS[0], b).typical for b in BITS]
    assert [float(row[3]) for row in figure.table.rows] == [float(f"{t:.0e}") for t in typical]
    for (_, share, _), value in zip(drawn.bars(error), typical, strict=True):
        assert share == pytest.approx(100 * value / max(typical), abs=0.2)
    exact, own = picture.all("p", "precision-text")
    m = model.load()
    ids = m.encode("The nurses were tired, so")
    plain = model.generate.greedy(m, ids, 16).ids
    cache = model.Half(4, 2, 32) if bits == 16 else model.Quantized(4, 2, 32, bits)
    ran = model.generate.greedy(m, ids, 16, cache=cache).ids
    for node, wrote in ((exact, plain), (own, ran)):
        said = "".join(words_of(wrote)).replace("⟨start⟩", " ¶")
        assert node.all("span")[0].text == re.sub(r"\s+", " ", "The nurses were tired, so" + said).strip()
    changed = next((n for n, (a, b) in enumerate(zip(plain, ran, strict=True)) if a != b), None)
    marks = own.all("mark")
    assert bool(marks) == (changed is not None)
    if changed is not None:
        assert marks[0].text == "".join(words_of(ran[changed:])).replace("⟨start⟩", " ¶").strip()


@pytest.mark.parametrize(("layer", "position", "part"), [(1, 6, "value"), (4, 0, "key"), (2, 3, "value")])
def test_the_damaged_cell_is_marked_and_the_columns_are_the_probability_that_moved(layer, position, part):
    figure = figures.corrupt(layer, position, part)
    picture = drawn.read(figure.picture)
    assert [len(r.all("td")) for r in picture.one("tbody").all("tr")] == [7] * 4
    for n, row in enumerate(picture.one("table").one("tbody").all("tr"), 1):
        for at, cell in enumerate(row.all("td")):
            assert json.loads(cell.attrs["data-set"]) == {"layer": n, "position": at}
            hit = (n, at) == (layer, position)
            assert ("hit" in cell.classes, bool(cell.text)) == (hit, hit)
            if hit:
                assert cell.text == ("K" if part == "key" else "V") + "✗"
    m = model.load()
    ids = m.encode("She opened the old wooden chest of")
    text = model.generate.greedy(m, ids, 10).ids
    cache = m.new_cache()
    m.forward(ids[:-1], cache)
    cache.corrupt(layer - 1, position, part, np.random.default_rng(1000 * (layer - 1) + position))
    spoilt = drawn.softmax(m.forward([ids[-1], *text[:-1]], cache).logits)
    clean = drawn.softmax(m.forward([*ids, *text[:-1]]).logits[len(ids) - 1 :])
    moved = 0.5 * np.abs(spoilt - clean).sum(axis=1)
    for (_, share, written), value in zip(
        drawn.bars(picture.one(class_="chart-columns")), moved, strict=True
    ):
        assert share == pytest.approx(100 * value, abs=0.05)
        assert abs(int(written) - 100 * value) < 0.6


# --- speculative


@pytest.mark.parametrize(("layers", "guesses"), [(1, 4), (3, 8), (0, 2)])
def test_every_pass_shows_what_was_right_what_was_wrong_and_the_models_own(layers, guesses):
    m, prompt = model.load(), figures.GUESSED[2]
    ids = m.encode(prompt)
    draft = CutDown(m, layers) if layers else Lookup()
    rounds = list(rounds_of(m, ids, 24, draft, guesses))
    picture = figures.speculative(layers, guesses, prompt).picture
    shown = drawn.read(picture).all("span", "pass")
    assert len(shown) == len(rounds)

    def words(ids):
        return [w.replace("⟨start⟩", "¶").strip() or "␣" for w in runs.shown(ids)]

    for span, r in zip(shown, rounds, strict=True):
        assert [w.raw for w in span.all("span", "right")] == words(list(r.guesses[: r.accepted]))
        assert [w.raw for w in span.all("s")] == words(list(r.guesses[r.accepted : r.tested]))
        assert span.one("b").raw == words([r.own])[0]
    sets = drawn.rows(picture, "kv_cache.speculative")
    cost = fetched(CutDown(m, layers).model) / fetched(m) if layers else 0
    passes = len(rounds) + cost * sum(len(r.guesses) for r in rounds)
    assert (guesses, pytest.approx(24 / passes, abs=0.01)) in [
        (r["guesses"], r["times"]) for r in sets["counted"]
    ]
    wrong = sum(len(r.ids) <= guesses for r in rounds[:-1])  # a guess was wrong, or there was none
    right = sum(r.accepted for r in rounds) / (sum(r.accepted for r in rounds) + wrong)
    assert sets["here"] == [{"guesses": guesses}]
    for line, c in zip(drawn.lines(sets, "guesses", "times").values(), (0.02, cost), strict=True):
        assert [k for k, _ in line] == list(range(9))
        for k, times in line:
            assert times == pytest.approx(sum(right**n for n in range(k + 1)) / (1 + c * k), rel=1e-5)


# --- paging, prefix, prompt_cache, tail


@pytest.mark.parametrize("step", [0, 36, 60])
@pytest.mark.parametrize("block", [4, 32])
def test_every_slot_of_both_memories_has_its_owner_and_its_state(step, block):
    asked = paging.requests(9, 40)
    memories = (paging.contiguous(asked, 256, step), paging.paged(asked, 256, block, step))
    for side, memory in zip(
        drawn.read(figures.paging(step, block).picture).one(class_="paging").kids()[:2], memories, strict=True
    ):
        expected = ["free"] * 256
        tones = [""] * 256
        for s in memory.stretches:
            for n in range(s.length):
                expected[s.start + n] = "used" if n < s.used else "empty"
                tones[s.start + n] = f"var(--cat-{1 + (ord(s.name[0]) - 65) % 6})"
        found, colours = [], []
        for line in side.one("ol").kids():
            before = len(found)
            for piece in line.kids():
                length = int(piece.style("--n"))
                found += [piece.attrs.get("class", "free")] * length
                colours += [piece.style("--c")] * length
                if piece.text:
                    assert piece.text in {s.name for s in memory.stretches if s.start <= before + 32}
            assert len(found) == before + 32
        assert found == expected
        assert colours == tones
        away = side.kids()[-1].one("b").text
        assert away == (", ".join(memory.turned_away) or "none")
        facts = f"{expected.count('used')} tokens, {expected.count('empty')} slots set aside and empty"
        assert f"{facts}, {expected.count('free')} free" in side.kids()[0].text
    whole, pages = memories
    said = figures.paging(step, block).sentence
    assert (
        f"At step {step} long stretches hold tokens in {100 * whole.used / 256:.0f}\u00a0% of memory" in said
    )
    assert f"blocks of {block} hold {100 * pages.used / 256:.0f}\u00a0% and turned away" in said


@pytest.mark.parametrize("place", ["front", "end", "none"])
@pytest.mark.parametrize("block", [8, 32])
def test_what_is_coloured_as_cached_is_what_the_store_had(place, block):
    figure = figures.prefix(place, 8, block)
    requests = drawn.read(figure.picture).one("ol").kids()
    texts = []
    for n, li in enumerate(requests):
        raw = li.one("p").raw
        texts.append(raw.encode())
        assert (f"[09:{15 + 7 * n // 60:02}:{7 * n % 60:02}]" in raw) == (place != "none")
    store = prefix.Store(block)
    for li, data in zip(requests, texts, strict=True):
        read = store.read(data)
        hits = li.all("span", "hit")
        assert len(hits[0].raw.encode() if hits else b"") == read.hit
        assert li.one("b").text == f"{100 * read.hit / read.total:.0f} %"


@pytest.mark.parametrize(("turns", "keep"), [(1, 0), (30, 10), (60, 0)])
def test_the_two_bills_are_drawn_to_their_sums(turns, keep):
    without, cached = bills(Talk(2000, 600, keep or None), 60, 3.0, 10)
    figure = figures.prompt_cache(turns=turns, keep=keep)
    step = 10 ** math.floor(math.log10(without[-1]))
    top = step * math.ceil(without[-1] / step)
    ((_, sets, values),) = vega.found(figure.picture)
    assert values == {"top": pytest.approx(top, rel=1e-5)}
    lines = drawn.lines(sets, "turn", "dollars")
    assert list(lines) == ["without", "with cached beginnings"]
    for line, dot, sums in zip(lines.values(), sets["here"], (without, cached), strict=True):
        assert [n for n, _ in line] == list(range(1, 61))
        assert [paid for _, paid in line] == pytest.approx(sums, rel=1e-5)
        assert (dot["turn"], dot["dollars"]) == (turns, pytest.approx(sums[turns - 1], rel=1e-5))
    assert sets["turns"] == [{"turn": turns, "text": f"{turns} turn{'s' * (turns > 1)}"}]


@pytest.mark.parametrize(
    ("rate", "prompt", "how"),
    [(0.5, 250, {}), (4, 1000, {"chunk": 256}), (10, 4000, {"apart": True}), (4, 1000, {"cache": False})],
)
def test_each_line_of_the_tail_is_an_engines_waits(rate, prompt, how):
    server = latency.serving(catalogue.models()["Llama 3 8B"], catalogue.gpus()["A100 80 GB"], 32)
    asked = latency.Load(float(rate), 300, prompt, answer=60, seed=11).draw()
    now = engine.simulate(asked, server, latency.Policy(**how))
    plain = engine.simulate(asked, server, latency.Policy(machines=2 if how.get("apart") else 1))
    shown = figures.tail(rate, prompt, **how).picture
    picture = drawn.read(shown)
    base = [plain] if how else []
    expected = (
        ("kv_cache.tail_first", [w.first for w in base] + [now.first]),
        ("kv_cache.tail_gap", [w.gaps for w in base] + [now.averages, now.gaps]),
    )
    for name, lines in expected:
        found = drawn.lines(drawn.rows(shown, name), "seconds", "one_in")
        for line, times in zip(found.values(), lines, strict=True):
            waits = np.repeat(times.seconds, times.counts.astype(int))
            assert line[-1] == (pytest.approx(waits[-1], rel=5e-3), pytest.approx(len(waits), rel=5e-3))
            for seconds, one_in in line[:-1]:
                longer = (waits > seconds * (1 + 6e-3)).sum()
                as_long = (waits > seconds * (1 - 6e-3)).sum()
                assert longer - 1 <= len(waits) / one_in * (1 + 6e-3)
                assert len(waits) / one_in * (1 - 6e-3) <= as_long + 1
    for row, times in zip(
        (r for r in picture.one("table", "tail-numbers").one("tbody").all("tr") if r.all("td")),
        [*reversed(expected[0][1]), *reversed(expected[1][1])],
        strict=True,
    ):
        for cell, percent in zip(row.all("td"), (50, 95, 99, 100), strict=True):
            number, unit = cell.text.split()
            found = float(number.replace(",", "")) * {"µs": 1e-6, "ms": 1e-3, "s": 1, "minutes": 60}[unit]
            assert found == pytest.approx(times.percentile(percent), rel=6e-3)


# --- landscape


@pytest.mark.parametrize("context", [1000, 8000, 131_072])
def test_every_model_stands_at_its_month_and_at_what_it_keeps_for_each_token(context):
    sets = drawn.rows(figures.landscape(context, "Gemma 3 27B").picture, "kv_cache.landscape")
    models = catalogue.models()
    assert {row["model"] for row in sets["models"]} == set(models)
    for row in sets["models"]:
        model = models[row["model"]]
        year, month = model.released.split("-")
        assert int(year) == int(row["year"])
        assert row["year"] % 1 == pytest.approx((int(month) - 0.5) / 12, abs=0.006)
        kept = kv.plan(model.config, context).sequence_bytes
        assert row["each"] * context == pytest.approx(kept, rel=1e-5)
        assert 3e3 <= row["each"] <= 1.2e6, "beyond the axis"
        assert json.loads(row["set"]) == {"open": row["model"]}
        assert parse_qs(urlsplit(row["sends"]).query) == {"memory_model": [row["model"]]}
    assert [row["model"] for row in sets["here"]] == ["Gemma 3 27B"]


@pytest.mark.parametrize(
    ("model", "how"),
    [
        ("GPT-2 small", "a key and value for every head"),
        ("Llama 2 7B", "a key and value for every head"),
        ("Falcon 7B", "heads share them"),
        ("Llama 3 8B", "heads share them"),
        ("Mistral 7B v0.1", "windows in some layers or all"),
        ("Llama 4 Scout", "windows in some layers or all"),
        ("DeepSeek-V3", "one short vector instead"),
        ("GLM-5", "one short vector instead"),
        ("Jamba v0.1", "fixed states in most layers"),
        ("Kimi-Linear 48B-A3B", "fixed states in most layers"),
    ],
)
def test_a_models_colour_is_how_it_attends(model, how):
    rows = drawn.rows(figures.landscape(8000, model).picture, "kv_cache.landscape")["models"]
    assert {row["model"]: row["series"] for row in rows}[model] == how


def test_the_landscape_says_who_keeps_least_and_most():
    each = {name: kv.plan(m.config, 131_072).sequence_bytes for name, m in catalogue.models().items()}
    least, most = (f(each, key=each.get) for f in (min, max))
    sentence = figures.landscape(131_072, "Phi-4 14B").sentence
    fewer = sum(kept < each["Phi-4 14B"] for kept in each.values())
    assert f"{fewer} of {len(each) - 1} other models keep less; {least} keeps least" in sentence
    assert f"and {most} most" in sentence
    with pytest.raises(ValueError, match="model is 'GPT-9'; it should be one of 'GPT-2 small'"):
        figures.landscape(8000, "GPT-9")
