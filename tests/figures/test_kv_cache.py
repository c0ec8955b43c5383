"""Chapter 3's figures: their numbers against what is worked out here by other means, and hostile input."""

import importlib
import itertools
import json
import math
import re
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassbox import model
from glassbox.costs import catalogue, kv
from glassbox.figures import kv_cache as figures
from glassbox.figures import vega
from glassbox.figures.figure import Figure, Work
from glassbox.figures.kv_cache import runs
from glassbox.figures.kv_cache.corrupt import LENGTH, PROMPT, damage
from glassbox.figures.kv_cache.notepad import TEXT, changes
from glassbox.figures.kv_cache.per_token import known as per_token_of
from glassbox.figures.kv_cache.precision import measured, new_cache
from glassbox.figures.kv_cache.race import checked, counted, multiply_adds
from glassbox.figures.kv_cache.window import STORIES, read, spread
from glassbox.model import experiments
from glassbox.serving.conversation import Talk, bills
from tests.figures import effort

DEFAULTS = {
    f.__name__: f
    for f in (
        figures.steps,
        figures.race,
        figures.per_step,
        figures.notepad,
        figures.per_token,
        figures.memory,
        figures.roofline,
        figures.speculative,
        figures.sharing_heads,
        figures.window,
        figures.precision,
        figures.paging,
        figures.prefix,
        figures.prompt_cache,
        figures.corrupt,
        figures.tail,
    )
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_first_state_has_everything_a_figure_needs(name):
    figure = DEFAULTS[name]()
    assert isinstance(figure, Figure)
    assert figure.title
    assert figure.sentence.endswith(".")
    assert figure.picture
    assert figure.table.rows
    assert figure.provenance == "computed"


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


# --- steps


def test_steps_count_what_a_stenographer_would_type():
    for word in range(1, 13):
        table = figures.steps(word).table
        assert table.rows[-1][4] == sum(range(1, word + 1))
        assert table.rows[-1][5] == word
    assert figures.steps(99) == figures.steps(12)


# --- race


@pytest.mark.parametrize("cached", [False, True])
def test_multiply_adds_are_what_the_model_counts(cached):
    m = model.load()
    ran = model.generate.greedy(m, m.encode("The patient has"), 20, use_cache=cached)
    assert multiply_adds(20, cached) == ran.multiply_adds


def test_one_pass_without_a_cache_agrees_with_every_step_of_the_cached_run():
    ids, same, gap = checked(32)
    m = model.load()
    assert same
    assert list(ids) == model.generate.greedy(m, m.encode("The patient has"), 32, use_cache=False).ids
    assert gap < 1e-4


def test_the_race_runs_in_slices_and_ends_with_its_result():
    work = figures.race(64, 1)
    assert isinstance(work, Work)
    took, last = [], time.process_time()
    states = []
    for state in work.steps():
        states.append(state)
        took.append(time.process_time() - last)
        last = time.process_time()
    assert len(took) >= 1
    assert sorted(took)[len(took) // 2] < 0.5  # a busy machine; alone a slice takes 0.05 s
    assert states[-1].provenance == "measured"
    assert "identical" in states[-1].sentence
    assert "2.97 s" in states[-1].note


def test_the_reported_times_stand_beside_the_race_as_reported():
    figure = counted(64)
    assert "Reported" in figure.note
    assert "2.97 s and 0.18 s" in figure.note
    assert "16.5×" in figure.note


# --- notepad


def test_an_old_key_never_changes_unless_words_look_ahead():
    n = len(runs.encoded(TEXT))
    for old in range(1, n):
        assert max(max(row) for row in changes(old, False)) < 1e-5
        ahead = changes(old, True)
        assert max(ahead[0]) < 1e-5
        assert min(max(row) for row in ahead[1:]) > 1e-3


# --- per_step


def test_steps_count_what_the_model_counts():
    m, ids = model.load(), module_of("per_step").text()
    for row in figures.per_step().table.rows[::3]:
        n = row[0]
        cache = m.new_cache()
        m.forward(ids[: n - 1], cache)
        assert row[1] == m.forward(ids[:n], last_only=True).multiply_adds
        assert row[2] == m.forward(ids[n - 1 : n], cache, last_only=True).multiply_adds
    assert row[0] == len(ids) == m.config.context


def test_steps_are_timed_one_length_after_the_other():
    states = list(figures.per_step(1).steps())
    for n, state in enumerate(states, start=1):
        clocks = [row[3] for row in state.table.rows]
        assert [isinstance(c, float) for c in clocks] == [True] * n + [False] * (len(clocks) - n)
        assert state.provenance == "measured"
    assert "both choose the same tokens" in states[-1].sentence
    assert all(row[3] > 0 and row[4] > 0 for row in states[-1].table.rows)


def test_the_curve_of_the_steps_is_the_table_s_on_one_axis_that_holds_still(monkeypatch):
    per_step = module_of("per_step")
    clocked = per_step._clocked
    monkeypatch.setattr(per_step, "_clocked", lambda m, ids, *c: (len(ids) / 1234, clocked(m, ids, *c)[1]))
    counted, *timed = [figures.per_step(), *figures.per_step(1).steps()]
    for state, names in ((counted, (1, 2)), (timed[4], (3, 4)), (timed[-1], (3, 4))):
        ((chart, sets, values),) = vega.found(state.picture)
        rows = [r for r in state.table.rows if isinstance(r[names[0]], (int, float))]
        for name, column in zip(("without a cache", "with a cache"), names, strict=True):
            line = [(r["tokens"], r["cost"]) for r in sets["lines"] if r["series"] == name]
            assert [n for n, _ in line] == [r[0] for r in rows]
            unit = 1000 if column > 2 else 1
            assert [c for _, c in line] == pytest.approx([unit * r[column] for r in rows], rel=1e-2)
            assert max(c for _, c in line) <= values["top"]
        assert chart == f"kv_cache.per_step_{'time' if names[0] == 3 else 'work'}"
    assert len({vega.found(state.picture)[0][2]["top"] for state in timed}) == 1


# --- per_token


def test_the_formula_is_multiplied_out_and_agrees_with_the_calculator():
    llama = {
        "model_type": "llama",
        "num_hidden_layers": 80,
        "num_attention_heads": 64,
        "num_key_value_heads": 4,
        "hidden_size": 8192,
        "head_dim": 96,
    }
    plan = kv.plan(llama, 4000, 16, "fp32")
    rows = figures.per_token(80, 4, 96, 4, 4000, 16).table.rows
    assert [r[1] for r in rows[:3]] == [plan.bytes_per_token, plan.sequence_bytes, plan.state_bytes]
    text = re.sub("<[^>]+>", " ", figures.per_token(80, 4, 96, 4, 4000, 16).picture)
    assert re.search(r"2\W+a key and a value\W+×\W+80\W+layers\W+×\W+4\W+KV heads\W+×\W+96", text)


def test_models_that_one_can_look_up_follow_the_plain_formula():
    for name, layers, heads, dim, size in per_token_of():
        assert size == 2 * layers * heads * dim * 2, name
    assert 'class="same"' in figures.per_token().picture
    assert 'class="same"' not in figures.per_token(users=2, kv_heads=1).picture


# --- memory


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Llama 3 8B", "131,072 bytes"),
        ("Llama 3 70B", "327,680 bytes"),
        ("Llama 2 7B", "524,288 bytes"),
        ("Qwen3 4B", "147,456 bytes"),
        ("Qwen2.5 7B", "57,344 bytes"),
        ("DeepSeek-V3", "70,272 bytes"),
    ],
)
def test_the_golden_bytes_per_token_stand_in_the_picture(name, words):
    assert words in figures.memory(name).picture


