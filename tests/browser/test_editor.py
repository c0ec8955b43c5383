"""The notebooks' editor in a browser: it runs offline, keeps changes, and says why when it cannot run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

from glassbox.chapters import NAMES as CHAPTERS
from tests import serve
from tests.browser.conftest import Browse, ServeSite, Watch
from tests.browser.test_notebooks import LINKS, opens_its_figure

MINUTES = 180_000  # ms; the editor loads Python twice, once to run and once to save
MARK = "# changed by me"


@pytest.fixture
def chapter(site: Path) -> str:
    found = sorted(p.stem for p in (site / "edit").glob("*.html"))
    return "attention" if "attention" in found else found[0]


@pytest.fixture(autouse=True)
def marimo_s_own(watch: Watch) -> None:
    """What marimo itself complains about on a slow machine."""
    watch.expect("RPC request timed out|Failed to parse outline")


def visit(page: Page, address: str) -> None:
    """Opens an editor without waiting for all that marimo loads."""
    page.goto(address, wait_until="commit")
    expect(page.locator("#glassbox-bar")).to_be_visible(timeout=60_000)


def ready(page: Page) -> None:
    """Waits until the notebook runs and changes are kept."""
    expect(page.locator("#glassbox-bar p")).to_contain_text("in this browser", timeout=MINUTES)
    expect(page.locator("#glassbox-bar")).to_have_attribute("data-state", "live")


def cell(page: Page) -> Locator:
    """The editor of the first figure's cell."""
    return page.locator(".cm-content").filter(has_text=re.compile(r"^\s*figures\.")).first


