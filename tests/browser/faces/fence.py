"""Keeps engines on this machine, and hears what a page complains about where the engine does not tell."""

from __future__ import annotations

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from glassbox.publish.serve import Entry
from tests import serve

# What Firefox itself looks up, whatever page is open: refused like the rest, and no page's doing.
OWN = re.compile(r"\.services\.mozilla\.com(?::\d+)?(?:/|$)")


class Fence:
    """A proxy for everything that is not on this machine: it refuses, and remembers what was asked.

    Attributes:
        heard: ``METHOD address`` of each request, in order.
        port: Where it listens, on 127.0.0.1.
    """

    def __init__(self) -> None:
        self.heard: list[str] = []
        fence = self

        class Handler(BaseHTTPRequestHandler):
            def refuse(self) -> None:
                if not OWN.search(self.path):
                    fence.heard.append(f"{self.command} {self.path}")
                self.close_connection = True
                self.send_error(403)

            do_GET = do_HEAD = do_POST = do_PUT = do_CONNECT = do_OPTIONS = refuse  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.port = int(self._http.server_address[1])
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def take(self) -> list[str]:
        """What was asked since the last call."""
        heard, self.heard = self.heard, []
        return heard

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


# Runs before anything else of a page, in the site's first script.
OVERHEAR = """(() => {
  const heard = (window.overheard ??= []);
  const error = console.error;
  console.error = (...words) => { heard.push("console: " + words.map(String).join(" ")); error(...words); };
  addEventListener("error", (e) => heard.push(e.message ? `exception: ${e.message}`
    : `did not load: ${e.target.src || e.target.href || e.target.localName}`), true);
  addEventListener("unhandledrejection", (e) => heard.push(`rejected: ${e.reason?.stack ? e.reason : String(e.reason)}`));
  addEventListener("securitypolicyviolation", (e) => heard.push(`policy: ${e.violatedDirective} ${e.blockedURI}`));
})();
"""


def overheard(server: serve.Server) -> serve.Server:
    """Makes every page of a served site write its complaints into ``window.overheard``, from its first script on."""
    read = server.entry

    def entry(path: object) -> object:
        found = read(path)  # type: ignore[arg-type]
        if getattr(path, "name", "") != "theme.js":
            return found
        return Entry(found.stamp, OVERHEAR.encode() + found.plain, None, None, '"overheard"')

    server.entry = entry  # type: ignore[assignment,method-assign]
    return server
