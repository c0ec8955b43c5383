"""A static server for a built site: what a careful host would send, on this machine only.

Files with a hash in their name or folder may be kept by the
browser for ever; everything else is asked for again and answered with 304 when it has not changed.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import TypeVar
from urllib.parse import unquote, urlsplit

TYPES = {
    ".bin": "application/octet-stream",
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
_PACKED = frozenset({".bin", ".ico", ".png", ".whl", ".woff", ".woff2", ".zip"})  # compressed already
_HASHED = re.compile(r"[-.][0-9a-f]{8,}(?=[./])|(^|/)edit/assets/")


@dataclass(frozen=True)
class Entry:
    """A file in memory: its bytes, gzipped where that helps, its ``.br`` where that is no older, its tag."""

    stamp: tuple[int, int]
    plain: bytes
    packed: bytes | None
    brotli: bytes | None
    etag: str


ServerT = TypeVar("ServerT", bound="Server")


@dataclass
class Server:
    """A running server; use it in a ``with`` block, or ``wait`` until interrupted.

    Attributes:
        folder: The built site.
        prefix: Where the site lies on the server, as ``/course/glassbox/``.
        address: The site's root, ending in a slash.
    """

    folder: Path
    prefix: str
    address: str = ""
    _files: dict[Path, Entry] = field(default_factory=dict)
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

    def entry(self, path: Path) -> Entry:
        """Reads a file, or takes it from memory when it has not changed."""
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._files.get(path)
        if known is None or known.stamp != stamp:
            plain = path.read_bytes()
            packed = None if path.suffix in _PACKED else gzip.compress(plain, 6, mtime=0)
            beside = path.with_name(f"{path.name}.br")
            fresh = beside.is_file() and beside.stat().st_mtime_ns >= status.st_mtime_ns
            brotli = beside.read_bytes() if fresh else None
            known = Entry(stamp, plain, packed, brotli, f'"{hashlib.sha256(plain).hexdigest()[:20]}"')
            self._files[path] = known
        return known


def serve(folder: Path, port: int = 0, prefix: str = "/") -> Server:
    """Serves a folder on 127.0.0.1, in threads of its own.

    Args:
        folder: The built site.
        port: The port, or 0 for any that is free.
        prefix: Where the site lies on the server, as ``/course/glassbox/``.

    Raises:
        OSError: The port is taken.
    """
    return start(Server(folder.resolve(), rooted(prefix)), Handler, port)


def rooted(prefix: str) -> str:
    """The prefix with a slash at both ends."""
    return f"/{prefix.strip('/')}/".replace("//", "/")


def start(server: ServerT, handler: type[Handler], port: int) -> ServerT:
    """Answers for a server with handlers of this kind, from now on."""
    bound = type("Bound", (handler,), {"site": server})
    http = _Quiet(("127.0.0.1", port), bound)
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


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    site: Server

    def do_GET(self) -> None:
        """Answers a request."""
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
        if file is None:
            return self.missing()
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
        return self.deliver(path.removeprefix(root), entry, headers)

    def deliver(self, path: str, entry: Entry, headers: dict[str, str]) -> None:
        """Answers with a file, or with word that the browser's copy is still good."""
        accepted = {part.split(";")[0].strip() for part in self.headers.get("Accept-Encoding", "").split(",")}
        if entry.etag in self.headers.get("If-None-Match", ""):
            self._send(304, b"", headers)
        elif entry.brotli is not None and "br" in accepted:
            self._send(200, entry.brotli, headers | {"Content-Encoding": "br"})
        elif entry.packed is not None and "gzip" in accepted:
            self._send(200, entry.packed, headers | {"Content-Encoding": "gzip"})
        else:
            self._send(200, entry.plain, headers)

    def missing(self) -> None:
        """Answers with the site's own page, whose links lead home from wherever it is shown."""
        page = self.site.folder / "404.html"
        if not page.is_file():
            return self._send(404, b"Not found\n", {"Content-Type": TYPES[".txt"]})
        home = self.site.prefix.encode()
        body = page.read_bytes().replace(b'"./', b'"' + home)
        return self._send(404, body, {"Content-Type": TYPES[".html"], "Cache-Control": "no-cache"})

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

    def log_message(self, format: str, *args: object) -> None:
        """Stays quiet: the console belongs to the build."""


def _caching(path: str) -> str:
    """Says how long a browser may keep a file without asking."""
    return "public, max-age=31536000, immutable" if _HASHED.search(path) else "no-cache"
