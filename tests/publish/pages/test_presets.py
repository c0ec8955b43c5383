"""Presets: links in the prose that open a figure in one state."""

import pytest

from glassbox.chapters import NAMES as CHAPTERS
from glassbox.page import guess
from glassbox.page.runner import Runner
from glassbox.publish.pages import covering, notebook, presets
from glassbox.publish.pages.chapter import figures
from tests.conftest import ROOT

FIGURES = [
    {
        "name": "mix",
        "controls": [
            {"name": "share", "label": "Share", "kind": "slider", "start": 0, "stop": 2.0, "step": 0.5},
            {"name": "on", "label": "Lamp", "kind": "switch"},
            {"name": "words", "label": "Words", "kind": "text"},
            {"name": "kind", "label": "Kind", "kind": "select", "options": {"a (b)": 1, "c, d": 2}},
            {"name": "go", "label": "Go", "kind": "button"},
        ],
    }
]


def link(query: str, figure: str = "mix") -> str:
    return f'<p><a href="?{query}#{figure}">so</a></p>'


def test_a_link_gives_the_values_as_the_controls_take_them():
    found = presets.collect(
        link("share=0.5&amp;on=false") + link("words=a+b &lt;i&gt;&amp;kind=c, d") + link("share=2"), FIGURES
    )
    assert found == {
        "mix": [{"share": 0.5, "on": False}, {"words": "a b <i>", "kind": "c, d"}, {"share": 2.0}]
    }


def test_the_states_that_a_guess_opens_are_presets():
    asked = guess.number("How much?", (1, 2), 2, "?share=2&words=a b#mix").markup()
    assert presets.collect(str(asked), FIGURES) == {"mix": [{"share": 2.0, "words": "a b"}]}
    wrong = guess.number("How much?", (1, 2), 2, "?share=9#mix").markup()
    with pytest.raises(ValueError, match="share=9 is no position"):
        presets.collect(str(wrong), FIGURES)


def test_the_same_state_linked_twice_is_one_preset():
    assert presets.collect(link("share=1") * 2, FIGURES) == {"mix": [{"share": 1.0}]}


@pytest.mark.parametrize(
    ("query", "figure", "told"),
    [
        ("share=1", "maze", "a link goes to #maze, but the figures are mix"),
        ("shore=1", "mix", "a link sets shore of #mix, whose controls are share, on, words, kind, go"),
        ("share=0.3", "mix", "share=0.3 is no position of this control; it has 0, 0.5, 1, 1.5, 2"),
        ("on=yes", "mix", "on=yes is no position of this control; it has false, true"),
        ("kind=e", "mix", r"kind=e is no position of this control; it has a \(b\), c, d"),
        ("go=1", "mix", "go is a button, and a link presses none"),
    ],
)
def test_a_link_that_leads_nowhere_is_refused_with_its_remedy(query, figure, told):
    with pytest.raises(ValueError, match=told):
        presets.collect(link(query, figure), FIGURES)


def test_a_preset_is_written_in_words_and_as_a_query():
    values = {"share": 2.0, "on": True, "kind": "a (b)", "words": "x & y"}
    assert presets.label(values, FIGURES[0]["controls"]) == "Share: 2; Lamp: on; Kind: a (b); Words: x & y"
    query = presets.query(values)
    assert query == "share=2&on=true&kind=a+%28b%29&words=x+%26+y"
    assert presets.collect(link(query.replace("&", "&amp;")), FIGURES) == {"mix": [values]}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_preset_of_a_chapter_is_among_the_states_computed_ahead(chapter):
    cut = notebook.load(ROOT / "notebooks" / f"{chapter}.py")
    assert sum(map(len, cut.presets.values())) >= (
        10 if chapter in ("tokens", "attention", "kv_cache") else 2
    )
    runner = Runner(cut.program)
    for figure in figures(cut):
        specs = figure["controls"]
        ahead = covering.choose(specs, cut.presets.get(figure["name"], []))
        for values in cut.presets.get(figure["name"], []):
            assert tuple(values.get(c["name"], c["value"]) for c in specs) in ahead
            assert runner.figure(figure["name"], values).sentence


def test_on_a_page_of_one_figure_links_to_others_lead_to_the_chapter():
    other, own = link("share=1", "mix"), link("n=2", "alone")
    assert presets.led_out(other + own, "alone", "../../book.html") == (
        '<p><a href="../../book.html?share=1#mix" target="_blank" rel="noopener">so</a></p>' + own
    )
