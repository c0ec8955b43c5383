"""What of the browser's Python a page starts with."""

from __future__ import annotations

import pytest

from glassbox.publish.pages import dependencies, needs
from tests.conftest import ROOT

TREE = dependencies.Tree(ROOT / "src")


def program(imports: str, code: str) -> needs.Json:
    return {"imports": imports, "cells": [{"name": "cell", "code": code}]}


@pytest.mark.parametrize(
    ("chapter", "code", "wanted"),
    [
        ("tokens", "figures.split('hello', 'gpt2')", {"glassbox-figures-tokens"}),
        ("attention", "figures.next_word('the')", {"glassbox-figures-attention", "glassbox-weights"}),
        ("kv_cache", "figures.race(8)", {"glassbox-figures-kv-cache", "glassbox-serving", "glassbox-weights"}),
        ("machine", "figures.embed('a')", {"glassbox-figures-machine", "glassbox-figures-attention", "glassbox-weights"}),
    ],
)  # fmt: skip
def test_a_figure_starts_with_what_it_imports_and_with_the_weights_where_it_runs_the_model(
    chapter: str, code: str, wanted: set[str]
) -> None:
    found = needs.packages(program(f"from glassbox.figures import {chapter} as figures", code), TREE)
    assert set(found) - {"glassbox-tokens-measure"} == wanted
