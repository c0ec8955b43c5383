"""What the build keeps of one figure: its title, and its states computed ahead, ready to be sent."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glassbox.publish.files import write_whole

Json = dict[str, Any]


@dataclass(frozen=True)
class Ahead:
    """One figure's states.

    Attributes:
        title: The figure's title, the same in every state.
        first: The first state's parts, as ``page.bridge.parts`` lists them.
        packed: The file that the page script reads, as JSON text.
        sent: How many bytes of it a server sends, compressed.
        whose: Whose model it shows, as ``page.bridge.whose`` says it; empty for the shipped one, or none.
    """

    title: str
    first: tuple[str, ...]
    packed: str
    sent: int
    whose: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, title: str, first: list[str], packed: Json, whose: Json | None = None) -> Ahead:
        """Makes it from what was just computed."""
        text = json.dumps(packed, ensure_ascii=False, separators=(",", ":"))
        return cls(title, tuple(first), text, len(gzip.compress(text.encode(), 6, mtime=0)), whose or {})

    @classmethod
    def read(cls, path: Path) -> Ahead:
        """Reads what ``write`` wrote."""
        head, _, packed = path.read_text(encoding="utf-8").partition("\n")
        kept = json.loads(head)
        return cls(kept["title"], tuple(kept["first"]), packed, kept["sent"], kept["whose"])

    def write(self, path: Path) -> None:
        """Keeps it in the cache: one line about it, then what is sent."""
        head = json.dumps({"title": self.title, "first": self.first, "sent": self.sent, "whose": self.whose})
        write_whole(path, f"{head}\n{self.packed}".encode())