def test_the_golden_totals_come_out_of_the_calculator():
    assert "1.0486 GB" in figures.memory().sentence
    assert "61 users" in figures.memory().sentence
    assert "1 GiB" in figures.memory(context=8192).sentence
    assert "59 users" in figures.memory(context=8192).sentence
    gemma = figures.memory("Gemma 3 27B", context=131_072)
    assert "10.41 GiB" in gemma.sentence
    assert gemma.table.rows[-3][-1] == 62 * 2**30
    assert "544 MiB" in figures.memory("Llama 3.1 8B", context=8192, precision="q8_0").sentence


def test_every_preset_answers_at_every_context_precision_and_gpu():
    for name, precision in itertools.product(catalogue.models(), figures.PRECISIONS.values()):
        for context in (figures.CONTEXTS[0], figures.CONTEXTS[-1]):
            assert figures.memory(name, context, precision).sentence.endswith(".")
    for gpu in catalogue.gpus():
        assert gpu in figures.memory(gpu=gpu, gpus=16, users=1024).sentence


def test_a_pasted_config_counts_as_the_preset_does():
    pasted = json.dumps(catalogue.models()["Gemma 3 27B"].config)
    one = figures.memory(context=131_072, pasted=pasted, weights_gb="54")
    other = figures.memory("Gemma 3 27B", 131_072)
    assert one.table == other.table


