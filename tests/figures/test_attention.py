"""Chapter 2's figures: their numbers against what is worked out here by other means, and hostile input.

Nothing here knows the shipped weights: every number is recomputed from the model, or is a property.
"""

import html
import importlib
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassbox import examples, model
from glassbox.costs import catalogue
from glassbox.figures import attention as figures
from glassbox.figures.attention import facts, reading, reasons
from glassbox.figures.figure import Figure
from glassbox.model import attention, experiments
from glassbox.model.transformer import Switches
from tests.figures.effort import calls

# The package exports functions of the same names as these modules.
mask, order, paint, quadratic, scaling = (
    importlib.import_module(f"glassbox.figures.attention.{name}")
    for name in ("mask", "order", "paint", "quadratic", "scaling")
)
CLINICAL = "Patient has severe chest"
TEXT_FIGURES = {
    "next_word": figures.next_word,
    **{f"qkv {stage}": lambda text, stage=stage: figures.qkv(text, 1, stage) for stage in figures.STAGES},
    "mask on": lambda text: figures.mask(text, True, 0),
    "mask off": lambda text: figures.mask(text, False, 0),
    "heads": lambda text: figures.heads(text, 1),
    "sink": lambda text: figures.sink(text, True),
    "sink cut": lambda text: figures.sink(text, False),
    "not_explanation": figures.not_explanation,
}
DEFAULTS = {
    "next_word": lambda: figures.next_word("The patient has"),
    "paint": lambda: figures.paint(50, 0),
    "paint_reverse": lambda: figures.paint_reverse("pain"),
    "qkv": lambda: figures.qkv(CLINICAL, 1),
    "scaling": lambda: figures.scaling(64),
    "mask": lambda: figures.mask("She was tired, so she went to bed.", True, 1),
    "heads": lambda: figures.heads("She has an old chest of drawers", 1),
    "order": lambda: figures.order("reversed", False, False),
    "distance": lambda: figures.distance(1),
    "quadratic": lambda: figures.quadratic(10_000, "A100 80 GB"),
    "tiled": lambda: figures.tiled(4, 28),
    "dilution": lambda: figures.dilution(5),
    "not_explanation": lambda: figures.not_explanation(CLINICAL),
    "sink": lambda: figures.sink("The patient has a history of asthma.", True),
}
NASTY = [
    "",
    " ",
    "\n\n",
    "\ud83d",
    "good \udc4b bad",
    "\x00\x07\x1b\x7f",
    "\u202eevil\u202c \u2066x",
    "שלום עולם مرحبا",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "<|endoftext|>",
    "👩‍👩‍👧‍👦 é̂ क्षि",
    "a" * 5_000,
    " " * 5_000,
]


def instead(layer, weights):
    """Puts these attention weights in place of a layer's own."""
    return lambda name, at, value: weights if (name, at) == ("weights", layer) else value


def words_of(markup):
    return html.unescape(re.sub(r"<[^>]+>", " ", markup))


def matrices(picture):
    """Every heat table of a picture as rows of (kind of cell, what it says)."""
    found = []
    for table in re.findall(r'<table class="matrix".*?</table>', picture, flags=re.S):
        body = table.split("<tbody>")[1]
        rows = [
            re.findall(r'<td class="(heat|hatch)[^"]*"[^>]*>([^<]*)</td>', row)
            for row in body.split("<tr")[1:]
        ]
        found.append(rows)
    return found


# --- Every figure


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_first_state_has_everything_a_figure_needs(name):
    figure = DEFAULTS[name]()
    assert isinstance(figure, Figure)
    assert figure.title
    assert figure.sentence.endswith(".")
    assert figure.picture
    assert figure.table.rows
    assert figure.provenance == "computed"
    assert "nan" not in figure.sentence


@pytest.mark.parametrize("name", DEFAULTS)
def test_the_same_values_give_the_same_bytes(name):
    assert DEFAULTS[name]() == DEFAULTS[name]()


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_picture_has_no_style_of_its_own_but_computed_geometry(name):
    picture = DEFAULTS[name]().picture
    assert "<style" not in picture
    assert not re.search(r"<script(?! type=\"application/json\">)", picture)
    assert " id=" not in picture
    assert not re.search(r"<[^>]* on\w+=", picture)


# --- What a reader may type


