"""Figures and questions in the pages of others: what a reader sees where the host keeps only part of the lines.

Four hosts: a course page whose policy allows frames and nothing else, one that drops scripts and styles, one
whose frames may run scripts and have no origin, and a folder on a disk. And a server that calls every file it
does not know an octet-stream.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Frame, Page, expect

from glassbox.publish import serve
from tests.browser.conftest import Browse, ServeHost, ServeSite, Watch, until

FIGURE = "attention/paint"
CHECK = "attention/share-of-two"
HEAD = '<!doctype html><html lang="en"><title>A course</title><link rel="icon" href="data:,">'


def lines(site: Path, name: str, number: int = 0) -> str:
    """The lines that the teach page shows for a part: for its first state, or for a linked one."""
    teach = (site / "teach.html").read_text(encoding="utf-8")
    section = teach.split(f'id="{name.replace("/", "-")}"')[1].split("</section>")[0]
    return unescape(re.findall(r"<pre[^>]*><code[^>]*>(.*?)</code></pre>", section, re.S)[number])


def only_frame(text: str, root: str) -> str:
    """What a course system leaves of the lines that drops scripts and styles."""
    frame = re.sub(r' style="[^"]*"', "", text.split("\n")[0])
    return frame.replace('src="embed/', f'src="{root}embed/')


def inside(page: Page, selector: str = "iframe") -> Frame:
    """The document in a frame, once it has its main part."""
    handle = page.locator(selector).element_handle()
    assert handle is not None
    found = handle.content_frame()
    assert found is not None
    found.wait_for_selector("main", state="attached")
    return found


def seen(frame: Frame, selector: str) -> bool:
    """Whether something lies wholly inside the frame's own window."""
    return bool(
        frame.evaluate(
            """(s) => { const r = document.querySelector(s).getBoundingClientRect();
            return r.height > 0 && r.top >= 0 && r.bottom <= innerHeight; }""",
            selector,
        )
    )


def shortly(true: Callable[[], bool], seconds: float = 10) -> None:
    """Waits until something holds: fonts that arrive move what stands in a frame."""
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.05)


def says_more(frame: Frame) -> bool:
    """Whether the sign that there is more below is what the reader sees at the frame's lower edge."""
    return bool(
        frame.evaluate(
            """() => {
              const sign = document.querySelector(".more span").getBoundingClientRect();
              const last = document.querySelector(".from").getBoundingClientRect();
              return sign.bottom <= innerHeight + 1 && sign.bottom <= last.top + 1;
            }"""
        )
    )


@pytest.mark.parametrize("part", [FIGURE, CHECK])
@pytest.mark.parametrize("width", [760, 360])
def test_a_page_that_keeps_frames_alone_shows_the_whole_part(
    browse: Browse,
    server: serve.Server,
    serve_site: ServeSite,
    site: Path,
    tmp_path: Path,
    watch: Watch,
    part: str,
    width: int,
) -> None:
    policy = f"default-src 'none'; frame-src {server.address}; style-src 'unsafe-inline'; img-src data:"
    frame = lines(site, part).replace('src="embed', f'src="{server.address}embed')
    assert "<script" in frame
    (tmp_path / "index.html").write_text(
        f'{HEAD}<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<style>body {{ margin: 0 }}</style>{frame}"
    )
    watch.expect("violates the following Content Security Policy directive")  # the host drops the script
    page = browse(viewport={"width": width, "height": 900}).new_page()
    page.goto(serve_site(tmp_path).address)
    inner = inside(page)
    until(inner, "document.fonts.status === 'loaded' && document.documentElement.scrollHeight <= innerHeight")
    assert not says_more(inner)
    assert inner.evaluate("innerHeight - document.querySelector('main').getBoundingClientRect().bottom") < 80


