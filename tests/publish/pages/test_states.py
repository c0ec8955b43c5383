import json
import string
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassbox.page.runner import Runner
from glassbox.publish.errors import BuildError
from glassbox.publish.pages import computing, covering, packing, states
from glassbox.publish.pages.ahead import Ahead
from glassbox.publish.site import Site
from glassbox.publish.state import Build
from tests.conftest import ROOT


def slider(name, stop, value=0):
    return {"name": name, "kind": "slider", "start": 0, "stop": stop, "step": 1, "value": value}


def test_one_control_is_covered_at_every_position_default_first():
    assert covering.choose([slider("a", 3, 2)]) == [(2,), (0,), (1,), (3,)]
    assert covering.covered([slider("a", 200)]) == "every position"


def test_a_small_grid_is_covered_whole_and_a_large_one_along_its_axes():
    small = [slider("a", 9), slider("b", 9)]
    assert len(covering.choose(small)) == 100
    large = [slider("a", 99, 50), slider("b", 99, 7)]
    assert len(covering.choose(large)) == 199
    assert all(a == 50 or b == 7 for a, b in covering.choose(large))


def test_text_and_buttons_stay_at_their_defaults():
    text = {"name": "t", "kind": "text", "value": "hi", "rows": 1, "max": None}
    button = {"name": "go", "kind": "button", "value": 0}
    assert covering.choose([text, button, slider("a", 1)]) == [("hi", 0, 0), ("hi", 0, 1)]


@given(
    st.lists(
        st.text(alphabet=string.ascii_letters + "<>0123456789 é👋\u2028", max_size=200),
        min_size=1,
        max_size=6,
    )
)
def test_every_packed_state_is_restored_exactly(texts):
    named = {f"[{i}]": t for i, t in enumerate(texts)}
    packed = packing.pack(named)
    assert {k: packing.unpack(packed, k) for k in named} == named


PIECES = [
    "<td>7</td>",
    "<li>one of the words</li>",
    "👋 waves from afar, " * 3,
    "<path d='M1,2 3,4'/>",
    "1234",
    "é",
]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=60).map("".join), min_size=1, max_size=4))
def test_states_made_of_the_same_pieces_are_restored_exactly(texts):
    named = {f"[{i}]": t for i, t in enumerate(texts)}
    packed = packing.pack(named)
    assert {k: packing.unpack(packed, k) for k in named} == named


def lines_run(work):
    """How many lines of Python a call runs: a measure of its work that no machine's speed changes."""
    count = 0

    def traced(frame, event, argument):
        nonlocal count
        count += event == "line"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(
    "cells",
    [lambda n, k: (n * 7 % 89, n * 31 % 97 + k), lambda n, k: (k, k), lambda n, k: (n // 9, (n + k) // 9)],
    ids=["all different", "all alike", "runs"],
)
def test_a_table_of_twice_the_rows_takes_twice_the_work(cells):
    def table(rows, k):
        return "".join("<tr><td>{}</td><td>{}</td></tr>".format(*cells(n, k)) for n in range(rows))

    def work(rows):
        texts = {f"[{k}]": table(rows, k) for k in range(3)}
        return lines_run(lambda: packing.pack(texts))

    assert work(400) < 2.5 * work(200)


def test_a_state_that_shares_nothing_is_kept_as_it_is():
    texts = {"[0]": "<p>" + "a1 " * 2_000, "[1]": "<b>" + "b2," * 2_000}
    assert packing.pack(texts)["states"]["[1]"] == [texts["[1]"]]


def test_what_moved_is_pointed_at_too():
    first, second = "<li>one of a pair of lines</li>" + "<i>word</i>" * 9, "<p>and then there is another</p>"
    moved = packing.pack({"[0]": first + second, "[1]": second + first})["states"]["[1]"]
    assert moved == [second, [0, len(first)]] or moved == [[len(first), len(first + second)], [0, len(first)]]


def test_a_figure_with_a_few_states_too_many_is_told(tmp_path):
    assert covering.missed([slider("a", 19), slider("b", 19)]) == ""
    assert covering.missed([slider("a", 403)]) == ""
    assert covering.missed([slider("a", 99), slider("b", 99)]) == ""
    said = covering.missed([slider("a", 3), slider("b", 100)])
    assert "404 combinations; up to 400" in said
    assert "(104 states)" in said


def test_states_that_share_markup_take_little_room():
    row = "<li>word</li>" * 200
    named = {f"[{i}]": f"<b>{i}</b>{row}" for i in range(100)}
    assert len(json.dumps(packing.pack(named))) < 8_000


@pytest.mark.parametrize(
    ("values", "key"),
    [((50, True, "ä"), '[50,true,"ä"]'), ((0.5, 1.0), "[0.5,1]"), ((1_000_000,), "[1000000]")],
)
def test_keys_are_written_as_the_page_script_writes_them(values, key):
    assert computing.key(values) == key


def test_a_figures_frames_say_what_the_runner_says(tmp_path):
    program = {
        "imports": "from glassbox.figures import Figure, Table, text",
        "cells": [{"name": "f", "code": "Figure('T', str(a.value), text(a.value), Table((), ()))", "defs": [],
                   "refs": ["Figure", "Table", "a", "text"]}],
        "controls": [slider("a", 5)],
        "figures": [{"name": "f", "cells": [0], "controls": ["a"]}],
    }  # fmt: skip
    packed = computing.compute(program, "f")
    for n in range(6):
        assert (
            packing.unpack(packed, f"[{n}]").split("\x1f")[1]
            == Runner(program).figure("f", {"a": n}).sentence
        )


def sent(size):
    return Ahead("T", ("",), json.dumps({"states": {"[0]": [], "[1]": []}, "covers": "every position"}), size)


def test_a_figure_that_is_too_large_is_named_with_its_states_and_a_few_are_not_judged_by_their_middle(
    tmp_path,
):
    site = SimpleNamespace(root=tmp_path)
    said = r"figure “coin” has 2 states ahead \(every position\), which take 120,000 bytes .* docs/authoring"
    with pytest.raises(BuildError, match=said):
        states._check_sizes(site, {"c": {"coin": sent(120_000), "small": sent(10)}})
    states._check_sizes(site, {"c": {"coin": sent(34_720), "small": sent(10)}})
    with pytest.raises(BuildError, match=r"take 31,000 bytes .*the largest are f9 40,000, f8 31,000"):
        states._check_sizes(site, {"c": {f"f{n}": sent(40_000 if n == 9 else 31_000) for n in range(10)}})


@pytest.mark.parametrize(("title", "sentence", "lacks"), [("", "Said.", "title"), ("T", " ", "sentence")])
def test_a_figure_says_something_to_whoever_does_not_see_it(tmp_path, monkeypatch, title, sentence, lacks):
    ahead = Ahead(title, ("<b></b>", sentence, "", "", "computed"), '{"states": {}}', 1)
    monkeypatch.setattr(states.computing, "ahead", lambda *given: ahead)
    monkeypatch.setattr(states, "_run", lambda site, jobs: [ahead.write(job.path) for job in jobs])
    program = {
        "imports": "", "cells": [{"name": "f", "code": "1", "defs": [], "refs": []}], "controls": [],
        "figures": [{"name": "f", "cells": [0], "controls": []}],
    }  # fmt: skip
    chapter = SimpleNamespace(name="tides", program=program, presets={})
    build = Build(Site(ROOT, tmp_path / "dist", tmp_path / "cache"), chapters={"tides": chapter})
    with pytest.raises(BuildError, match=f"figure “f” has no {lacks}"):
        states.step(build)
