"""What a figure gives away: its numbers as CSV, its picture as SVG, and the lines that embed it."""

from __future__ import annotations

import base64
import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from glassbox.chapters import NAMES as CHAPTERS
from tests import serve
from tests.browser.conftest import Browse, until

TABLE = """(figure) => [...document.querySelectorAll(`#${figure} .numbers table tr`)]
  .map((r) => [...r.cells].map((c) => c.textContent))"""

SIZE = """async (data) => {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  return [bitmap.width, bitmap.height];
}"""

# The share of pixels to which nothing alike lies within one pixel in the other picture: lines may fall on
# either side of a pixel's edge, a missing mark or another colour may not.
DIFFERENCE = """async ([one, two]) => {
  const [a, b] = await Promise.all([one, two].map(async (data) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    pen.drawImage(bitmap, 0, 0);
    return pen.getImageData(0, 0, bitmap.width, bitmap.height);
  }));
  const { width, height } = a;
  if (b.width !== width || b.height !== height) return 1;
  let differ = 0;
  for (let y = 1; y < height - 1; y += 1) for (let x = 1; x < width - 1; x += 1) {
    const i = 4 * (y * width + x);
    let alike = false;
    for (let dy = -1; dy < 2 && !alike; dy += 1) for (let dx = -1; dx < 2 && !alike; dx += 1) {
      const j = i + 4 * (dy * width + dx);
      alike = [0, 1, 2].reduce((sum, c) => sum + Math.abs(a.data[i + c] - b.data[j + c]), 0) < 90;
    }
    if (!alike) differ += 1;
  }
  return differ / (width * height);
}"""


PAUSE = 110  # ms. Chromium starts no more than ten downloads of one page within a second, and drops the rest


def figures(page: Page) -> list[str]:
    return list(page.evaluate("[...glassbox.figures.keys()]"))


def download(page: Page, figure: str, tool: str) -> tuple[str, bytes]:
    with page.expect_download() as waiting:
        page.locator(f"#{figure} [data-tool={tool}]").click()
    page.wait_for_timeout(PAUSE)
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


@pytest.fixture
def chapter_page(page: Page, server: serve.Server, request: pytest.FixtureRequest) -> Page:
    page.goto(f"{server.address}{request.param}.html?live=0")
    until(page, "document.documentElement.classList.contains('js')")
    return page


EACH_CHAPTER = pytest.mark.parametrize("chapter_page", CHAPTERS, indirect=True)


@EACH_CHAPTER
def test_csv_holds_the_table_row_by_row(chapter_page: Page) -> None:
    for figure in figures(chapter_page):
        name, data = download(chapter_page, figure, "csv")
        assert name.endswith(f"-{figure}.csv")
        text = data.decode("utf-8")
        assert text.count("\r\n") >= 2
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        shown = chapter_page.evaluate(TABLE, figure)
        assert len(rows) == len(shown) > 1
        for row, cells in zip(rows, shown, strict=True):
            assert [c.removeprefix("'") for c in row] == [c.removeprefix("'") for c in cells]


def test_no_cell_of_a_csv_is_a_formula(page: Page, server: serve.Server, chapters: list[str]) -> None:
    page.goto(f"{server.address}{chapters[0]}.html?live=0")
    until(page, "document.documentElement.classList.contains('js')")
    figure = figures(page)[0]
    hostile = [
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(1)",
        "\t=1",
        "\r=1",
        'a"b',
        "a,b",
        "a\nb",
        " =1",
        "-",
    ]
    numbers = ["-1.5", "+3", "12 %", "-1,024", "1e-7", "-3e10", "50%"]
    page.evaluate(
        """([figure, cells]) => {
            const body = document.querySelector(`#${figure} .numbers tbody`);
            body.replaceChildren(...cells.map((text) => {
              const row = document.createElement("tr");
              row.insertCell().textContent = text;
              return row;
            }));
        }""",
        [figure, hostile + numbers],
    )
    text = download(page, figure, "csv")[1].decode("utf-8")
    column = [row[0] for row in list(csv.reader(io.StringIO(text, newline=""), strict=True))[1:]]
    harmless = [c for c in hostile if c in ('a"b', "a,b", "a\nb")]
    assert column[: len(hostile)] == [c if c in harmless else f"'{c}" for c in hostile]
    assert column[len(hostile) :] == numbers


@EACH_CHAPTER
def test_the_saved_picture_looks_the_same_opened_alone(
    chapter_page: Page, browse: Browse, tmp_path: Path
) -> None:
    size = {"width": 1280, "height": 2400}
    chapter_page.set_viewport_size(size)
    alone = browse(viewport=size, offline=True).new_page()
    scale = browse().new_page()
    different = {}
    for figure in figures(chapter_page):
        name, data = download(chapter_page, figure, "svg")
        assert name.endswith(f"-{figure}.svg")
        text = data.decode("utf-8")
        ElementTree.fromstring(text)  # well-formed
        inside = re.sub(r'xmlns(:\w+)?="[^"]+"', "", text)
        assert not re.search(r"https?://|<script|\son\w+=|@import", inside), figure
        assert set(re.findall(r"url\((?:&quot;|[\"'])?(\w+:|#|[^\"'&])", inside)) <= {"data:", "#"}, figure
        (tmp_path / name).write_bytes(data)
        alone.goto((tmp_path / name).as_uri())
        chapter_page.evaluate("document.activeElement.blur()")
        chapter_page.mouse.move(0, 0)
        picture = chapter_page.locator(f"#{figure} .picture")
        one = picture.screenshot(animations="disabled")
        wide, high = chapter_page.evaluate(SIZE, base64.b64encode(one).decode())
        two = alone.screenshot(clip={"x": 16, "y": 16, "width": wide, "height": high})
        pair = [base64.b64encode(shot).decode() for shot in (one, two)]
        share = scale.evaluate(DIFFERENCE, pair)
        if share > 0.01:
            different[figure] = share
    assert different == {}


class _Frame(HTMLParser):
    attributes: dict[str, str | None]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "iframe":
            self.attributes = dict(attrs)


@EACH_CHAPTER
def test_the_embed_lines_name_a_page_of_the_site_with_title_and_sandbox(
    chapter_page: Page, server: serve.Server, site: Path
) -> None:
    chapter_page.add_init_script("")
    for figure in figures(chapter_page):
        tools = chapter_page.locator(f"#{figure} .tools")
        chapter_page.evaluate("navigator.clipboard.writeText = async (text) => { window.copiedText = text }")
        tools.locator("[data-tool=embed]").click()
        expect(tools.locator(".said")).to_contain_text("Copied")
        lines = str(chapter_page.evaluate("window.copiedText"))
        parser = _Frame()
        parser.feed(lines)
        frame = parser.attributes
        address = str(frame["src"])
        assert address.startswith(server.address + "embed/")
        path = urlsplit(address).path.removeprefix(urlsplit(server.address).path)
        assert (site / path).is_file()
        assert frame["title"] == chapter_page.locator(f"#{figure} .title").inner_text()
        assert frame["loading"] == "lazy"
        assert str(frame["sandbox"]).startswith("allow-scripts allow-same-origin ")
        assert f'src="{server.address}embed.js"' in lines
