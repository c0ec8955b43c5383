"""Builds again whenever a source is saved, and tells the pages that are open.

    python build.py --serve --watch

Each build runs in a process of its own, forked from one that has loaded what is not ours (marimo, NumPy), so
that it sees every module as it stands on disk. The pages ask the server for word of a new build; the line
that makes them ask is added as the server sends them and stands in no file of the site.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from glassbox.publish import serve

SOURCES = ("notebooks", "site", "src", "pyproject.toml", "NOTICE", "README.md")
LOADED = [
    "altair",
    "jinja2",
    "latex2mathml.converter",
    "marimo._ast.app",
    "marimo._export.exporter",
    "marimo._export.file",
    "markdown",
    "numpy",
    "tiktoken",
]
EVERY = 0.15  # seconds between two looks at the sources
_ASK = "__watch"
_SCRIPT = b"""let seen;
setInterval(async () => {
  const answer = await fetch(new URL("__watch", import.meta.url)).then((r) => r.text(), () => seen);
  if (seen !== undefined && answer !== seen) location.reload();
  seen = answer;
}, 400);
"""
# What a browser kept from an earlier build must not answer for this one.
_WORKER = b"self.addEventListener('install', () => self.skipWaiting());\nself.registration.unregister();\n"


@dataclass
class Server(serve.Server):
    """A server whose pages load again when ``builds`` has changed."""

    builds: int = 0


class Handler(serve.Handler):
    """Answers as ``serve`` does, and adds the question to pages."""

    site: Server

    def deliver(self, path: str, entry: serve.Entry, headers: dict[str, str]) -> None:
        """Sends a file; a page with the question, and no service worker, which shows what it kept."""
        fresh = {**headers, "Cache-Control": "no-store"}
        if path == "sw.js":
            self._send(200, _WORKER, fresh)
        elif headers["Content-Type"] == serve.TYPES[".html"] and not path.startswith("edit/"):
            script = f'<script type="module" src="{self.site.prefix}{_ASK}.js"></script></head>'
            self._send(200, entry.plain.replace(b"</head>", script.encode(), 1), fresh)
        else:
            super().deliver(path, entry, headers)

    def missing(self) -> None:
        """Answers a page's question, or says that there is no such file."""
        path = self.path.partition("?")[0]
        headers = {"Content-Type": serve.TYPES[".txt"], "Cache-Control": "no-store"}
        if path == f"{self.site.prefix}{_ASK}.js":
            self._send(200, _SCRIPT, headers | {"Content-Type": serve.TYPES[".js"]})
        elif path == f"{self.site.prefix}{_ASK}":
            self._send(200, str(self.site.builds).encode(), headers)
        else:
            super().missing()


def serve_site(folder: Path, port: int = 0) -> Server:
    """Serves a built site to pages that want to hear of the next build.

    Raises:
        OSError: The port is taken.
    """
    return serve.start(Server(folder.resolve(), serve.rooted("/")), Handler, port)


Stamps = dict[Path, tuple[int, int]]


def stamps(root: Path) -> Stamps:
    """When each source was changed, and its size."""
    return {p: (s.st_mtime_ns, s.st_size) for p in _sources(root) for s in (p.stat(),)}


def _sources(root: Path) -> Iterator[Path]:
    for name in SOURCES:
        top = root / name
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            parts = path.relative_to(root).parts
            passed = any(part.startswith((".", "__pycache__", "__marimo__")) for part in parts)
            if path.is_file() and not passed and not path.name.endswith(("~", ".pyc")):
                yield path


def changes(root: Path, before: Stamps, stop: Callable[[], bool]) -> Iterator[list[Path]]:
    """Yields the sources that were saved, each time that some were; what is saved meanwhile comes next.

    Args:
        root: The repository.
        before: The sources as the last build began.
        stop: Whether to end.
    """
    while not stop():
        time.sleep(EVERY)
        try:
            now = stamps(root)
        except FileNotFoundError:  # an editor replaces a file by another of its name
            continue
        if now != before:
            changed = [p for p in {**before, **now} if before.get(p) != now.get(p)]
            before = now
            yield changed


class Forked:
    """Runs a function again and again, each time in a new process that has loaded nothing of ours."""

    def __init__(self) -> None:
        """Starts the process that the others are forked from."""
        forks = "forkserver" in multiprocessing.get_all_start_methods()
        self._context: Any = multiprocessing.get_context("forkserver" if forks else "spawn")
        self._context.set_forkserver_preload(LOADED)
        self.run(str)

    def run(self, function: Callable[..., str], *arguments: object) -> str:
        """What the function says; an empty string where all went well."""
        ours, theirs = self._context.Pipe(duplex=False)
        process = self._context.Process(target=answer, args=(theirs, function, arguments))
        process.start()
        theirs.close()
        try:
            said: str = ours.recv()
        except EOFError:
            said = "The build ended without a word."
        process.join()
        return said


def answer(back: Connection, function: Callable[..., str], arguments: tuple[object, ...]) -> None:
    """Sends what the function says; runs in the new process."""
    if "fork" in multiprocessing.get_all_start_methods():
        multiprocessing.set_start_method("fork", force=True)  # for its own workers: all is loaded by now
    back.send(function(*arguments))
