"""Every figure of the chapters that run a model, on models that a reader may bring: drawn, or refused in a sentence."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from glassbox import model
from glassbox.figures import subject
from glassbox.figures.attention import reading
from glassbox.page.bridge import Bridge
from glassbox.publish.pages import notebook
from tests.model.checkpoint import files, test_families

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = ("attention", "kv_cache", "machine", "own_model")
# Of each chapter what runs a reader's model, what runs ours all the same; all others run none.
TAKES = {
    "attention": {"next_word", "qkv", "mask", "heads", "order", "distance", "sink"},
    "kv_cache": {"race", "notepad", "memory", "roofline"},
    "machine": {
        "machine", "embed", "residual", "project", "heads_join", "mlp", "lens", "unembed", "contributions", "kept"
    },
    "own_model": {"parts", "guesses", "depth", "looks", "rest", "room", "pace"},
}  # fmt: skip
STAYS = {
    "attention": {"tiled", "not_explanation", "head_map", "loss", "cheaper"},
    "kv_cache": {"per_step", "speculative", "sharing_heads", "window", "precision", "corrupt"},
    "machine": {"learning"},
    "own_model": set(),
}


@pytest.fixture(scope="module")
def programs():
    return {name: notebook.load(ROOT / "notebooks" / f"{name}.py").program for name in CHAPTERS}


@pytest.fixture(autouse=True)
def ours_again():
    yield
    subject.use(None)


def checkpoint(folder, **changes):
    """A Llama of 20 layers, too many parts to show all, with a tokenizer of its own."""
    sizes = {"num_hidden_layers": 20, "vocab_size": 272, "max_position_embeddings": 512, "head_dim": 8}
    files.llama(folder, **(sizes | changes))
    files.tokenizer(folder)
    return folder


def bring(bridge, folder):
    answer = json.loads(bridge.bring(str(folder), 10**9))
    while answer["more"]:
        answer = json.loads(bridge.read_on())
    return answer


def asked(bridge, name, values=None):
    """A figure's last answer."""
    answer = json.loads(bridge.open(name, json.dumps(values or {})))
    while answer["more"]:
        answer = json.loads(bridge.step(name))
    return answer


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_figure_shows_the_readers_model_or_says_why_it_shows_ours(programs, tmp_path, chapter):
    folder = tmp_path / "wide-llama"
    folder.mkdir()
    bridge = Bridge(json.dumps(programs[chapter]))
    ours = {f["name"]: asked(bridge, f["name"]) for f in programs[chapter]["figures"]}
    assert all("whose" not in answer for answer in ours.values())
    fitted = bring(bridge, checkpoint(folder))["controls"]
    for control in (c for c in fitted if c["name"].endswith("_depth")):
        assert (control["stop"], control["value"]) == (2 * 20, 2 * 20)  # at the top of its twenty layers
    found = {}
    for figure in programs[chapter]["figures"]:
        values = {c["name"]: c["value"] for c in fitted if c["name"] in figure["controls"]}
        found[figure["name"]] = asked(bridge, figure["name"], values)
    for name, answer in found.items():
        assert "error" not in answer, (name, answer)
        whose = answer.get("whose", {})
        assert (whose.get("name") == "wide-llama") == (name in TAKES[chapter]), name
        assert ("stays" in whose) == (name in STAYS[chapter]), name
        if name in TAKES[chapter]:
            assert answer["parts"][0] != ours[name]["parts"][0], name
        else:
            assert answer["parts"] == ours[name]["parts"], name
    bridge.ours()
    again = {f["name"]: asked(bridge, f["name"]) for f in programs[chapter]["figures"]}
    assert again == ours


FAMILIES = ["llama, biases", "smollm3", "qwen2, windows", "qwen3", "phi3", "gpt2", "gemma2", "gemma3"]


@pytest.mark.parametrize("name", FAMILIES)
def test_no_family_makes_a_figure_fail_with_more_than_a_sentence(programs, tmp_path, name):
    """Models without a tokenizer read numbers; figures whose text is fixed say that they cannot."""
    test_families.load(tmp_path, name)
    for chapter in CHAPTERS[:3]:
        bridge = Bridge(json.dumps(programs[chapter]))
        fitted = bring(bridge, tmp_path)["controls"]
        for figure in programs[chapter]["figures"]:
            if figure["name"] not in TAKES[chapter]:
                continue
            values = {c["name"]: c["value"] for c in fitted if c["name"] in figure["controls"]}
            answer = asked(bridge, figure["name"], values)
            assert answer["whose"] == {"name": tmp_path.name}
            if "error" in answer:
                assert (
                    "not worked out for a model with" in answer["error"]
                    or "token" in answer["error"]
                    or ("does not turn queries and keys" in answer["error"])
                ), (figure["name"], answer)