@pytest.mark.parametrize(
    ("pasted", "words"),
    [
        ("{", "not JSON"),
        ("[1]", "should begin with {"),
        ("{}", "model_type is missing"),
        ('{"model_type": "llama"}', "num_hidden_layers is missing"),
        ('{"model_type": "llama", "num_hidden_layers": -3}', "num_hidden_layers is -3"),
        ('{"model_type": "nonsense"}', "model_type is 'nonsense'"),
        ("[" * 100_000, "not JSON"),
        ("9" * 10_000, "pasted text"),
    ],
)
def test_a_bad_paste_gets_a_sentence_and_the_last_good_picture_stays(pasted, words):
    figure = figures.memory(pasted=pasted)
    assert words.lower() in figure.sentence.lower() or "beyond reason" in figure.sentence
    good = figures.memory()
    assert figure.table == good.table
    assert "131,072 bytes" in figure.picture


def test_whole_numbers_written_with_a_point_are_whole():
    config = dict(catalogue.models()["Llama 3 8B"].config)
    pointed = {
        k: float(v) if isinstance(v, int) and not isinstance(v, bool) else v for k, v in config.items()
    }
    assert "4096.0" in json.dumps(pointed)
    one, other = (figures.memory(pasted=json.dumps(c), weights_gb="16") for c in (config, pointed))
    assert one == other
    assert "Not used" not in one.sentence
    refused = figures.memory(pasted=json.dumps({**config, "hidden_size": 4096.5}))
    assert "hidden_size is 4096.5; it should be a whole number" in refused.sentence


@pytest.mark.parametrize("mark", ["\ufeff", "ï»¿"])
def test_a_byte_order_mark_before_a_pasted_config_is_passed_over(mark):
    config = json.dumps(catalogue.models()["Llama 3 8B"].config)
    assert figures.memory(pasted=mark + config) == figures.memory(pasted=config)


@pytest.mark.parametrize("name", ["Llama 3 8B", "Gemma 3 27B"])
def test_a_pasted_config_past_its_trained_length_gets_the_preset_s_note(name):
    config = catalogue.models()[name].config
    preset, pasted = (
        figures.memory(name, 1_000_000),
        figures.memory(name, 1_000_000, pasted=json.dumps(config)),
    )
    said = re.search(r"This model's config stops at [\d,]+ positions\.", preset.note)
    assert said
    assert said[0] in pasted.note
    assert "stops at" not in figures.memory(name, 1_000, pasted=json.dumps(config)).note
    other = figures.memory(
        "Llama 3 8B", 100_000, pasted='{"model_type": "nope"}'
    )  # refused: the preset is shown
    assert "stops at 8,192 positions" in other.note


def test_bad_weights_get_a_sentence():
    for typed in ("many", "-1", "nan", "1e99", "<b>"):
        figure = figures.memory(weights_gb=typed)
        assert "number of GB" in figure.sentence
        assert "“<b>”" not in figure.picture


@settings(max_examples=120, deadline=None)
@given(st.text(max_size=60), st.text(max_size=12))
def test_no_paste_raises(pasted, weights):
    figure = figures.memory(pasted=pasted, weights_gb=weights)
    assert figure.sentence


