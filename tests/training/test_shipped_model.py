"""The shipped model is what its card says, and what torch made of it."""

import json
from pathlib import Path

import numpy as np
import pytest

from glassbox import model

HERE = Path(__file__).parent


def nats_per_token(texts):
    shipped = model.load()
    total, count = 0.0, 0
    for text in texts:
        ids = [*shipped.encode(text)[: shipped.config.context], shipped.start]
        logits = shipped.forward(ids[:-1]).logits.astype(np.float64)
        logits -= logits.max(axis=1, keepdims=True)
        total -= (logits[np.arange(len(ids) - 1), ids[1:]] - np.log(np.exp(logits).sum(axis=1))).sum()
        count += len(ids) - 1
    return total / count


def test_the_numpy_forward_reproduces_torchs_logits():
    shipped = model.load()
    with np.load(HERE / "torch_logits.npz") as recorded:
        assert len(recorded.files) >= 3
        for prompt in recorded.files:
            logits = shipped.forward(shipped.encode(prompt)).logits
            np.testing.assert_allclose(logits, recorded[prompt], atol=2e-4)


@pytest.mark.parametrize("source", ["icd", "wordnet"])
def test_the_recorded_held_out_loss_is_found_again(source):
    texts = json.loads((HERE / "held_out.json").read_text(encoding="utf-8"))[source]
    assert len(texts) == 300
    assert nats_per_token(texts) == pytest.approx(model.card()["held_out_loss"][source], abs=1e-3)


def likeliest(prompt):
    shipped = model.load()
    best = int(shipped.forward(shipped.encode(prompt)).logits[-1].argmax())
    return shipped.piece(best).decode()


def test_severe_chest_leads_to_pain_and_a_wooden_chest_to_drawers():
    assert likeliest("Patient has severe chest") == " pain"
    assert likeliest("She opened a wooden chest of") == " drawers"


@pytest.mark.parametrize(("habit", "least"), [("deciding", 0.5), ("previous", 0.5), ("self", 0.5)])
def test_a_head_has_each_habit_that_the_chapter_shows(habit, least):
    assert np.max(model.card()["heads"][habit]) >= least


def test_the_card_in_words_says_the_numbers_of_the_card():
    folder = Path(model.__file__).parents[1] / "data" / "model"
    card, words = model.card(), (folder / "card.md").read_text(encoding="utf-8")
    assert f"{card['parameters']:,} learned numbers" in words
    assert f"ICD-10-CM {card['held_out_loss']['icd']:.2f}" in words
    assert model.load().config.n_params() == card["parameters"]
