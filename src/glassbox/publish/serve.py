"""A static server for a built site: what a careful host would send, on this machine only.

It is for looking at a build and for the tests. Files with a hash in their name or folder may be kept by the
browser for ever; everything else is asked for again and answered with 304 when it has not changed.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Literal
from urllib.parse import unquote, urlsplit

Fault = Literal["404", "empty", "altered", "stall", "drop"]
FaultFor = Callable[[str], "Fault | None"]

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".py": "text/x-python; charset=utf-8",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".whl": "application/zip",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
    ".zip": "application/zip",
}
_PACKED = frozenset({".ico", ".png", ".whl", ".woff", ".woff2", ".zip"})  # compressed already
_HASHED = re.compile(r"[-.][0-9a-f]{8,}(?=[./])|(^|/)edit/assets/")


@dataclass(frozen=True)
class Request:
    """One answered request: what a benchmark counts."""

    path: str
    status: int
    sent: int


@dataclass(frozen=True)
class _Entry:
    """A file in memory: its bytes, gzipped where that helps, and its tag."""

    stamp: tuple[int, int]
    plain: bytes
    packed: bytes | None
    etag: str


@dataclass
class Server:
    """A running server; use it in a ``with`` block, or ``wait`` until interrupted.

    Attributes:
        address: The site's root, ending in a slash.
        requests: Every request answered so far.
    """

    folder: Path
    prefix: str
    fault: FaultFor
    requests: list[Request] = field(default_factory=list)
    address: str = ""
    _files: dict[Path, _Entry] = field(default_factory=dict)
    _closing: threading.Event = field(default_factory=threading.Event)
    _http: ThreadingHTTPServer | None = None

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def wait(self) -> None:
        """Blocks until the server is closed."""
        self._closing.wait()

    @property
    def closed(self) -> bool:
        """Whether the server has stopped answering."""
        return self._closing.is_set()

    def close(self) -> None:
        """Stops answering and frees the port."""
        self._closing.set()
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()

    def entry(self, path: Path) -> _Entry:
        """Reads a file, or takes it from memory when it has not changed."""
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._files.get(path)
        if known is None or known.stamp != stamp:
            plain = path.read_bytes()
            packed = None if path.suffix in _PACKED else gzip.compress(plain, 6, mtime=0)
            known = _Entry(stamp, plain, packed, f'"{hashlib.sha256(plain).hexdigest()[:20]}"')
            self._files[path] = known
        return known


def serve(folder: Path, port: int = 0, prefix: str = "/", fault: FaultFor | None = None) -> Server:
    """Serves a folder on 127.0.0.1, in threads of its own.

    Args:
        folder: The built site.
        port: The port, or 0 for any that is free.
        prefix: Where the site lies on the server, as ``/course/glassbox/``.
        fault: For tests: given a path below the prefix, names what shall go wrong with it.

    Raises:
        OSError: The port is taken.
    """
    server = Server(
        folder.resolve(), f"/{prefix.strip('/')}/".replace("//", "/"), fault or (lambda path: None)
    )

    class Handler(_Handler):
        site = server

    http = _Quiet(("127.0.0.1", port), Handler)
    server._http = http
    server.address = f"http://127.0.0.1:{http.server_address[1]}{server.prefix}"
    threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing when a browser hangs up; anything else is a mistake of ours and is shown."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    site: Server

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        if self.site.closed:  # on a connection that a browser has kept open
            self.close_connection = True
            return
        try:
            self._answer(path)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the reader has left the page

    do_HEAD = do_GET  # noqa: N815 - the base class calls it by this name

    def _answer(self, path: str) -> None:
        root = self.site.prefix
        if path + "/" == root or (not path.endswith("/") and self._file(path + "/") is not None):
            return self._send(301, b"", {"Location": path + "/"})
        file = self._file(path)
        fault = self.site.fault(path.removeprefix(root)) if path.startswith(root) else None
        if file is None or fault == "404":
            return self._send(404, b"Not found\n", {"Content-Type": TYPES[".txt"]})
        entry = self.site.entry(file)
        headers = {
            "Content-Type": TYPES.get(file.suffix, "application/octet-stream"),
            "Cache-Control": _caching(path.removeprefix(root)),
            "ETag": entry.etag,
            "Vary": "Accept-Encoding",
            "X-Content-Type-Options": "nosniff",
        }
        if file.suffix == ".woff2":  # a figure in a frame without an origin of its own asks for fonts too
            headers["Access-Control-Allow-Origin"] = "*"
        if fault is None and entry.etag in self.headers.get("If-None-Match", ""):
            return self._send(304, b"", headers)
        if fault is not None:
            return self._misbehave(fault, entry, headers)
        if entry.packed is not None and "gzip" in self.headers.get("Accept-Encoding", ""):
            return self._send(200, entry.packed, headers | {"Content-Encoding": "gzip"})
        return self._send(200, entry.plain, headers)

    def _file(self, path: str) -> Path | None:
        """The file that answers a path, if there is one inside the folder."""
        if not path.startswith(self.site.prefix) or "\0" in path:
            return None
        file = self.site.folder / path.removeprefix(self.site.prefix)
        if path.endswith("/"):
            file /= "index.html"
        file = file.resolve()
        return file if file.is_relative_to(self.site.folder) and file.is_file() else None

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.site.requests.append(Request(self.path, status, len(body)))
        self._head(status, len(body), headers)
        if self.command != "HEAD":
            self.wfile.write(body)

    def _head(self, status: int, length: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def _misbehave(self, fault: Fault, entry: _Entry, headers: dict[str, str]) -> None:
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

    def log_message(self, format: str, *args: object) -> None:
        """Stays quiet: the console belongs to the build."""


def _caching(path: str) -> str:
    """Says how long a browser may keep a file without asking."""
    return "public, max-age=31536000, immutable" if _HASHED.search(path) else "no-cache"
