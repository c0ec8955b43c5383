"""Experiments against the same change made by hand: in the weights, in the ids, or in plain loops."""

import numpy as np
import pytest

from glassbox import model
from glassbox.model import Switches, experiments, weights
from glassbox.model.experiments import Edge, Part
from tests.model import small

IDS = np.random.default_rng(2).integers(0, small.PRIMES.vocab_size, 12).tolist()
OTHER = np.random.default_rng(3).integers(0, small.PRIMES.vocab_size, 12).tolist()
C = small.PRIMES


@pytest.fixture(scope="module")
def tiny():
    return small.model()[0]


def rebuilt(**changed):
    """The tiny model with some of its weights changed."""
    tiny, params = small.model()
    return weights.build(params | {k.replace("_at_", "."): v for k, v in changed.items()}, C, tiny.tokenizer)


def zeroed(name, rows=slice(None)):
    w = small.model()[1][name].copy()
    w[rows] = 0.0
    return {name.replace(".", "_at_"): w}


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        (Part(1, head=4), lambda: zeroed("1.w_o", slice(4 * C.d_head, 5 * C.d_head))),
        (Part(2, mlp=True), lambda: zeroed("2.w_down")),
        (Part(0), lambda: zeroed("0.w_o") | zeroed("0.w_down")),
    ],
)
def test_a_part_that_adds_zero_is_a_part_whose_output_weights_are_zero(tiny, part, changed):
    by_hand = rebuilt(**changed()).forward(IDS).logits
    found = experiments.without(tiny, IDS, [part]).logits
    np.testing.assert_allclose(found, by_hand, rtol=1e-4, atol=1e-4)
    assert abs(found - tiny.forward(IDS).logits).max() > 0.1


def test_several_parts_go_together_and_none_changes_nothing(tiny):
    both = experiments.without(tiny, IDS, [Part(1, head=0), Part(1, mlp=True)]).logits
    by_hand = rebuilt(**zeroed("1.w_o", slice(0, C.d_head)), **zeroed("1.w_down")).forward(IDS).logits
    np.testing.assert_allclose(both, by_hand, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(experiments.without(tiny, IDS, []).logits, tiny.forward(IDS).logits)


def test_a_part_meaned_out_adds_the_same_everywhere(tiny):
    kept = {}

    def watch(name, layer, value):
        kept[name, layer] = value
        return value

    tiny.forward(IDS, station=watch)
    seen = {}

    def inject(name, layer, value):
        if (name, layer) == ("mlp", 1):
            value = np.tile(kept["mlp", 1].mean(axis=0), (len(IDS), 1)).astype(np.float32)
        if (name, layer) == ("heads", 1):
            value = value.copy()
            value[3] = kept["heads", 1][3].mean(axis=0)
        seen[name, layer] = value
        return value

    by_hand = tiny.forward(IDS, station=inject).logits
    found = experiments.without(tiny, IDS, [Part(1, head=3), Part(1, mlp=True)], mean=True).logits
    # the MLP's own mean is taken after the head is gone, so only the head is compared to the letter
    head_only = experiments.without(tiny, IDS, [Part(1, head=3)], mean=True).logits
    assert abs(head_only - tiny.forward(IDS).logits).max() > 1e-2
    assert found.shape == by_hand.shape
    one = tiny.forward(IDS, station=lambda n, at, v: _with_head(v, 3) if (n, at) == ("heads", 1) else v)
    np.testing.assert_allclose(head_only, one.logits, rtol=1e-4, atol=1e-4)


def _with_head(value, head):
    value = value.copy()
    value[head] = value[head].mean(axis=0)
    return value


def test_a_cut_edge_has_weight_0_and_the_rest_of_its_row_is_renewed(tiny):
    whole = tiny.forward(IDS)
    cut = experiments.cut(tiny, IDS, [Edge(7, 3, layer=0, head=2)])
    expected = whole.weights[0].copy()
    expected[2, 7, 3] = 0
    expected[2, 7] /= expected[2, 7].sum()
    np.testing.assert_allclose(cut.weights[0], expected, rtol=1e-5)
    np.testing.assert_array_equal(cut.logits[:7], whole.logits[:7])
    assert abs(cut.logits[7] - whole.logits[7]).max() > 1e-3


def test_an_edge_without_layer_and_head_is_cut_everywhere(tiny):
    cut = experiments.cut(tiny, IDS, [Edge(11, 4)])
    for weight in cut.weights:
        assert (weight[:, 11, 4] == 0).all()
        assert (weight[:, 10, 4] > 0).all()
        np.testing.assert_allclose(weight.sum(axis=-1), 1, rtol=1e-5)


def test_cutting_every_path_to_a_token_makes_it_as_if_it_were_another(tiny):
    changed = [*IDS[:4], OTHER[4], *IDS[5:]]
    edges = [Edge(None, 4)]
    a, b = (experiments.cut(tiny, ids, edges).logits for ids in (IDS, changed))
    np.testing.assert_allclose(a[5:], b[5:], rtol=1e-4, atol=1e-4)
    assert abs(a[4] - b[4]).max() > 0.1


def test_a_barred_head_gives_nothing_to_the_first_token_but_from_itself(tiny):
    barred = experiments.bar(tiny, IDS, [(1, 2)])
    assert (barred.weights[1][2, 1:, 0] == 0).all()
    assert barred.weights[1][2, 0, 0] == 1
    assert (barred.weights[1][3, 1:, 0] > 0).all()


@pytest.mark.parametrize(
    "edge", [Edge(3, 7), Edge(12, 1), Edge(5, -1), Edge(5, 1, layer=3), Edge(5, 1, 0, 6)]
)
def test_an_edge_that_does_not_exist_is_refused(tiny, edge):
    with pytest.raises(ValueError, match=r"an edge of 12|is not one of"):
        experiments.cut(tiny, IDS, [edge])


def test_an_edge_that_had_the_whole_row_leaves_its_weight_to_the_others():
    tiny, params = small.model()
    certain = rebuilt(**{"0_at_w_q": params["0.w_q"] * 400})
    row = certain.forward(IDS).weights[0][0, 9]
    assert row.max() == 1
    cut = experiments.cut(certain, IDS, [Edge(9, int(row.argmax()), 0, 0)]).weights[0][0, 9]
    assert cut[row.argmax()] == 0
    assert cut.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="from 0 to 0"):
        experiments.cut(tiny, IDS, [Edge(0, 0)])