def test_weights_in_16_bits_give_every_figure_what_32_give(programs, tmp_path):
    folder = checkpoint(tmp_path, num_hidden_layers=2)
    wide = model.load(folder)
    files.llama(folder, "F16", num_hidden_layers=2, vocab_size=272, max_position_embeddings=512, head_dim=8)
    numbers = sum(w.size for w in wide.params.values())
    narrow = model.load(folder, memory=3 * numbers)
    assert narrow.params["0.w_o"].nbytes == 2 * narrow.params["0.w_o"].size
    bridge = Bridge(json.dumps(programs["machine"]))
    for m in (narrow, model.load(folder)):
        subject.use(m)
        answers = [asked(bridge, name) for name in sorted(TAKES["machine"])]
        if m is narrow:
            kept = answers
            bridge = Bridge(json.dumps(programs["machine"]))
    for a, b in zip(kept, answers, strict=True):
        assert a["parts"][1] == b["parts"][1]


def test_a_tall_machine_shows_its_layers_and_opens_one_at_a_press(programs, tmp_path):
    bridge = Bridge(json.dumps(programs["machine"]))
    folder = tmp_path / "wide-llama"
    folder.mkdir()
    bring(bridge, checkpoint(folder))
    closed = asked(bridge, "machine")["parts"]
    assert closed[0].count('class="mc-guess"') == 20
    assert 'class="mc-head"' not in closed[0]
    beside = re.compile(r'role="columnheader">([^<]+)</span></div>')
    # Beside a layer stands a guess, beside its parts a share.
    assert beside.search(closed[0])[1] == "would say"
    opened = asked(bridge, "machine", {"machine_cut": "+7"})["parts"]
    assert opened[0].count('class="mc-head"') == 3
    assert beside.search(opened[0])[1] == "adds"
    assert opened[1] == closed[1]
    assert "read after" not in closed[1]
    below = asked(bridge, "machine", {"machine_depth": 10})["parts"]
    assert "read after the MLP of layer 5" in below[1]
    cut = asked(bridge, "machine", {"machine_cut": "7.2 +7"})["parts"]
    assert "without layer 7, head 2" in cut[1]
    ids, _ = reading.cut("Patient has severe chest", 8)
    likeliest = reading.label(int(subject.model().forward(ids).logits[-1].argmax()), next_word=True)
    assert f"the whole machine gives “{likeliest}”" in closed[1]


def test_what_is_left_without_each_part_comes_part_by_part_where_a_model_is_large(
    programs, tmp_path, monkeypatch
):
    monkeypatch.setattr("glassbox.figures.machine.runs.AT_ONCE", 0)
    bridge = Bridge(json.dumps(programs["machine"]))
    bring(bridge, checkpoint(tmp_path, num_hidden_layers=3))
    values = json.dumps({"machine_beside": "what is left when it alone is cut"})
    states = [json.loads(bridge.open("machine", values))]
    while states[-1]["more"]:
        states.append(json.loads(bridge.step("machine")))
    waiting = [s["parts"][0].count("<span>…</span>") for s in states]
    assert waiting[0] > waiting[-1] == 0
    monkeypatch.undo()
    bridge.ours()
    bring(bridge, tmp_path)
    at_once = json.loads(bridge.open("machine", values))
    assert states[-1]["parts"][0] == at_once["parts"][0]


def test_the_calculator_takes_the_readers_config_and_its_own_weights(programs, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    bridge = Bridge(json.dumps(programs["kv_cache"]))
    fitted = {c["name"]: c for c in bring(bridge, checkpoint(folder))["controls"]}
    assert next(iter(fitted["memory_model"]["options"])) == fitted["memory_model"]["value"] == "mine"
    answer = asked(bridge, "memory", {"memory_model": "mine", "memory_context": 8000})
    assert answer["whose"] == {"name": "mine"}
    kept = 2 * 20 * 1 * 8 * 2 * 8000  # keys and values; layers, heads, numbers, bytes, tokens
    assert f"keeps {kept / 1e6:.2f} MB" in answer["parts"][1].replace("\u00a0", " ")
    listed = asked(bridge, "memory", {"memory_model": "Llama 3 8B"})
    assert "whose" not in listed


def test_a_vocabulary_that_is_padded_beyond_its_tokenizer_is_written_with_numbers(programs, tmp_path):
    """Models often know more tokens than their tokenizer; this one's own guesses are among them."""
    for chapter, figure in (("attention", "next_word"), ("own_model", "guesses")):
        bridge = Bridge(json.dumps(programs[chapter]))
        bring(bridge, checkpoint(tmp_path, num_hidden_layers=2, vocab_size=4000))
        assert re.search(r"⟨\d{3,4}⟩", asked(bridge, figure)["parts"][0])


def test_a_long_text_is_guessed_on_without_its_squares(programs, tmp_path):
    """*next_word* keeps the last logits alone: nothing of 512 × 512 weights a head."""
    bring(Bridge(json.dumps(programs["attention"])), checkpoint(tmp_path, num_hidden_layers=2))
    m = subject.model()
    seen = []
    forward = type(m).forward
    try:
        type(m).forward = lambda *a, **k: seen.append(forward(*a, **k)) or seen[-1]
        answer = asked(
            Bridge(json.dumps(programs["attention"])), "next_word", {"next_word_text": "the in " * 300}
        )
    finally:
        type(m).forward = forward
    assert "error" not in answer
    assert all(not one.weights and not one.scores for one in seen)
    assert np.prod(seen[0].logits.shape) == 272