@pytest.mark.parametrize("name", TEXT_FIGURES)
@pytest.mark.parametrize("text", NASTY, ids=[f"nasty {n}" for n in range(len(NASTY))])
def test_every_text_gives_a_figure_with_a_sentence_and_no_markup_of_its_own(name, text):
    figure = TEXT_FIGURES[name](text)
    assert figure.sentence.endswith(".")
    assert "nan" not in figure.sentence.split()
    shown = str(figure.picture) + str(figure.table.markup())
    assert "<script" not in shown
    assert "<img" not in shown
    assert "<svg onload" not in shown
    spoken = shown + figure.sentence + figure.note
    assert not any(0xD800 <= ord(c) <= 0xDFFF or c in "\u202e\u2066\x00\x07" for c in spoken)
    assert len(shown) < 450_000


@settings(max_examples=15, deadline=None)
@given(st.text(max_size=60))
def test_no_text_makes_a_figure_raise(text):
    for figure in TEXT_FIGURES.values():
        assert figure(text).sentence


@pytest.mark.parametrize("name", TEXT_FIGURES)
def test_half_a_surrogate_pair_is_read_as_the_replacement_sign_and_said_where_it_stands(name):
    figure = TEXT_FIGURES[name]("x\ud83d")
    assert "Character 2 is U+D83D, half of a surrogate pair" in figure.note
    assert "read as U+FFFD" in figure.note
    plain = TEXT_FIGURES[name]("x\ufffd")
    assert (figure.sentence, figure.table) == (plain.sentence, plain.table)


def test_hostile_text_is_shown_as_text():
    typed = "<script>alert(1)</script>"
    figure = figures.next_word(typed)
    assert typed in figure.sentence
    assert typed in words_of(figure.picture)


def test_a_text_over_the_context_is_said_to_be_and_its_last_tokens_are_read():
    m = model.load()
    ids = m.tokenizer.encode("the nurse saw " * 300 + "and then Patient has severe chest")
    assert len(ids) > m.config.context == 512
    text = m.tokenizer.decode_bytes(ids).decode()
    read = reading.read(text, 512)
    assert len(read.ids) == 512
    assert read.ids == (m.start, *ids[-511:])
    figure = figures.next_word(text)
    assert f"Your text has {len(ids):,} tokens; only the last 511 are read here." in figure.note
    logits = m.forward([m.start, *ids[-511:]]).logits[-1].astype(np.float64)
    powers = np.exp(logits - logits.max())
    assert figure.table.rows[0][1] == pytest.approx(100 * powers.max() / powers.sum(), abs=0.006)
    assert figure.table.rows[0][0] == reading.label(int(logits.argmax()), next_word=True)


def test_of_a_huge_paste_the_end_alone_is_cut_into_tokens():
    end = " and then Patient has severe chest"
    paste = "nurse " * 170_000 + end
    read = reading.read(paste, 512)
    assert read.note == f"Your text has {len(paste):,} characters; only its last 511 tokens are read here."
    assert read.ids[1:] == tuple(model.load().tokenizer.encode(paste)[-511:])
    assert len(read.text) <= reading.LONGEST


def test_a_text_that_fits_gets_no_such_sentence():
    assert "only the last" not in figures.next_word("The patient has").note
    assert "only the last 7 are read" in figures.qkv("one two three four five six seven eight nine", 0).note


def test_an_empty_text_is_read_as_the_start_alone():
    m = model.load()
    assert reading.read("", 12).ids == (m.start,)
    assert "⟨start⟩" in figures.next_word("").sentence
    assert figures.mask("", False, 0).sentence.startswith("There is no word yet")


def test_a_keystroke_is_answered_at_once():
    for name in ("next_word", "qkv softmax", "mask off", "heads", "sink"):
        TEXT_FIGURES[name](f"{CLINICAL} 0")
        assert calls(lambda name=name: TEXT_FIGURES[name](f"{CLINICAL} 1")) < 20_000, name


# --- Matrices


MATRICES = {
    "qkv softmax": lambda: figures.qkv(CLINICAL, 1, "softmax"),
    "qkv mix": lambda: figures.qkv(CLINICAL, 1, "mix"),
    "mask on": lambda: figures.mask("She was tired, so she went to bed.", True, 5),
    "mask off": lambda: figures.mask("She was tired, so she went to bed.", False, 5),
    "heads": lambda: figures.heads("She has an old chest of drawers", 6),
    "sink": lambda: figures.sink("The patient has a history of asthma.", True),
    "sink cut": lambda: figures.sink("The patient has a history of asthma.", False),
}


