"""A vector as a row of bars, drawn with as few letters as it takes: most of this chapter's pictures have some."""

from __future__ import annotations

from glassbox.arrays import Floats
from glassbox.figures.markup import Child, Markup, el

STEPS = 12  # levels of a bar above the line, and below it


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
            el("path", d=f"M0 {STEPS}H{size}", class_="s-axis"),
            el("path", d=f"M{mark} 0h1v{2 * STEPS}h-1z", class_="v-mark") if mark is not None else None,
            viewBox=f"0 0 {size} {2 * STEPS}",
            preserveAspectRatio="none",
            aria_hidden="true",
            class_="s-bars",
            style=f"--tone:var(--{tone})",
        ),
        class_="strip",
    )


def outline(values: Floats, high: float | None = None) -> str:
    """One closed path along the tops of all bars, in whole steps, each bar one unit wide."""
    full = high or max(float(abs(values).max()), 1e-9)
    levels = [round(max(-1.0, min(1.0, float(v) / full)) * STEPS) for v in values]
    path, at = [f"M0 {STEPS}"], 0
    for level in levels:
        path.append(f"v{at - level}h1" if level != at else "h1")
        at = level
    return "".join([*path, f"V{STEPS}z"])
