"""Every family that ``checkpoint`` reads, in another's code: transformers. Needs the ``train`` extra."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from glassbox import model  # noqa: E402
from glassbox.model import generate  # noqa: E402
from tests.model.checkpoint import golden  # noqa: E402

STORED = json.loads(golden.STORED.read_text())


@pytest.mark.parametrize("name", golden.FAMILIES)
def test_a_family_as_transformers_saves_and_computes_it(tmp_path, name):
    theirs, found = golden.made(name)
    theirs.save_pretrained(tmp_path, max_shard_size="12KB")
    ours = model.load(tmp_path)
    logits, weights, said = golden.answers(theirs)
    forward = ours.forward(golden.IDS)
    np.testing.assert_allclose(forward.logits, logits, atol=2e-4)
    for layer, expected in zip(forward.weights, weights, strict=True):
        np.testing.assert_allclose(layer, expected, atol=1e-4)
    assert generate.greedy(ours, golden.IDS, golden.NEW).ids == said
    cache = theirs(torch.tensor([golden.IDS]), use_cache=True).past_key_values
    for layer in range(ours.config.n_layers):
        keys = cache.layers[layer].keys[0].detach().numpy()
        np.testing.assert_allclose(forward.k[layer][:, -keys.shape[1] :], keys, atol=1e-4)
    # What machines without torch check:
    np.testing.assert_allclose(STORED[name]["logits"], logits[-1], atol=1e-4)
    assert STORED[name]["shapes"] == found["shapes"]
