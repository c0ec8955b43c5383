import json

import pytest

from glassbox.page.bridge import Bridge
from glassbox.page.runner import Runner

PROGRAM = {
    "imports": "from glassbox.figures import Figure, Table, Work, text",
    "cells": [
        {"name": "_", "code": "calls = []\ndef make(n):\n    calls.append(n)\n    return Figure('T', str(n), text(n), Table((), ()))",
         "defs": ["calls", "make"], "refs": ["Figure", "Table", "text"]},
        {"name": "double", "code": "_n = share.value * 2\nmake(_n)", "defs": [], "refs": ["make", "share"]},
        {"name": "count", "code": "Work(lambda: (make(i) for i in range(times.value)))", "defs": [],
         "refs": ["Work", "make", "times"]},
        {"name": "bad", "code": "1 + 1", "defs": [], "refs": []},
    ],
    "controls": [
        {"name": "share", "kind": "slider", "start": 0, "stop": 10, "step": 1, "value": 4},
        {"name": "times", "kind": "slider", "start": 1, "stop": 10, "step": 1, "value": 3},
    ],
    "figures": [
        {"name": "double", "cells": [0, 1], "controls": ["share"]},
        {"name": "count", "cells": [0, 2], "controls": ["times"]},
        {"name": "bad", "cells": [3], "controls": []},
    ],
}  # fmt: skip


def test_a_figure_follows_its_control_and_its_default():
    runner = Runner(PROGRAM)
    assert runner.figure("double", {}).sentence == "8"
    assert runner.figure("double", {"share": 5}).sentence == "10"


def test_long_work_is_run_to_its_end_where_a_figure_is_asked_for():
    runner = Runner(PROGRAM)
    assert runner.figure("count", {"times": 4}).sentence == "3"
    assert len(list(runner.output("count", {"times": 4}).steps())) == 4


def test_a_cell_runs_again_only_when_what_it_refers_to_changed():
    runner = Runner(PROGRAM)
    runner.figure("double", {"share": 5})
    runner.figure("double", {"share": 5})
    assert runner._memo[0][1]["calls"] == [10]
    runner.figure("double", {"share": 6})
    assert runner._memo[0][1]["calls"] == [10, 12]


HELPED = {
    "imports": "from glassbox.figures import Figure, Table, text",
    "cells": [
        {"name": "_", "code": "doubled = share.value * 2", "defs": ["doubled"], "refs": ["share"]},
        {"name": "_", "code": "said = f'{doubled} {unit.value}'", "defs": ["said"], "refs": ["doubled", "unit"]},
        {"name": "far", "code": "Figure('T', said, text(said), Table((), ()))", "defs": [],
         "refs": ["Figure", "said", "text", "Table"]},
    ],
    "controls": [
        {"name": "share", "kind": "slider", "start": 0, "stop": 10, "step": 1, "value": 4},
        {"name": "unit", "kind": "select", "options": {"kilo": "kg", "gram": "g"}, "value": "kilo"},
    ],
    "figures": [{"name": "far", "cells": [0, 1, 2], "controls": ["share", "unit"]}],
}  # fmt: skip


def test_a_control_reaches_a_figure_through_helper_cells():
    """The figure's own cell never names the controls; a change of either must still come through, and back."""
    runner = Runner(HELPED)
    asked = [{}, {"share": 5}, {"share": 5, "unit": "gram"}, {"unit": "gram"}, {}, {"share": 5}]
    said = [runner.figure("far", values).sentence for values in asked]
    assert said == ["8 kg", "10 kg", "10 g", "8 g", "8 kg", "10 kg"]
    assert said == [Runner(HELPED).figure("far", values).sentence for values in asked]


def test_a_value_that_compares_equal_but_is_another_is_not_taken_for_it():
    runner = Runner(PROGRAM)
    runner.figure("double", {"share": 1})
    with pytest.raises(ValueError, match="share takes a number, not True"):
        runner.figure("double", {"share": True})


