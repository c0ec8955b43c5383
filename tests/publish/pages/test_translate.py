"""What is data stays as it is when a browser translates a page: tokens, ids, words of the model, code.

A translator passes over what stands in an element with ``translate="no"``. Prose and labels stay outside.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from glassbox import model
from glassbox.figures.tokens import bricks
from glassbox.publish.pages import packing

VOID = {"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
# A space that is shown as a dot, pieces parted by dots, bytes in hex, pieces in a row, a character named by its number.
TOKEN = re.compile(r"(^|\s)·\w|\w·\w|\b(?!8B )[0-9A-F]{2}( [0-9A-F]{2})+\b|\S \| \S|‖|⟨U\+")
# What is a word of a text somewhere and a label elsewhere.
LABELS = {*bricks.LABELS.values(), *bricks.VOCABULARIES, "everyday", "clinical", "start", "id"}


class Texts(HTMLParser):
    """Sorts a page's texts: ``kept`` from translators, ``free`` for them; and lists code that is free."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.kept: set[str] = set()
        self.free: set[str] = set()
        self.code: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        inherited = self._open[-1][1] if self._open else False
        keeps = dict(attrs).get("translate") == "no" or (inherited and dict(attrs).get("translate") != "yes")
        if tag in ("code", "pre") and not keeps:
            self.code.append(self.get_starttag_text() or tag)
        if tag not in VOID:
            self._open.append((tag, keeps))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content holds no text."""

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if text := " ".join(data.split()):
            inside = bool(self._open) and (self._open[-1][1] or self._open[-1][0] in ("script", "style"))
            (self.kept if inside else self.free).add(text)


def states(path: Path) -> Iterator[tuple[str, str]]:
    """The picture and the table of every state computed ahead."""
    packed = json.loads(re.sub(r"^[^,]*,|\)[;\s]*$", "", path.read_text(encoding="utf-8")))
    for key in packed["states"]:
        picture, _, _, table, *_ = packing.unpack(packed, key).split("\x1f")
        yield key, picture + table


@functools.cache
def words() -> frozenset[str]:
    """Whole words of the model's vocabulary that are no everyday label: what a picture of it is made of."""
    told = "severe drawers wooden Patient chest patient pain tightness carved X-ray"
    m = model.load()
    spelled = {m.tokenizer.decode_bytes([i]).decode("utf-8", "replace").strip() for i in m.encode(told)}
    return frozenset(w for w in {*told.split(), *spelled} if len(w) > 1)


def free_data(page: str) -> list[str]:
    """Texts that a translator would change although they are data."""
    texts = Texts(page)
    data = {t for t in texts.kept if re.search(r"[^\W\d_]{2}", t)} - LABELS
    return sorted(t for t in texts.free if t in data or t in words() or TOKEN.search(t)) + texts.code


def test_no_translator_changes_the_data_of_any_state(site: Path) -> None:
    files = sorted((site / "frames").rglob("*.js"))
    assert len(files) > 20
    found = {}
    for path in files:
        for key, page in states(path):
            if free := free_data(page):
                found[f"{path.parent.name}/{path.name} {key}"[:120]] = free[:6]
                break
    assert found == {}


def test_no_translator_changes_code_or_tokens_on_any_page(pages: list[Path]) -> None:
    found = {}
    for path in pages:
        page = path.read_text(encoding="utf-8")
        texts = Texts(re.sub(r'<span class="sentence".*?</span>', "", page))  # plain text, announced as it is
        free = [t for t in texts.free if TOKEN.search(t)] + texts.code
        if free:
            found[path.name] = free[:6]
    assert found == {}


def test_prose_sentences_and_labels_stay_free_for_translators(site: Path) -> None:
    free = " ".join(Texts((site / "tokens.html").read_text(encoding="utf-8")).free)
    for words_of_ours in ("A language model cannot read", "Vocabulary", "splits 6 words into", "pieces"):
        assert words_of_ours in free


@pytest.fixture(scope="module")
def pages(site: Path) -> list[Path]:
    """All pages but the notebooks' editor, which is marimo's own."""
    return [p for p in sorted(site.rglob("*.html")) if p.parent.name != "edit"]