@pytest.mark.parametrize("name", MATRICES)
def test_rows_shown_sum_to_100_and_cells_ahead_are_hatched(name):
    (rows,) = matrices(MATRICES[name]().picture)
    assert len(rows) > 4
    for i, row in enumerate(rows):
        assert len(row) == len(rows)
        assert sum(int(p) for kind, p in row if kind == "heat") == 100
        ahead = {"heat"} if name == "mask off" else {"hatch"}
        assert {kind for kind, _ in row[i + 1 :]} <= ahead
        assert {kind for kind, _ in row[: i + 1]} == {"heat"}


@pytest.mark.parametrize("head", range(16))
def test_rows_sum_to_100_in_every_head(head):
    for text in (CLINICAL, "a a b a", "x"):
        for rows in matrices(figures.heads(text, head).picture):
            assert all(sum(int(p) for kind, p in row if kind == "heat") == 100 for row in rows)


@pytest.mark.parametrize("name", [*MATRICES, "qkv scores", "tiled"])
def test_both_axes_say_who_reads_and_what_is_read(name):
    figure = {
        **MATRICES,
        "tiled": lambda: figures.tiled(4, 5),
        "qkv scores": lambda: figures.qkv(CLINICAL, 1, "scores"),
    }[name]()
    assert "query (reader)" in words_of(figure.picture)
    assert "key (read from)" in words_of(figure.picture)


def test_masked_weights_are_exactly_0_in_every_head():
    read = reading.read("The patient has a history of asthma.", 12)
    n = len(read.ids)
    above = np.triu(np.ones((n, n), dtype=bool), 1)
    for weights in read.forward.weights:
        assert (weights[:, above] == 0).all()
        assert (weights[:, 0, 0] == 1).all()


def test_a_cell_sets_the_two_positions_it_stands_for():
    picture = figures.qkv(CLINICAL, 1, "softmax").picture
    sets = [json.loads(html.unescape(s)) for s in re.findall(r'data-set="([^"]+)"', picture)]
    assert sets == [{"query": i, "key": j} for i in range(5) for j in range(5)]


# --- next_word


def test_temperature_0_leaves_one_entry_and_every_draw_alike():
    cold = [figures.next_word("The patient has", 0, seed=s) for s in (1, 2, 12)]
    assert all("1 of 2,048 tokens can still be drawn" in f.sentence for f in cold)
    drawn = [words_of(f.picture).split("Drawn with seed")[1].split(None, 1)[1] for f in cold]
    assert len(set(drawn)) == 1
    hot = {figures.next_word("The patient has", 2, seed=s).picture for s in range(1, 6)}
    assert len({words_of(p).split("Drawn with seed")[1].split(None, 1)[1] for p in hot}) == 5


def test_top_k_and_top_p_keep_what_they_say():
    logits = model.load().forward(model.load().encode("The patient has")).logits[-1].astype(np.float64)
    probs = np.exp(logits - logits.max())
    probs = np.sort(probs / probs.sum())[::-1]
    for k in (1, 5, 50):
        assert f"{k} of 2,048" in figures.next_word("The patient has", top_k=k).sentence
    for p in (0.05, 0.5, 0.9):
        fewest = int(np.argmax(np.cumsum(probs) >= p)) + 1
        assert f"{fewest} of 2,048" in figures.next_word("The patient has", top_p=p).sentence


def test_the_list_of_the_large_model_stands_as_it_was_reported():
    known = examples.example("next-words")
    picture = words_of(figures.next_word("The patient has").picture)
    assert known.provenance == "reported"
    assert "reported" in picture
    for value in known.value:
        assert f"{value} %" in picture
    assert f"{100 - sum(known.value):.1f} %" in picture


# --- paint


@pytest.mark.parametrize("severe", [0, 1, 33, 50, 99, 100])
@pytest.mark.parametrize("drawers", [0, 1, 34, 67, 100])
def test_paint_shares_always_sum_to_100(severe, drawers):
    figure = figures.paint(severe, drawers)
    assert sum(row[1] for row in figure.table.rows[:3]) == 100
    assert all(row[1] >= 0 for row in figure.table.rows)
    assert figure.table.rows[0][1] == severe


def test_the_mixed_colour_is_the_sum_of_the_pots_in_their_shares():
    for severe, drawers in ((50, 0), (30, 45), (0, 100), (100, 100)):
        s, d = severe / 100, min(drawers, 100 - severe) / 100
        parts = zip((s, 1 - s - d, d), paint.VALUES.values(), strict=True)
        colour = sum(share * np.array(value) for share, value in parts)
        shown = "#" + "".join(f"{round(255 * c):02x}" for c in colour)
        assert figures.paint(severe, drawers).table.rows[-1][2] == shown


