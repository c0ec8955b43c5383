"""One colour for one meaning, everywhere: prose, pictures, charts, light and dark.

A figure never names a colour; it uses a CSS custom property, so that the page's theme decides:
``el("span", word, class_="c-severe")`` or ``fill="var(--severe)"``. Colour is never the only channel.
"""

from __future__ import annotations

# Meaning: (on light paper, on dark paper). Both are checked for contrast in the tests.
COLOURS: dict[str, tuple[str, str]] = {
    "severe": ("#b3261e", "#ff8a80"),
    "drawers": ("#7a4a1f", "#d9a066"),
    "query": ("#1f5fa8", "#7db8f5"),
    "key": ("#8a5a00", "#e8b84b"),
    "value": ("#1d7a4f", "#6fd3a1"),
    "masked": ("#6b6b6b", "#9a9a9a"),
}