def test_a_page_that_drops_scripts_and_styles_on_a_phone_shows_the_sentence_and_says_that_there_is_more(
    browse: Browse, server: serve.Server, serve_site: ServeSite, site: Path, tmp_path: Path
) -> None:
    (tmp_path / "index.html").write_text(HEAD + only_frame(lines(site, FIGURE), server.address))
    page = browse(viewport={"width": 390, "height": 800}).new_page()
    page.goto(serve_site(tmp_path).address)
    inner = inside(page)
    assert inner.evaluate("document.documentElement.scrollHeight > innerHeight + 20")
    assert seen(inner, ".sentence")
    assert inner.evaluate(
        "document.querySelector('.sentence').getBoundingClientRect().bottom"
        " <= document.querySelector('.picture').getBoundingClientRect().top"
    )
    shortly(lambda: says_more(inner))
    inner.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    shortly(lambda: not says_more(inner))
    assert seen(inner, ".from")


@pytest.mark.parametrize("part", [FIGURE, CHECK])
def test_without_any_script_a_part_stands_whole_and_a_short_frame_says_so(
    browse: Browse, server: serve.Server, part: str
) -> None:
    page = browse(viewport={"width": 720, "height": 90}, java_script_enabled=False).new_page()
    page.goto(f"{server.address}embed/{part}.html")
    sign, last = page.locator(".more span").bounding_box(), page.locator(".from").bounding_box()
    assert sign is not None
    assert last is not None
    assert sign["y"] + sign["height"] <= 91 <= last["y"]
    if part == FIGURE:
        assert "this is its first state" in page.locator(".from").inner_text()
        expect(page.locator(".sentence")).not_to_be_empty()
        return
    page.locator("summary").click()
    expect(page.locator(".answer")).to_be_visible()
    expect(page.locator(".attempt")).to_be_hidden()


def test_a_preset_s_frame_opens_in_its_state(
    browse: Browse, server: serve.Server, serve_site: ServeSite, site: Path, tmp_path: Path
) -> None:
    first, linked = (only_frame(lines(site, FIGURE, n), server.address) for n in (0, 1))
    (tmp_path / "index.html").write_text(f'{HEAD}<div id="a">{first}</div><div id="b">{linked}</div>')
    page = browse(viewport={"width": 760, "height": 2400}).new_page()
    page.goto(serve_site(tmp_path).address)
    one, two = inside(page, "#a iframe"), inside(page, "#b iframe")
    for frame in (one, two):
        until(frame, "[...glassbox.figures.values()].every((f) => f.key === f.shown)")
    assert one.locator(".picture").inner_html() != two.locator(".picture").inner_html()
    assert two.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_a_frame_without_an_origin_answers_a_slider_and_a_question(
    browse: Browse, server: serve.Server, serve_site: ServeSite, tmp_path: Path
) -> None:
    frames = "".join(
        f'<iframe id="{i}" title="x" sandbox="allow-scripts" width="720" height="900" '
        f'src="{server.address}embed/{part}.html"></iframe>'
        for i, part in (("figure", FIGURE), ("check", CHECK))
    )
    (tmp_path / "index.html").write_text(HEAD + frames)
    page = browse(viewport={"width": 760, "height": 2000}).new_page()
    page.goto(serve_site(tmp_path).address)
    figure, check = inside(page, "#figure"), inside(page, "#check")
    figure.locator("input[type=range]").first.focus()
    page.keyboard.press("End")
    expect(figure.locator(".figure-state")).to_contain_text("computed ahead")
    check.locator("input").fill("75")
    check.locator("input").press("Enter")
    expect(check.locator(".verdict")).to_have_text("That is right.")
    expect(check.locator(".score")).to_contain_text("as long as this page")


def test_a_question_in_a_frame_counts_for_its_chapter(browse: Browse, server: serve.Server) -> None:
    page = browse().new_page()
    page.goto(f"{server.address}embed/{CHECK}.html")
    page.locator(".check input").fill("75")
    page.locator(".check form button").click()
    expect(page.locator(".verdict")).to_have_text("That is right.")
    expect(page.locator(".score")).to_contain_text("Right.")
    page.goto(f"{server.address}attention.html?live=0")
    expect(page.locator(".score")).to_contain_text("1 of 12 right")


def test_the_link_to_the_chapter_leaves_the_frame_that_the_lines_make(
    browse: Browse, server: serve.Server, serve_site: ServeSite, site: Path, tmp_path: Path
) -> None:
    (tmp_path / "index.html").write_text(HEAD + only_frame(lines(site, FIGURE), server.address))
    context = browse(viewport={"width": 760, "height": 1200})
    page = context.new_page()
    page.goto(serve_site(tmp_path).address)
    with context.expect_page() as opened:
        inside(page).locator(".from a").click()
    assert opened.value.url == f"{server.address}attention.html#paint"
    opened.value.close()


