"""One colour for one meaning, everywhere: prose, pictures, charts, light and dark.

A figure never names a colour; it uses a CSS custom property, so that the page's theme decides:
``el("span", word, class_="c-severe")`` or ``fill="var(--severe)"``. Colour is never the only channel.

``style`` writes these values into the style sheets as ``light-dark(…)`` pairs; no other file names a colour. The
tests check every contrast stated here.
"""

from __future__ import annotations

Pair = tuple[str, str]  # (on light paper, on dark paper)

# What something means. Legible as text (4.5:1) on paper and on wash.
COLOURS: dict[str, Pair] = {
    "severe": ("#b3261e", "#ff8f85"),
    "drawers": ("#74431f", "#d9a27a"),
    "query": ("#1763ad", "#7db8f5"),
    "key": ("#806000", "#edc64f"),
    "value": ("#16744a", "#6fd3a1"),
    "masked": ("#676560", "#a09d96"),
}

# Surfaces and ink. ``rule`` and ``wash`` carry no text; ``soft`` is ink for what may be read second.
SURFACES: dict[str, Pair] = {
    "paper": ("#fdfcf8", "#17161a"),
    "wash": ("#f4f1e9", "#222127"),
    "rule": ("#dcd6c8", "#3b3942"),
    "ink": ("#211f1b", "#e9e5dc"),
    "soft": ("#625d53", "#aba69b"),
    "accent": ("#7a2e8e", "#d9a7ea"),
    "focus": ("#9a2bb8", "#eab6fb"),
}

# Series without a meaning of their own, told apart from the meanings above.
CATEGORIES: tuple[Pair, ...] = (
    ("#7a2e8e", "#d9a7ea"),
    ("#006e7a", "#62c6d2"),
    ("#545b6b", "#b0b8c8"),
    ("#a8366f", "#f49cc3"),
    ("#4a49b5", "#aeadf8"),
    ("#5a681a", "#b7c46e"),
    ("#9a4a12", "#f0b08a"),
)

# From none to all, for heat and order; text on step n is ``--on-scale-n`` (4.5:1).
SCALE: tuple[Pair, ...] = (
    ("#f4f1e9", "#222127"),
    ("#e6dce6", "#352b3a"),
    ("#d3bddb", "#4c3755"),
    ("#bd98c9", "#6a4777"),
    ("#924fa3", "#a873ba"),
    ("#752f88", "#c896d8"),
    ("#521a62", "#ecd2f5"),
)

# Text on a step is ink up to here and paper beyond, in both themes.
LAST_STEP_WITH_INK = 3


def text_on(step: int) -> str:
    """The colour of text on a step of the scale: ``ink`` or ``paper``."""
    return "ink" if step <= LAST_STEP_WITH_INK else "paper"


def properties() -> dict[str, Pair]:
    """Every colour by the name of its custom property, without the leading ``--``."""
    categories = {f"cat-{n}": pair for n, pair in enumerate(CATEGORIES, 1)}
    scale = {f"scale-{n}": pair for n, pair in enumerate(SCALE)}
    return {**SURFACES, **COLOURS, **categories, **scale}


def contrast(a: str, b: str) -> float:
    """The WCAG contrast ratio of two ``#rrggbb`` colours, 1 to 21.

    Source: WCAG 2.2, definition of contrast ratio and relative luminance.
    """
    bright, dim = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
