"""Reads a picture back: its elements, what they say, and where they stand; for comparing with the values."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import numpy as np

from glassbox import model
from glassbox.figures import vega

VOID = {"br", "col", "hr", "img", "input", "wbr"}


@dataclass
class Node:
    """One element of a picture."""

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    children: list[Any] = field(default_factory=list)

    @property
    def raw(self) -> str:
        """All it says, letter for letter."""
        return "".join(c if isinstance(c, str) else c.raw for c in self.children)

    @property
    def text(self) -> str:
        """All it says, one space for a gap of any kind."""
        return re.sub(r"\s+", " ", self.raw).strip()

    @property
    def classes(self) -> set[str]:
        return set(self.attrs.get("class", "").split())

    def style(self, name: str) -> str:
        """One property of its own style, or nothing."""
        pairs = (p.split(":", 1) for p in self.attrs.get("style", "").split(";") if p)
        return dict(pairs).get(name, "")

    def share(self, name: str) -> float:
        """A property in percent as a number; 0 where it is left out."""
        return float(self.style(name).rstrip("%") or 0)

    def all(self, tag: str = "", class_: str = "") -> list[Node]:
        """Every element within, in reading order, of this tag and with this class."""
        found = []
        for child in self.children:
            if isinstance(child, Node):
                if (not tag or child.tag == tag) and (not class_ or class_ in child.classes):
                    found.append(child)
                found += child.all(tag, class_)
        return found

    def one(self, tag: str = "", class_: str = "") -> Node:
        """The only such element."""
        found = self.all(tag, class_)
        assert len(found) == 1, f"{len(found)} × {tag}.{class_}"
        return found[0]

    def kids(self) -> list[Node]:
        return [c for c in self.children if isinstance(c, Node)]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("root")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {k: v if v is not None else "" for k, v in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, {k: v or "" for k, v in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(picture: str) -> Node:
    """The tree of a picture; fails where an element is not closed."""
    reader = _Reader()
    reader.feed(picture)
    reader.close()
    assert len(reader.open) == 1, f"<{reader.open[-1].tag}> is never closed"
    return reader.root


def bars(node: Node) -> list[tuple[str, float, str]]:
    """Level or upright bars: (name, percent of a full bar, value as written)."""
    found = []
    for row in node.kids():
        name = row.all("span")[-1] if "chart-columns" in node.classes else row.all("span")[0]
        found.append((name.text, row.one("i").share("--share"), row.one("b").text))
    return found


def shaded(table: Node) -> list[list[tuple[str, float]]]:
    """The cells of a heat table: (what stands in it, its shade in percent), row by row."""
    rows = [[(c.text, c.share("--w")) for c in r.all("td") if "heat" in c.classes] for r in table.all("tr")]
    return [r for r in rows if r]


def rows(picture: str, chart: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of the one chart of this name in a picture, by data set."""
    found = [sets for name, sets, _ in vega.found(picture) if name == chart]
    assert len(found) == 1, f"{len(found)} × {chart}"
    return found[0]


def lines(
    sets: dict[str, list[dict[str, Any]]], x: str, y: str, data: str = "lines"
) -> dict[str, list[tuple[Any, Any]]]:
    """The points of each series of a data set, in order."""
    found: dict[str, list[tuple[Any, Any]]] = {}
    for row in sets[data]:
        found.setdefault(row.get("series", ""), []).append((row[x], row[y]))
    return found


def softmax(logits: Any) -> Any:
    """Probabilities, worked out here."""
    wide = np.asarray(logits, dtype=np.float64)
    powers = np.exp(wide - wide.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def ids_of(text: str, limit: int = 12) -> list[int]:
    """A text's ids as the attention figures read it: the start token and the last ones."""
    m = model.load()
    return [m.start, *m.tokenizer.encode(text)[-(limit - 1) :]]
