from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassbox.figures.markup import Markup, el, join, raw, text


class Collector(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, attrs))

    def handle_data(self, data):
        self.text += data


def parse(markup: str) -> Collector:
    collector = Collector()
    collector.feed(markup)
    collector.close()
    return collector


@given(st.text(), st.text())
def test_whatever_was_typed_stays_text_in_children_and_attributes(child, attribute):
    page = parse(el("b", child, title=attribute))
    assert [tag for tag, _ in page.tags] == ["b"]
    assert [name for name, _ in page.tags[0][1]] == ["title"]


def test_a_plain_string_is_escaped_and_markup_is_not():
    assert el("b", "<i>") == "<b>&lt;i&gt;</b>"
    assert el("b", el("i", "x")) == "<b><i>x</i></b>"
    assert join(["<", raw("<br>")]) == "&lt;<br>"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("\x00", "␀"),
        ("\x1b", "␛"),
        ("\x7f", "␡"),
        ("\ud800", "⟨U+D800⟩"),
        ("\u202e", "⟨U+202E⟩"),
        ('"', "&quot;"),
    ],
)
def test_characters_that_vanish_or_reorder_are_shown_by_name(typed, shown):
    assert text(typed) == shown


def test_adding_plain_text_to_markup_gives_up_the_promise():
    assert not isinstance(el("b", "x") + "<script>", Markup)


def test_false_and_none_attributes_are_left_out_and_true_is_bare():
    assert el("input", checked=True, disabled=False, id=None, class_="a", data_set="1") == (
        '<input checked class="a" data-set="1">'
    )
