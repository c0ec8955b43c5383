"""The heights kept in site/heights.json: measured anew, they are what the pages have today."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from glassbox.publish import measure
from glassbox.publish.pages import heights

ROOT = Path(__file__).parents[2]
CLOSE = 12  # px: another machine's system fonts


def test_no_height_is_stale_or_missing(site: Path, chromium: Browser) -> None:
    kept = heights.read(ROOT).known
    now = measure.heights(site, chromium)
    assert len(now) > 100
    stale = {
        key: f"kept {kept.get(key)}, now {pair}"
        for key, pair in now.items()
        if any(abs(a - b) > CLOSE for a, b in zip(kept.get(key, (0, 0)), pair, strict=True))
    }
    assert stale == {}, "run: python build.py --measure"
    assert set(kept) == set(now), "run: python build.py --measure"
