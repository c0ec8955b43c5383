"""Hostile strings in every field of every figure, from the address and typed, with and without Python."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from glassbox.chapters import NAMES as CHAPTERS
from tests import serve
from tests.browser import hostile
from tests.browser.conftest import ServeSite, Watch

FIELDS = """() => [...document.querySelectorAll("figure[data-figure] .control")].map((row) => ({
  name: row.dataset.control, kind: row.dataset.kind, figure: row.closest("figure").dataset.figure}))"""

# Types each string into one text field and waits for the answer; returns what looked wrong.
TYPE = """async ([figure, name, strings]) => {
  const fig = glassbox.figures.get(figure);
  const control = fig.control(name);
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  const wrong = [];
  for (const bytes of strings) {
    const text = new TextDecoder("utf-16le").decode(Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)));
    fig.stateLine.dataset.state = "typed";
    control.input.value = text;
    control.input.dispatchEvent(new Event("input", { bubbles: true }));
    const until = performance.now() + 20000;
    while (!["live", "failed"].includes(fig.stateLine.dataset.state) && performance.now() < until) await frame();
    const state = fig.stateLine.dataset.state;
    if (!["live", "failed"].includes(state)) wrong.push([text, `no answer, ${state}`]);
    if (state === "failed" && /Python could not draw|Traceback/.test(fig.stateLine.textContent))
      wrong.push([text, fig.stateLine.textContent]);
    for (const what of (INTRUDERS)()) wrong.push([text, what]);
  }
  return wrong;
}""".replace("INTRUDERS", hostile.INTRUDERS)


def coded(text: str) -> str:
    """The string's UTF-16 in base64: a way into the page that keeps every character."""
    return base64.b64encode(text.encode("utf-16-le", "surrogatepass")).decode()


def fields(page: Page) -> list[dict[str, Any]]:
    return list(page.evaluate(FIELDS))


def test_there_are_at_least_thirty_strings() -> None:
    assert len(set(hostile.STRINGS)) >= 30


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_hostile_addresses_change_fields_and_nothing_else(
    page: Page, watch: Watch, serve_site: ServeSite, chapter: str
) -> None:
    watch.expect("404")
    server = serve_site(fault=lambda path: "404" if "worker.js" in path or "runtime/" in path else None)
    page.on("dialog", lambda dialog: watch.complaints.append(f"dialog: {dialog.message}"))
    page.goto(f"{server.address}{chapter}.html?live=0")
    everywhere = fields(page)
    assert everywhere
    for text in hostile.STRINGS:
        value = quote(text[:1500], safe="", errors="replace")
        query = "&".join(f"{f['name']}={value}" for f in everywhere)[:30_000]
        address = f"{server.address}{chapter}.html?live=0&{value}={value}&{query}#{value}"
        page.goto(address, wait_until="domcontentloaded")  # page.js has run by then
        page.wait_for_timeout(40)
        assert page.evaluate(hostile.INTRUDERS) == [], text


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_hostile_text_typed_into_live_figures_is_shown_as_text(
    page: Page, watch: Watch, server: serve.Server, chapter: str
) -> None:
    page.on("dialog", lambda dialog: watch.complaints.append(f"dialog: {dialog.message}"))
    page.goto(f"{server.address}{chapter}.html")
    typed = [f for f in fields(page) if f["kind"] == "text"]
    if not typed:
        return
    expect(page.locator("#runtime")).to_have_attribute("data-state", "live", timeout=90_000)
    strings = [coded(text) for text in hostile.STRINGS]
    wrong = {}
    for field in typed:
        found = page.evaluate(TYPE, [field["figure"], field["name"], strings])
        if found:
            wrong[field["name"]] = found
    assert wrong == {}


def test_hostile_embeds_stay_text(page: Page, watch: Watch, serve_site: ServeSite, pages: list[str]) -> None:
    watch.expect("404")
    server = serve_site(fault=lambda path: "404" if "worker.js" in path or "runtime/" in path else None)
    embeds = [p for p in pages if p.startswith("embed/")]
    for number, path in enumerate(embeds):
        page.goto(f"{server.address}{path}")
        names = [f["name"] for f in fields(page)]
        for text in hostile.STRINGS[number % 12 : 36 : 12]:
            value = quote(text, safe="", errors="replace")
            page.goto(
                f"{server.address}{path}?" + "&".join(f"{n}={value}" for n in names),
                wait_until="domcontentloaded",
            )
            page.wait_for_timeout(40)
            assert page.evaluate(hostile.INTRUDERS) == [], (path, text)


def test_text_from_the_address_stands_in_its_field_letter_by_letter(
    page: Page, watch: Watch, serve_site: ServeSite, chapters: list[str]
) -> None:
    watch.expect("404")
    server = serve_site(fault=lambda path: "404" if "worker.js" in path or "runtime/" in path else None)
    text = hostile.STRINGS[2]
    seen = 0
    for chapter in chapters:
        page.goto(f"{server.address}{chapter}.html?live=0")
        for field in (f for f in fields(page) if f["kind"] == "text"):
            page.goto(f"{server.address}{chapter}.html?live=0&{field['name']}={quote(text)}")
            box = page.locator(f"[name={json.dumps(field['name'])}]").first
            room = int(box.get_attribute("maxlength") or len(text))
            assert box.input_value() == text[:room]
            seen += 1
    assert seen or not any(f["kind"] == "text" for f in fields(page)), (
        "no text field was found on any chapter"
    )
