"""The states computed ahead and Python's live answers are the same: text, numbers and marks."""

import json
import random

import pytest
from playwright.sync_api import expect

from glassbox.publish.site import CHAPTERS

STATES_PER_FIGURE = 4

ASK = """async ([name, state]) => {
  const fig = glassbox.figures.get(name);
  await fig.load();
  const values = Object.fromEntries(fig.controls.map((c, i) => [c.name, JSON.parse(state)[i]]));
  const reply = await new Promise((done) => glassbox.live.ask(fig, values, (r) => r.running || done(r)));
  return { ahead: fig.ahead(state), live: reply.parts, error: reply.error };
}"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_random_states_are_the_same_ahead_and_live(page, server, chapter):
    page.set_default_timeout(120_000)
    page.goto(f"{server.address}{chapter}.html")
    expect(page.locator("#runtime")).to_have_attribute("data-state", "live", timeout=120_000)
    names = page.evaluate("[...glassbox.figures.keys()]")
    assert names
    chance = random.Random(chapter)
    compared = 0
    for name in names:
        states = page.evaluate(
            "async (n) => { const f = glassbox.figures.get(n); await f.load(); return Object.keys(f.packed.states) }",
            name,
        )
        for state in chance.sample(states, min(STATES_PER_FIGURE, len(states))):
            answer = page.evaluate(ASK, [name, state])
            assert answer["error"] is None, f"{name} {state}"
            assert answer["ahead"] == answer["live"], f"{name} {json.loads(state)}"
            compared += 1
    assert compared >= len(names)
