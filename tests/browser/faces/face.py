"""What a journey may ask of a browser, whichever it is."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class NotSeenError(AssertionError):
    """Something that a journey waited for did not come."""


@dataclass(frozen=True)
class Box:
    """Where an element is drawn, in CSS pixels of its window or frame."""

    x: float
    y: float
    width: float
    height: float


class Face(ABC):
    """One window of a browser. Selectors are CSS and mean the first element that fits.

    Attributes:
        engine: ``chromium``, ``firefox`` or ``webkit``.
        patience: How many times longer than in Chromium a journey may take here.
    """

    engine: str
    patience: float = 1
    downloads: Path

    @abstractmethod
    def open(self, address: str) -> None:
        """Goes to an address and waits until it has loaded."""

    @abstractmethod
    def evaluate(self, function: str, *values: Any) -> Any:
        """Calls a JavaScript function with plain values, in the frame that is open; awaits a promise."""

    @abstractmethod
    def click(self, selector: str) -> None:
        """Presses the mouse on an element, scrolled into view."""

    @abstractmethod
    def press(self, key: str) -> None:
        """Presses a key where the focus is: a letter, or a name such as ``ArrowRight``, ``End``, ``Tab``."""

    @abstractmethod
    def write(self, text: str) -> None:
        """Types a text where the focus is."""

    @abstractmethod
    def paste(self) -> None:
        """Pastes the clipboard where the focus is, by key."""

    @abstractmethod
    def inside(self, selector: str) -> AbstractContextManager[None]:
        """Within a ``with`` block everything happens in this frame."""

    @abstractmethod
    def resize(self, width: int, height: int) -> None:
        """Gives the page this much room, in CSS pixels."""

    @abstractmethod
    def back(self) -> None:
        """Goes one page back."""

    @abstractmethod
    def forward(self) -> None:
        """Goes one page forward."""

    @abstractmethod
    def complaints(self) -> list[str]:
        """Console errors and uncaught exceptions since the last call."""

    @abstractmethod
    def outside(self) -> list[str]:
        """Addresses beyond this machine that were asked for since the last call."""

    @abstractmethod
    def picture(self, path: Path) -> None:
        """Writes a picture of the window as PNG."""

    @abstractmethod
    def close(self) -> None:
        """Closes the window."""

    # --- What follows is the same in every engine -----------------------------------------------------

    def count(self, selector: str) -> int:
        """How many elements fit."""
        return int(self.evaluate("s => document.querySelectorAll(s).length", selector))

    def text(self, selector: str) -> str:
        """The text of an element as it is drawn."""
        return str(self.evaluate("s => document.querySelector(s).innerText", selector))

    def attribute(self, selector: str, name: str) -> str | None:
        """An attribute, or ``None`` where it is missing."""
        found = self.evaluate("(s, n) => document.querySelector(s).getAttribute(n)", selector, name)
        return None if found is None else str(found)

    def value(self, selector: str) -> str:
        """What a control says."""
        return str(self.evaluate("s => document.querySelector(s).value", selector))

    def style(self, selector: str, name: str) -> str:
        """A computed style, as ``color`` or ``--ink``."""
        code = "(s, n) => getComputedStyle(document.querySelector(s)).getPropertyValue(n)"
        return str(self.evaluate(code, selector, name))

    def box(self, selector: str) -> Box:
        """Where an element is drawn."""
        code = """s => { const b = document.querySelector(s).getBoundingClientRect();
          return [b.x, b.y, b.width, b.height] }"""
        return Box(*self.evaluate(code, selector))

    def focus(self, selector: str) -> None:
        """Moves the focus, as Tab would."""
        self.evaluate("s => document.querySelector(s).focus()", selector)

    def type(self, selector: str, text: str) -> None:
        """Replaces what a field holds by typing."""
        self.evaluate("s => { const f = document.querySelector(s); f.focus(); f.select() }", selector)
        self.write(text)

    def until(self, function: str, *values: Any, seconds: float = 15) -> Any:
        """Waits until a JavaScript function gives something true, and returns it.

        Raises:
            NotSeenError: It did not within the time, which is longer in slow engines.
        """
        ends = time.monotonic() + seconds * self.patience
        while not (found := self.evaluate(function, *values)):
            if time.monotonic() > ends:
                raise NotSeenError(
                    f"after {seconds * self.patience:g} seconds still not: {function} {values}"
                )
            time.sleep(0.05)
        return found

    def until_text(self, selector: str, words: str, seconds: float = 15) -> None:
        """Waits until an element's text holds these words.

        Raises:
            NotSeenError: It did not; says what stood there instead.
        """
        try:
            self.until(
                "(s, w) => document.querySelector(s)?.textContent.includes(w)",
                selector,
                words,
                seconds=seconds,
            )
        except NotSeenError as error:
            there = self.evaluate("s => document.querySelector(s)?.textContent ?? null", selector)
            raise NotSeenError(f"{error}; it says {there!r}") from None

    def clipboard(self) -> str:
        """What was copied, pasted into a field of its own."""
        self.evaluate(
            "() => { const f = document.createElement('textarea'); f.id = 'pasted-here';"
            " document.querySelector('main').prepend(f); f.focus() }"
        )
        self.paste()
        self.until("() => document.getElementById('pasted-here').value")
        return str(
            self.evaluate(
                "() => { const f = document.getElementById('pasted-here'); f.remove(); return f.value }"
            )
        )

    def saved(self, selector: str) -> tuple[str, bytes]:
        """Clicks on something that saves a file; returns its name and what it holds."""
        before = set(self.downloads.iterdir())
        self.click(selector)
        ends = time.monotonic() + 15 * self.patience
        while time.monotonic() < ends:
            new = [p for p in self.downloads.iterdir() if p not in before]
            whole = [
                p for p in new if p.stat().st_size and not p.name.endswith((".part", ".wkdownload", ".tmp"))
            ]
            if whole and len(new) == len(whole):
                data = whole[0].read_bytes()
                whole[0].unlink()
                return whole[0].name, data
            time.sleep(0.05)
        raise NotSeenError(f"{selector} saved no file")
