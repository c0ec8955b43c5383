"""What the sources page lists: fixed numbers, papers, credits, the model's card and licences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markupsafe import Markup as Safe

from glassbox import examples
from glassbox.publish.pages import prose


def collect(root: Path) -> dict[str, Any]:
    """Gathers the sources page's content from ``glassbox.examples`` and the licence files beside the data."""
    return {
        "examples": list(examples.all_examples()),
        "papers": list(examples.PAPERS),
        "credits": list(examples.CREDITS),
        "card": _card(root / "src" / "glassbox" / "data" / "model" / "card.md"),
        "notice": (root / "NOTICE").read_text(encoding="utf-8"),
    }


def _card(path: Path) -> Safe:
    """The card's text under the page's own heading, its headings one level down."""
    _, _, text = path.read_text(encoding="utf-8").partition("\n")
    return Safe(prose.render(text.replace("\n## ", "\n### ")))
