"""Chapter 3 as a whole: its order, its figures at the ends of every control, and every number in its prose."""

import re
from pathlib import Path

import pytest

from glassbox import model
from glassbox.costs import catalogue
from glassbox.figures import kv_cache as figures
from glassbox.figures.figure import Work
from glassbox.figures.kv_cache import runs
from glassbox.figures.kv_cache.corrupt import PROMPT as DAMAGED
from glassbox.figures.kv_cache.memory import trained_context
from glassbox.figures.kv_cache.notepad import TEXT as NOTED
from glassbox.figures.kv_cache.window import STORIES
from glassbox.model import experiments
from glassbox.page.runner import Runner
from glassbox.publish.pages import content, controls, notebook
from tests.figures import drawn

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "kv_cache.py"
NAMES = [
    "steps",
    "race",
    "per_step",
    "notepad",
    "per_token",
    "memory",
    "landscape",
    "roofline",
    "speculative",
    "sharing_heads",
    "window",
    "precision",
    "paging",
    "prefix",
    "prompt_cache",
    "corrupt",
    "tail",
]


@pytest.fixture(scope="module")
def chapter():
    return notebook.load(NOTEBOOK)


@pytest.fixture(scope="module")
def runner(chapter):
    return Runner(chapter.program)


@pytest.fixture(scope="module")
def page(chapter):
    html = " ".join(b.html if b.kind != "figure" else f"[{b.name}]" for b in chapter.blocks)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html)).replace("\u00a0", " ")


def test_the_figures_have_their_names_and_order(chapter):
    assert [b.name for b in chapter.blocks if b.kind == "figure"] == NAMES


def test_every_figure_is_followed_by_what_to_try_and_every_section_ends_in_what_to_remember(chapter):
    blocks = chapter.blocks
    for n, block in enumerate(blocks):
        if block.kind == "figure":
            assert "Try this." in blocks[n + 1].html, block.name
    sections = re.split(r"<h2", " ".join(b.html for b in blocks))[1:]
    for section in sections[:-2]:
        heading = section.split("</h2>")[0].split(">")[-1].rstrip("\u00b6# ")
        assert heading.endswith("?"), heading
        assert "Remember." in section, heading


def test_there_are_enough_self_checks(chapter):
    checks = [b for b in chapter.blocks if b.kind == "check"]
    assert len(checks) >= 6
    assert sum('data-check="number"' in b.html for b in checks) >= 4


def ends(control):
    """The first and the last position of a control; a text stays as it is, a button is pressed or not."""
    places = controls.positions(control)
    if places:
        return [places[0], places[-1]]
    return [0, 1] if control["kind"] == "button" else [control["value"]]


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_answers_at_both_ends_of_each_control(runner, chapter, name):
    figure = next(f for f in chapter.program["figures"] if f["name"] == name)
    specs = {c["name"]: c for c in chapter.program["controls"]}
    for control in figure["controls"]:
        assert control.startswith(name + "_")
        for wire in ends(specs[control]):
            output = runner.output(name, {control: wire})
            state = next(iter(output.steps())) if isinstance(output, Work) else output
            assert state.sentence, (control, wire)
            assert state.picture


def test_texts_that_a_reader_may_type_are_answered(runner):
    bad = runner.figure("memory", {"memory_config": '{"model_type": "llama", "num_hidden_layers": true}'})
    assert bad.sentence.startswith("Not used: num_hidden_layers is true")
    assert runner.figure("prefix", {"prefix_system": ""}).sentence
    assert "number of GB" in runner.figure("memory", {"memory_weights": "lots"}).sentence


def test_sliders_end_where_the_texts_do(chapter):
    stops = {c["name"]: c["stop"] for c in chapter.program["controls"] if "stop" in c}
    assert stops["notepad_word"] == len(runs.encoded(NOTED)) - 1
    assert stops["corrupt_position"] == len(runs.encoded(DAMAGED)) - 2
    assert stops["corrupt_layer"] == model.load().config.n_layers
    longest = max(len(runs.encoded(s.told)) for s in STORIES.values())
    assert stops["window_width"] == longest
    for story in STORIES.values():
        assert len(runs.encoded(story.told)) == len(runs.encoded(story.instead))


