import itertools

import numpy as np
import pytest

from glassbox import model
from glassbox.model import Growing, Half, Quantized, Sliding, Switches, quantized
from tests.model import small

RNG = np.random.default_rng(8)
IDS = RNG.integers(0, small.PRIMES.vocab_size, 24).tolist()
SIZES = (small.PRIMES.n_layers, small.PRIMES.n_kv_heads, small.PRIMES.d_head)


@pytest.fixture(scope="module")
def tiny():
    return small.model()[0]


def test_the_forward_pass_equals_plain_loops():
    tiny, params = small.model()
    expected = small.forward_by_loops(params, small.PRIMES, IDS[:9])
    np.testing.assert_allclose(tiny.forward(IDS[:9]).logits, expected, rtol=2e-4, atol=2e-4)


def test_every_layer_and_head_gives_rows_that_sum_to_one_with_an_empty_future(tiny):
    forward = tiny.forward(IDS)
    assert len(forward.weights) == len(forward.scores) == small.PRIMES.n_layers
    upper = np.triu(np.ones((24, 24), dtype=bool), 1)
    for weights in forward.weights:
        assert weights.shape == (small.PRIMES.n_heads, 24, 24)
        np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-5)
        assert (weights[:, upper] == 0).all()


def test_a_later_token_never_changes_an_earlier_prediction(tiny):
    changed = [*IDS[:-1], (IDS[-1] + 1) % small.PRIMES.vocab_size]
    np.testing.assert_array_equal(tiny.forward(IDS).logits[:-1], tiny.forward(changed).logits[:-1])


def _read_in_chunks(tiny, cache, sizes):
    logits, at = [], 0
    for size in sizes:
        logits.append(tiny.forward(IDS[at : at + size], cache).logits)
        at += size
    return np.concatenate(logits)


