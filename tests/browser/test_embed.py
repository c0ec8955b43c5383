"""A figure in somebody else's page: another origin, a sandboxed frame, heights and themes by message."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Frame, Page, expect

from tests import serve
from tests.browser.conftest import Browse, ServeSite, Watch, until

HOST = """<!doctype html><html lang="en"><title>A course</title>
<link rel="icon" href="data:,">
<style>body {{ background: white; margin: 0 }} body.night {{ background: #101014; color: white }}</style>
<h1>Week 3</h1>
<iframe id="own" title="figure" src="{site}embed/{path}" sandbox="allow-scripts allow-same-origin"
  width="640" height="100"></iframe>
<iframe id="opaque" title="figure" src="{site}embed/{path}" sandbox="allow-scripts"
  width="640" height="100"></iframe>
<iframe id="stranger" title="other" src="stranger.html" width="300" height="111"></iframe>
<script src="{site}embed.js" defer></script>
"""


@pytest.fixture
def figure(site: Path) -> str:
    """A figure with a slider, as ``attention/paint.html``."""
    for path in sorted((site / "embed").rglob("*.html")):
        if 'type="range"' in path.read_text(encoding="utf-8"):
            return path.relative_to(site / "embed").as_posix()
    raise AssertionError("no figure has a slider")


@pytest.fixture
def host(browse: Browse, server: serve.Server, serve_site: ServeSite, tmp_path: Path, figure: str) -> Page:
    """A course page of another origin with the same figure in two kinds of frames."""
    (tmp_path / "index.html").write_text(HOST.format(site=server.address, path=figure))
    (tmp_path / "stranger.html").write_text("<!doctype html><title>x</title><p>Not a figure</p>")
    page = browse(viewport={"width": 1280, "height": 900}, color_scheme="light").new_page()
    page.goto(serve_site(tmp_path).address)
    return page


def frame(page: Page, name: str) -> Frame:
    found = page.locator(f"#{name}").element_handle().content_frame()  # type: ignore[union-attr]
    assert found is not None
    return found


def height(page: Page, name: str) -> float:
    return float(page.evaluate(f"document.getElementById('{name}').getBoundingClientRect().height"))


def settled(page: Page) -> None:
    """Waits until the frames have their heights and letters, and nothing has moved for 300 ms."""
    until(page, "['own', 'opaque'].every((id) => document.getElementById(id).style.height !== '')")
    for kind in ("own", "opaque"):
        until(frame(page, kind), "document.fonts.status === 'loaded'")
    last: list[float] = []
    while last != (now := [height(page, kind) for kind in ("own", "opaque", "stranger")]):
        last = now
        page.wait_for_timeout(300)


KINDS = pytest.mark.parametrize("kind", ["own", "opaque"])


@KINDS
def test_the_frame_is_as_high_as_its_figure(host: Page, kind: str) -> None:
    settled(host)
    inner = frame(host, kind)
    assert height(host, kind) > 200
    spare = inner.evaluate("innerHeight - document.querySelector('main').getBoundingClientRect().bottom")
    assert 0 <= spare < 40
    assert inner.evaluate("document.documentElement.scrollHeight <= innerHeight + 1")


@KINDS
def test_opening_the_numbers_makes_the_frame_grow(host: Page, kind: str) -> None:
    settled(host)
    before = height(host, kind)
    frame(host, kind).locator("details.numbers summary").click()
    until(host, f"document.getElementById('{kind}').getBoundingClientRect().height > {before} + 20")


@KINDS
def test_the_figure_follows_the_host_theme(host: Page, kind: str) -> None:
    inner = frame(host, kind)
    until(inner, "document.documentElement.dataset.theme === 'light'")
    light = inner.evaluate("getComputedStyle(document.body).color")
    host.evaluate("document.body.classList.add('night')")
    until(inner, "document.documentElement.dataset.theme === 'dark'")
    assert inner.evaluate("getComputedStyle(document.body).color") != light


@KINDS
def test_a_slider_in_the_frame_answers_without_python(host: Page, kind: str, server: serve.Server) -> None:
    inner = frame(host, kind)
    slider = inner.locator("input[type=range]").first
    before = inner.locator(".picture").inner_html()
    slider.focus()
    asked = len(server.requests)
    host.keyboard.press("End")
    until(inner, f"document.querySelector('.picture').innerHTML !== {json.dumps(before)}")
    expect(inner.locator(".figure-state")).to_contain_text("computed ahead")
    assert not [r.path for r in server.requests[asked:] if "/runtime/" in r.path]


def test_a_frame_without_an_origin_says_so_when_a_state_needs_python(host: Page, watch: Watch) -> None:
    watch.expect("Worker|worker")
    inner = frame(host, "opaque")
    inner.evaluate("glassbox.start()")
    expect(inner.locator("#runtime")).to_contain_text("open it in a tab of its own")


def test_messages_from_strangers_or_of_another_shape_change_nothing(host: Page) -> None:
    settled(host)
    before = [height(host, n) for n in ("own", "opaque", "stranger")]
    stranger = frame(host, "stranger")
    stranger.evaluate("parent.postMessage({glassbox: 'height', height: 3000}, '*')")
    host.evaluate("postMessage({glassbox: 'height', height: 3000}, '*')")
    inner = frame(host, "own")
    for message in (
        "{glassbox: 'height', height: '3000'}",
        "{glassbox: 'height', height: NaN}",
        "{glassbox: 'height'}",
        "{height: 3000}",
        "'height'",
        "null",
        "[3000]",
    ):
        inner.evaluate(f"parent.postMessage({message}, '*')")
    host.wait_for_timeout(300)
    assert [height(host, n) for n in ("own", "opaque", "stranger")] == before


def test_a_height_beyond_reason_is_cut(host: Page) -> None:
    frame(host, "own").evaluate("parent.postMessage({glassbox: 'height', height: 1e9}, '*')")
    until(host, "document.getElementById('own').style.height === '6000px'")


def test_the_figure_takes_a_theme_only_from_the_page_around_it(host: Page) -> None:
    inner = frame(host, "own")
    until(inner, "document.documentElement.dataset.theme === 'light'")
    inner.evaluate("postMessage({glassbox: 'theme', theme: 'dark'}, '*')")
    stranger = frame(host, "stranger")
    stranger.evaluate(
        "for (const w of [parent[0], parent[1]]) w.postMessage({glassbox: 'theme', theme: 'dark'}, '*')"
    )
    for shape in ("{glassbox: 'theme', theme: 'blink'}", "{theme: 'dark'}", "'dark'", "null"):
        host.evaluate(f"window[0].postMessage({shape}, '*')")
    host.wait_for_timeout(300)
    for kind in ("own", "opaque"):
        assert frame(host, kind).evaluate("document.documentElement.dataset.theme") == "light"


def test_embed_js_leaves_other_frames_alone(host: Page) -> None:
    until(host, "document.getElementById('own').style.height !== ''")
    assert height(host, "stranger") == pytest.approx(111, abs=6)
    assert host.evaluate("document.getElementById('stranger').style.height") == ""


def test_six_figures_in_one_page_start_no_python(
    browse: Browse, server: serve.Server, serve_site: ServeSite, tmp_path: Path, site: Path
) -> None:
    paths = [p.relative_to(site).as_posix() for p in sorted((site / "embed").rglob("*.html"))][:6]
    frames = "".join(
        f'<iframe title="f" src="{server.address}{p}" sandbox="allow-scripts allow-same-origin"></iframe>'
        for p in paths
    )
    (tmp_path / "index.html").write_text(
        f'<!doctype html><title>x</title><link rel="icon" href="data:,">{frames}'
    )
    page = browse().new_page()
    asked = len(server.requests)
    page.goto(serve_site(tmp_path).address)
    page.wait_for_timeout(2500)
    assert not [r.path for r in server.requests[asked:] if re.search("/runtime/|worker", r.path)]
    assert len(page.frames) == len(paths) + 1


def test_live_1_starts_python_at_once(browse: Browse, server: serve.Server, figure: str) -> None:
    page = browse().new_page()
    page.goto(f"{server.address}embed/{figure}?live=1")
    expect(page.locator("#runtime")).to_have_attribute("data-state", "live", timeout=90_000)
