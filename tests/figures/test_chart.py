import re

import pytest

from glassbox.figures import chart

HOSTILE = '"><script>alert(1)</script>'


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [
        (0, "B", "0 B"),
        (999, "B", "999 B"),
        (999.7, "B", "1 kB"),
        (1_048_576_000, "B", "1.05 GB"),
        (3e-7, "s", "300 ns"),
        (20_000, "", "20 k"),
        (-1_500, "B", "−1.5 kB"),
        (61, "", "61"),
    ],
)
def test_prefixes_are_powers_of_a_thousand_with_three_figures(value, unit, written):
    assert chart.si(value, unit).replace("\u00a0", " ") == written


def test_plain_numbers_have_thousands_and_a_true_minus():
    assert [chart.plain(v) for v in (1_048_576, -0.25, 0.1 + 0.2)] == ["1,048,576", "−0.25", "0.3"]


# --- Charts without axes --------------------------------------------------------------------------------


def test_bars_are_shares_of_a_fixed_whole_and_stop_at_its_end():
    drawn = chart.bars([("a", 2, "2"), ("b", 12, "12", "key"), ("c", -1, "−1")], high=10, sentence="s")
    assert re.findall(r"--share:([\d.]+)%;--c:var\(--([\w-]+)\)", drawn) == [
        ("20", "accent"),
        ("100", "key"),
        ("0", "accent"),
    ]


def test_columns_carry_value_and_name():
    drawn = chart.columns([("2026", 5, "five")], high=10, sentence="s")
    assert '<b>five</b><i style="--share:50%;--c:var(--accent)"></i></span><span>2026</span>' in drawn


def test_shares_cut_the_whole_and_name_each_part():
    drawn = chart.shares([("severe", 3, "severe"), ("chest", 1, "masked")], sentence="s")
    assert re.findall(r'<i style="--share:([\d.]+)%', drawn) == ["75", "25"]
    assert re.findall(r"<b>([^<]*)</b>", drawn) == ["75\u00a0%", "25\u00a0%"]


def test_shares_of_nothing_are_empty_instead_of_a_division_by_zero():
    assert re.findall(r"--share:([\d.]+)%", chart.shares([("a", 0, "key"), ("b", 0, "value")], "s")) == [
        "0",
        "0",
    ]


def test_cells_are_shaded_by_value_in_a_table_with_both_headers():
    drawn = chart.cells(["q"], ["k1", "k2"], [[0.25, 1]], 1, "s", [["25", "100"]], tone="query")
    assert '<td class="heat" style="--w:25%">25</td><td class="heat" style="--w:100%">100</td>' in drawn
    assert '<th scope="row">q</th>' in drawn
    assert '<th scope="col">k2</th>' in drawn


@pytest.mark.parametrize(
    "drawn",
    [
        chart.bars([(HOSTILE, 1, HOSTILE)], 1, HOSTILE),
        chart.columns([(HOSTILE, 1, HOSTILE)], 1, HOSTILE),
        chart.shares([(HOSTILE, 1, "key")], HOSTILE, [HOSTILE]),
        chart.cells([HOSTILE], [HOSTILE], [[1]], 1, HOSTILE, [[HOSTILE]]),
    ],
)
def test_every_word_given_is_text_and_never_markup(drawn):
    assert "<script" not in drawn
    assert "&lt;script&gt;" in drawn


def test_a_tone_that_is_not_a_name_is_refused():
    with pytest.raises(ValueError, match="custom property"):
        chart.bars([("a", 1, "1")], high=1, sentence="s", tone="red;background:url(x)")


def test_a_bar_s_ends_that_do_not_go_up_are_refused_with_both():
    with pytest.raises(ValueError, match="not from 2 to 2"):
        chart.bars([("a", 1, "1")], high=2, low=2, sentence="s")