def change(page: Page) -> None:
    """Writes a comment into the first figure's cell and waits until it is kept."""
    cell(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type(f"  {MARK}")
    kept = "mark => Object.values(localStorage).some(text => text.includes(mark))"
    page.wait_for_function(kept, arg=MARK, timeout=MINUTES)


def test_changes_survive_a_reload_can_be_saved_and_discarded(
    browse: Browse, server: serve.Server, chapter: str
) -> None:
    page = browse(viewport={"width": 1280, "height": 900}).new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    visit(page, f"{server.address}edit/{chapter}.html")
    ready(page)
    expect(page.locator("figure.glassbox").first).to_be_attached(timeout=MINUTES)
    if chapter == "attention":
        opens_its_figure(page, *LINKS[chapter])
    change(page)
    expect(page).to_have_url(re.compile(r"\.html$"))  # marimo would put the whole notebook there
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as .py").click()
    assert download.value.suggested_filename == f"{chapter}.py"
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    assert MARK in saved
    compile(saved, "saved", "exec")
    page.reload()
    ready(page)
    expect(cell(page)).to_contain_text(MARK, timeout=MINUTES)
    page.get_by_role("button", name="Discard my changes").click()
    ready(page)
    expect(cell(page)).not_to_contain_text(MARK, timeout=MINUTES)


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_notebook_comes_up_with_all_its_figures(
    browse: Browse, server: serve.Server, site: Path, name: str
) -> None:
    """Offline, as every test here: a package that the head forgot could come from nowhere."""
    if not (site / "edit" / f"{name}.html").exists():
        pytest.skip(f"{name} was not built")
    wanted = len(list((site / "frames" / name).glob("*.js")))  # one a figure; embed/ has self-checks too
    page = browse(viewport={"width": 1280, "height": 900}).new_page()
    visit(page, f"{server.address}edit/{name}.html")
    ready(page)
    expect(page.locator("figure.glassbox")).to_have_count(wanted, timeout=MINUTES)
    expect(page.locator(".marimo-error, [data-testid=error-output]")).to_have_count(0)
    assert not re.search(r"ModuleNotFoundError|Traceback", page.locator("body").inner_text())


def test_a_change_that_is_undone_by_hand_is_not_kept(
    browse: Browse, server: serve.Server, chapter: str
) -> None:
    page = browse().new_page()
    visit(page, f"{server.address}edit/{chapter}.html")
    original = "decodeURIComponent(document.querySelector('marimo-code').textContent).trim()"
    for text, kept in ((f"{original} + '\\n{MARK}'", True), (original, False)):
        page.evaluate(f"localStorage.setItem('marimo:file', JSON.stringify({text}))")
        assert page.evaluate(f"localStorage.getItem('glassbox:edit:{chapter}') !== null") == kept
        assert page.get_by_role("button", name="Discard my changes").is_visible() == kept


def test_a_full_storage_is_said(browse: Browse, server: serve.Server, chapter: str) -> None:
    page = browse().new_page()
    page.add_init_script(
        "const set = Storage.prototype.setItem; Storage.prototype.setItem = function (key, value) {"
        " if (key.startsWith('glassbox:edit')) throw new DOMException('full', 'QuotaExceededError');"
        " return set.call(this, key, value); };"
    )
    visit(page, f"{server.address}edit/{chapter}.html")
    page.evaluate("localStorage.setItem('marimo:file', JSON.stringify('x = 1'))")
    expect(page.locator("#glassbox-bar p")).to_contain_text("no room to keep your changes")


def test_code_in_an_address_is_never_opened(browse: Browse, server: serve.Server, chapter: str) -> None:
    page = browse().new_page()
    visit(page, f"{server.address}edit/{chapter}.html?code=N4IgLgngDgpiBcIQF8g#code/N4IgLgngDgpiBcIQF8g")
    expect(page.locator("#glassbox-bar")).to_be_visible()
    assert "code" not in page.url.split("edit/")[1]
    assert "marimo.App" in page.evaluate(
        "decodeURIComponent(document.querySelector('marimo-code').textContent)"
    )


@pytest.mark.parametrize(
    ("fault", "part", "reason"),
    [
        ("404", "marimo_base-", "is missing on the server"),
        ("altered", "numpy-", "differs from the one this site was built with"),
        ("empty", "pyodide.asm.wasm", "came with 0 bytes"),
        ("drop", "python_stdlib.zip", "could not be loaded"),
        ("stall", "pyodide.asm.wasm", "stopped for 20 seconds"),
        ("404", "assets/worker-", "did not load"),
    ],
)
def test_a_failure_stays_on_the_page_with_its_reason_and_a_retry(
    browse: Browse,
    watch: Watch,
    serve_site: ServeSite,
    chapter: str,
    fault: serve.Fault,
    part: str,
    reason: str,
) -> None:
    watch.expect(".")  # the broken file shows up in the console in several ways
    broken = True
    server = serve_site(fault=lambda path: fault if broken and part in path else None)
    page = browse().new_page()
    visit(page, f"{server.address}edit/{chapter}.html")
    bar = page.locator("#glassbox-bar")
    expect(bar).to_have_attribute("data-state", "failed", timeout=60_000)
    expect(bar).to_contain_text(reason)
    page.wait_for_timeout(6_000)  # marimo's own notice has vanished by now
    expect(bar).to_contain_text(reason)
    expect(bar.get_by_role("button", name="Save as .py")).to_be_visible()
    broken = False
    bar.get_by_role("button", name="Try again").click()
    expect(bar).to_have_attribute("data-state", re.compile("starting|live"), timeout=60_000)


def test_without_webassembly_the_page_says_so(
    browse: Browse, watch: Watch, server: serve.Server, chapter: str
) -> None:
    watch.expect(".")
    context = browse()
    context.add_init_script("delete window.WebAssembly")
    page = context.new_page()
    visit(page, f"{server.address}edit/{chapter}.html")
    expect(page.locator("#glassbox-bar")).to_contain_text("this browser has no WebAssembly")


def test_discarding_can_be_called_off(browse: Browse, server: serve.Server, chapter: str) -> None:
    context = browse()
    code = "import marimo\\n\\napp = marimo.App()\\n"
    kept = f"localStorage.setItem('glassbox:edit:{chapter}', '{code}# kept')"
    context.add_init_script(f"if (location.protocol === 'http:') {kept}")
    page = context.new_page()
    asked: list[str] = []

    def refuse(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)
    visit(page, f"{server.address}edit/{chapter}.html")
    page.get_by_role("button", name="Discard my changes").click()
    assert asked
    assert "# kept" in page.evaluate(f"localStorage.getItem('glassbox:edit:{chapter}')")
