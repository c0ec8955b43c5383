"""The lines that others paste: a frame with a figure or a question in it, with a script beside it or without.

``site/js/tools.js`` writes the same lines in the reader's browser; a test compares the two.
"""

from __future__ import annotations

from html import escape

from glassbox.publish.pages.heights import Pair

# Scripts answer the controls; the origin is what Python needs; the link to the chapter opens a tab,
# and numbers and pictures may be saved.
SANDBOX = "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-downloads"
PHONE = 600  # px of screen below which the height for a narrow column is used


def frame(address: str, title: str, heights: Pair) -> str:
    """The frame alone, for course systems that keep nothing else.

    Args:
        address: Of the page to show.
        title: What it shows, for whoever hears the page.
        heights: In px, for a narrow and a wide column.
    """
    narrow, wide = heights
    return (
        f'<iframe src="{escape(address)}" title="{escape(title, quote=True)}" loading="lazy" '
        f'sandbox="{SANDBOX}" width="100%" height="{wide}" style="{style(narrow, wide)}"></iframe>'
    )


def style(narrow: int, wide: int) -> str:
    """The frame's style: one height on phones and another elsewhere, in a way that needs no media query.

    The step is made by ``clamp``: below ``PHONE`` px of screen its middle is far above, else far below.
    Where a course system drops the style, the ``height`` attribute stands.
    """
    if narrow <= wide:
        return f"border:0;height:{wide}px"
    return f"border:0;height:clamp({wide}px,calc(({PHONE}px - 100vw)*999),{narrow}px)"


def lines(root: str, path: str, title: str, heights: Pair) -> str:
    """The frame, and the script that keeps its height and colours right.

    Args:
        root: The site's address, ending in a slash; empty where it is not known.
        path: The page to show, relative to the root.
        title: What it shows.
        heights: In px, for a narrow and a wide column.
    """
    return f'{frame(root + path, title, heights)}\n<script src="{escape(root)}embed.js" defer></script>'
