"""The development server with faults on request, and a log of all it answered."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from glassbox.publish import serve as plain

Fault = Literal["404", "empty", "altered", "stall", "drop"]
_PIECE = 16_384  # bytes that a slow line carries of one answer before it turns to the next

FaultFor = Callable[[str], "Fault | None"]


@dataclass(frozen=True)
class Request:
    """One answered request: what a benchmark counts."""

    path: str
    status: int
    sent: int


@dataclass
class Line:
    """A line of a reader's: all answers share its speed, and each waits for its delay.

    Attributes:
        megabits: Megabits a second.
        delay: Milliseconds there and back.
    """

    megabits: float
    delay: float
    _free: float = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def carry(self, size: int) -> None:
        """Returns when so many more bytes have come through."""
        with self._lock:
            now = time.monotonic()
            self._free = max(now, self._free) + size * 8 / (self.megabits * 1e6)
            wait = self._free - now
        time.sleep(wait)


@dataclass
class Server(plain.Server):
    """A server that keeps a log and, asked for a path below its prefix, may misbehave."""

    fault: FaultFor = lambda path: None
    requests: list[Request] = field(default_factory=list)
    line: Line | None = None


def serve(
    folder: Path, port: int = 0, prefix: str = "/", fault: FaultFor | None = None, line: Line | None = None
) -> Server:
    """Serves a folder as ``glassbox.publish.serve`` does; ``fault`` names what shall go wrong with a path."""
    server = Server(folder.resolve(), plain.rooted(prefix), fault=fault or (lambda path: None), line=line)
    return plain.start(server, _Handler, port)


class _Handler(plain.Handler):
    site: Server

    def deliver(self, path: str, entry: plain.Entry, headers: dict[str, str]) -> None:
        fault = self.site.fault(path)
        if fault is None:
            super().deliver(path, entry, headers)
        elif fault == "404":
            self.missing()
        else:
            self._misbehave(fault, entry, headers)

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.site.requests.append(Request(self.path, status, len(body)))
        line = self.site.line
        if line is None:
            return super()._send(status, body, headers)
        time.sleep(line.delay / 1000)
        self._head(status, len(body), headers)
        for start in range(0, len(body) if self.command != "HEAD" else 0, _PIECE):
            piece = body[start : start + _PIECE]
            line.carry(len(piece))
            self.wfile.write(piece)
        return None

    def _misbehave(self, fault: Fault, entry: plain.Entry, headers: dict[str, str]) -> None:
        """Answers as a broken host would; such an answer must not be kept by the browser."""
        headers = headers | {"Cache-Control": "no-store"}
        del headers["ETag"]
        if fault == "empty":
            return self._send(200, b"", headers)
        if fault == "altered":
            middle = len(entry.plain) // 2
            return self._send(200, entry.plain[:middle] + b"?" + entry.plain[middle + 1 :], headers)
        self._head(200, len(entry.plain), headers)  # stall, drop: half of it, then silence or the end
        self.wfile.write(entry.plain[: len(entry.plain) // 2])
        self.wfile.flush()
        self.close_connection = True
        if fault == "stall":
            self.site.wait()
        return None
