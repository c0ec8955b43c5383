"""The guesses of all chapters: what they say is true, and the figure that they open shows it."""

import re
from urllib.parse import parse_qsl

import pytest

from glassbox.chapters import NAMES
from glassbox.page.runner import Runner
from glassbox.publish.pages import notebook, presets, prose
from glassbox.publish.pages.chapter import described
from tests.conftest import ROOT


@pytest.fixture(scope="module", params=NAMES)
def chapter(request):
    return notebook.load(ROOT / "notebooks" / f"{request.param}.py")


def test_a_chapter_asks_for_a_guess_before_its_main_figures(chapter):
    asked = [b for b in chapter.blocks if b.kind == "guess"]
    assert min(3, len(chapter.program["figures"]) // 2) <= len(asked) <= 6


def test_the_true_value_is_seen_in_the_figure_that_a_guess_opens(chapter):
    runner = Runner(chapter.program)
    figures = {f["name"]: f for f in described(chapter.program)}
    for block in (b for b in chapter.blocks if b.kind == "guess"):
        true = prose.plain(prose.first(block.answer, "strong"))
        if true[:1].isdigit():
            true = true.split()[0]  # a number without its unit
        query, name = re.findall(r'data-opens="\?([^"#]*)#(\w+)"', block.html)[-1]
        controls = {c["name"]: c for c in figures[name]["controls"]}
        asked = {
            n: presets.wire(controls[n], v) for n, v in parse_qsl(prose.plain(query), keep_blank_values=True)
        }
        shown = runner.figure(name, asked)
        seen = " ".join(prose.plain(str(p)) for p in (shown.sentence, shown.note, shown.picture, shown.table))
        assert re.search(rf"(?<![\d.,]){re.escape(true)}(?!\d)", seen), (block.question, true)


def test_no_two_choices_of_a_guess_are_right_and_none_is_given_away(chapter):
    for block in (b for b in chapter.blocks if b.kind == "guess"):
        assert block.html.count('data-result="right"') == 1, block.question
        assert block.html.count('data-result="seen"') == 1, block.question
