"""The development server with faults on request, and a log of all it answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from glassbox.publish import serve as plain

Fault = Literal["404", "empty", "altered", "stall", "drop"]
FaultFor = Callable[[str], "Fault | None"]


@dataclass(frozen=True)
class Request:
    """One answered request: what a benchmark counts."""

    path: str
    status: int
    sent: int


@dataclass
class Server(plain.Server):
    """A server that keeps a log and, asked for a path below its prefix, may misbehave."""

    fault: FaultFor = lambda path: None
    requests: list[Request] = field(default_factory=list)


def serve(folder: Path, port: int = 0, prefix: str = "/", fault: FaultFor | None = None) -> Server:
    """Serves a folder as ``glassbox.publish.serve`` does; ``fault`` names what shall go wrong with a path."""
    server = Server(folder.resolve(), plain.rooted(prefix), fault=fault or (lambda path: None))
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
        super()._send(status, body, headers)

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
