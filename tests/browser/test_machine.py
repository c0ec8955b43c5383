"""The whole machine is cut by a press or by keys, at once, and the next word stays in sight."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from glassbox.publish import serve
from tests.browser.conftest import Browse, until

CHIPS = "#machine .mc-chip"


@pytest.fixture
def still(page: Page, server: serve.Server) -> Page:
    """The chapter before Python."""
    page.goto(f"{server.address}machine.html?live=0")
    page.locator("#machine").scroll_into_view_if_needed()
    return page


def test_a_press_cuts_a_part_before_python_and_the_next_puts_it_back(still: Page) -> None:
    chip, sentence = (
        still.locator(f'{CHIPS}[aria-label="1.4: layer 1, head 4"]'),
        still.locator("#machine .sentence"),
    )
    whole = sentence.inner_text()
    chip.click()
    expect(sentence).to_contain_text("without layer 1, head 4")
    expect(chip).to_have_attribute("aria-selected", "true")
    expect(still.locator("#c-machine_cut")).to_have_value("1.4")
    expect(still.locator("#machine .figure-state")).to_have_attribute("data-state", "frame")
    still.locator("#machine .mc-back").click()
    expect(sentence).to_have_text(whole)
    expect(chip).to_have_attribute("aria-selected", "false")


def test_keys_walk_past_the_parts_and_cut_only_when_asked_to(still: Page) -> None:
    """Arrows used to press whatever they came to; a part that is put back keeps the focus."""
    still.locator(CHIPS).first.focus()
    name = "document.activeElement.getAttribute('aria-label')"
    for _ in range(2):
        still.keyboard.press("ArrowDown")
    walked = still.evaluate(name)
    assert "head" in walked
    expect(still.locator("#c-machine_cut")).to_have_value("")
    for selected in ("true", "false"):
        still.keyboard.press("Enter")
        expect(still.locator(f'{CHIPS}[aria-label="{walked}"]')).to_have_attribute("aria-selected", selected)
        assert still.evaluate(name) == walked


def test_a_word_is_followed_by_pressing_it(still: Page) -> None:
    still.locator("#machine .mc-word").nth(3).click()
    expect(still.locator("#machine .sentence")).to_contain_text("After “Patient has severe”")
    expect(still.locator("#c-machine_position")).to_have_value("3")


def test_on_a_phone_the_next_word_stays_in_sight_while_the_lowest_part_is_cut(
    browse: Browse, server: serve.Server
) -> None:
    page = browse(viewport={"width": 390, "height": 700}).new_page()
    page.goto(f"{server.address}machine.html?live=0")
    chip = page.locator(f'{CHIPS}[aria-label="1.1: layer 1, head 1"]')
    chip.scroll_into_view_if_needed()
    chip.click()
    expect(page.locator("#machine .sentence")).to_contain_text("without layer 1, head 1")
    expect(page.locator("#machine .mc-words li").first).to_be_in_viewport(ratio=0.9)
    expect(chip).to_be_in_viewport(ratio=0.9)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def moving(page: Page) -> None:
    """For a reader who lets things move, the tour can be played; waits until its script is here."""
    page.emulate_media(reduced_motion="no-preference")
    until(page, "document.querySelector('#machine').dataset.tour === 'ready'")


def test_the_tour_goes_on_by_press_and_by_key_and_remembers_where_it_was_left(still: Page) -> None:
    said, on = still.locator("#machine .mc-said"), still.locator("#machine .mc-stop[aria-current]")
    expect(said).to_contain_text("1 of 12")
    still.locator("#machine .mc-next").click()
    expect(said).to_contain_text("2 of 12")
    expect(still.locator("#c-machine_depth")).to_have_value("0")
    still.keyboard.press("Enter")  # the button keeps the focus
    expect(said).to_contain_text("3 of 12")
    moving(still)
    for stop in (4, 5, 6):
        still.keyboard.press("ArrowRight")
        expect(said).to_contain_text(f"{stop} of 12")
    still.keyboard.press("ArrowLeft")
    expect(on).to_have_text("5")
    expect(still.locator("#machine .figure-state")).to_have_attribute("data-state", "frame")
    still.locator("#machine .mc-stop").nth(11).click()
    expect(still.locator("#c-machine_cut")).to_have_value("rotation")
    expect(said).to_contain_text("12 of 12")


def test_the_tour_plays_to_its_end_and_stops_when_asked_to(still: Page) -> None:
    moving(still)
    still.evaluate(
        "() => { const later = setTimeout; window.setTimeout = (f, ms) => later(f, Math.min(ms, 40)); }"
    )
    play, said = still.locator("#machine .mc-play"), still.locator("#machine .mc-said")
    play.focus()
    still.keyboard.press("Enter")
    expect(said).to_contain_text("12 of 12")
    expect(play).to_have_attribute("aria-pressed", "false")
    assert still.evaluate("document.activeElement.matches('.mc-play')")
    still.evaluate("() => { window.setTimeout = () => 0; }")
    play.click()
    expect(said).to_contain_text("1 of 12")
    expect(play).to_have_attribute("aria-pressed", "true")
    play.click()
    expect(play).to_have_attribute("aria-pressed", "false")
    still.emulate_media(reduced_motion="reduce")
    expect(play).to_be_hidden()


def test_a_stop_in_an_address_is_left_by_moving_a_control(page: Page, server: serve.Server) -> None:
    page.goto(f"{server.address}machine.html?live=0&machine_tour=6#machine")
    expect(page.locator("#machine .mc-said")).to_contain_text("6 of 12")
    expect(page.locator("#c-machine_cut")).to_have_value("1.4")
    expect(page.locator("#machine .figure-state")).to_have_attribute("data-state", "frame")
