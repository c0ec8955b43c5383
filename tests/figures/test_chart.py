import doctest
import itertools
import math
import re

import pytest

from glassbox.figures import axis, chart, marks

HOSTILE = '"><script>alert(1)</script>'


def placed(markup: str, kind: str) -> list[tuple[str, str]]:
    """(style, text) of every word of one kind in a chart."""
    return re.findall(rf'<span class="{kind}[^"]*" style="([^"]*)">([^<]*)</span>', markup)


def square(*drawn: marks.Mark, **options: float) -> str:
    ten = chart.Axis(0, 10)
    return chart.plot(drawn, ten, ten, "sentence", **options)


# --- Axes -----------------------------------------------------------------------------------------------


def test_the_examples_in_the_axis_module_hold():
    assert doctest.testmod(axis).attempted > 0
    assert doctest.testmod(axis).failed == 0


@pytest.mark.parametrize(
    ("domain", "ticks"),
    [
        ((0, 87), (0, 20, 40, 60, 80)),
        ((0, 1), (0, 0.2, 0.4, 0.6, 0.8, 1)),
        ((-3, 3), (-3, -2, -1, 0, 1, 2, 3)),
        ((0.12, 0.31), (0.15, 0.2, 0.25, 0.3)),
        ((997, 1003), (997, 998, 999, 1000, 1001, 1002, 1003)),
    ],
)
def test_linear_ticks_are_one_two_or_five_times_a_power_of_ten(domain, ticks):
    assert chart.Axis(*domain).ticks == ticks


@pytest.mark.parametrize(
    ("domain", "ticks"),
    [
        ((1, 1000), (1, 10, 100, 1000)),
        ((1, 10**12), (1, 1000, 10**6, 10**9, 10**12)),
        ((3, 40), (5, 10, 20)),
        ((0.001, 1), (0.001, 0.01, 0.1, 1)),
    ],
)
def test_log_ticks_are_powers_of_ten_and_finer_where_these_are_few(domain, ticks):
    assert chart.Axis(*domain, log=True).ticks == ticks


def test_given_ticks_outside_the_domain_are_left_out():
    assert chart.Axis(0, 10, at=(-1, 0, 4, 10, 11)).ticks == (0, 4, 10)


def test_a_domain_s_ends_lie_at_0_and_100_percent():
    for scale in (chart.Axis(2, 8), chart.Axis(2, 8, log=True)):
        assert (scale.place(2), scale.place(8)) == (0, pytest.approx(100))
    assert chart.Axis(2, 8).place(5) == 50
    assert chart.Axis(2, 8, log=True).place(4) == pytest.approx(50)


def test_zero_lies_far_outside_a_log_axis_instead_of_raising():
    assert chart.Axis(1, 10, log=True).place(0) < -1000


@pytest.mark.parametrize("bad", [(5, 5), (5, 1), (0, math.inf), (math.nan, 1)])
def test_a_domain_that_does_not_go_up_is_refused_with_both_ends(bad):
    with pytest.raises(ValueError, match=f"not from {bad[0]} to {bad[1]}"):
        chart.Axis(*bad)


def test_a_log_axis_from_zero_is_refused():
    with pytest.raises(ValueError, match="starts above 0, not at 0"):
        chart.Axis(0, 10, log=True)


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


def test_the_unit_stands_once_in_the_title_unless_each_tick_carries_it():
    assert chart.Axis(0, 1, "memory", "GB").title == "memory (GB)"
    assert chart.Axis(0, 1, "memory", "B", si=True).title == "memory"
    assert chart.Axis(0, 100, "share", "%").title == "share"
    assert chart.Axis(0, 100, unit="%").words[-1] == "100\u00a0%"


# --- Plots ----------------------------------------------------------------------------------------------


def test_a_line_goes_through_its_points_with_y_upwards():
    assert 'd="M0 100L50 20L100 90"' in square(chart.Line([(0, 0), (5, 8), (10, 1)]))


def test_a_nan_leaves_a_gap_in_a_line():
    drawn = square(chart.Line([(0, 0), (2, 5), (3, math.nan), (4, 5), (10, 0)]))
    assert 'd="M0 100L20 50M40 50L100 100"' in drawn


