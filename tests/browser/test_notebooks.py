"""What an author sees: each notebook in ``marimo run`` and ``marimo edit``, after everything has drawn."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Browse, until

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(p.stem for p in (ROOT / "notebooks").glob("*.py"))
FIGURES = {
    n: (ROOT / f"notebooks/{n}.py").read_text(encoding="utf-8").count("\n@app.cell\ndef ") for n in NOTEBOOKS
}
# Figures and paragraphs that an output of marimo's cuts off: it is lower than what it holds.
CUT_OFF = """() => [...document.querySelectorAll("figure.glassbox, p, li, .paragraph")].filter((e) => {
    const box = !e.closest("details:not([open])") && e.closest(".output");
    return box && box.getBoundingClientRect().height < e.getBoundingClientRect().height - 2;
}).map((e) => e.outerHTML.slice(0, 200))"""
# Figures that stand in a box of marimo's that scrolls, as its editor makes for whatever is higher than 610 px.
SCROLLED = """() => [...document.querySelectorAll("figure.glassbox")].map((f) => f.closest(".output-area"))
    .filter((e) => e && e.scrollHeight > e.clientHeight + 2).map((e) => e.textContent.slice(0, 200))"""
# Every chart is Vega's in marimo's own element, and the sentence for other notebooks is not seen.
DRAWN = """[...document.querySelectorAll("figure.glassbox marimo-mime-renderer")].every((e) =>
    e.shadowRoot?.querySelector("svg.marks path") && !e.querySelector("p").getBoundingClientRect().height)"""
# Words of a chart, its legend's too, that stand beyond the chart's edge by more than a margin of a letter.
BEYOND = """() => [...document.querySelectorAll("figure.glassbox marimo-mime-renderer")].flatMap((e) => {
    const svg = e.shadowRoot.querySelector("svg.marks");
    const [all, edge] = [[...svg.querySelectorAll("text")], svg.getBoundingClientRect()];
    const out = (box) => box.width && (box.right > edge.right + 4 || box.left < edge.left - 4);
    return all.filter((t) => out(t.getBoundingClientRect())).map((t) => t.textContent);
})"""
# Lines whose colour is not what the figure around them says.
STRANGE = """() => [...document.querySelectorAll("figure.glassbox marimo-mime-renderer")].flatMap((e) =>
    [...e.shadowRoot.querySelectorAll("path[stroke^='var(']")].filter((p) => {
        const name = p.getAttribute("stroke").slice(4, -1);
        const probe = Object.assign(document.createElement("i"), { style: `color: var(${name.replace("--glassbox-", "--")})` });
        e.closest("figure").append(probe);
        const meant = getComputedStyle(probe).color;
        probe.remove();
        return getComputedStyle(p).stroke !== meant;
    }).map((p) => p.outerHTML.slice(0, 200)))"""
# A link of each notebook's prose, and what its figure says in the state that it opens.
LINKS = {
    "tokens": ("?split_vocabulary=clinical#split", "clinical splits"),
    "attention": ("?paint_severe=0&paint_drawers=0#paint", "With 0 % of its attention on severe"),
    "kv_cache": ("?notepad_ahead=true#notepad", "If words may look ahead"),
    "machine": ("?embed_text=Monday#embed", "Monday"),
    "own_model": ("?guesses_text=The capital of France is#guesses", "The capital of France is"),
}
SHOWS = """([control, wire]) => {
    const figure = document.querySelector(`figure.glassbox[data-follows*='"${control}"']`);
    const element = document.querySelector(`marimo-ui-element[object-id="${JSON.parse(figure.dataset.follows)[control]}"]`);
    const shown = element.firstElementChild.shadowRoot.querySelector("[role=slider], [role=switch], select, input");
    return [shown.value, shown.ariaValueNow, shown.ariaChecked].includes(wire);
}"""
HEIGHTS = """() => [...document.querySelectorAll("figure.glassbox")].map((f) => Math.round(f.getBoundingClientRect().height))"""


def free_port() -> int:
    """A port that nobody uses; marimo takes its usual one for 0."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def marimo(mode: str, notebook: Path) -> Iterator[str]:
    """A marimo server on a free port; its address."""
    command = [
        sys.executable,
        "-m",
        "marimo",
        "-q",
        mode,
        str(notebook),
        "--headless",
        "--no-token",
        "--port",
        "0",
    ]
    command += ["--skip-update-check"] if mode == "edit" else []
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [c for c in command if c != "-q"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if found := re.search(r"http://\S+?:\d+", line):
                yield found.group()
                break
        else:
            pytest.fail(f"marimo {mode} ended without an address", pytrace=False)
    finally:
        process.terminate()
        process.communicate(timeout=20)


def scrolled_to_the_end(page: Page) -> None:
    """Goes down the page a screen at a time, as a reader does, so that what is drawn late is drawn."""
    page.evaluate(
        """async () => {
            const box = document.querySelector("#App") || document.scrollingElement;
            const scroller = [box, document.scrollingElement].find((e) => e.scrollHeight > e.clientHeight + 10) || box;
            for (let y = 0; y < scroller.scrollHeight; y += 800) {
                scroller.scrollTo(0, y);
                await new Promise((next) => requestAnimationFrame(() => setTimeout(next, 20)));
            }
        }"""
    )


@pytest.mark.parametrize("mode", ["run", "edit"])
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_prose_and_figures_keep_their_height_when_all_has_drawn(browse: Browse, watch, name: str, mode: str):
    watch.expect(
        r""
    )  # marimo's own page asks for what a closed network does not have; ours is judged elsewhere
    with marimo(mode, ROOT / "notebooks" / f"{name}.py") as address:
        page = browse(viewport={"width": 1280, "height": 900}).new_page()
        page.goto(address, timeout=60_000)
        until(page, f"document.querySelectorAll('figure.glassbox').length >= {FIGURES[name]}", 90)
        scrolled_to_the_end(page)
        until(page, DRAWN, 60)
        assert page.evaluate(STRANGE) == [], "colours of marimo's own"
        assert page.evaluate(BEYOND) == []
        heights = page.evaluate(HEIGHTS)
        assert len(heights) == FIGURES[name]
        assert min(heights) > 120, heights
        assert page.evaluate(CUT_OFF) == []
        assert page.evaluate(SCROLLED) == []
        prose = page.evaluate(
            """() => [...document.querySelectorAll("p, li, .paragraph")].filter((p) => !p.closest("figure") && p.textContent.length > 300)
                .map((p) => p.getBoundingClientRect().height)"""
        )
        assert len(prose) > (3 if name == "own_model" else 5)
        assert min(prose) > 40, prose
        opens_its_figure(page, *LINKS[name])


def opens_its_figure(page: Page, link: str, says: str) -> None:
    """Follows a link to a state: the figure answers, and its first control shows what it was set to."""
    (control, wire), *_ = parse_qsl(urlsplit(link).query)
    caption = page.locator(f"figure.glassbox[data-follows*='\"{control}\"'] figcaption")
    expect(caption).to_be_attached(timeout=60_000)
    expect(caption).not_to_contain_text(says)
    # Not by the pointer: what marimo draws late moves the line from under it.
    page.locator(f"a[href='{link}']").first.dispatch_event("click")
    expect(caption).to_contain_text(says, timeout=60_000)
    page.wait_for_function(SHOWS, arg=[control, wire])