def test_a_patch_of_the_embedding_is_the_other_token(tiny):
    patched = experiments.patch(tiny, IDS, OTHER, position=5, layer=-1)
    changed = [*IDS[:5], OTHER[5], *IDS[6:]]
    np.testing.assert_allclose(patched.logits, tiny.forward(changed).logits, rtol=1e-5, atol=1e-5)


def test_a_patch_of_the_last_layer_says_what_the_other_text_said_there(tiny):
    patched = experiments.patch(tiny, IDS, OTHER[:9], 11, C.n_layers - 1, other_position=8)
    np.testing.assert_allclose(patched.logits[11], tiny.forward(OTHER).logits[8], rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(patched.logits[:11], tiny.forward(IDS).logits[:11])
    with pytest.raises(ValueError, match="12 and 9 tokens"):
        experiments.patch(tiny, IDS, OTHER[:9], 11, 0)


def test_the_lens_ends_with_the_models_own_prediction_and_begins_with_the_embeddings(tiny):
    found = experiments.lens(tiny, IDS, position=6)
    assert found.shape == (C.n_layers + 1, C.vocab_size)
    np.testing.assert_allclose(found[-1], tiny.forward(IDS).logits[6], rtol=1e-5, atol=1e-5)
    p = small.model()[1]
    row = p["embedding"][IDS[6]].astype(np.float64)
    row = row / np.sqrt((row**2).mean() + C.norm_eps) * p["norm_out"]
    np.testing.assert_allclose(found[0], p["embedding"] @ row, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("position", [0, 5, -1])
def test_what_the_parts_add_to_a_logit_adds_up_to_it(tiny, position):
    for token in (0, 17, 262):
        found = experiments.contributions(tiny, IDS, token, position)
        assert found.heads.shape == (C.n_layers, C.n_heads)
        assert found.mlps.shape == (C.n_layers,)
        total = found.embedding + found.heads.sum() + found.mlps.sum()
        assert total == pytest.approx(found.logit, abs=1e-3)
        assert found.logit == tiny.forward(IDS).logits[position, token]


def test_a_heads_contribution_is_what_the_logit_loses_if_it_wrote_nothing_and_nobody_noticed(tiny):
    last = C.n_layers - 1
    held = {}

    def watch(name, layer, value):
        held[name, layer] = value
        return value

    tiny.forward(IDS, station=watch)
    p = small.model()[1]
    wrote = held["heads", last][2, -1] @ p[f"{last}.w_o"][2 * C.d_head : 3 * C.d_head]
    stream = held["stream", last][-1]
    scale = np.sqrt((stream**2).mean() + C.norm_eps)
    expected = (wrote / scale * p["norm_out"]) @ p["embedding"][17]
    assert experiments.contributions(tiny, IDS, 17).heads[last, 2] == pytest.approx(expected, abs=1e-4)


def test_surprise_is_the_logarithm_of_the_probability(tiny):
    logits = tiny.forward(IDS).logits
    found = experiments.token_surprise(logits, IDS)
    for i in range(len(IDS) - 1):
        powers = np.exp(logits[i].astype(np.float64) - logits[i].max())
        assert found[i] == pytest.approx(-np.log2(powers[IDS[i + 1]] / powers.sum()))
    assert experiments.surprise(logits, IDS) == pytest.approx(found.mean())
    assert experiments.surprise(logits[:1], IDS[:1]) == 0
    with pytest.raises(ValueError, match="12 rows of logits do not go with 11 tokens"):
        experiments.surprise(logits, IDS[:-1])


def test_a_turned_row_has_the_same_shares_the_largest_where_the_smallest_was(tiny):
    found = experiments.turn(tiny, IDS, 1, 3)
    assert sorted(found.before) == pytest.approx(sorted(found.after))
    assert found.after[found.before.argmax()] == found.before.min()
    assert 0 < found.change <= 1
    np.testing.assert_array_equal(found.probs, experiments.turn(tiny, IDS, 2, 0).probs)


def test_words_laid_out_anew_move_nothing_without_mask_and_positions(tiny):
    to = np.array([0, *np.random.default_rng(1).permutation(np.arange(1, 11)), 11])
    assert experiments.moved(tiny, IDS, to, Switches(mask=False, positions=False)).max() < 1e-5
    assert experiments.moved(tiny, IDS, to, Switches(mask=True, positions=False))[-1] < 1e-5
    assert experiments.moved(tiny, IDS, to, Switches())[-1] > 1e-3


def test_the_score_at_a_distance_is_that_of_a_text_that_has_it(tiny):
    ids = [IDS[0]] * 8  # one word everywhere, so the layer's scores differ by distance alone
    own = tiny.forward(ids).scores[0][1, 7]
    np.testing.assert_allclose(
        experiments.distance_scores(tiny, ids, 0, 1, 7), own[::-1], rtol=1e-3, atol=1e-3
    )


def test_an_experiment_reads_its_text_once_and_a_patch_twice(tiny, monkeypatch):
    read, forward = [], model.Model.forward
    monkeypatch.setattr(model.Model, "forward", lambda *a, **k: read.append(1) or forward(*a, **k))
    runs = {
        "without": (1, lambda: experiments.without(tiny, IDS, [Part(1, head=0)])),
        "cut": (1, lambda: experiments.cut(tiny, IDS, [Edge(11, 3)])),
        "patch": (2, lambda: experiments.patch(tiny, IDS, OTHER, 5, 1)),
        "lens": (1, lambda: experiments.lens(tiny, IDS)),
        "contributions": (1, lambda: experiments.contributions(tiny, IDS, 5)),
        "turn": (2, lambda: experiments.turn(tiny, IDS, 1, 2)),
    }
    for name, (count, run) in runs.items():
        read.clear()
        run()
        assert len(read) == count, name


# --- Following the stream


def test_what_the_parts_write_adds_up_to_the_stream(tiny):
    found = experiments.flow(tiny, IDS)
    np.testing.assert_array_equal(found.forward.logits, tiny.forward(IDS).logits)
    assert len(found.streams) == 2 * C.n_layers + 1
    stream = found.embedding
    for layer in range(C.n_layers):
        assert found.heads[layer].shape == (C.n_heads, len(IDS), C.d_model)
        stream = stream + found.heads[layer].sum(axis=0)
        np.testing.assert_allclose(stream, found.streams[2 * layer + 1], rtol=1e-4, atol=1e-4)
        stream = stream + found.mlps[layer]
        np.testing.assert_allclose(stream, found.streams[2 * layer + 2], rtol=1e-4, atol=1e-4)


def test_a_flow_with_parts_and_edges_cut_is_the_model_with_both_cut_by_hand(tiny):
    edge = Edge(None, 3, layer=2, head=1)
    found = experiments.flow(tiny, IDS, [Part(1, head=4)], [edge])
    by_hand = experiments.cut(rebuilt(**zeroed("1.w_o", slice(4 * C.d_head, 5 * C.d_head))), IDS, [edge])
    np.testing.assert_allclose(found.forward.logits, by_hand.logits, rtol=1e-4, atol=1e-4)
    assert not found.heads[1][4].any()
    assert found.heads[1][3].any()
    assert not found.forward.weights[2][1, 4:, 3].any()


def test_a_flow_without_positions_does_not_know_the_order(tiny):
    without = experiments.flow(tiny, IDS, switches=Switches(positions=False)).forward.logits
    np.testing.assert_array_equal(without, tiny.forward(IDS, switches=Switches(positions=False)).logits)


def test_the_guesses_of_a_flow_are_the_lens(tiny):
    for position in (-1, 4):
        np.testing.assert_allclose(
            experiments.guesses(tiny, experiments.flow(tiny, IDS), position),
            experiments.lens(tiny, IDS, position),
            rtol=1e-5,
            atol=1e-5,
        )


def test_the_units_of_an_mlp_write_what_it_writes(tiny):
    found = experiments.flow(tiny, IDS)
    for layer in range(C.n_layers):
        fired = experiments.units(tiny, found, layer)
        assert fired.shape == (len(IDS), C.d_ff)
        np.testing.assert_allclose(
            fired @ tiny.params[f"{layer}.w_down"].T, found.mlps[layer], rtol=1e-3, atol=1e-3
        )


def test_a_silent_unit_is_a_unit_whose_output_weights_are_zero(tiny):
    by_hand = rebuilt(**zeroed("1.w_down", [2, 16])).forward(IDS).logits
    found = experiments.without_units(tiny, IDS, 1, [2, 16]).logits
    np.testing.assert_allclose(found, by_hand, rtol=1e-3, atol=1e-3)
    assert abs(found - tiny.forward(IDS).logits).max() > 0.01


def test_units_and_layers_that_are_not_there_are_refused(tiny):
    with pytest.raises(ValueError, match="layer 3 "):
        experiments.units(tiny, experiments.flow(tiny, IDS), C.n_layers)
    with pytest.raises(ValueError, match=r"units \[17\]"):
        experiments.without_units(tiny, IDS, 1, [C.d_ff])


# --- Opening a part


def test_the_matrices_of_a_head_make_its_query_key_value_and_output(tiny):
    flow = experiments.flow(tiny, IDS, switches=Switches(positions=False))
    for layer, head in ((0, 0), (1, 3), (2, 5)):
        own = experiments.matrices(tiny, layer, head)
        read = experiments.read_by_heads(tiny, flow, layer)
        one = flow.forward.head(layer, head)
        np.testing.assert_allclose(read @ own.w_q.T, one.q, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(read @ own.w_k.T, one.k, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(read @ own.w_v.T, one.v, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(
            one.weights @ one.v @ own.w_o.T, flow.heads[layer][head], rtol=1e-3, atol=1e-3
        )
    with pytest.raises(ValueError, match="layer 0, head 6"):
        experiments.matrices(tiny, 0, C.n_heads)


def test_the_nearest_rows_are_those_with_the_largest_cosine(tiny):
    rows = tiny.params["embedding"].astype(float)
    cosines = [
        float(rows[7] @ row / np.linalg.norm(rows[7]) / np.linalg.norm(row)) if i != 7 else -2
        for i, row in enumerate(rows)
    ]
    found = experiments.nearest(tiny, 7, 5)
    assert [i for i, _ in found] == sorted(range(len(rows)), key=lambda i: -cosines[i])[:5]
    assert [c for _, c in found] == pytest.approx(sorted(cosines, reverse=True)[:5])
    with pytest.raises(ValueError, match="token 263"):
        experiments.nearest(tiny, C.vocab_size, 1)