def test_what_a_reader_pastes_is_text_and_never_markup():
    figure = figures.memory(pasted='{"model_type": "<img src=x onerror=alert(1)>"}')
    assert "<img" not in figure.picture
    assert "&lt;img" in figure.picture


def test_weights_that_do_not_fit_are_said_not_to():
    figure = figures.memory("Llama 3.1 405B")
    assert "do not fit" in figure.sentence
    assert "0 users" in figure.picture


# --- roofline


def test_dragging_the_users_turns_decode_compute_bound():
    assert "short of bandwidth" in figures.roofline(batch=1).sentence
    assert (
        "tokens a second; both are short of arithmetic" in figures.roofline(context=512, batch=512).sentence
    )
    assert "no number of users changes that" in figures.roofline(context=8192, batch=32).sentence


def test_a_short_prompt_is_short_of_bandwidth_too():
    assert (
        "both are short of bandwidth, the writing until 182 users" in figures.roofline(context=128).sentence
    )


def test_where_it_opens_arithmetic_helps_reading_alone_and_bandwidth_writing_alone():
    rows = {row[0]: row[1:] for row in figures.roofline().table.rows}
    now, compute, bandwidth = (rows[k] for k in ("as it is", "twice the compute", "twice the bandwidth"))
    assert compute[0] == pytest.approx(now[0] / 2, rel=1e-3)
    assert compute[1] == now[1]
    assert bandwidth[0] == now[0]
    assert bandwidth[1] == pytest.approx(2 * now[1], rel=1e-3)


def test_a_mixture_says_how_many_experts_a_step_touches():
    note = figures.roofline("Qwen3 30B-A3B", batch=8).note
    assert "needs 52 of them on average, so it reads 13.2 billion of 30.5 billion" in note
    assert "experts" not in figures.roofline().note


def test_every_model_and_gpu_has_its_roof():
    for name, gpu in itertools.product(figures.ROOFLINE_MODELS, catalogue.gpus()):
        for context, batch in itertools.product((128, 131_072), (1, 1024)):
            assert figures.roofline(name, gpu, context, batch).sentence.endswith(".")


# --- sharing_heads


def test_sharing_divides_the_memory():
    sizes = {row[1]: row[4] for row in figures.sharing_heads().table.rows}
    assert sizes[8] == 2**30
    assert sizes[32] == 4 * sizes[8] == 32 * sizes[1]


# --- window


@pytest.mark.parametrize("story", STORIES)
def test_a_fact_out_of_reach_of_all_relays_is_gone_exactly(story):
    told = STORIES[story]
    ids, others = runs.encoded(told.told), runs.encoded(told.instead)
    fact = max(n for n, (a, b) in enumerate(zip(ids, others, strict=True)) if a != b)
    layers = model.load().config.n_layers
    for width in range(1, 12):
        out = spread(told, width)[-1][-1]
        reach = layers * (width - 1)
        assert (out == 0) == (reach < len(ids) - 1 - fact)


def test_the_relay_climbs_one_window_a_layer():
    rows = spread(STORIES["who is tired"], 2)
    reached = [max(n for n, x in enumerate(row) if x > 0) for row in rows]
    assert reached == [reached[0] + n for n in range(len(rows))]


def test_a_wide_window_reads_as_no_window_does():
    m = model.load()
    told = STORIES["who is tired"].told
    plain = experiments.probabilities(m.forward(runs.encoded(told)).logits[-1])
    assert np.allclose(experiments.probabilities(read(told, 11).logits), plain, atol=1e-6)


# --- precision


def test_fewer_bits_take_less_and_move_the_logits_more():
    c = model.load().config
    numbers = 2 * c.n_layers * c.n_kv_heads * c.d_head
    for prompt in figures.PROMPTS:
        half, eight, four = (measured(prompt, b) for b in (16, 8, 4))
        assert half.token_bytes == 2 * numbers
        assert eight.token_bytes == numbers // 32 * 34
        assert four.token_bytes == numbers // 32 * 18
        assert half.typical < eight.typical < four.typical
        assert half.first_change is None