@pytest.mark.parametrize("word", figures.NEXT_WORDS)
def test_the_mixer_backwards_agrees_with_the_mixer_forwards(word):
    figure = figures.paint_reverse(word)
    best = [row[2] for row in figure.table.rows]
    assert sum(best) == 100
    assert f"“{word}”" in figures.paint(best[0], best[2]).sentence
    leads = [
        (s, 100 - s - d, d)
        for s in range(101)
        for d in range(101 - s)
        if next(iter(paint.distances(paint.mixed_colour(paint.shares(s, d))))) == word
    ]
    assert f"{100 * len(leads) / 5151:.0f} % of all mixes" in figure.sentence
    for i, row in enumerate(figure.table.rows):
        assert row[1] == min(mix[i] for mix in leads)
        assert row[3] == max(mix[i] for mix in leads)


def test_the_words_change_in_the_order_the_page_says():
    words = [re.findall("“(.+?)”", figures.paint(s, 0).sentence)[0] for s in range(101)]
    assert list(dict.fromkeys(words)) == ["X-ray", "tightness", "pain"]
    damage = {row[0]: row for row in figures.paint_reverse("damage").table.rows}
    assert damage["severe"][1] > 0
    assert damage["drawers"][1] > 0
    xray = {row[0]: row for row in figures.paint_reverse("X-ray").table.rows}
    assert xray["chest"][1] > 50


# --- qkv


