"""Every kind of pressable cell of every picture, pressed in a browser, sets the controls that it names."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page

from glassbox.publish import serve
from tests.browser.conftest import until

KINDS = """() => [...document.querySelectorAll("figure[data-figure]")].flatMap((figure) => {
  const kinds = new Map();
  for (const cell of figure.querySelectorAll(".picture [data-set]"))
    kinds.set(`${cell.localName} ${Object.keys(JSON.parse(cell.dataset.set))}`, cell); // the last of each kind
  return [...kinds.values()].map((cell) => [figure.dataset.figure, cell.dataset.set]);
})"""
PRESS = """([name, set]) => {
  const cells = [...glassbox.figures.get(name).picture.querySelectorAll("[data-set]")];
  const cell = cells.find((c) => c.dataset.set === set);
  if (!cell) return null; // another press has drawn the figure anew, without it
  cell.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  return Object.fromEntries(glassbox.figures.get(name).controls.map((c) => [c.name, c.value]));
}"""


def test_a_pressed_cell_sets_its_figures_controls(
    page: Page, server: serve.Server, chapters: list[str], site: Path
) -> None:
    pressed = []
    for chapter in chapters:

        def opened(name: str = chapter) -> None:
            page.goto(f"{server.address}{name}.html?live=0")
            until(page, "document.documentElement.classList.contains('js')")

        opened()
        for figure, sets in page.evaluate(KINDS):
            now = page.evaluate(PRESS, [figure, sets])
            if now is None:
                opened()
                now = page.evaluate(PRESS, [figure, sets])
            wanted = {f"{figure}_{short}": value for short, value in json.loads(sets).items()}
            assert {name: now[name] for name in wanted} == wanted, figure
            until(page, f"(f => f.shown === f.key)(glassbox.figures.get('{figure}'))")
            pressed.append(figure)
    assert {"paint", "heads", "qkv", "corrupt"} <= set(pressed)
