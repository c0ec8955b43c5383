"""Several figures in one page: one Python answers them all, and each stays its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Frame, Locator, Page, expect

from tests import serve
from tests.browser.conftest import Browse, ServeSite, Watch, until

FIGURES = ("paint", "paint-again", "qkv", "mask", "race", "steps")  # of two chapters, one of them twice
CHAPTERS = {"race": "kv_cache", "steps": "kv_cache"}
HEAD = '<!doctype html><html lang="en"><title>A course</title><link rel="icon" href="data:,">'
LIVE = 90_000  # ms that Python may take to start on a busy machine
SILENCE = """(() => { const later = setTimeout; window.setTimeout = (act, ms, ...rest) =>
  later(act, ms === 10_000 ? 1_000 : ms, ...rest); })()"""  # nobody waits ten seconds for a Python that is stuck


@pytest.fixture
def host(browse: Browse, server: serve.Server, serve_site: ServeSite, tmp_path: Path) -> Page:
    """A course page with six figures, a frame of its own, and a figure that has no origin."""
    frames = []
    for name in FIGURES:
        figure = name.split("-")[0]
        address = f"{server.address}embed/{CHAPTERS.get(figure, 'attention')}/{figure}.html?live=1"
        sandbox = "allow-scripts allow-same-origin"
        frames.append(f'<iframe id="{name}" title="{name}" src="{address}" sandbox="{sandbox}"></iframe>')
    strange = '<iframe title="other" src="stranger.html"></iframe>'
    opaque = f'<iframe title="f" src="{server.address}embed/attention/heads.html" sandbox="allow-scripts"></iframe>'
    (tmp_path / "index.html").write_text(HEAD + strange + opaque + "".join(frames))
    (tmp_path / "stranger.html").write_text("<!doctype html><title>x</title><p>Not a figure</p>")
    context = browse()
    context.add_init_script(SILENCE)
    page = context.new_page()
    page.goto(serve_site(tmp_path).address)
    return page


def inside(page: Page, name: str) -> Frame:
    found = page.locator(f"#{name}").element_handle().content_frame()  # type: ignore[union-attr]
    assert found is not None
    return found


def bar(page: Page, name: str) -> Locator:
    return inside(page, name).locator("#runtime")


def all_live(page: Page, names: tuple[str, ...] = FIGURES) -> None:
    """Waits until every figure has Python, and sees that there is one of it."""
    for name in names:
        expect(bar(page, name)).to_have_attribute("data-state", "live", timeout=LIVE)
    assert len(page.workers) == 1


def press(page: Page, name: str, key: str) -> str:
    """Presses a key on a figure's slider; returns the sentence that Python answers with."""
    frame = inside(page, name)
    frame.locator("input[type=range]").first.press(key)
    until(frame, "(f => f.shown === f.key)([...glassbox.figures.values()][0])")
    expect(frame.locator(".figure-state")).to_contain_text("answered by Python")
    return frame.locator(".sentence").inner_text()


def remove(page: Page, name: str) -> None:
    page.evaluate("id => document.getElementById(id).remove()", name)


def owner(page: Page, names: tuple[str, ...] = FIGURES) -> str:
    """The figure whose frame holds Python."""
    return next(n for n in names if inside(page, n).evaluate("glassbox.live.python.owner === window"))


def test_six_figures_share_one_python_and_the_others_stay_when_one_goes(
    host: Page, server: serve.Server
) -> None:
    asked = len(server.requests)
    all_live(host)
    interpreters = [
        r.path for r in server.requests[asked:] if "pyodide.asm.wasm" in r.path and r.status == 200
    ]
    assert len(interpreters) <= 2, interpreters  # one, in whatever pieces it comes
    low, high = press(host, "paint", "Home"), press(host, "paint-again", "End")
    assert low != high
    assert press(host, "race", "End") != press(host, "race", "Home")
    assert inside(host, "paint").locator(".sentence").inner_text() == low
    assert press(host, "paint", "ArrowRight") != high
    assert press(host, "paint", "ArrowLeft") == low
    assert inside(host, "paint-again").locator(".sentence").inner_text() == high

    # Without a figure that only uses it Python stays.
    holds = owner(host)
    goes = next(n for n in ("qkv", "mask") if n != holds)
    remove(host, goes)
    left = tuple(n for n in FIGURES if n != goes)
    assert owner(host, left) == holds
    all_live(host, left)
    assert press(host, "paint", "ArrowRight") != low

    # With the one that holds it Python goes: the others make another, without a word from the reader.
    left = tuple(n for n in left if n != holds)
    stays = next(n for n in ("paint", "race") if n in left)
    shown = inside(host, stays).locator(".sentence").inner_text()
    for name in left:
        inside(host, name).evaluate("window.before = glassbox.live.python")
    remove(host, holds)
    for name in left:
        until(inside(host, name), "(p => p && p !== window.before)(glassbox.live.python)")
    all_live(host, left)
    assert inside(host, stays).locator(".sentence").inner_text() == shown
    assert press(host, stays, "End") != shown


def test_python_that_is_stuck_or_breaks_says_so_in_every_frame(host: Page, watch: Watch) -> None:
    watch.expect("Uncaught Error: broken")
    all_live(host)
    other = next(n for n in ("paint", "race") if n != owner(host))
    host.workers[0].evaluate("() => { setTimeout(() => { for (;;) {} }) }")
    for name in ("paint", "race"):
        inside(host, name).locator("input[type=range]").first.press("End")
    for name in ("paint", "race"):
        expect(bar(host, name)).to_contain_text("has not answered for")
    bar(host, other).locator("button").click()
    for name in ("paint", "race"):
        expect(inside(host, name).locator(".figure-state")).to_contain_text("Python was started again")
    all_live(host)
    for name in ("paint", "race"):
        press(host, name, "Home")
    host.workers[0].evaluate("() => { setTimeout(() => { throw new Error('broken') }) }")
    for name in FIGURES:
        expect(bar(host, name)).to_contain_text("Python stopped: its worker stopped.")
    assert host.workers == []
    for name in FIGURES:
        bar(host, name).locator("button").click()
    all_live(host)
    press(host, "race", "End")
