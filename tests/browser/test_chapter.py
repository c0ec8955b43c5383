"""A chapter in Chromium: readable at once, answered ahead, live with Python, and honest when that fails."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import complete, until

PAGE = "attention.html"
LIVE_MS = 90_000


def live(page):
    expect(page.locator("#runtime")).to_have_attribute("data-state", "live", timeout=LIVE_MS)


def failed(page, timeout=60_000):
    expect(page.locator("#runtime")).to_have_attribute("data-state", "failed", timeout=timeout)
    return page.locator("#runtime").inner_text()


def sentence(page, figure="paint"):
    return page.locator(f"#{figure} .sentence").inner_text()


def shown_share(page):
    return json.loads(page.locator("#paint").get_attribute("data-key"))


def test_a_slider_moved_by_keyboard_is_answered_by_python(page, server):
    page.goto(server.address + PAGE)
    live(page)
    before = sentence(page)
    page.locator("#paint input[type=range]").first.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#paint .figure-state")).to_contain_text("answered by Python")
    assert sentence(page) != before
    slider = page.locator("#paint input[type=range]").first
    assert shown_share(page)[0] == int(slider.input_value())
    page.keyboard.press("End")
    expect(page.locator("#paint")).to_have_attribute(
        "data-key", re.compile(rf"^\[{slider.get_attribute('max')}")
    )


def test_ten_fast_keys_end_with_the_picture_of_the_last(page, server):
    page.goto(server.address + PAGE)
    live(page)
    slider = page.locator("#paint input[type=range]").first
    slider.focus()
    for key in ["Home", *["PageUp"] * 4, *["ArrowLeft"] * 5]:
        page.keyboard.press(key)
    value = slider.input_value()
    expect(page.locator("#paint")).to_have_attribute("data-key", re.compile(rf"^\[{value}\b"))


def test_the_page_is_whole_without_javascript(browse, server):
    page = browse(java_script_enabled=False).new_page()
    page.goto(server.address + PAGE)
    assert len(page.locator("main").inner_text().split()) > 300
    for figure in page.locator("figure[data-figure]").all():
        assert figure.locator(".picture").inner_text().strip() or figure.locator(".picture svg").count()
        assert figure.locator(".sentence").inner_text().strip()
    enabled = page.locator("figure input:not([disabled]):visible, figure select:not([disabled]):visible")
    assert enabled.count() == 0, "a control that cannot answer must not look alive"


@pytest.mark.parametrize("width", [320, 360, 390, 1280])
def test_no_page_scrolls_sideways(page, server, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(server.address + PAGE + "?live=0")
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0


def test_states_of_what_is_far_below_are_fetched_and_read_when_it_comes_near(page, server):
    page.goto(server.address + PAGE + "?live=0")
    last = page.locator("figure[data-figure]").last
    of = f"glassbox.figures.get('{last.get_attribute('data-figure')}')"
    fetched = "performance.getEntriesByType('resource').some((e) => e.name.endsWith('{}'))"
    until(page, fetched.format(last.get_attribute("data-frames")))
    assert page.evaluate(f"!{of}.packed")
    last.scroll_into_view_if_needed()
    until(page, f"!!{of}.packed")


def test_figures_answer_from_states_computed_ahead_when_python_is_gone(page, watch, serve_site):
    watch.expect("404")
    server = serve_site(fault=lambda path: "404" if "runtime/" in path else None)
    page.goto(server.address + PAGE)
    why = failed(page)
    assert "missing" in why
    page.locator("#paint input[type=range]").first.focus()
    page.keyboard.press("End")
    until(page, "document.querySelector('#paint').dataset.key !== undefined")  # painted, not only ready to be
    expect(page.locator("#paint .figure-state")).to_contain_text("computed ahead")
    assert shown_share(page)[0] == int(page.locator("#paint input[type=range]").first.input_value())


@pytest.mark.parametrize(
    ("fault", "file", "said"),
    [
        ("404", "numpy", "is missing on the server"),
        ("altered", "python_stdlib", "differs from the one"),
        ("empty", "pyodide.asm.wasm", "0 bytes instead of"),
        ("stall", "pyodide.asm.wasm", "stopped for 20 seconds"),
        ("404", "manifest.", "is missing on the server"),
        ("altered", "manifest.", "is damaged|differs|could not"),
    ],
)
def test_a_faulty_download_ends_in_failed_with_its_reason(page, watch, serve_site, fault, file, said):
    watch.expect("404")
    server = serve_site(fault=lambda path: fault if file in path else None)
    page.goto(server.address + PAGE)
    assert re.search(said, failed(page))
    assert page.locator("#runtime button").is_visible()
    assert sentence(page)


def test_try_again_starts_python_once_the_fault_is_gone(page, watch, serve_site):
    watch.expect("404")
    broken = [True]
    server = serve_site(fault=lambda path: "404" if broken[0] and "numpy" in path else None)
    page.goto(server.address + PAGE)
    failed(page)
    broken[0] = False
    page.locator("#runtime button").click()
    live(page)


def test_a_browser_without_webassembly_is_told_so(page, server):
    page.add_init_script("delete globalThis.WebAssembly")
    page.goto(server.address + PAGE)
    assert "no WebAssembly" in failed(page)


HEIGHTS = """
  const flow = () => [...document.querySelectorAll("main *")].filter((e) => !e.closest("svg, .runtime"));
  const high = (e) => e.getBoundingClientRect().height;
  const left = (e) => e.getBoundingClientRect().left;
  document.addEventListener("DOMContentLoaded", () => {
    document.head.append(Object.assign(document.createElement("style"),
      { textContent: ".later { content-visibility: visible !important }" })); // else its height is a guess
    window.first = new Map(flow().map((e) => [e, high(e)]));
    window.links = new Map([...document.querySelectorAll("header.site a")].map((e) => [e, left(e)]));
  });
  window.moved = () => [...first].filter(([e, h]) => Math.abs(high(e) - h) > 0.6).map(([e, h]) =>
    `${e.tagName}#${e.closest("[id]").id}.${e.className}: ${h} px, then ${high(e)}`)
    .concat([...links].filter(([e, x]) => Math.abs(left(e) - x) > 0.6).map(([e, x]) => `${e.textContent}: ${x}, then ${left(e)}`));
