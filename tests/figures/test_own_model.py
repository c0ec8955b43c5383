"""The figures of a reader's own model: what they say of a tiny checkpoint, worked out another way."""

import json
import re

import numpy as np
import pytest

from glassbox import model
from glassbox.figures import own_model as figures
from glassbox.figures import subject
from glassbox.figures.attention import reading
from glassbox.figures.attention.every_head import habit
from glassbox.figures.own_model.room import kept
from glassbox.model import generate
from glassbox.page.bridge import Bridge
from tests.model.checkpoint import files, golden, test_families

IDS = "3 14 15 9 26 5"


@pytest.fixture(autouse=True)
def ours_again():
    yield
    subject.use(None)


@pytest.fixture
def brought(tmp_path):
    folder = tmp_path / "tiny-llama"
    folder.mkdir()
    files.llama(folder, num_hidden_layers=3)
    subject.use(model.load(folder))
    return subject.model()


def numbers(figure):
    return {row[0]: row[1:] for row in figure.table.rows}


def test_the_parts_add_up_to_every_number_of_the_files(brought, tmp_path):
    shapes = files.shapes(files.config(num_hidden_layers=3))
    found = numbers(figures.parts())
    assert sum(n for n, _ in found.values()) == sum(np.prod(s) for s in shapes.values())
    assert found["read-out"][0] == found["embedding"][0] == 61 * 12
    assert found["attention"][0] == 3 * (18 + 6 + 6 + 18) * 12
    assert sum(share for _, share in found.values()) == 100
    assert figures.parts().sentence.startswith("tiny-llama has")


def test_the_guesses_are_the_models_own_and_go_on_with_the_likeliest(brought):
    figure = figures.guesses(IDS).last()
    ids = [1, *map(int, IDS.split())]
    logits = brought.forward(ids).logits[-1].astype(np.float64)
    probs = np.exp(logits - logits.max())
    probs /= probs.sum()
    best = np.argsort(-probs)[:10]
    assert [p for _, p in figure.table.rows] == pytest.approx(100 * probs[best], abs=1e-3)
    names = ["⟨start⟩" if i == 1 else "⟨end of text⟩" if i == 2 else str(i) for i in best]
    assert [name for name, _ in figure.table.rows] == names
    more = generate.greedy(brought, ids, 12).ids
    more = more[: more.index(2)] if 2 in more else more
    assert " ".join(map(str, more)) in figure.picture


def test_the_last_layers_row_is_the_models_answer(brought):
    rows = figures.depth(IDS).table.rows
    logits = brought.forward([1, *map(int, IDS.split())]).logits[-1]
    assert len(rows) == 4
    assert rows[-1][1] == str(logits.argmax())


def test_a_heads_habit_is_what_takes_half_of_its_weight():
    rows = np.full((6, 6), 0.04)
    previous = rows + 0.7 * np.eye(6, k=-1)
    assert habit(previous) == "previous"
    assert habit(rows + 0.7 * np.eye(6)) == "self"
    first = rows.copy()
    first[:, 0] = 0.7
    assert habit(first) == "first"
    assert habit(rows) == ""


def test_every_head_of_every_layer_is_drawn_and_the_asked_one_opened(brought):
    figure = figures.looks(IDS, 3, 2)
    assert figure.picture.count('role="gridcell"') == 3 * 3
    assert len(figure.table.rows) == 9
    weights = brought.forward([1, *map(int, IDS.split())]).weights[2][1, -1]
    assert f"to “{['⟨start⟩', *IDS.split()][weights.argmax()]}”." in figure.sentence
    assert "layer 3, head 2" in figure.sentence


def test_rest_is_the_share_of_the_first_token_behind_it(brought):
    weights = brought.forward([1, *map(int, IDS.split())]).weights
    expected = [[100 * w[h, 1:, 0].mean() for h in range(3)] for w in weights]
    np.testing.assert_allclose([row[1:] for row in figures.rest(IDS).table.rows], expected, atol=0.051)


@pytest.mark.parametrize("name", ["gemma3", "mistral", "llama 3.1", "gpt2"])
def test_the_room_that_the_formula_gives_is_what_a_cache_really_takes(tmp_path, name):
    m = test_families.load(tmp_path, name)
    cache = m.new_cache()
    m.forward(golden.IDS[:5], cache)
    assert kept(m.config, 5, 4.0) == cache.cache_bytes
    wide = kept(m.config, 50, 4.0)
    windows = [m.config.window(layer) for layer in range(m.config.n_layers)]
    assert wide == sum(2 * m.config.n_kv_heads * m.config.d_head * 4 * (w or 50) for w in windows)


def test_writing_is_timed_and_ends_where_the_model_ends_its_text(brought):
    before = figures.pace(IDS, 16, 0)
    assert before.provenance == "computed"
    after = figures.pace(IDS, 16, 1).last()
    assert after.provenance == "measured"
    more = generate.greedy(brought, [1, *map(int, IDS.split())], 16).ids
    written = more.index(2) + 1 if 2 in more else 16
    assert len(after.table.rows) == written
    assert "tokens a second" in after.sentence


