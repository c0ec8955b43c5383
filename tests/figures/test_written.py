"""Numbers read the same in every chapter."""

import doctest
import re
from pathlib import Path

import pytest

from glassbox.figures import attention, kv_cache, written


def test_the_examples_in_the_docstring_hold():
    assert doctest.testmod(written) == (0, 7)


@pytest.mark.parametrize(
    ("size", "decimal", "binary"),
    [
        (0, "0 bytes", "0 bytes"),
        (1, "1 byte", "1 byte"),
        (999, "999 bytes", "999 bytes"),
        (1024, "1.024 kB", "1 KiB"),
        (131_072, "131.07 kB", "128 KiB"),
        (1_048_576_000, "1.0486 GB", "1,000 MiB"),
        (2**30, "1.0737 GB", "1 GiB"),
        (16_060_000_000, "16.06 GB", "14.96 GiB"),
        (3_500 * 10**15, "3,500 PB", "3,108.62 PiB"),
    ],
)
def test_bytes_go_by_the_right_name(size, decimal, binary):
    assert written.decimal(size) == decimal
    assert written.binary(size) == binary


def test_both_units_are_named():
    assert written.both(2**30) == "1.0737 GB (1 GiB)"
    assert written.both(10**9) == "1 GB (0.9313 GiB)"
    assert written.both(12) == "12 bytes"


def test_the_same_bytes_read_the_same_in_both_chapters():
    """32 heads of 32 layers keep 2 bytes a score: a text of 715 tokens makes 1,046,988,800 bytes of them."""
    memory = re.search(r"keeps ([\d.]+ GB)", kv_cache.memory(context=8000).sentence)[1]
    assert memory == written.decimal(131_072 * 8000) == "1.0486 GB"
    for n in (100, 715, 1024, 10_000, 1_000_000):
        kept = n * n * 32 * 32 * 2
        assert f"would fill {written.decimal(kept)}," in attention.quadratic(n, "H200").sentence


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (2e-9, "2 ns"),
        (1.5e-5, "15 µs"),
        (0.0084, "8.4 ms"),
        (1.274, "1.27 s"),
        (599, "599 s"),
        (600, "10 minutes"),
        (3_599, "60 minutes"),
        (3_600, "1 hours"),
        (7_200, "2 hours"),
        (200_000, "2.31 days"),
        (1e9, "11,600 days"),
    ],
)
def test_times_take_the_unit_that_suits_them(time, words):
    assert written.seconds(time) == words.replace("1 hours", "1 hour")


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0"), (999_999, "999,999"), (10**6, "1 million"), (50_005_000, "50 million"),
     (10**12, "1 trillion"), (3 * 10**15, "3,000 trillion")],
)  # fmt: skip
def test_counts_are_said_as_one_says_them(number, words):
    assert written.count(number) == words


def test_what_is_counted_takes_its_plural_and_money_its_cents():
    assert [written.plural(n, "user") for n in (0, 1, 2, 1000)] == [
        "0 users",
        "1 user",
        "2 users",
        "1,000 users",
    ]
    assert written.plural(2, "stretch", "stretches") == "2 stretches"
    assert [written.dollars(d) for d in (0, 0.0042, 0.1, 1234.5)] == [
        "$0.00",
        "$0.0042",
        "$0.10",
        "$1,234.50",
    ]


def test_no_figure_writes_bytes_or_times_by_rules_of_its_own():
    """The one room holds the prefixes; who needs them takes them from there."""
    folder = Path(written.__file__).parent
    for path in folder.rglob("*.py"):
        code = path.read_text(encoding="utf-8")
        if path.name != "written.py":
            assert not re.search(r'"(?:kB|GB|GiB|µs|ms|hours)"\)', code), path.name