@pytest.mark.parametrize("bits", [16, 8, 4])
def test_following_a_text_in_one_pass_is_what_writing_it_step_by_step_gives(bits):
    m = model.load()
    for prompt in figures.PROMPTS:
        result = measured(prompt, bits)
        ran = model.generate.greedy(m, m.encode(prompt), len(result.ids), cache=new_cache(bits)).ids
        assert list(result.ids) == ran
        exact = model.generate.greedy(m, m.encode(prompt), len(ran), use_cache=False).ids
        change = next((n for n, (a, b) in enumerate(zip(ran, exact, strict=True)) if a != b), None)
        assert result.first_change == change


# --- paging, prefix


def test_paging_turns_fewer_away_at_every_step():
    for step in range(0, 61, 6):
        whole, pages = figures.paging(step).table.rows
        assert pages[7] <= whole[7]
        assert pages[2] >= whole[2]
    assert figures.paging(36).table.rows[0][7] > figures.paging(36).table.rows[1][7]


def test_a_timestamp_in_front_ends_every_hit():
    assert all(row[2] == 0 for row in figures.prefix("front", 8).table.rows)
    assert all(row[2] > 100 for row in figures.prefix("end", 8).table.rows[1:])


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["front", "end", "none"]), st.integers(-3, 20))
def test_any_shared_beginning_is_shown_as_text(system, place, count):
    figure = figures.prefix(place, count, 16, system)
    assert figure.sentence
    assert figures.prefix(system="<i>&" * 9, count=1).picture.count("&lt;i&gt;&amp;") == 9


# --- prompt_cache


def test_prices_of_nothing_are_answered():
    assert math.isfinite(sum(bills(Talk(0, 100), 5, 0.1, 0)[1]))
    assert figures.prompt_cache(1, 0, 100, 0.1, 0, 1).sentence


# --- corrupt


def test_damage_moves_later_tokens_and_an_uncached_run_heals():
    found = damage(0, 6, "value")
    assert max(found.drift) > 0.05
    assert all(d > 0 for d in found.drift)
    m = model.load()
    clean = runs.written(PROMPT, LENGTH)
    assert tuple(model.generate.greedy(m, m.encode(PROMPT), LENGTH, use_cache=False).ids) == clean


def test_every_entry_can_be_damaged():
    for layer, position, part in itertools.product((1, 4), (0, 6), ("key", "value")):
        figure = figures.corrupt(layer, position, part)
        assert f"damaged {part}" in figure.sentence
        assert f"in layer {layer}" in figure.sentence


def test_the_row_without_a_cache_is_a_run_of_its_own(monkeypatch):
    m, clean = model.load(), runs.written(PROMPT, LENGTH)
    ids, moved = module_of("corrupt")._again()
    text = list(runs.encoded(PROMPT))
    for n, new in enumerate(ids):
        assert new == m.forward(text).logits[-1].argmax()
        assert [r[4] for r in figures.corrupt().table.rows][n] == round(100 * moved[n], 3)
        text.append(new)
    assert ids == clean
    assert max(moved) < 0.01
    monkeypatch.setattr(module_of("corrupt"), "_again", lambda: ((5, *clean[1:]), (0.5,) * LENGTH))
    other = figures.corrupt()
    assert [r[4] for r in other.table.rows] == [50.0] * LENGTH
    assert other.picture.count("<mark>") > 0


def module_of(name):
    """A figure's module; the package shows the function by that name."""
    return sys.modules[f"glassbox.figures.kv_cache.{name}"]


