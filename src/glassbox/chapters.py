"""The book's one record a chapter: its name, its place, and the figure on its cover.

All else follows from the name: ``notebooks/<name>.py`` holds the chapter, ``glassbox.figures.<name>`` its
figures, ``figures/<name>.css`` their styles, where they need any of their own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Record:
    """One chapter.

    Attributes:
        name: The notebook's file name without ``.py``; also the page's address and the figures' package.
        cover: The name of the figure that the landing page shows.
    """

    name: str
    cover: str


# In reading order.
BOOK: tuple[Record, ...] = (
    Record("tokens", cover="split"),
    Record("attention", cover="paint"),
    Record("kv_cache", cover="steps"),
    Record("machine", cover="machine"),
    Record("own_model", cover="looks"),
)

NAMES: tuple[str, ...] = tuple(chapter.name for chapter in BOOK)


def record(name: str) -> Record:
    """The chapter of that name.

    Raises:
        ValueError: There is none.
    """
    for chapter in BOOK:
        if chapter.name == name:
            return chapter
    raise ValueError(f"no chapter {name!r}; there are {', '.join(NAMES)}")
