"""A figure may not restyle the page it stands in: no selector that it brings matches outside ``.glassbox``."""

import re
from pathlib import Path

import pytest
import tinycss2

from glassbox.figures import palette, style

INSIDE = re.compile(r"\.glassbox(?![\w-])|:(?:where|is)\(\.glassbox\)")


def rules(css: str) -> list[tinycss2.ast.QualifiedRule]:
    """Every rule with a selector, those in media and container queries too."""
    found = []
    for node in tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True):
        assert node.type != "error", node.message
        if node.type == "at-rule" and node.lower_at_keyword in ("media", "container", "supports"):
            found += rules(tinycss2.serialize(node.content))
        elif node.type == "qualified-rule":
            found.append(node)
    return found


def selectors(css: str) -> list[str]:
    found: list[str] = []
    for rule in rules(css):
        lists: list[list[tinycss2.ast.Node]] = [[]]
        for token in rule.prelude:
            if token.type == "literal" and token.value == ",":
                lists.append([])
            else:
                lists[-1].append(token)
        found += [tinycss2.serialize(tokens).strip() for tokens in lists]
    return found


def stays_inside(selector: str) -> bool:
    """Whether the selector's subject is ``.glassbox`` or stands below it.

    >>> stays_inside(".glassbox li + li"), stays_inside(".block"), stays_inside(".glassbox + p")
    (True, False, False)
    """
    return any(not re.match(r"[^\s>+~]*\s*[+~]", selector[m.end() :]) for m in INSIDE.finditer(selector))


@pytest.mark.parametrize(
    ("selector", "inside"),
    [
        (".block", False),
        (":root", False),
        (".c-severe", False),
        (".dark .glassboxes", False),
        (".glassbox + p", False),
        (".glassbox:hover ~ .x", False),
        (".glassbox", True),
        ("figure.glassbox", True),
        (".dark .glassbox", True),
        (":where(.glassbox) .block", True),
        (".glassbox > ol li + li", True),
    ],
)
def test_the_reading_of_selectors_tells_inside_from_outside(selector: str, inside: bool):
    assert stays_inside(selector) is inside


def test_no_selector_that_a_figure_brings_matches_outside_it():
    every = selectors(style.inlined())
    assert len(every) > 300
    assert [s for s in every if not stays_inside(s)] == []


def test_a_figure_defines_its_names_on_itself_and_the_site_on_the_root():
    for css, root in ((style.inlined(), ".glassbox"), (style.for_pages(), ":root")):
        assert css.startswith(f"{root} {{\n")
        defining = [s for s in selectors(css) if s == root]
        assert defining[0] == root
    assert ":root" not in selectors(style.inlined())


@pytest.mark.parametrize("name", palette.COLOURS)
def test_prose_may_use_a_meaning_on_pages_and_only_inside_figures_elsewhere(name: str):
    assert f".c-{name}" in selectors(style.for_pages())
    assert f":where(.glassbox) .c-{name}" in selectors(style.inlined())


def test_every_property_that_a_rule_uses_is_defined_or_set_by_a_figure():
    css = style.inlined()
    defined = set(re.findall(r"(--[\w-]+)\s*:", css))
    used = set(re.findall(r"var\((--[\w-]+)\)", css))
    code = "".join(p.read_text(encoding="utf-8") for p in Path(style.__file__).parent.rglob("*.py"))
    in_markup = set(re.findall(r"(--[\w-]+):", code))  # geometry and tone stand in style attributes
    assert used - defined - in_markup == set()
    assert used - defined, "figures set geometry in style attributes"
