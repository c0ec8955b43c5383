"""The states computed ahead and Python's live answers are the same: text, numbers and marks.

The build runs NumPy on this machine's processor, the page runs it in WebAssembly. Sums are made in another
order there, so a number may differ by one in the last digit shown, a colour by one of 255, and a number that
is itself a rounding error (below a hundredth) by a tenth of its size. Words and marks are the same exactly.
"""

import json
import random
import re

import pytest
from playwright.sync_api import expect

from glassbox.chapters import NAMES as CHAPTERS

STATES_PER_FIGURE = 4

ASK = """async ([name, state]) => {
  const fig = glassbox.figures.get(name);
  await fig.load();
  const values = Object.fromEntries(fig.controls.map((c, i) => [c.name, JSON.parse(state)[i]]));
  const reply = await new Promise((done) => glassbox.live.ask(fig, values, (r) => r.running || done(r)));
  return { ahead: fig.ahead(state), live: reply.parts, error: reply.error };
}"""


NUMBER = re.compile(r"#[0-9a-f]{6}\b|\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?(?:[\s\u00a0]?%)?")
ROWS = re.compile(r'<script type="application/json">.*?</script>', re.DOTALL)
FINE = 1e-4  # of a number: a chart's rows have more digits than any reader is shown
SLIGHT = 5e-6  # what sums of weights in single precision differ by
ROUNDING = 1e-4  # two numbers below this are both nothing but rounding


def digit(number: str) -> float:
    """The size of one in the last digit shown.

    >>> digit("1,024.50"), digit("4.57e-03"), digit("12")
    (0.01, 1e-05, 1.0)
    """
    mantissa, _, exponent = number.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals)


def alike(ahead: str, live: str, row: bool = False) -> bool:
    if ahead.startswith("#"):
        return all(abs(int(ahead[i : i + 2], 16) - int(live[i : i + 2], 16)) <= 1 for i in (1, 3, 5))
    percent = ahead.endswith("%") and live.endswith("%")
    ahead, live = (n.rstrip("%").strip().replace(",", "") for n in (ahead, live))
    a, b = float(ahead), float(live)
    largest = max(abs(a), abs(b))
    allowed = 0.1 * largest if largest < 0.01 else 1.001 * max(digit(ahead), digit(live))
    if row:
        allowed = max(allowed, FINE * largest, SLIGHT)
    whole = "." not in ahead + live and "e" not in ahead + live and not percent
    return a == b or largest < ROUNDING or (abs(a - b) <= allowed and not whole)


def differences(ahead: str, live: str) -> list[tuple[str, str]]:
    if NUMBER.sub("0", ahead) != NUMBER.sub("0", live):
        return [(ahead, live)]
    found = []
    for row in (False, True):  # what a reader is shown, and the rows that a chart is drawn from
        texts = ["".join(ROWS.findall(text)) if row else ROWS.sub("", text) for text in (ahead, live)]
        pairs = zip(*(NUMBER.findall(text) for text in texts), strict=True)
        found += [(a, b) for a, b in pairs if not alike(a, b, row)]
    return found


def test_a_wrong_digit_word_or_mark_is_a_difference():
    assert differences("<i>12.41 and 0.1%</i>", "<i>12.42 and 0.1%</i>") == []
    assert differences("<i>12.41</i>", "<i>12.43</i>") == [("12.41", "12.43")]
    rows = '<script type="application/json">{}</script>'.format
    assert differences(rows("[0.043964]"), rows("[0.043962]")) == []
    assert differences(rows("[0.04396]"), rows("[0.04398]")) == [("0.04396", "0.04398")]
    assert differences("0.043964", "0.043962") == [("0.043964", "0.043962")]
    assert differences("12 words", "13 words") == [("12", "13")]
    assert differences("<i>1</i>", "<b>1</b>")
    assert differences("#b2382d 1.7e-07", "#b3382d 0.0e+00") == []


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_random_states_are_the_same_ahead_and_live(page, server, chapter):
    page.set_default_timeout(120_000)
    asked = len(server.requests)
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
            for ahead, shown in zip(answer["ahead"], answer["live"], strict=True):
                assert differences(ahead, shown) == [], f"{name} {json.loads(state)}"
            compared += 1
    assert compared >= len(names)
    whole = [
        r.path
        for r in server.requests[asked:]
        if re.search(r"/runtime/(?!lean-).*(stdlib\.zip|numpy[^/]*\.whl)$", r.path)
    ]
    assert whole == [], "the lean archives lack a module that a figure imports (“lean” in site/runtime.json)"