def test_a_text_as_long_as_the_context_leaves_room_for_what_is_written(brought):
    text = "9 " * 200
    assert "are read here" in figures.guesses(text).last().note
    figure = figures.pace(text, 64, 1).last()  # as many as its context, which holds the text too
    assert "tokens a second" in figure.sentence
    subject.use(None)
    assert len(figures.pace("The patient has pain. " * 200, 256, 1).last().table.rows) >= 1


def test_a_text_for_a_model_without_a_tokenizer_says_what_is_missing(brought):
    with pytest.raises(ValueError, match=r"came without tokenizer\.json"):
        figures.looks("hello", 1, 1)


def test_what_was_kept_of_one_model_is_never_shown_of_another(brought):
    theirs = reading.read(IDS)
    subject.use(None)
    assert reading.read(IDS).ids != theirs.ids
    assert reading.head_names()[-1] == "layer 4, head 4"


PROGRAM = {
    "imports": "from glassbox.figures import own_model as figures",
    "cells": [{"name": "looks", "code": "figures.looks(looks_text.value, looks_layer.value, looks_head.value)",
               "defs": [], "refs": ["looks_head", "looks_layer", "looks_text"]}],
    "controls": [
        {"name": "looks_text", "kind": "text", "value": "The patient"},
        {"name": "looks_layer", "kind": "slider", "start": 1, "stop": 4, "step": 1, "value": 2},
        {"name": "looks_head", "kind": "slider", "start": 1, "stop": 4, "step": 1, "value": 1},
        {"name": "one_head", "kind": "select", "options": {"layer 4, head 4": 15}, "value": "layer 4, head 4"},
    ],
    "figures": [{"name": "looks", "cells": [0], "controls": ["looks_text", "looks_layer", "looks_head"]}],
}  # fmt: skip


def bring(bridge, folder, memory=10**9):
    answer = json.loads(bridge.bring(str(folder), memory))
    seen = []
    while answer["more"]:
        seen.append((answer["read"], answer["total"]))
        answer = json.loads(bridge.read_on())
    return answer, seen


def test_a_page_brings_a_model_fits_its_controls_and_goes_back(tmp_path):
    folder = tmp_path / "wide"
    folder.mkdir()
    files.llama(folder, num_hidden_layers=7)
    bridge = Bridge(json.dumps(PROGRAM))
    answer, seen = bring(bridge, folder)
    assert seen[-1][0] == seen[-1][1] > 0
    assert (answer["name"], answer["more"]) == ("wide", False)
    assert "came without tokenizer.json" in answer["note"]
    fitted = {c["name"]: c for c in answer["controls"]}
    assert (fitted["looks_layer"]["stop"], fitted["looks_head"]["stop"]) == (7, 3)
    assert list(fitted["one_head"]["options"])[-1] == "layer 7, head 3"
    assert fitted["one_head"]["value"] == "layer 1, head 1"
    assert re.fullmatch(r"[\d ]+", fitted["looks_text"]["value"])
    shown = json.loads(
        bridge.open("looks", json.dumps({"looks_text": IDS, "looks_layer": 7, "looks_head": 3}))
    )
    assert "layer 7, head 3" in shown["parts"][1]
    back = json.loads(bridge.ours())
    assert back["name"] == ""
    assert back["controls"] == [*PROGRAM["controls"][:3], back["controls"][3]]
    ours = json.loads(bridge.open("looks", "{}"))
    assert "our model" in ours["parts"][1]


def test_a_page_says_what_is_wrong_with_a_model_and_shows_ours(tmp_path):
    files.llama(tmp_path)
    (tmp_path / "config.json").write_text("{")
    bridge = Bridge(json.dumps(PROGRAM))
    answer, _ = bring(bridge, tmp_path)
    assert answer["error"].startswith("config.json: its text is not the JSON")
    assert "our model" in json.loads(bridge.open("looks", "{}"))["parts"][1]
    files.llama(tmp_path)
    answer, _ = bring(bridge, tmp_path, memory=1000)
    assert "there is room for 0.00 GB here" in answer["error"]


def test_every_family_goes_through_every_figure(tmp_path):
    for n, name in enumerate(test_families.STORED):
        folder = tmp_path / str(n)
        folder.mkdir()
        subject.use(test_families.load(folder, name))
        shown = [
            figures.parts(), figures.guesses(IDS).last(), figures.depth(IDS), figures.looks(IDS, 1, 1), figures.rest(IDS),
            figures.room(8000, "16 bits"), figures.pace(IDS, 16, 0), figures.pace(IDS, 16, 1).last(),
        ]  # fmt: skip
        assert all(f.sentence.endswith(".") for f in shown)
