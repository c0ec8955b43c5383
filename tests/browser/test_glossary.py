"""The glossary: found by typing, kept with the book, and a way back into the chapter."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests import serve


def test_a_word_is_found_by_typing_and_its_links_lead_into_the_chapter(
    page: Page, server: serve.Server
) -> None:
    page.goto(f"{server.address}glossary.html")
    entries = page.locator(".entry")
    everything = entries.count()
    page.get_by_role("textbox", name="Find a word").focus()
    page.keyboard.type("sóftmax")
    expect(page.locator(".entry:visible dt").first).to_have_text("softmax")
    shown = page.locator(".entry:visible").count()
    assert 0 < shown < everything
    expect(page.get_by_role("status").filter(has_text="fit")).to_have_text(
        f"{shown} of {everything} words fit."
    )
    page.locator("#softmax").get_by_role("link", name="Attention: ").click()
    page.wait_for_url(re.compile(r"attention\.html#term-softmax$"))
    term = page.locator("#term-softmax")
    expect(term).to_be_in_viewport()
    term.get_by_role("link").click()
    page.wait_for_url(re.compile(r"glossary\.html#softmax$"))
    expect(page.locator("#softmax")).to_be_in_viewport()
