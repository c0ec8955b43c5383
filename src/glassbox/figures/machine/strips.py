"""A vector as a row of bars, drawn with as few letters as it takes: most of this chapter's pictures have some."""

from __future__ import annotations

from glassbox.arrays import Floats
from glassbox.figures.markup import Child, Markup, el

HALF = 1  # height above the line, and below it


def strip(
    values: Floats, tone: str, name: Child, high: float | None = None, mark: int | None = None
) -> Markup:
    """Draws a vector: up for positive numbers, down for negative ones.

    Args:
        values: (d,).
        tone: Colour.
        name: What it is and how many numbers it has; stands above.
        high: The size of a full bar; the largest number where it is left out.
        mark: An entry to frame.
    """
    size = len(values)
    return el(
        "div",
        el("span", name, class_="s-name"),
        el(
            "svg",
            el("path", d=outline(values, high), class_="s-up"),
            el("path", d=f"M0 {HALF}H{size}", class_="s-axis"),
            el("path", d=f"M{mark} 0h1v{2 * HALF}h-1z", class_="v-mark") if mark is not None else None,
            viewBox=f"0 0 {size} {2 * HALF}",
            preserveAspectRatio="none",
            aria_hidden="true",
            class_="s-bars",
            style=f"--tone:var(--{tone})",
        ),
        class_="strip",
    )


def outline(values: Floats, high: float | None = None) -> str:
    """One closed path along the tops of all bars, each bar one unit wide; a tenth is the least step of a height."""
    full = high or max(float(abs(values).max()), 1e-9)
    tops = (HALF * (1 - max(-1.0, min(1.0, float(v) / full))) for v in values)
    return f"M0 {HALF}" + "".join(f"V{top:.1f}h1" for top in tops) + f"V{HALF}z"
