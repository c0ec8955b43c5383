"""Self-checks: what counts as a number, what is said, and what is kept on the reader's device alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests import serve
from tests.browser.conftest import Browse, Watch

QUESTION = ".check[data-check=number]"


def answer(page: Page, right: float, typed: str) -> str:
    """Types an answer to the question with this right answer; returns the verdict."""
    at = page.locator(QUESTION).evaluate_all("(c, r) => c.findIndex(x => +x.dataset.answer === r)", right)
    check = page.locator(QUESTION).nth(at)
    check.locator("input").fill(typed)
    check.locator("form button").click()
    return check.locator(".verdict").inner_text()


@pytest.fixture
def chapter(page: Page, server: serve.Server) -> Page:
    page.goto(f"{server.address}kv_cache.html?live=0")
    return page


@pytest.mark.parametrize(
    ("right", "typed"),
    [
        *[
            (5050, t)
            for t in ("5050", "5,050", "5.050", "5 050", "about 5050 rows", "ca. 5,050", "５０５０", "٥٠٥٠")
        ],
        *[(1.048576, t) for t in ("1.0486", "1,0486", "1,049", "1.049 GB", ".1048576e1", "+1.05", "≈ 1.05")],
        *[(34, t) for t in ("34", "34.0", "34,0", "= 34 bytes.")],
    ],
)
def test_an_honest_answer_counts_however_it_is_written(chapter: Page, right: float, typed: str) -> None:
    assert answer(chapter, right, typed) == "That is right."


@pytest.mark.parametrize("typed", ["", "many", "5050 or 7", "10100/2", "e", "-", ".", ","])
def test_what_is_not_one_number_is_asked_for_again(chapter: Page, typed: str) -> None:
    assert answer(chapter, 5050, typed) == "Write one number first; a guess is fine."
    assert "0 of" not in chapter.locator(".score").inner_text()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("1e400", "it is less than that"),
        ("9" * 5000, "it is less"),
        ("-5050", "it is more"),
        ("7", "it is more"),
    ],
)
def test_a_wrong_number_is_told_the_way(chapter: Page, typed: str, said: str) -> None:
    assert said in answer(chapter, 5050, typed)


def test_the_unit_is_pointed_at_when_the_digits_are_right(chapter: Page) -> None:
    assert "look at the unit" in answer(chapter, 1.048576, "1048.576")


@pytest.mark.parametrize("junk", ['"hello"', "5", "true", "[1]", "{", "null"])
def test_junk_in_the_readers_storage_is_forgotten(
    browse: Browse, server: serve.Server, watch: Watch, junk: str
) -> None:
    page = browse().new_page()
    page.goto(f"{server.address}kv_cache.html?live=0")
    page.evaluate("j => localStorage.setItem('glassbox:checks:kv_cache', j)", junk)
    page.reload()
    assert answer(page, 5050, "5050") == "That is right."
    expect(page.locator(".score")).to_contain_text("1 of")


def test_a_guess_opens_the_figure_tells_how_near_it_was_and_is_remembered(
    browse: Browse, server: serve.Server, watch: Watch
) -> None:
    page = browse().new_page()
    page.goto(f"{server.address}tokens.html?live=0")
    guess, figure = page.locator("#guess-split"), page.locator("#split")
    wrong = guess.get_by_role("group", name="A guess first.").get_by_role("button").first
    expect(wrong).to_be_enabled()
    height = guess.evaluate("g => g.offsetHeight")
    wrong.focus()
    page.keyboard.press("Enter")
    said = guess.get_by_role("status")
    expect(said).to_contain_text(re.compile(r"^You said 1: too low by a factor of 3\. It is 3\."))
    expect(figure.locator("textarea")).to_have_value("weather weather Weather")
    expect(figure.locator(".sentence")).to_contain_text("3 words into 3 pieces")
    assert guess.evaluate("g => g.offsetHeight") == height  # the room for the answer was there
    expect(page.locator(".score")).to_contain_text("Guesses before a figure: 0 of 1 right")
    page.reload()
    expect(wrong).to_have_attribute("aria-pressed", "true")
    expect(said).to_contain_text("It is 3.")
    expect(page.locator(".score")).to_contain_text("0 of 1 right")