@pytest.mark.parametrize("part", [FIGURE, CHECK])
def test_a_file_on_disk_shows_and_answers_in_a_page_on_disk(
    browse: Browse, site: Path, tmp_path: Path, part: str
) -> None:
    (tmp_path / "course.html").write_text(
        f'{HEAD}<iframe title="x" src="{(site / "embed" / part).as_uri()}.html" width="720" height="900"></iframe>'
    )
    page = browse(viewport={"width": 760, "height": 1000}).new_page()
    page.goto((tmp_path / "course.html").as_uri())
    inner = inside(page)
    if part == FIGURE:
        inner.locator("input[type=range]").first.focus()
        page.keyboard.press("End")
        expect(inner.locator(".figure-state")).to_contain_text("computed ahead")
    else:
        inner.locator("input").fill("75")
        inner.locator("form button").click()
        expect(inner.locator(".verdict")).to_have_text("That is right.")


def test_lines_copied_from_a_file_on_disk_warn(browse: Browse, site: Path, watch: Watch) -> None:
    watch.expect("font")  # a file may not load another as a font; the system's stands in
    page = browse(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(f"{(site / 'attention.html').as_uri()}?live=0#paint")
    until(page, "document.documentElement.classList.contains('js')")
    for tool in ("embed", "link"):
        page.locator(f"#paint [data-tool={tool}]").click()
        expect(page.locator("#paint .said")).to_contain_text("a file on your disk")
    page.goto((site / "teach.html").as_uri())
    page.locator("#attention-paint [data-tool=embed]").first.click()
    expect(page.locator("#attention-paint .said").first).to_contain_text("a file on your disk")


def test_a_server_that_sends_octet_streams_shows_the_figure_and_python_answers(
    browse: Browse, serve_host: ServeHost
) -> None:
    octets = ("mjs", "wasm", "json", "whl", "zip", "woff2", "bin", "data")  # all but what every server knows
    page = browse(viewport={"width": 760, "height": 1000}).new_page()
    address = serve_host(types={f".{e}": "application/octet-stream" for e in octets}, nosniff=True)
    page.goto(f"{address}embed/{FIGURE}.html?live=1")
    expect(page.locator(".sentence")).not_to_be_empty()
    expect(page.locator("#runtime")).to_have_attribute("data-state", "live", timeout=120_000)
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("End")
    expect(page.locator(".figure-state")).to_contain_text("answered by Python")


@pytest.mark.parametrize("wish", ["dark", "light"])
def test_an_address_decides_the_theme_in_pages_and_frames_and_nothing_is_kept(
    browse: Browse, server: serve.Server, serve_site: ServeSite, tmp_path: Path, wish: str
) -> None:
    other = "light" if wish == "dark" else "dark"
    (tmp_path / "index.html").write_text(
        f'{HEAD}<body style="background: {"white" if other == "light" else "black"}">'
        f'<iframe title="x" sandbox="allow-scripts allow-same-origin" width="720" height="600" '
        f'src="{server.address}embed/{FIGURE}.html?theme={wish}"></iframe>'
        f'<script src="{server.address}embed.js"></script>'
    )
    page = browse(color_scheme=other, viewport={"width": 760, "height": 900}).new_page()
    page.goto(serve_site(tmp_path).address)
    until(page, "document.querySelector('iframe').style.height !== ''")  # the host has spoken to the frame
    until(inside(page), "document.readyState === 'complete'")
    page.wait_for_timeout(200)
    assert inside(page).evaluate("document.documentElement.dataset.theme") == wish
    page.goto(f"{server.address}attention.html?live=0&theme={wish}")
    assert page.evaluate("document.documentElement.dataset.theme") == wish
    expect(page.locator("#notice")).to_be_hidden()
    page.goto(f"{server.address}attention.html?live=0")
    assert page.evaluate("document.documentElement.dataset.theme || 'none'") == "none"


def test_the_teach_page_copies_the_lines_that_it_shows_and_finds_a_figure(
    browse: Browse, server: serve.Server, site: Path
) -> None:
    page = browse(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(f"{server.address}teach.html")
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    section = page.locator("#attention-paint")
    buttons = section.locator("[data-tool=embed]").all()
    assert len(buttons) >= 3
    for n, button in enumerate(buttons):
        text = lines(site, FIGURE, n).replace('src="embed', f'src="{server.address}embed')
        button.click()
        expect(button.locator("xpath=..").locator(".said")).to_contain_text("Copied")
        assert page.evaluate("window.copied") == text
    page.get_by_label("frames only").check()
    page.locator(".choose").get_by_label("dark").check()
    section.locator("[data-tool=embed]").nth(1).click()
    until(page, "!window.copied.includes('<script')")
    copied = str(page.evaluate("window.copied"))
    assert "&amp;theme=dark" in copied
    section.locator(".lines summary").click()
    expect(section.locator("pre code").nth(1)).to_have_text(copied)
    page.get_by_label("Find a figure").fill("MIXER backw")
    expect(page.locator(".found")).to_contain_text(" fit.")
    assert page.locator(".lesson:not([hidden]) h3").all_text_contents() == ["The mixer backwards"]
    page.get_by_label("Find a figure").fill("no such thing at all")
    expect(page.locator(".found")).to_contain_text("0 of")


@pytest.mark.parametrize("width", [760, 390])
def test_each_tool_shows_its_own_text_and_squeezes_nothing(
    browse: Browse, server: serve.Server, serve_site: ServeSite, tmp_path: Path, width: int
) -> None:
    (tmp_path / "index.html").write_text(
        f'{HEAD}<body style="margin: 0"><iframe title="x" sandbox="allow-scripts allow-same-origin" width="100%" '
        f'height="1400" style="border:0" src="{server.address}embed/{FIGURE}.html"></iframe>'
    )
    page = browse(viewport={"width": width, "height": 1400}).new_page()
    page.goto(serve_site(tmp_path).address)
    inner = inside(page)
    until(inner, "document.documentElement.classList.contains('js')")
    say = inner.locator(".figure-state")
    before = say.bounding_box()
    high = {}
    for tool, holds in (("csv", "[^<]"), ("svg", "<.xml"), ("embed", "<iframe"), ("csv", "[^<]")):
        inner.locator(f"[data-tool={tool}]").click()
        box = inner.locator(".copy")
        until(inner, f"/^{holds}/.test(document.querySelector('.copy')?.value || '')")
        assert box.count() == 1
        high[tool] = str(box.input_value())
        after, wide = say.bounding_box(), box.bounding_box()
        assert before is not None
        assert after is not None
        assert wide is not None
        assert after["width"] > 100
        assert wide["width"] > 0.8 * (width - 24)
    height = int(re.findall(r'height="(\d+)"', high["embed"])[0])
    kept = json.loads((Path(__file__).parents[2] / "site" / "heights.json").read_text())[FIGURE]
    assert abs(height - kept[1]) <= 16


@pytest.mark.parametrize("width", [1280, 390])
def test_an_address_of_a_figure_lands_on_it(browse: Browse, server: serve.Server, width: int) -> None:
    """Below the bar, once: both the page and the figure left room for it, and the figure stood 64 px too low."""
    page = browse(viewport={"width": width, "height": 900}).new_page()
    place = "document.querySelector(location.hash).getBoundingClientRect().top"
    there = f"{place} - parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop)"
    for address in ("teach.html#attention-qkv", "teach.html#kv_cache-race", "attention.html?live=0#qkv"):
        page.goto(server.address + address)
        until(page, f"Math.abs({there}) < 3")


@pytest.mark.parametrize("width", [760, 560])
def test_a_frame_shorter_than_its_figure_still_shows_the_sentence(
    browse: Browse, server: serve.Server, width: int
) -> None:
    page = browse(viewport={"width": width, "height": 584}, java_script_enabled=False).new_page()
    for part in ("attention/qkv", "kv_cache/memory", "tokens/split"):
        page.goto(f"{server.address}embed/{part}.html")
        box = page.locator(".sentence").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 584 - 30, part