def test_what_ran_a_model_and_what_stays_with_ours_is_told_by_figure():
    program = {
        "imports": "from types import SimpleNamespace\nfrom glassbox.figures import Figure, Table, subject, text\n"
        "def ran(n):\n    subject.model()\n    return still(n)\n"
        "def still(n):\n    return Figure('T', str(n), text(n), Table((), ()))\n"
        "still.stays = 'It shows ours.'\nfigures = SimpleNamespace(ran=ran, still=still)",
        "cells": [
            {"name": "_", "code": "n = share.value", "defs": ["n"], "refs": ["share"]},
            {"name": "ran", "code": "figures.ran(n)", "defs": [], "refs": ["figures", "n"]},
            {"name": "still", "code": "figures.still(n)", "defs": [], "refs": ["figures", "n"]},
            {
                "name": "bare",
                "code": "made = figures.still(n)\nmade",
                "defs": ["made"],
                "refs": ["figures", "n"],
            },
        ],
        "controls": PROGRAM["controls"],
        "figures": [
            {"name": "ran", "cells": [0, 1], "controls": ["share"]},
            {"name": "still", "cells": [0, 2], "controls": ["share"]},
            {"name": "bare", "cells": [0, 3], "controls": ["share"]},
        ],
    }
    runner = Runner(program)
    assert not runner.on_model("ran"), "before it has run"
    for share in (4, 4, 5):
        for name in ("ran", "still", "bare"):
            assert runner.figure(name, {"share": share}).sentence == str(share)
        assert {name: runner.on_model(name) for name in ("ran", "still", "bare")} == {
            "ran": True,
            "still": False,
            "bare": False,
        }
    assert {name: runner.stays(name) for name in ("ran", "still", "bare")} == {
        "ran": "",
        "still": "It shows ours.",
        "bare": "",
    }


def test_unknown_figures_and_cells_that_are_none_are_named():
    runner = Runner(PROGRAM)
    with pytest.raises(ValueError, match="no figure named 'x'; this chapter has double, count, bad"):
        runner.figure("x", {})
    with pytest.raises(ValueError, match="cell 'bad' ends in int; a figure cell ends in a Figure"):
        runner.figure("bad", {})


def test_the_bridge_answers_a_plain_figure_at_once():
    answer = json.loads(Bridge(json.dumps(PROGRAM)).open("double", '{"share": 3}'))
    assert answer["parts"][1] == "6"
    assert answer["parts"][4] == "computed"
    assert answer["more"] is False


def test_the_bridge_steps_through_long_work_and_ends_on_its_last_state():
    bridge = Bridge(json.dumps(PROGRAM))
    answers = [json.loads(bridge.open("count", '{"times": 3}'))]
    while answers[-1]["more"]:
        answers.append(json.loads(bridge.step("count")))
    assert [a["parts"][1] for a in answers] == ["0", "1", "2", "2"]


def test_the_bridge_answers_bad_values_with_the_sentence():
    answer = json.loads(Bridge(json.dumps(PROGRAM)).open("double", '{"share": "x"}'))
    assert answer == {"error": "share takes a number, not 'x'", "more": False}


def test_the_bridge_answers_work_that_cannot_go_on_with_the_sentence():
    cells = [
        {
            "name": "stuck",
            "code": "Work(lambda: (int(word.value) for _ in '1'))",
            "defs": [],
            "refs": ["word"],
        }
    ]
    program = {
        "imports": "from glassbox.figures.figure import Work",
        "cells": cells,
        "controls": [{"name": "word", "kind": "text", "value": "five"}],
        "figures": [{"name": "stuck", "cells": [0], "controls": ["word"]}],
    }
    answer = json.loads(Bridge(json.dumps(program)).open("stuck", "{}"))
    assert answer == {"error": "invalid literal for int() with base 10: 'five'", "more": False}