@pytest.mark.parametrize("head", [0, 7, 15])
def test_the_stages_of_a_head_are_worked_out_again_with_loops(head):
    m, read = model.load(), reading.read(CLINICAL, 8)
    layer, h = divmod(head, m.config.n_heads)
    f, group = read.forward, m.config.n_heads // m.config.n_kv_heads
    q, k = f.q[layer][h].tolist(), f.k[layer][h // group].tolist()
    rows = figures.qkv(CLINICAL, head, "softmax", 4, 3).table.rows
    for j, row in enumerate(rows):
        score = sum(a * b for a, b in zip(q[4], k[j], strict=True))
        assert row[1] == pytest.approx(score, abs=0.006)
        assert row[2] == pytest.approx(score / math.sqrt(32), abs=0.006)
    powers = [math.exp(sum(a * b for a, b in zip(q[4], key, strict=True)) / math.sqrt(32)) for key in k]
    for row, power in zip(rows, powers, strict=True):
        assert abs(row[4] - 100 * power / sum(powers)) < 1
    assert sum(row[4] for row in rows) == 100


def test_the_square_root_in_the_words_is_that_of_the_head():
    assert model.load().config.d_head == 32
    assert "√32" in figures.qkv(CLINICAL, 0, "scaled").sentence


def test_a_later_word_is_not_seen_and_a_position_past_the_end_is_the_last():
    assert "exactly 0 %" in figures.qkv(CLINICAL, 0, "softmax", 1, 3).sentence
    assert figures.qkv(CLINICAL, 0, "scores", 99, 2) == figures.qkv(CLINICAL, 0, "scores", 4, 2)


# --- scaling


@pytest.mark.parametrize("width", scaling.WIDTHS)
def test_undivided_scores_spread_by_the_root_of_the_width_and_divided_ones_by_1(width):
    raw, divided = experiments.spread(width, False), experiments.spread(width, True)
    assert raw.deviation == pytest.approx(math.sqrt(width), rel=0.1)
    assert divided.deviation == pytest.approx(1, rel=0.1)
    assert raw.deviation == pytest.approx(divided.deviation * math.sqrt(width), rel=1e-4)
    rng = np.random.default_rng(99)
    other = (rng.standard_normal((4000, width)) * rng.standard_normal((4000, width))).sum(axis=1).std()
    assert raw.deviation == pytest.approx(other, rel=0.12)


def test_wide_undivided_scores_starve_the_gradient_and_divided_ones_stay_level():
    raw = [experiments.spread(w, False) for w in scaling.WIDTHS]
    assert raw[-1].largest > 0.9
    assert raw[-1].slope < raw[0].slope / 3
    assert raw[-1].entropy_bits < 0.5
    for measure in ("deviation", "largest", "entropy_bits", "slope"):
        level = [getattr(experiments.spread(w, True), measure) for w in scaling.WIDTHS]
        assert max(level) < 1.25 * min(level), measure
    alike = experiments.spread(64, True)
    assert alike.entropy_bits < math.log2(16)


# --- mask


def test_a_head_that_may_look_ahead_copies_the_next_word():
    read = reading.read("She was tired, so she went to bed.", 10)
    losses = experiments.token_surprise(mask.copied(read.ids), read.ids)
    assert losses.max() < 0.5
    assert losses.mean() < experiments.token_surprise(read.forward.logits, read.ids).mean() / 10


def test_surprise_is_minus_log2_of_what_was_given_to_the_next_word():
    read = reading.read("The patient has a cough", 10)
    expected = []
    for t in range(len(read.ids) - 1):
        logits = [float(x) for x in read.forward.logits[t]]
        total = sum(math.exp(x - max(logits)) for x in logits)
        expected.append(-math.log2(math.exp(logits[read.ids[t + 1]] - max(logits)) / total))
    shown = figures.mask("The patient has a cough", True, 0).table.rows[0][1]
    assert shown == pytest.approx(sum(expected) / len(expected), abs=1e-3)


def test_off_the_upper_half_fills():
    bare = model.load().forward(
        reading.read("She was tired, so she went", 10).ids, switches=Switches(mask=False)
    )
    assert min(float(np.triu(w, 1).max()) for w in bare.weights) > 0
    assert "words that come later" in figures.mask("She was tired, so she went", False, 0).sentence


# --- heads


def test_all_sixteen_heads_are_drawn_and_each_can_be_opened():
    picture = figures.heads(CLINICAL, 3).picture
    sets = [json.loads(html.unescape(s))["open"] for s in re.findall(r'data-set="([^"]+)"', picture)]
    assert sets == figures.head_names()
    assert len(set(sets)) == 16
    assert picture.count('aria-selected="true"') == 1


def test_habits_are_those_of_the_card_and_belong_to_the_heads_measured_again_here():
    card, m = model.card(), model.load()
    text = "She has a history of asthma and was given a new inhaler by the nurse."
    ids = m.encode(text)
    given = {"previous": [], "first": [], "self": []}
    for w in m.forward(ids).weights:
        rows = range(2, len(ids))
        given["previous"] += [float(np.mean([head[i, i - 1] for i in rows])) for head in w]
        given["first"] += [float(np.mean([head[i, 0] for i in rows])) for head in w]
        given["self"] += [float(np.mean([head[i, i] for i in rows])) for head in w]
    for name, scores in given.items():
        assert reading.habits()[name] == [s for layer in card["heads"][name] for s in layer]
        best = reading.best_head(name)
        assert scores[best] >= sorted(scores)[-4], name


# --- order


IDS = reading.read(order.SENTENCE, 16).ids
REARRANGED = [a for a in figures.ARRANGEMENTS if a != "as written"]


@pytest.mark.parametrize("arranged", REARRANGED)
def test_without_mask_and_positions_outputs_permute_and_nothing_else(arranged):
    to = order.arrangement(arranged, len(IDS))
    assert sorted(to) == list(range(len(IDS)))
    off = Switches(mask=False, positions=False)
    before = model.load().forward(IDS, switches=off)
    after = model.load().forward([IDS[i] for i in to], switches=off)
    np.testing.assert_allclose(after.hidden, before.hidden[to], atol=1e-4)  # all layers, not just the first
    figure = figures.order(arranged, False, False)
    assert all(row[2] == 0 for row in figure.table.rows)
    assert f"{len(IDS)} of {len(IDS)} outputs stay exactly" in figure.sentence


@pytest.mark.parametrize("arranged", REARRANGED)
def test_with_the_mask_alone_the_last_row_stays_and_others_do_not(arranged):
    change = order.moved(IDS, order.arrangement(arranged, len(IDS)), True, False)
    assert change[-1] < 1e-5
    assert change[0] < 1e-5
    assert change[1:-1].max() > 1e-2
    assert "the last word’s moves by 0\u00a0%." in figures.order(arranged, True, False).sentence


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("arranged", REARRANGED)
def test_with_positions_the_last_word_notices(arranged, masked):
    to = order.arrangement(arranged, len(IDS))
    # The first two words are far from the last, which hardly looks there in the first layer.
    assert order.moved(IDS, to, masked, True)[-1] > (0 if arranged.startswith("first two") else 1e-5)
    still = "moves by 0\u00a0%" in figures.order(arranged, masked, True).sentence
    assert not still or arranged.startswith("first two")


@pytest.mark.parametrize(("masked", "positions"), [(a, b) for a in (False, True) for b in (False, True)])
def test_nothing_moves_as_long_as_nothing_is_rearranged(masked, positions):
    assert all(row[2] == 0 for row in figures.order("as written", masked, positions).table.rows)


def test_a_rotated_score_depends_on_the_distance_alone():
    """The figure's scores equal those of the model when the same two words stand anywhere at that distance."""
    m = model.load()
    c = m.config
    rng = np.random.default_rng(3)
    q, k = rng.standard_normal(c.d_head), rng.standard_normal(c.d_head)
    half = c.d_head // 2
    angle = c.rope_base ** (-np.arange(half) / half)

    def turned(x, position):
        z = (x[:half] + 1j * x[half:]) * np.exp(1j * angle * position)
        return np.concatenate([z.real, z.imag])

    for back in (0, 1, 20):
        scores = {round(float(turned(q, p) @ turned(k, p - back)), 8) for p in (20, 37, 200)}
        assert len(scores) == 1
    f = m.forward(IDS, switches=Switches(positions=False), last_only=True)
    layer, h = divmod(6, c.n_heads)
    keys = f.k[layer][h // (c.n_heads // c.n_kv_heads)]
    for back in (0, 3, 48):
        mean = np.mean([turned(a, back) @ b for a in f.q[layer][h] for b in keys]) / math.sqrt(c.d_head)
        assert figures.distance(6).table.rows[back][1] == pytest.approx(mean, abs=0.006)


# --- quadratic and tiles


@pytest.mark.parametrize("n", figures.LENGTHS)
def test_scores_and_bytes_are_plain_arithmetic(n):
    config = catalogue.models()["Llama 3 8B"].config
    assert (config["num_hidden_layers"], config["num_attention_heads"]) == (32, 32)
    figure = figures.quadratic(n, "H100 SXM")
    row = next(r for r in figure.table.rows if r[0] == n)
    assert row[1] == n * (n + 1) // 2
    assert row[2] == (row[1] if n <= 4096 else 4096 * 4097 // 2 + (n - 4096) * 4096)
    assert row[3] == n * n * 32 * 32 * 2
    number, unit = re.search(r"would fill ([\d.,]+) (\wB)", figure.sentence).groups()
    power = {"kB": 3, "MB": 6, "GB": 9, "TB": 12, "PB": 15}[unit]
    assert float(number.replace(",", "")) * 10**power == pytest.approx(row[3], rel=0.006)
    made, size = re.search(r"make ([\d.,]+)( million| billion| trillion)? scores", figure.sentence).groups()
    power = {None: 0, " million": 6, " billion": 9, " trillion": 12}[size]
    assert float(made.replace(",", "")) * 10**power == pytest.approx(n * n, rel=0.006)


@pytest.mark.parametrize("gpu", ["RTX 4090", "A100 80 GB", "H100 SXM", "H200"])
def test_time_is_the_multiplications_over_the_data_sheets_peak(gpu):
    seconds = 4 * 128 * 32 * 32 * 50_005_000 / (catalogue.gpus()[gpu].tflops * 1e12)
    sentence = figures.quadratic(10_000, gpu).sentence
    assert f"an {gpu} {1000 * seconds:.3g} ms at best" in sentence


@pytest.mark.parametrize("size", [2, 4, 7])
def test_tiles_give_what_plain_attention_gives(size):
    labels, states, error = quadratic._tiled(size)
    read = reading.read("The patient has a history of asthma and was given aspirin", 13)
    layer, h = reading.head_at(reading.best_head("previous"))
    v = read.forward.v[layer][h // 2].astype(np.float64)
    plain = read.forward.weights[layer][h].astype(np.float64) @ v
    np.testing.assert_allclose(states[-1].mixed, plain, atol=1e-5)
    assert error < 1e-12
    n = len(labels)
    assert max(s.held for s in states) <= size * size < n * n
    blocks = -(-n // size)
    assert len(states) == blocks * (blocks + 1) // 2
    assert figures.tiled(size, 1000) == figures.tiled(size, len(states))
    assert "less than 10⁻¹²" in figures.tiled(size, 28).sentence or len(states) > 28


def test_the_tiles_of_a_radio_reach_their_end_at_the_sliders_end():
    assert max(len(quadratic._tiled(size)[1]) for size in (2, 4, 7)) == 28


# --- Where it breaks


@pytest.mark.parametrize("lead", [0, 2.5, 5, 14])
def test_the_best_share_is_a_softmax_by_hand(lead):
    for n in (2, 10, 1000):
        powers = [math.exp(lead), *[1.0] * (n - 1)]
        assert experiments.best_share(lead, n) == pytest.approx(powers[0] / sum(powers))
        shown = dict(figures.dilution(lead).table.rows)[f"{n:,} keys"]
        assert shown == pytest.approx(100 * powers[0] / sum(powers), abs=6e-4)
    half = experiments.half_length(lead)
    assert experiments.best_share(lead, half) >= 0.5 > experiments.best_share(lead, half + 1)


def test_the_measured_circles_are_those_of_the_card():
    rows = [row for row in figures.dilution(5).table.rows if "our model" in row[0]]
    card = model.card()["recall"]
    assert [row[1] for row in rows] == [round(100 * r["weight"], 1) for r in card]
    assert len(rows) >= 5


@pytest.mark.parametrize(
    "text",
    [
        CLINICAL,
        "She opened a wooden chest",
        "She opened a wooden chest of",
        "The blood culture",
        "The patient has no known drug",
    ],
)
def test_two_weightings_that_differ_give_the_same_top_word(text):
    swap, reason = reasons.find_swap(text)
    same, other = swap.turn, reason.turn
    assert same.moved >= 0.5
    assert sorted(same.before) == pytest.approx(sorted(same.after))
    assert same.after.sum() == pytest.approx(1, abs=1e-5)
    assert same.probs.argmax() == same.new_probs.argmax()
    assert other.change > same.change
    m, read = model.load(), reading.read(text, 10)
    layer, h = divmod(swap.head, m.config.n_heads)
    weights = m.forward(read.ids).weights[layer].copy()
    weights[h, -1] = same.after
    again = m.forward(read.ids, station=instead(layer, weights)).logits[-1]
    assert int(again.argmax()) == int(m.forward(read.ids).logits[-1].argmax())
    assert "the likeliest next word stays" in figures.not_explanation(text).sentence


def cut_by_hand(text, word, source):
    """The last row of every layer and head without one place, its other weights renewed."""
    m, ids = model.load(), model.load().encode(text)

    def station(name, layer, value):
        if name == "weights":
            value = value.astype(np.float64).copy()
            value[:, -1, source] = 0
            value[:, -1] /= value[:, -1].sum(axis=-1, keepdims=True)
        return value

    logits = m.forward(ids, station=station).logits[-1].astype(np.float64)
    powers = np.exp(logits - logits.max())
    return f"{100 * powers[m.tokenizer.encode(' ' + word)[0]] / powers.sum():.0f}\u00a0%"


def percent(words):
    return int(words.removeprefix("over ").removeprefix("under ").removesuffix("\u00a0%"))


@pytest.mark.parametrize(
    ("text", "word", "adjective", "bare"),
    [
        (CLINICAL, "pain", "severe", "Patient has chest"),
        ("She opened a wooden chest", "of", "wooden", "She opened a chest"),
    ],
)
def test_the_adjectives_edge_is_the_reason_and_one_bright_cell_is_not(text, word, adjective, bare):
    whole, without = percent(facts.probability(text, word)), percent(facts.probability(bare, word))
    at = reading.read(text, 12).labels.index(adjective)
    cut = facts.cut(text, word, adjective)
    assert abs(percent(cut) - percent(cut_by_hand(text, word, at))) <= 1
    assert whole - percent(cut) > (whole - without) / 2
    assert abs(whole - percent(facts.turned(text))) < (whole - percent(cut)) / 4
    alone = [percent(left) for left in facts.cut_alone(text, word, adjective)]
    assert whole - alone[reading.best_head("deciding")] < (whole - percent(cut)) / 4
    needed = facts.needed(text, word, adjective)
    assert percent(needed.left) == min(alone) == alone[reading.head_names().index(needed.name)]
    assert percent(facts.cut(text, word, reading.read(text, 12).labels[at - 1])) > whole - 10


def test_a_bare_chest_is_undecided_and_an_adjective_decides():
    assert 20 <= percent(facts.probability("The chest", "pain")) <= 60
    assert percent(facts.probability("The severe chest", "pain")) >= 80
    assert percent(facts.probability("The wooden chest", "pain")) <= 5


def test_a_name_is_said_again_and_the_heads_it_needs_were_found_by_cutting():
    assert percent(facts.recalled()) >= 95
    for what in ("names", "random tokens"):
        found = facts.copying(what)
        assert percent(found.whole) >= 90
        assert percent(found.unlinked) < 20
        assert percent(found.unread) < 20
    assert facts.likeliest(facts.NAMED)[0][0] == "Ada"
    assert "nudged" not in model.card()


def test_the_shares_of_both_weightings_sum_to_100():
    rows = [r for r in figures.not_explanation(CLINICAL).table.rows if r[1] in ("as trained", "turned round")]
    assert len(rows) == 6
    for _, _, shares, _ in rows:
        assert sum(int(p) for p in re.findall(r"(\d+) %", shares)) == 100


def test_the_first_tokens_column_is_measured_with_it_and_without_it():
    text = "The patient has a history of asthma."
    m = model.load()
    layer, h = divmod(reading.best_head("first"), m.config.n_heads)
    ids = m.tokenizer.encode(text)
    for start, read in ((True, [m.start, *ids]), (False, ids)):
        column = m.forward(read).weights[layer][h][1:, 0]
        assert (
            f"puts {100 * float(column.mean()):.0f} % of its attention" in figures.sink(text, start).sentence
        )


# --- What the prose says of the shipped model


def test_the_deciding_head_reads_the_adjective():
    head = reading.best_head("deciding")
    read = reading.read(facts.CLINICAL, 12)
    layer, h = reading.head_at(head)
    row = read.forward.weights[layer][h, -1]
    assert read.labels == ("⟨start⟩", "Patient", "has", "severe", "chest")
    assert row.argmax() == 3
    assert facts.weight_on(facts.CLINICAL, "severe", head) >= 50


def test_a_head_looks_at_the_word_before_with_most_of_its_weight():
    assert facts.habit("previous").percent > 50
    text = "She has an old chest of drawers"
    layer, h = reading.head_at(reading.best_head("previous"))
    w = reading.read(text, 12).forward.weights[layer][h]
    assert np.mean([w[i, i - 1] for i in range(1, len(w))]) > 0.5


def test_heads_rest_on_the_first_token_and_miss_it():
    sink, first = model.card()["sink"], np.array(model.card()["heads"]["first"])
    assert facts.habit("first").name == facts.parked()[0].name
    assert [h.percent for h in facts.parked()] == sorted(np.round(100 * first[first >= 0.4]).astype(int))[
        ::-1
    ]
    assert sink["without all"] > max(sink["without each"]) > sink["whole"]
    assert sink["without the token"] > sink["whole"]
    assert sink["adding nothing"] - sink["whole"] < 0.25 * (sink["without all"] - sink["whole"])


def test_names_are_joined_as_they_are_read():
    assert [facts.joined(list(n)) for n in ("a", "ab", "abc")] == ["a", "a and b", "a, b and c"]
    assert facts.heads_of([(3, 2)]) == "layer 3, head 2"
    assert facts.heads_of([(3, 4), (3, 2)]) == "heads 2 and 4 of layer 3"
    assert facts.heads_of([(3, 4), (2, 2)]) == "layer 3, head 4 and layer 2, head 2"


def test_severe_chest_is_pain_and_a_wooden_chest_is_of_drawers():
    assert facts.likeliest(facts.CLINICAL)[0][0] == "pain"
    assert facts.likeliest(facts.HOUSEHOLD)[0][0] == "drawers"
    assert figures.next_word(facts.CLINICAL).table.rows[0][0] == "pain"


def test_after_the_patient_has_there_is_grammar_and_no_medicine():
    ours = {row[0] for row in figures.next_word("The patient has").table.rows}
    assert len(ours & {"been", "a", "not", "no", "had"}) >= 3
    assert not ours & {"pain", "fever", "cancer", "asthma", "diabetes"}


def test_a_score_of_two_numbers_and_a_first_row_by_hand():
    assert facts.small_score() == pytest.approx((1 * 3 + 2 * 0 + 0 * 5 + 1 * 1) / 2)
    assert facts.two_scores_percent() == pytest.approx(75)
    assert facts.first_row_percent() == 100
    assert attention.softmax(np.array([0.0, math.log(3)])).tolist() == pytest.approx([0.25, 0.75])


def test_each_chart_of_scaling_says_its_own_numbers_once():
    figure = figures.scaling(64)
    said = re.findall(r'(?:aria-label|<desc[^>]*>)="?([^"<]{20,})', figure.picture)
    said = said or re.findall(r"<desc[^>]*>([^<]+)", figure.picture)
    assert len(said) == len(set(said)) == 4
    assert not [label for label in said if figure.sentence in html.unescape(label)]