def test_points_on_a_straight_line_are_left_out_and_a_curve_is_kept_within_a_tenth_of_a_percent():
    assert 'd="M0 100L100 0"' in square(chart.Line([(n / 100, n / 100) for n in range(1001)]))
    ten = chart.Axis(0, 10)
    points = [(n / 100, (n / 100) ** 2 / 10) for n in range(1001)]
    kept = [tuple(map(float, p.split())) for p in marks.path(points, ten, ten)[1:].split("L")]
    assert len(kept) < 80
    for a, b in points:
        x, y = 10 * a, 100 - 10 * b
        (x0, y0), (x1, y1) = next((p, q) for p, q in itertools.pairwise(kept) if p[0] <= x <= q[0])
        slope = (y1 - y0) / (x1 - x0)
        assert abs(y0 + slope * (x - x0) - y) / math.hypot(1, slope) < 0.1


def test_dots_are_strokes_of_next_to_no_length_and_those_out_of_sight_are_left_out():
    assert 'd="M10 90h0.01M20 80h0.01"' in square(chart.Dots([(1, 1), (2, 2), (11, 2)]))


def test_a_dot_s_detail_is_carried_as_escaped_text():
    drawn = square(chart.Dots([(1, 1), (99, 1), (2, 2)], details=["first", "unseen", HOSTILE]))
    assert re.findall(r'data-detail="([^"]*)"', drawn) == [
        "first",
        "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;",
    ]


def test_blocks_and_bands_are_closed_shapes():
    assert 'd="M0 100V50H20V100Z"' in square(chart.Blocks([(0, 0, 2, 5)]))
    assert 'd="M0 80L100 80L100 100L0 100Z"' in square(chart.Area([(0, 0, 2), (10, 0, 2)]))


def test_a_rule_stands_at_one_x_or_one_y():
    assert 'd="M40 0V100"' in square(chart.Rule(x=4))
    assert 'd="M0 60H100"' in square(chart.Rule(y=4))
    with pytest.raises(ValueError, match="x=1, y=2"):
        chart.Rule(x=1, y=2)


def test_a_rule_outside_the_chart_is_neither_drawn_nor_named():
    drawn = square(chart.Rule(x=11, text="beyond"), chart.Rule(y=-1, text="below"))
    assert "beyond" not in drawn
    assert "below" not in drawn
    assert "V100" not in drawn


def test_ticks_stand_at_their_places_and_say_their_values():
    drawn = chart.plot([], chart.Axis(1, 100, log=True, at=(1, 10, 100)), chart.Axis(0, 4, about=2), "s")
    assert placed(drawn, "cx") == [("left:0%", "1"), ("left:50%", "10"), ("left:100%", "100")]
    assert placed(drawn, "cy") == [("top:100%", "0"), ("top:50%", "2"), ("top:0%", "4")]


def test_a_line_is_named_at_its_last_point_in_sight():
    drawn = square(
        chart.Line([(0, 0), (10, 5)], "to the end"),
        chart.Line([(0, 0), (3, 9), (4, 12)], "leaves", tone="key"),
    )
    assert '<span class="cl end" style="left:100%;top:50%;--c:var(--accent)">to the end</span>' in drawn
    assert '<span class="cl after" style="left:30%;top:10%;--c:var(--key)">leaves</span>' in drawn


def test_names_at_the_end_never_stand_on_each_other_and_stay_inside():
    drawn = square(*[chart.Line([(0, 0), (10, v)], f"n{v}") for v in (0, 0.1, 0.2, 5, 5.05)], height=15)
    tops = sorted(float(re.search(r"top:([\d.]+)%", style)[1]) for style, _ in placed(drawn, "cl"))
    assert all(b - a >= 7.49 for a, b in itertools.pairwise(tops))
    assert tops[-1] == 100


def test_a_chart_is_one_image_with_its_sentence_as_name():
    drawn = chart.plot([], chart.Axis(0, 1), chart.Axis(0, 1), HOSTILE)
    assert drawn.count('role="img"') == 1
    assert 'aria-label="&quot;&gt;&lt;script&gt;' in drawn


def test_the_same_values_give_the_same_bytes():
    def one() -> str:
        return square(chart.Line([(n, n**0.5) for n in range(11)], "root"), chart.Dots([(1, 1)]))

    assert one() == one()


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
        square(
            chart.Line([(0, 0), (10, 1)], HOSTILE), chart.Note(1, 1, HOSTILE), chart.Rule(x=1, text=HOSTILE)
        ),
        square(chart.Dots([(1, 1)], [HOSTILE]), chart.Area([(0, 0, 1)], HOSTILE)),
        chart.plot([], chart.Axis(0, 1, HOSTILE, HOSTILE), chart.Axis(0, 1, HOSTILE), HOSTILE),
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
        square(chart.Line([(0, 0), (1, 1)], tone="red;background:url(x)"))
