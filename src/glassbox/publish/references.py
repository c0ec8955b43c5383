"""What the sources page lists: every fixed number, papers, credits and licences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from glassbox import examples


def collect(root: Path) -> dict[str, Any]:
    """Gathers the sources page's content from ``glassbox.examples`` and the licence files beside the data."""
    return {
        "examples": list(examples.all_examples()),
        "papers": list(examples.PAPERS),
        "credits": list(examples.CREDITS),
        "notice": (root / "NOTICE").read_text(encoding="utf-8"),
    }
