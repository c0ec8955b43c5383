import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassbox.serving import latency, paging, prefix


def test_10718_tokens_take_670_blocks_and_10720_slots():
    assert paging.blocks_for(10_718, 16) == 670
    assert paging.paged_slots(10_718, 16) == 10_720


def test_two_requests_by_hand():
    asked = (paging.Request("A", 0, 3, 4, 16), paging.Request("B", 1, 2, 9, 16))
    whole = paging.contiguous(asked, slots=24, step=1)
    assert whole.served == ("A",)
    assert whole.turned_away == ("B",)
    assert whole.stretches == (paging.Stretch("A", 0, 16, 5),)
    assert (whole.used, whole.internal_waste, whole.free, whole.largest_gap) == (5, 11, 8, 8)
    blocks = paging.paged(asked, slots=24, block=4, step=1)
    assert blocks.turned_away == ()
    assert [(s.name, s.start, s.used) for s in blocks.stretches] == [("A", 0, 4), ("A", 4, 1), ("B", 8, 3)]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 99), st.integers(0, 30), st.integers(0, 80), st.sampled_from([1, 4, 16]))
def test_memory_is_never_given_twice_and_nobody_is_lost(seed, count, step, block):
    asked = paging.requests(seed, count)
    arrived = [r.name for r in asked if r.arrival <= step]
    for memory in (paging.contiguous(asked, 256, step), paging.paged(asked, 256, block, step)):
        slots = [n for s in memory.stretches for n in range(s.start, s.start + s.length)]
        assert len(slots) == len(set(slots))
        assert not slots or max(slots) < 256
        assert all(0 <= s.used <= s.length for s in memory.stretches)
        assert memory.used + memory.internal_waste + memory.free == 256
        assert sorted(memory.served + memory.turned_away) == sorted(arrived)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 99), st.integers(0, 60))
def test_pages_waste_less_than_one_block_a_request(seed, step):
    memory = paging.paged(paging.requests(seed, 25), 256, 8, step)
    assert memory.internal_waste <= 7 * len({s.name for s in memory.stretches})


def test_a_block_in_use_stays_where_it_is():
    asked = paging.requests(3, 20)
    held = {}
    for step in range(60):
        now = {}
        for s in paging.paged(asked, 256, 8, step).stretches:
            now.setdefault(s.name, set()).add(s.start)
        for name, starts in held.items():
            assert name not in now or starts <= now[name]
        held = now


def test_prefix_hits_end_at_the_first_differing_byte():
    first, second, third = prefix.serve([b"abcdefgh-one-two", b"abcdefgh-one-tWo", b"Xbcdefgh-one-two"], 4)
    assert (first.hit, second.hit, third.hit) == (0, 12, 0)


def test_a_repeated_request_still_works_through_its_last_block():
    _, again = prefix.serve([b"abcdefgh", b"abcdefgh"], 4)
    assert (again.hit, again.computed, again.new_blocks) == (4, 4, 0)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60), st.binary(max_size=60), st.integers(1, 9))
def test_hits_are_whole_blocks_of_the_common_beginning(a, b, block):
    _, second = prefix.serve([a, b], block)
    common = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    whole = common // block
    if whole * block >= len(b):
        whole = max(0, whole - 1)
    assert second.hit == whole * block


def test_ids_and_bytes_are_both_read_and_anything_else_is_refused():
    assert prefix.serve([[1, 2, 3, 4, 5], [1, 2, 3, 4, 6]], 2)[1].hit == 4
    with pytest.raises(ValueError, match="items is"):
        prefix.chain("text", 4)


JUNK = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
)


def sentence(call):
    try:
        call()
    except ValueError as refusal:
        assert "should be" in str(refusal)  # noqa: PT017


@settings(max_examples=200, deadline=None)
@given(JUNK, JUNK)
def test_junk_gets_an_answer_or_a_sentence(a, b):
    sentence(lambda: latency.Load(a, seed=b))
    sentence(lambda: latency.Server(step=a, batch=b))
    sentence(lambda: paging.blocks_for(a, b))
    sentence(lambda: paging.paged((), a, b, 0))
    sentence(lambda: prefix.chain(a, b))
    sentence(lambda: latency.Times.of([1.0]).percentile(a) if isinstance(a, (int, float)) else None)