def test_damage_opens_on_the_key_whose_harm_lasts(chapter):
    found = figures.corrupt_survey()
    first = {c["name"]: c["value"] for c in chapter.program["controls"] if c["name"].startswith("corrupt_")}
    assert first == {
        "corrupt_layer": found.layer,
        "corrupt_position": found.position,
        "corrupt_part": "key",
    }
    assert (figures.facts().entries, figures.facts().entries_changed) == (found.entries, found.changed)


def test_numbers_are_what_is_worked_out_here():
    n = figures.facts()
    assert n.rows_100 == sum(range(101)) == 5050
    assert n.rows_1000 == sum(range(1001)) == 500_500
    assert n.token_bytes == 2 * 32 * 8 * 128 * 2 == 131_072
    assert n.gb_8000 == pytest.approx(131_072 * 8000 / 10**9) == pytest.approx(1.048576)
    assert n.gib_8000 == pytest.approx(131_072 * 8000 / 2**30)
    assert n.users_8000 == 64 * 10**9 // (131_072 * 8000) == 61
    assert n.users_new == 16 * 10**9 // (2 * 36 * 8 * 128 * 2 * 16_384) == 6
    assert n.offload_ms == pytest.approx(131_072 * 8000 / 32e9 * 1000)
    assert n.disk_ms == pytest.approx(131_072 * 8000 / 7e9 * 1000)
    again = (8000 * 2 * 8e9 + 4 * 32 * 32 * 128 * 8000 * 8001 / 2) / 312e12
    assert n.again_ms == pytest.approx(1000 * again)
    assert n.users_8192 == 64 * 10**9 // 2**30 == 59
    gemma = 2 * 16 * 128 * 2
    assert n.gemma_state_gib == pytest.approx(gemma * (10 * 131_072 + 52 * 1024) / 2**30)
    assert n.gemma_reserved_gib == pytest.approx(gemma * 62 * 131_072 / 2**30) == pytest.approx(62)
    assert n.ridge == pytest.approx(312e12 / 2039e9)
    assert n.weights_ms == pytest.approx(16e9 / 2039e9 * 1000)
    step = (2 * 8e9 + 512 * 131_072) / 2039e9
    assert n.tokens_per_second == pytest.approx(1 / step)
    read = (8192 * 2 * 8e9 + 4 * 32 * 32 * 128 * 8192 * 8193 / 2) / 312e12
    assert n.first_token_ms == pytest.approx(1000 * read)
    for tokens, enough in ((n.short_prompt - 1, False), (n.short_prompt, True)):
        flops = tokens * 2 * 8e9 + 4 * 32 * 32 * 128 * tokens * (tokens + 1) / 2
        assert (flops / 312e12 >= (16e9 + tokens * 131_072) / 2039e9) == enough
    arithmetic = (2 * 8e9 + 4 * 32 * 32 * 128 * 512) / 312e12
    fetched = 512 * 131_072 / 2039e9
    turn = (16e9 / 2039e9) / (arithmetic - fetched)
    assert n.turning_batch - 1 < turn <= n.turning_batch
    # From here on a user's cache takes longer to fetch than to compute with: 131,072 c / 2,039 GB/s > ... / 312 T.
    per_token = 131_072 / 2039e9 - 4 * 32 * 32 * 128 / 312e12
    assert n.endless_tokens == round(2 * 8e9 / 312e12 / per_token, -1) == 820
    assert (n.reported_without, n.reported_with, n.reported_ratio) == (2.97, 0.18, 16.5)
    assert n.mha_ratio == 32 / 8
    assert n.bytes_8 == 34 / 32
    assert n.bytes_4 == 18 / 32
    assert n.saved_8 == pytest.approx(64 / 34)
    assert n.saved_4 == pytest.approx(64 / 18)
    assert n.mib_8 == 2 * 32 * 8 * 8192 * (128 // 32) * 34 / 2**20 == 544
    assert (n.blocks, n.slots) == (-(-10_718 // 16), 10_720)
    assert n.talk_sent == sum(2000 + 600 * (t - 1) + 300 for t in range(1, 31))
    assert n.talk_new == 2000 + 30 * 600
    params = model.load().params
    sizes = {k: w.size for k, w in params.items() if w.ndim == 2}
    first = sum(size for k, size in sizes.items() if k.startswith("0."))
    assert n.draft_percent == pytest.approx(
        100 * (first + sizes["embedding"]) / sum(sizes.values()), rel=1e-12
    )
    assert n.table_percent == pytest.approx(100 * sizes["embedding"] / sum(sizes.values()))


def test_measured_ratios_and_times_come_from_the_figures_own_runs(runner):
    n = figures.facts()
    rows = runner.figure("race", {"race_length": 256}).table.rows
    assert n.race_tokens == 256
    assert n.race_ratio == pytest.approx(rows[0][2] / rows[1][2])
    tail, chunks, fixed = (
        {row[:2]: row[2:] for row in runner.figure("tail", change).table.rows}
        for change in ({}, {"tail_chunk": "in chunks of 256"}, {"tail_batching": "in fixed batches"})
    )
    gap, first = "gap between tokens", "time to first token"
    found = tail[gap, "plain engine"]
    assert (n.gap_p50_ms, n.gap_p99_ms, n.gap_longest_ms) == pytest.approx(
        (found[0], found[2], found[3]), abs=0.01
    )
    assert n.average_longest_ms == pytest.approx(tail[gap, "each user’s average"][3], abs=0.01)
    assert n.first_p99_ms == pytest.approx(tail[first, "plain engine"][2], abs=0.01)
    assert n.chunk_longest_ms == pytest.approx(chunks[gap, "as chosen"][3], abs=0.01)
    assert n.chunk_first_p99_ms == pytest.approx(chunks[first, "as chosen"][2], abs=0.01)
    assert n.fixed_gap_longest_ms == pytest.approx(fixed[gap, "as chosen"][3], abs=0.01)
    assert n.fixed_first_p99_s == pytest.approx(fixed[first, "as chosen"][2] / 1000, abs=0.0001)


def test_the_prose_prints_these_numbers(page):
    for words in (
        "5,050 words",
        "500,500",
        "131,072 bytes for one token",
        "1.0486 GB",
        "0.9766 GiB",
        "61 such users fit",
        "exactly 1 GiB and 59 users",
        "10.41 GiB",
        "62.0",
        "153 operations",
        "7.8 ms",
        "409 users",
        "From about 820 tokens each on",
        "2.97 s without a cache and 0.18 s with one, 16.5 times as fast",
        "34 bytes, or 1.0625 bytes each",
        "1.88 times smaller",
        "0.5625 bytes each and 3.56 times",
        "544 MiB instead of 1,024",
        "670 blocks of 16",
        "10,720 slots",
        "330,000 tokens",
        "20,000 were ever written",
    ):
        assert words in page, words


def test_what_the_prose_says_of_models_and_cards_is_in_the_catalogue():
    models, gpus = catalogue.models(), catalogue.gpus()
    llama, gemma = models["Llama 3 8B"].config, models["Gemma 3 27B"].config["text_config"]
    assert (llama["num_hidden_layers"], llama["num_key_value_heads"]) == (32, 8)
    assert models["Llama 2 7B"].config["num_key_value_heads"] == 32
    assert (gemma["num_hidden_layers"], gemma["sliding_window"]) == (62, 1024)
    assert gpus["A100 80 GB"].memory_gb == 80
    assert 10_720 - 10_718 == 2


def runs_right(runner, draft, prompt):
    """The guesses that are right where one is made for each pass."""
    rows = runner.figure("speculative", {"speculative_draft": draft, "speculative_prompt": prompt}).table.rows
    return rows[1][3] / rows[1][2]


def test_the_claims_of_try_this_hold(runner):
    """The lines beside the figures promise something; here is that it happens."""
    eight = runner.figure("roofline", {"roofline_context": 8192, "roofline_batch": 1024})
    assert "short of bandwidth" in eight.sentence
    grown = runner.figure("roofline", {"roofline_context": 512, "roofline_batch": 512})
    assert "both are short of arithmetic" in grown.sentence
    assert "both are short of bandwidth" in runner.figure("roofline", {"roofline_context": 128}).sentence
    front = runner.figure("prefix", {"prefix_place": "at the front"})
    assert all(row[2] == 0 for row in front.table.rows)
    rows = runner.figure("prefix", {"prefix_place": "at the end"}).table.rows
    assert sum(row[2] for row in rows) > 0.5 * sum(row[1] for row in rows)  # “more than half of all bytes”
    known = figures.facts()
    assert known.race_tokens == 8 * known.race_short_tokens  # “an eighth of the text”
    whole, trimmed = (runner.figure("prompt_cache", {"prompt_cache_keep": k}).table.rows[-1] for k in (0, 10))
    assert trimmed[3] < whole[3]
    assert trimmed[4] > whole[4]
    errors = [float(r[3]) for r in runner.figure("precision", {}).table.rows]
    assert errors[0] < errors[1] < errors[2]
    # It opens where a token changes; another beginning moves as far and changes none, a third its first.
    assert "At 4 bits" in (opened := runner.figure("precision", {}).sentence)
    assert "is another one" in opened
    by_prompt = {p: runner.figure("precision", {"precision_prompt": p}) for p in figures.PROMPTS}
    assert "the 16 tokens are the same" in by_prompt["Patient has severe chest"].sentence
    assert "token 1 is another one" in by_prompt["Emma put the lamp and the cup in the"].sentence
    moved = [float(re.search(r"more than ([\d.]+)", f.sentence)[1]) for f in by_prompt.values()]
    assert max(moved) < 2 * min(moved)
    eight = runner.figure("precision", {"precision_bits": "8 bits"}).sentence
    assert "the 16 tokens are the same" in eight
    shared, added = (
        runner.figure(
            "memory",
            {"memory_model": "DeepSeek-V3", "memory_gpus": 16, "memory_together": how},
        ).table.rows[-1][5]
        for how in ("share every layer", "only add up")
    )
    assert added > 10 * shared
    token = runner.figure("per_token", {"per_token_heads": 32}).table.rows[0][1]
    assert token == next(r[1] for r in runner.figure("per_token", {}).table.rows if r[0] == "Llama 2 7B")
    assert "1 GiB" in runner.figure("per_token", {"per_token_context": 8192}).sentence
    by_layers = [
        sum(runs_right(runner, draft, prompt) for prompt in figures.GUESSED)
        for draft in ("its first layer", "its first three layers")
    ]
    assert by_layers[0] < by_layers[1]
    waits = {
        k: {row[:2]: row[2:] for row in runner.figure("tail", v).table.rows}
        for k, v in {
            "plain": {},
            "256": {"tail_chunk": "in chunks of 256"},
            "64": {"tail_chunk": "in chunks of 64"},
            "apart": {"tail_apart": True},
            "shared": {"tail_shared": True},
            "half": {"tail_prompt": 500},
            "none": {"tail_cache": False},
        }.items()
    }
    name = {k: "plain engine" if k in ("plain", "half") else "as chosen" for k in waits}
    first = {k: w["time to first token", name[k]][2] for k, w in waits.items()}
    longest = {k: w["gap between tokens", name[k]][3] for k, w in waits.items()}
    assert longest["64"] < longest["256"] < longest["plain"] / 5
    assert first["plain"] < first["256"] < first["64"]
    assert longest["apart"] < longest["plain"] / 5
    for both in ("shared", "half"):
        assert first[both] < first["plain"]
        assert longest[both] < longest["plain"]
    assert first["none"] > 100 * first["plain"]


class Rested(model.Growing):
    """A window that keeps the start token as well."""

    def visible(self, query_positions, key_positions):
        near = key_positions > query_positions[:, None] - self.window
        return (key_positions <= query_positions[:, None]) & (near | (key_positions == 0))


def answers(text, width, rested=False):
    """The next token's probabilities after a text that is read through a window."""
    cache = (Rested if rested else model.Growing)(*runs.sizes())
    cache.window = width
    return experiments.probabilities(model.load().forward(runs.encoded(text), cache).logits[-1])


def lasts(story, rested, words):
    """The narrowest window down to which these next words together stay likelier than all others."""
    text = STORIES[story].told
    ids = [runs.encoded(f"{text} {word}")[len(runs.encoded(text))] for word in words]
    widths = range(len(runs.encoded(text)), 0, -1)
    return next(w + 1 for w in widths if answers(text, w, rested)[ids].sum() < 0.5)


@pytest.mark.parametrize(
    ("story", "words", "later", "relayed"),
    [("who is tired", ["they"], 0, 0), ("what Emma did", ["to", "second"], 2, 3)],
)
def test_what_the_prose_says_of_the_start_token_in_a_window_is_so(story, words, later, relayed):
    """How many steps after the start token an answer goes, and after the fact where that token is kept."""
    told, instead = (runs.encoded(t) for t in (STORIES[story].told, STORIES[story].instead))
    fact = max(n for n, (a, b) in enumerate(zip(told, instead, strict=True)) if a != b)
    assert lasts(story, False, words) == len(told) - later
    assert lasts(story, True, words) == len(told) - fact - relayed


def test_the_sentence_of_the_window_tells_which_words_of_the_fact_it_reaches(runner):
    said = {w: runner.figure("window", {"window_width": w}).sentence for w in (11, 5, 4, 1)}
    assert "still reaches “nurses” and “were”, 5 and 4 tokens back:" in said[11]
    assert "still reaches “were”, 4 tokens back, but no longer “nurses”:" in said[5]
    assert "“nurses” and “were”, 5 and 4 tokens back, have left" in said[4]
    assert "“nurses” and “were” do not arrive" in said[1]
    picture = runner.figure("window", {}).picture
    assert picture.count('class="fact"') == 2
    cells = [float(c) for row in runner.figure("window", {}).table.rows for c in row[1:]]
    assert max(cells) > 1  # two vectors may be farther apart than each is long, and the picture says so
    assert f">{100 * max(cells):.0f}\u00a0%<" in picture


def test_what_the_prose_says_of_chunks_and_prompts_is_so(runner):
    """Long gaps get shorter and usual ones longer; prompts differ; and a queue makes the wait of short chunks."""
    gaps = {}
    for how in ("whole", "in chunks of 256", "in chunks of 64"):
        rows = runner.figure("tail", {"tail_chunk": how}).table.rows
        gaps[how] = next(r[2:] for r in rows if r[:2] in GAPS)
    p50, _, p99, longest, _, _ = zip(*gaps.values(), strict=True)
    assert p50[0] < p50[1] < p50[2] < 1.5 * p50[0]
    assert p99[0] > p99[1] > p99[2]
    assert longest[0] > longest[1] > longest[2]
    facts = figures.facts()
    assert facts.short_chunk_rate == round(64_000 / p50[2], -2)
    assert facts.short_chunk_first_p99_s > 5 * 16 * p50[2] / 1000  # the prompt's own steps do not explain it
    figure = runner.figure("tail", {})
    assert "with prompts of 1,000 tokens on average" in figure.sentence
    assert "prompts and answers of very different lengths" in figure.note


GAPS = [("gap between tokens", "plain engine"), ("gap between tokens", "as chosen")]


def test_users_climb_the_roof_and_stop_before_its_corner_or_pass_it(runner):
    corner = figures.facts().ridge
    for context, passes in ((8192, False), (512, True)):
        rows = drawn.rows(
            runner.figure("roofline", {"roofline_context": context}).picture, "kv_cache.roofline"
        )
        trail = [row["intensity"] for row in rows["trail"]]
        assert trail == sorted(trail)
        assert (trail[-1] > corner) == passes
        for row in rows["trail"]:  # on the roof, never below it
            assert row["speed"] == pytest.approx(min(1, row["intensity"] / corner) * 312, rel=1e-3)


def test_one_turn_and_one_token_are_told_in_the_singular(runner):
    one = runner.figure("prompt_cache", {"prompt_cache_turns": 1})
    assert one.sentence.startswith("One turn sends 2,300 tokens, all of them new; that costs")
    assert "1 token of 1 user takes" in runner.figure("per_token", {"per_token_context": 1}).sentence
    assert "1 user" in [row[0] for row in runner.figure("per_token", {}).table.rows]


def test_every_model_says_how_many_tokens_it_was_made_for():
    for name, known in catalogue.models().items():
        assert trained_context(known.config), name
    assert "config stops at 2,048 positions" in figures.memory("Falcon 7B", 8000).note


def test_an_entry_is_the_keys_or_the_values_of_one_token_in_one_layer(page):
    c = model.load().config
    assert figures.facts().entries == c.n_layers * (len(runs.encoded(DAMAGED)) - 1) * 2
    assert c.n_kv_heads > 1  # so that an entry is more than one key
    assert "each the keys or the values of one token in one layer" in page


def test_the_opening_promises_the_minutes_that_stand_above_it(chapter):
    minutes = chapter.words / content.WORDS_PER_MINUTE + content.MINUTES_PER_FIGURE * len(NAMES)
    assert "In the next forty minutes" in chapter.blocks[0].html
    assert 37 < minutes < 43
