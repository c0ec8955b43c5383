"""The style sheets hold what somebody uses, in words that every engine reads alike."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import tinycss2

from glassbox.figures import style

ROOT = Path(__file__).parents[1]
BOOK = (ROOT / "site/css/book.css").read_text(encoding="utf-8")
SHEETS = {"figures": style.for_pages() + style.for_charts(), "inlined": style.inlined(), "book": BOOK}
QUERIES = ("media", "container", "supports")

# Set by hosts, not by us: how notebooks and editors say that they are light or dark.
HOSTS = {"light", "dark", "light-theme", "dark-theme", "vscode-light", "vscode-dark"}
# Every colour of meaning has its class, whether or not today's prose speaks of it.
MEANINGS = {f"c-{name}" for name in style.palette.COLOURS}
# Fonts that devices bring, and our own, declared in book.css.
SYSTEM = {
    *("Charter", "Bitstream Charter", "Georgia", "Cambria", "Segoe UI", "Roboto", "Helvetica Neue", "Arial"),
    *("ui-monospace", "SF Mono", "Menlo", "Consolas", "Liberation Mono", "serif", "sans-serif", "monospace"),
}


def rules(css: str) -> Iterator[tinycss2.ast.QualifiedRule]:
    """Every rule with a selector, those in media and container queries too."""
    for node in tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True):
        assert node.type != "error", node.message
        if node.type == "at-rule" and node.lower_at_keyword in QUERIES:
            yield from rules(tinycss2.serialize(node.content))
        elif node.type == "qualified-rule":
            yield node


def declarations(css: str) -> Iterator[tuple[str, tinycss2.ast.Declaration]]:
    for rule in rules(css):
        for node in tinycss2.parse_declaration_list(rule.content, skip_comments=True, skip_whitespace=True):
            assert node.type == "declaration", (tinycss2.serialize(rule.prelude), node)
            yield tinycss2.serialize(rule.prelude), node


def classes(css: str) -> set[str]:
    found: set[str] = set()
    for rule in rules(css):
        selector = re.sub(r"\[[^\]]*\]", "", tinycss2.serialize(rule.prelude))
        found |= set(re.findall(r"\.(-?[A-Za-z_][\w-]*)", selector))
    return found


def words_of_markup(text: str) -> set[str]:
    return {
        word
        for value in re.findall(r"class=\\?[\"']([^\"'>]*)", text)
        for word in re.findall(r"[\w-]+", value)
    }


def used() -> set[str]:
    """Every word that can be a class: short strings of the code, ``class="…"`` of the markup."""
    found: set[str] = set()
    for file in (*ROOT.glob("src/glassbox/**/*.py"), *ROOT.glob("notebooks/*.py")):
        text = file.read_text(encoding="utf-8")
        found |= words_of_markup(text)
        for node in ast.walk(ast.parse(text)):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and re.fullmatch(r"[a-z\d -]{1,40}", value):
                found |= set(value.split())
    for file in ROOT.glob("site/templates/*.html"):
        found |= words_of_markup(re.sub(r"{[{%].*?[%}]}", " ", file.read_text(encoding="utf-8")))
    for file in ROOT.glob("site/js/*.js"):
        for quoted in re.findall(r"\"([^\"\n]*)\"|'([^'\n]*)'|`([^`]*)`", file.read_text(encoding="utf-8")):
            found |= set(re.findall(r"[\w-]+", " ".join(quoted)))
    return found


def test_every_class_of_the_style_sheets_is_used_by_somebody():
    styled = classes(SHEETS["figures"]) | classes(SHEETS["book"])
    assert len(styled) > 200
    assert sorted(styled - used() - HOSTS - MEANINGS) == []


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_gradient_that_repeats_mixed_colours_names_the_space_it_is_drawn_in(sheet: str):
    """Without it Firefox draws no stud on a brick and no hatch."""
    wrong = []
    for selector, declaration in declarations(SHEETS[sheet]):
        for node in declaration.value:
            if node.type != "function" or not node.lower_name.startswith("repeating-"):
                continue
            text = tinycss2.serialize(node.arguments)
            if "color-mix" in text and not re.match(r"\s*[\w.]+ in \w+", text):
                wrong.append(selector)
    assert wrong == []


@pytest.mark.parametrize("sheet", SHEETS)
def test_hairlines_are_borders_or_outlines(sheet: str):
    """A shadow of 1 px around a box is cut in Firefox, is not drawn in forced colours, and need not be on paper."""
    hair = re.compile(r"(^|,)\s*inset 0 0 0 [12]px|(^|,)\s*inset 0 -1px")
    found = [
        s
        for s, d in declarations(SHEETS[sheet])
        if d.name == "box-shadow" and hair.search(tinycss2.serialize(d.value).strip())
    ]
    assert found == []


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_font_that_is_named_exists(sheet: str):
    declared = set(re.findall(r'@font-face { font-family: "([^"]+)"', BOOK))
    named: set[str] = set()
    for _, declaration in declarations(SHEETS[sheet]):
        if declaration.name in ("--serif", "--sans", "--mono"):
            named |= {n.strip(" \"'") for n in tinycss2.serialize(declaration.value).split(",")}
    assert named
    assert named - declared - SYSTEM == set()
