"""Servers as readers meet them: clean addresses, wrong file types, a line that is slow or gone."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

TYPES = {
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}


class _Host(SimpleHTTPRequestHandler):
    """Serves ``folder`` below ``prefix``."""

    folder: Path
    prefix: str
    types: Mapping[str, str]
    clean: bool
    nosniff: bool

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = f"?{parts.query}" if parts.query else ""
        if not parts.path.startswith(self.prefix):
            return self.send_error(404)
        name = unquote(parts.path.removeprefix(self.prefix))
        if self.clean and name.endswith(".html"):
            to = name.removesuffix(".html").removesuffix("index")
            return self._send(308, b"", {"Location": f"{self.prefix}{to}{query}"})
        file = self.folder / (name or "index.html")
        if self.clean and not file.is_file():
            file = file.with_name(file.name + ".html")
        if not file.is_file():
            return self._send(
                404, b"<!doctype html><title>404</title><h1>404</h1>", {"Content-Type": "text/html"}
            )
        kind = self.types.get(file.suffix, "application/octet-stream")
        headers = {"Content-Type": kind, "Cache-Control": "no-cache"}
        if self.nosniff:
            headers["X-Content-Type-Options"] = "nosniff"
        return self._send(200, file.read_bytes(), headers)

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keeps quiet."""


@contextmanager
def host(
    folder: Path,
    prefix: str = "/",
    *,
    types: Mapping[str, str] | None = None,
    clean: bool = False,
    nosniff: bool = False,
    port: int = 0,
) -> Iterator[str]:
    """Runs a host; gives its address.

    Args:
        folder: What it serves.
        prefix: The path it serves it under.
        types: Content types by suffix that differ from the right ones.
        clean: ``/tokens.html`` is answered with 308 to ``/tokens``, as Cloudflare Pages does.
        nosniff: It forbids browsers to guess types.
        port: The port to serve on; 0 takes a free one.
    """
    settings = {
        "folder": folder,
        "prefix": prefix,
        "types": TYPES | dict(types or {}),
        "clean": clean,
        "nosniff": nosniff,
    }
    server = ThreadingHTTPServer(("127.0.0.1", port), type("Host", (_Host,), settings))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{prefix}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