"""


@pytest.mark.parametrize("width", [1280, 390])
def test_scripts_that_come_later_move_nothing(browse, watch, server, chapters, width):
    """A press that lands beside its button, for the page moved meanwhile: Safari holds nothing in its place."""
    watch.expect("woff2")
    page = browse(viewport={"width": width, "height": 844}, bypass_csp=True).new_page()
    page.route("**/*.woff2", lambda route: route.abort())  # another face sets other lines
    page.add_init_script(HEIGHTS)
    for name in (*chapters, "teach", "glossary"):
        page.goto(f"{server.address}{name}.html?live=0")
        if name in chapters:
            complete(page)
        page.wait_for_load_state("networkidle")  # nor do those that it asks for
        assert page.evaluate("first.size") > 500, name
        assert page.evaluate("moved()") == [], name


@pytest.mark.parametrize(
    ("chapter", "figure"), [("tokens", "merge"), ("attention", "paint"), ("kv_cache", "steps")]
)
def test_moving_a_control_before_during_and_after_the_start_never_jumps(page, server, chapter, figure):
    page.goto(f"{server.address}{chapter}.html")
    slider = page.locator(f"#{figure} input[type=range]").first
    slider.scroll_into_view_if_needed()
    slider.focus()
    tops = []

    def press(key):
        page.keyboard.press(key)
        tops.append(page.evaluate(f"document.getElementById('{figure}').getBoundingClientRect().top"))

    press("Home")
    press("ArrowRight")
    expect(page.locator(f"#{figure} .figure-state")).to_contain_text("computed ahead")
    assert page.locator("#runtime").get_attribute("data-state") != "live"
    while page.locator("#runtime").get_attribute("data-state") != "live":
        press("ArrowRight")
        page.wait_for_timeout(250)
    press("ArrowLeft")
    expect(page.locator(f"#{figure} .figure-state")).to_contain_text("answered by Python")
    assert max(tops) - min(tops) < 2
    assert page.evaluate("document.activeElement.name") == slider.get_attribute("name")
    key = json.loads(page.locator(f"#{figure}").get_attribute("data-key"))
    assert int(slider.input_value()) in key


# --- A reader in a hurry, a bad line, a worker that keeps silent ----------------------------------------


def test_a_question_put_during_a_long_job_does_not_wait_for_its_end(page, server):
    page.goto(server.address + "kv_cache.html")
    live(page)
    page.locator("#race input[type=range]").press("End")
    expect(page.locator("#race .figure-state")).to_contain_text("answered by Python")
    page.locator("#race .control button").click()
    page.locator("#race .control button").click()  # twice, as people do
    page.locator("#race input[type=range]").press("Home")
    expect(page.locator("#race")).to_have_attribute("data-key", "[16,0]")
    expect(page.locator("#race .figure-state")).to_contain_text("answered by Python")
    assert "16 tokens take" in sentence(page, "race")


def test_a_slow_answer_says_that_python_is_working(page, server):
    page.add_init_script(
        "const post = Worker.prototype.postMessage; Worker.prototype.postMessage = function (m, ...rest) {"
        " if (m.type === 'ask') setTimeout(() => post.call(this, m, ...rest), 1500);"
        " else post.call(this, m, ...rest); };"
    )
    page.goto(server.address + PAGE)
    live(page)
    page.locator("#paint input[type=range]").first.press("ArrowRight")
    expect(page.locator("#paint .figure-state")).to_contain_text("Python is working")
    expect(page.locator("#paint .figure-state")).to_contain_text("answered by Python")


def test_a_control_moved_away_and_back_ends_as_answered(page, server):
    page.goto(server.address + PAGE)
    live(page)
    slider = page.locator("#paint input[type=range]").first
    slider.evaluate(
        "s => { for (const v of [51, 52, 53, 52])"
        " { s.value = v; s.dispatchEvent(new Event('input', { bubbles: true })); } }"
    )
    page.wait_for_timeout(900)  # longer than the word that Python is working waits
    expect(page.locator("#paint .figure-state")).to_contain_text("answered by Python")


def test_a_worker_that_does_not_answer_can_be_started_again(page, server):
    page.add_init_script(
        "const post = Worker.prototype.postMessage; Worker.prototype.postMessage = function (m, ...rest) {"
        " if (m.type !== 'ask' || !window.deaf) post.call(this, m, ...rest); };"
    )
    page.goto(server.address + PAGE)
    live(page)
    page.evaluate("window.deaf = true")
    page.locator("#paint input[type=range]").first.press("ArrowRight")
    expect(page.locator("#runtime")).to_contain_text("has not answered for 10 seconds")
    page.evaluate("window.deaf = false")
    page.locator("#runtime button").click()
    expect(page.locator("#paint .figure-state")).to_contain_text("Python was started again")
    live(page)
    page.locator("#paint input[type=range]").first.press("ArrowRight")
    expect(page.locator("#paint .figure-state")).to_contain_text("answered by Python")


def test_a_package_that_comes_later_leaves_the_page_live(page, server):
    page.goto(server.address + "tokens.html")
    live(page)
    page.locator("#split textarea").fill("a word of my own")
    expect(page.locator("#split .figure-state")).to_contain_text("answered by Python", timeout=30_000)
    expect(page.locator("#runtime")).to_have_attribute("data-state", "live")


def test_a_package_that_did_not_come_is_named_and_asked_for_again(page, watch, serve_site):
    watch.expect("404")
    broken = [True]
    server = serve_site(fault=lambda path: "404" if broken[0] and "tiktoken" in path else None)
    page.goto(server.address + "tokens.html")
    live(page)
    page.locator("#split textarea").fill("a word of my own")
    state = page.locator("#split .figure-state")
    expect(state).to_contain_text(re.compile("the file tiktoken.* is missing on the server"), timeout=30_000)
    broken[0] = False
    page.locator("#split textarea").fill("a word of my own again")
    expect(state).to_contain_text("answered by Python", timeout=30_000)


def test_a_vocabulary_comes_when_a_figure_first_asks_for_it(page, serve_site):
    server = serve_site()

    def loaded():
        return {
            m[1]
            for r in server.requests
            if (m := re.search(r"/(glassbox-[a-z0-9-]+)-\d[\d.]+-[0-9a-f]+/", r.path))
        }

    page.goto(server.address + "tokens.html")
    live(page)
    assert loaded() == set()
    page.locator("#split textarea").fill("a word of my own")
    state = page.locator("#split .figure-state")
    expect(state).to_contain_text("answered by Python", timeout=30_000)
    assert loaded() == {"glassbox-gpt2"}
    page.locator("#swap input").fill("another word of my own")
    expect(page.locator("#swap .figure-state")).to_contain_text("answered by Python", timeout=30_000)
    assert loaded() == {"glassbox-gpt2", "glassbox-clinical"}
    page.locator("#cost textarea").fill("and a text of my own")
    expect(page.locator("#cost .figure-state")).to_contain_text("answered by Python")
    assert loaded() == {
        "glassbox-gpt2",
        "glassbox-clinical",
    }  # texts of a kind were measured when it was built
    page.locator("#cost select").first.select_option("the text I paste")
    expect(page.locator("#cost .sentence")).to_contain_text("words like your text", timeout=60_000)
    assert len(loaded()) == 7


OWN = {
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "<b>": 3}, "merges": [["a", "b"]]},
    "added_tokens": [{"id": 4, "content": "<end>", "special": True}],
}


def test_a_tokenizer_of_the_reader_s_own_is_read_from_its_file_and_goes_nowhere(page, serve_site, tmp_path):
    server = serve_site()
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(OWN), encoding="utf-8")
    page.goto(server.address + "tokens.html?yours_text=abba&yours_file=/etc/passwd")
    field = page.get_by_label("Choose a tokenizer.json, or drop it here")
    sentence = page.locator("#yours .sentence")
    field.set_input_files(path)
    expect(sentence).to_have_text(
        "tokenizer.json is BPE with 5 entries; it splits 1 word into 3 pieces, 3.00 a word.", timeout=90_000
    )
    page.get_by_label("A text to split").fill("abab")
    expect(sentence).to_contain_text("into 2 pieces")
    other = tmp_path / "config.json"
    other.write_text("{}", encoding="utf-8")
    field.set_input_files(other)
    expect(sentence).to_contain_text("config.json cannot be used: this file is not a tokenizer.json")
    field.set_input_files([])
    expect(sentence).to_contain_text("No file yet")
    # Pasted, its text is taken as a file: whole, however long, and not into the field.
    long = json.dumps(OWN | {"added_tokens": [*OWN["added_tokens"], {"id": 5, "content": "x" * 2_000_000}]})
    place = page.get_by_label("Or paste all of its text here")
    place.evaluate(PASTE, long)
    expect(sentence).to_have_text(
        "The pasted text is BPE with 6 entries; it splits 1 word into 2 pieces, 2.00 a word.", timeout=30_000
    )
    expect(place).to_have_value("")
    expect(place).to_have_attribute("placeholder", f"{len(long):,} characters, taken as a file")
    assert not [r.path for r in server.requests if "tokenizer.json" in r.path or r.path.startswith("/etc")]


PASTE = """(node, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  node.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


def test_a_file_that_the_browser_kept_damaged_is_fetched_past_its_copy(page, serve_site):
    once = []

    def fault(path):
        if "numpy" not in path or once:
            return None
        once.append(path)
        return "altered"

    page.goto(serve_site(fault=fault).address + PAGE)
    live(page)
    assert once


def test_the_script_that_starts_python_is_asked_for_again(page, watch, serve_site):
    watch.expect("404")
    broken = [True]
    server = serve_site(fault=lambda path: "404" if broken[0] and path.endswith("js/live.js") else None)
    page.goto(server.address + PAGE)
    assert "its files did not load" in failed(page)
    page.locator("#next_word input[type=text]").fill("a beginning of my own")
    expect(page.locator("#next_word .figure-state")).to_contain_text("its files did not load")
    broken[0] = False
    page.locator("#runtime button").click()
    live(page)
    expect(page.locator("#next_word .figure-state")).to_contain_text("answered by Python")


def test_an_altered_program_is_not_run(page, watch, serve_site):
    server = serve_site(fault=lambda path: "altered" if "program/" in path else None)
    page.goto(server.address + PAGE)
    assert re.search(r"the file attention\.\w+\.json is damaged", failed(page))


def test_whoever_comes_back_sees_the_picture_of_the_values_in_the_controls(page, server):
    for chapter, figure in (("attention", "paint"), ("kv_cache", "steps")):
        page.goto(f"{server.address}{chapter}.html?live=0")
        slider = page.locator(f"#{figure} input[type=range]").first
        slider.press("Home")
        slider.press("ArrowRight")
        until(page, f"(f => f.shown === f.key)(glassbox.figures.get('{figure}'))")
        key = page.locator(f"#{figure}").get_attribute("data-key")
        page.goto(server.address + "teach.html")
        page.go_back()
        expect(page.locator(f"#{figure}")).to_have_attribute("data-key", key)
        assert slider.input_value() == str(json.loads(key)[0])
        assert page.locator(f"#{figure} output").first.inner_text() == slider.input_value()


def test_a_paste_beyond_a_fields_room_is_cut_and_said(page, server):
    page.goto(server.address + PAGE + "?live=0")
    complete(page)
    field = page.locator("#next_word input[type=text]")
    field.evaluate(
        "f => { const data = new DataTransfer(); data.setData('text', 'x'.repeat(30000));"
        " f.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true })); }"
    )
    expect(page.locator("#notice")).to_contain_text("This field takes 25,000 characters")
    page.locator("#notice").evaluate("n => (n.textContent = '')")
    field.evaluate(
        "f => { f.value = 'y'.repeat(20000); f.select(); const data = new DataTransfer();"
        " data.setData('text', 'x'.repeat(20000));"
        " f.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true })); }"
    )
    expect(page.locator("#notice")).to_have_text("")  # what stood selected makes room
    assert field.get_attribute("maxlength") == "25000"