@pytest.mark.parametrize(
    "make", [Growing, lambda *s: Growing(*s, capacity=1), lambda *s: Sliding(*s, window=24)]
)
def test_cached_logits_equal_uncached_for_every_split_in_two(tiny, make):
    whole = tiny.forward(IDS).logits
    for first in range(1, 24):
        split = _read_in_chunks(tiny, make(*SIZES), (first, 24 - first))
        np.testing.assert_allclose(split, whole, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("make", [Growing, lambda *s: Sliding(*s, window=24)])
def test_cached_logits_equal_uncached_for_any_split_in_many(tiny, make):
    whole, rng = tiny.forward(IDS).logits, np.random.default_rng(4)
    splits = [[1] * 24]
    for _ in range(40):
        cuts = sorted(rng.choice(np.arange(1, 24), size=rng.integers(1, 12), replace=False).tolist())
        splits.append([b - a for a, b in itertools.pairwise([0, *cuts, 24])])
    for sizes in splits:
        np.testing.assert_allclose(_read_in_chunks(tiny, make(*SIZES), sizes), whole, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("window", [1, 5, 23])
def test_a_sliding_window_gives_the_same_across_its_edge_however_the_text_is_cut(tiny, window):
    one_by_one = _read_in_chunks(tiny, Sliding(*SIZES, window=window), [1] * 24)
    for sizes in ([24], [5, 19], [window, 24 - window], [7, 1, 16]):
        got = _read_in_chunks(tiny, Sliding(*SIZES, window=window), sizes)
        np.testing.assert_allclose(got, one_by_one, rtol=1e-4, atol=1e-4)
    whole = tiny.forward(IDS).logits
    np.testing.assert_allclose(one_by_one[:window], whole[:window], rtol=1e-4, atol=1e-4)
    assert abs(one_by_one[window:] - whole[window:]).max() > 1e-3


def test_a_sliding_window_masks_and_drops_what_has_left_it(tiny):
    cache = Sliding(*SIZES, window=5)
    forward = tiny.forward(IDS, cache)
    for i, row in enumerate(forward.weights[0][0]):
        assert (row[: max(0, i - 4)] == 0).all()
        assert (row[max(0, i - 4) : i + 1] > 0).all()
    assert cache.length == 24
    assert cache.cache_bytes == 2 * 4 * 5 * np.prod(SIZES)
    with pytest.raises(ValueError, match="has left the window of 5"):
        cache.corrupt(0, 18, "key", np.random.default_rng(0))
    cache.corrupt(0, 19, "key", np.random.default_rng(0))


@pytest.mark.parametrize(("part", "layer"), list(itertools.product(("key", "value"), range(3))))
def test_one_corrupt_entry_changes_what_follows_and_nothing_in_other_layers(tiny, part, layer):
    clean, spoilt = Growing(*SIZES), Growing(*SIZES)
    tiny.forward(IDS[:-1], clean)
    tiny.forward(IDS[:-1], spoilt)
    spoilt.corrupt(layer, 7, part, np.random.default_rng(1))
    before, after = tiny.forward(IDS[-1:], clean), tiny.forward(IDS[-1:], spoilt)
    for earlier in range(layer):
        np.testing.assert_array_equal(before.weights[earlier], after.weights[earlier])
    same_key = np.array_equal(before.weights[layer], after.weights[layer])
    assert same_key == (part == "value")
    assert abs(before.logits - after.logits).max() > 1e-3
    with pytest.raises(ValueError, match="position=24 is not stored"):
        clean.corrupt(layer, 24, part, np.random.default_rng(1))


@pytest.mark.parametrize(("bits", "bytes_per_group"), [(8, 34), (4, 18)])
def test_groups_take_the_stated_bytes_and_err_by_at_most_half_a_step(bits, bytes_per_group):
    rng = np.random.default_rng(3)
    x = (rng.normal(size=(5, 7, 96)) * 10.0 ** rng.integers(-6, 4, size=(5, 7, 1))).astype(np.float32)
    x[0, 0] = 0
    codes, scales = quantized.pack(x, bits)
    assert codes.nbytes + scales.nbytes == x.size // 32 * bytes_per_group
    step = np.repeat(scales.astype(np.float32), 32, axis=-1)
    assert (abs(quantized.unpack(codes, scales, bits) - x) <= 0.5001 * step).all()
    assert (quantized.unpack(codes, scales, bits)[0, 0] == 0).all()


@pytest.mark.parametrize(("bits", "bytes_per_token"), [(8, 34 * 2 * 4 * 2), (4, 18 * 2 * 4 * 2)])
def test_a_quantised_cache_counts_its_bytes_and_stays_close(bits, bytes_per_token):
    m = model.load()
    c = m.config
    ids = m.encode("The patient has a long history of asthma and was started on prednisone.")
    cache = Quantized(c.n_layers, c.n_kv_heads, c.d_head, bits=bits)
    got = m.forward(ids, cache).logits
    assert cache.cache_bytes == len(ids) * bytes_per_token
    exact = m.forward(ids).logits
    error = abs(got - exact).max() / exact.std()
    assert 0 < error < (0.2 if bits == 8 else 4)
    half = Half(c.n_layers, c.n_kv_heads, c.d_head)
    assert abs(m.forward(ids, half).logits - exact).max() / exact.std() < 0.02
    assert half.cache_bytes == len(ids) * 2 * 2 * c.n_layers * c.n_kv_heads * c.d_head


def test_a_sliding_cache_stores_its_window_and_nothing_else(tiny):
    """Its own rows are all that it holds: after 24 tokens the arrays within it have the bytes it states."""

    def arrays(thing):
        if isinstance(thing, np.ndarray):
            return [thing]
        items = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list) else []
        return [a for item in items for a in arrays(item)]

    cache = Sliding(*SIZES, window=5)
    tiny.forward(IDS, cache)
    assert sum(a.nbytes for a in arrays(vars(cache))) == cache.cache_bytes


@pytest.mark.parametrize("policy", [Growing, Half, Quantized, Sliding])
def test_no_policy_is_a_kind_of_another(policy):
    others = {Growing, Half, Quantized, Sliding} - {policy}
    assert issubclass(policy, model.Cache)
    assert not any(issubclass(policy, other) for other in others)


@pytest.mark.parametrize(
    "make", [Growing, Half, lambda *s: Sliding(*s, window=3), lambda *s: Growing(*s, capacity=2)]
)
def test_positions_and_counts_follow_the_tokens_read(make):
    cache, rows = make(*SIZES), np.ones((SIZES[1], 2, SIZES[2]), dtype=np.float32)
    for n in range(1, 4):
        for layer in range(SIZES[0]):
            keys, values, positions = cache.update(layer, n * rows, -n * rows)
            assert positions.tolist() == list(range(2 * n))[-keys.shape[1] :]
            assert keys[0, :, 0].tolist() == [1 + p // 2 for p in positions]
            assert (values == -keys).all()
        assert cache.length == 2 * n
    with pytest.raises(ValueError, match=r"k has shape \(2, 2, 14\), expected \(3, any, 14\)"):
        cache.update(0, rows[:2], rows[:2])
    with pytest.raises(ValueError, match="layer=3 must lie between 0 and 2"):
        cache.corrupt(3, 0, "key", np.random.default_rng(0))
    with pytest.raises(ValueError, match="part='both' must be 'key' or 'value'"):
        cache.corrupt(0, 5, "both", np.random.default_rng(0))


def test_without_mask_and_positions_permuting_the_words_permutes_the_outputs(tiny):
    order = np.random.default_rng(6).permutation(24)
    bare = Switches(mask=False, positions=False)
    straight = tiny.forward(IDS, switches=bare).hidden
    shuffled = tiny.forward([IDS[i] for i in order], switches=bare).hidden
    np.testing.assert_allclose(shuffled, straight[order], rtol=1e-3, atol=1e-3)
    with_mask = Switches(positions=False)
    masked = tiny.forward([IDS[i] for i in order], switches=with_mask).hidden
    assert abs(masked - tiny.forward(IDS, switches=with_mask).hidden[order]).max() > 1e-2


def test_each_station_is_passed_once_a_layer_and_what_it_returns_goes_on(tiny):
    c, n, passed = small.PRIMES, len(IDS), []

    def watch(name, layer, value):
        passed.append((name, layer, value.shape))
        return value

    forward = tiny.forward(IDS, station=watch)
    in_a_layer = [
        ("scores", (c.n_heads, n, n)),
        ("weights", (c.n_heads, n, n)),
        ("heads", (c.n_heads, n, c.d_head)),
        ("mlp", (n, c.d_model)),
        ("stream", (n, c.d_model)),
    ]
    assert passed == [
        ("embedding", 0, (n, c.d_model)),
        *((name, layer, shape) for layer in range(c.n_layers) for name, shape in in_a_layer),
    ]
    np.testing.assert_array_equal(forward.logits, tiny.forward(IDS).logits)
    for name in ("embedding", *(name for name, _ in in_a_layer)):
        changed = tiny.forward(
            IDS, station=lambda at, _, value, name=name: value * 0.5 if at == name else value
        )
        assert abs(changed.logits - forward.logits).max() > 1e-2 or name == "stream"


def test_a_head_is_given_with_the_key_and_value_of_its_group(tiny):
    forward = tiny.forward(IDS)
    for layer in range(small.PRIMES.n_layers):
        for head in range(small.PRIMES.n_heads):
            one = forward.head(layer, head)
            np.testing.assert_allclose(one.q @ one.k.T / 14**0.5, one.scores, rtol=1e-4, atol=1e-5)
            assert one.weights is not None
            np.testing.assert_array_equal(one.v, forward.v[layer][head // 2])


def test_the_switches_change_the_scores(tiny):
    forward = tiny.forward(IDS)
    unscaled = tiny.forward(IDS, switches=Switches(scaling=False))
    np.testing.assert_allclose(unscaled.scores[0], forward.scores[0] * small.PRIMES.d_head**0.5, rtol=1e-4)


def test_multiply_adds_are_counted_as_the_products_make_them(tiny):
    c, n = small.PRIMES, 24
    per_token = c.n_layers * (
        2 * c.d_model * c.n_heads * c.d_head
        + 2 * c.d_model * c.n_kv_heads * c.d_head
        + 3 * c.d_model * c.d_ff
    )
    pairs = c.n_layers * c.n_heads * n * n * c.d_head * 2
    assert tiny.forward(IDS).multiply_adds == n * per_token + pairs + n * c.vocab_size * c.d_model


def test_bad_input_is_named(tiny):
    with pytest.raises(ValueError, match="at least one token"):
        tiny.forward([])
    with pytest.raises(ValueError, match=r"between 0 and 262, not 3\.\.263"):
        tiny.forward([3, 263])
    with pytest.raises(ValueError, match="65 tokens are more than the model's context of 64"):
        tiny.forward([1] * 65)
    with pytest.raises(ValueError, match="d_head=7 must be even"):
        model.Config(10, 4, 1, 2, 1, 7, 4, 8)
    with pytest.raises(ValueError, match="n_heads=4 is not divisible by n_kv_heads=3"):
        model.Config(10, 4, 1, 4, 3, 8, 4, 8)