def test_it_opens_on_the_key_whose_harm_lasts():
    found = figures.corrupt_survey()
    late = {
        (layer, position): sum(damage(layer, position, "key").drift[LENGTH // 2 :])
        for layer in range(model.load().config.n_layers)
        for position in range(len(runs.encoded(PROMPT)) - 1)
    }
    assert late[found.layer - 1, found.position] == max(late.values()) > 0
    parts = itertools.product(late, ("key", "value"))
    clean = runs.written(PROMPT, LENGTH)
    assert found.entries == 2 * len(late)
    assert found.changed == sum(damage(*at, part).ids != clean for at, part in parts)


# --- tail


def test_a_first_answer_with_chunks_is_two_simulations_and_little_work():
    tail = importlib.import_module("glassbox.figures.kv_cache.tail")

    def fresh():
        tail.waits.cache_clear()
        figures.tail(chunk=64)

    fresh()  # the catalogue is read once
    assert effort.calls(fresh) < 60_000  # 70,000 while every machine's events went through one queue


def test_each_cure_has_its_price():
    def p99_and_longest(**how):
        rows = {row[:2]: row[2:] for row in figures.tail(**how).table.rows}
        name = "as chosen" if how else "plain engine"
        return rows["time to first token", name][2], rows["gap between tokens", name][3]

    plain, chunks, fixed = p99_and_longest(), p99_and_longest(chunk=256), p99_and_longest(continuous=False)
    assert plain[0] < chunks[0] < fixed[0]
    assert fixed[1] < chunks[1] < plain[1]
    shared = p99_and_longest(shared=True)
    assert shared[0] < plain[0] / 2
    assert shared[1] < plain[1] / 2


def test_the_average_is_among_the_lines_and_shorter_than_the_stall():
    rows = {row[1]: row[2:] for row in figures.tail().table.rows if row[0] == "gap between tokens"}
    assert rows["each user’s average"][3] < rows["plain engine"][2] / 3


def test_what_needs_a_cache_is_ignored_without_one_and_that_is_said():
    alone, with_more = figures.tail(cache=False), figures.tail(chunk=64, apart=True, shared=True, cache=False)
    assert [r[2:] for r in alone.table.rows[:1]] == [r[2:] for r in with_more.table.rows[:1]]
    assert "nothing to share" in with_more.note
    assert "nothing to share" not in alone.note
    assert "the queue grows" in alone.note
    assert "the queue grows" not in figures.tail().note


def test_two_machines_are_compared_with_two():
    assert "two plain machines would have" in figures.tail(apart=True).sentence
    assert "two plain machines" not in figures.tail(apart=True, cache=False).sentence


# --- speculative


def test_both_runs_write_the_same_text_and_are_timed():
    *_, last = figures.speculative(1, 4, figures.GUESSED[1], 1).steps()
    assert "the two are identical" in last.sentence
    assert last.provenance == "measured"
    assert last.table.rows[-1][3] == "same text"
    assert figures.speculative(1, 0).sentence.startswith("Without guesses 24 tokens take 24 passes")


@pytest.mark.parametrize("layers", figures.DRAFTS.values())
def test_passes_guesses_and_gain_follow_from_one_another(layers):
    for row in figures.speculative(layers, 3).table.rows:
        guesses, passes, looked_at, right, a_pass, formula, times = row
        assert passes + right == 24
        assert right <= looked_at <= guesses * passes
        assert a_pass == pytest.approx(24 / passes, abs=1e-3)
        share = right / looked_at if looked_at else 0
        expected = sum(share**n for n in range(guesses + 1))
        if layers:
            assert formula == pytest.approx(expected, abs=1e-3)
        else:  # looking up finds nothing at times, which counts as a wrong guess
            assert 1 <= formula <= expected + 1e-3
        assert times <= a_pass + 1e-9


@pytest.mark.parametrize("pasted", ["[" * 100_000, '{"a":' * 50_000, "[{" * 30_000 + "]}" * 30_000])
def test_a_bomb_of_brackets_is_refused_before_it_is_parsed(pasted, monkeypatch):
    module = sys.modules["glassbox.figures.kv_cache.memory"]  # the package shows the function by that name
    monkeypatch.setattr(module.json, "loads", lambda text: pytest.fail("it was parsed"))
    with pytest.raises(ValueError, match="nested or numbered beyond reason"):
        module.parse(pasted)


@pytest.mark.parametrize(
    "paste", [r"{\"key\": \"value\", " * 40_000, '"\\' * 400_000, '"' * 900_001, '["a' * 200_000]
)
def test_a_paste_full_of_quotes_is_refused_and_never_stalls(paste):
    figure = figures.memory(pasted=paste)
    assert figure.sentence.startswith("Not used: the pasted text is")
    assert "Llama 3 8B" in figure.sentence
