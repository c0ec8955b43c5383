"""Builds the site: notebooks, figures and the browser's Python, into one folder of static files.

    python build.py --serve

The steps run in order, each timed; the first that fails stops the build, says what to do, and leaves the
site that was there untouched. Two builds of the same files give the same bytes.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from glassbox import chapters
from glassbox.publish import brotli, measure, model, scaffold, serve, watch
from glassbox.publish.charts import compiled
from glassbox.publish.errors import BuildError, disk
from glassbox.publish.pages import edit, heights, metadata, notebook, shell, states, verify
from glassbox.publish.python import runtime, wheel
from glassbox.publish.site import Site
from glassbox.publish.state import Build

ROOT = Path(__file__).resolve().parent
Step = tuple[str, Callable[[Build], None]]


# One module a step; each adds to the build's state what it has made.
STEPS: tuple[Step, ...] = (
    ("glassbox wheel", wheel.step),
    ("runtime", runtime.step),
    ("check notebooks", notebook.step),
    ("model", model.step),
    ("states", states.step),
    ("charts", compiled.step),
    ("export", edit.step),
    ("shell", shell.step),
    ("metadata", metadata.step),
    ("brotli", brotli.step),
    ("verify", verify.step),
)


def build(site: Site) -> None:
    """Runs all steps into a folder beside the wanted one, then puts it in place.

    Raises:
        BuildError: A step failed; ``site.out`` is as it was.
    """
    stage = site.out.with_name(f".{site.out.name}.part")
    with disk("build", site.out.parent):
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir(parents=True)
    there = tuple(n for n in chapters.NAMES if (site.out / f"{n}.html").exists())
    state = Build(dataclasses.replace(site, out=stage, there=there))
    try:
        for name, step in STEPS:
            started = time.perf_counter()
            with disk(name, stage):
                step(state)
            site.report("")
            say(f"  {name:<16} {time.perf_counter() - started:6.1f} s")
        _put_in_place(stage, site.out, state.carried)
        for note in state.news if site.before else [*state.news, *state.notes]:
            say(f"  Note: {note}")
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _put_in_place(stage: Path, out: Path, carried: list[str]) -> None:
    if out.exists() and any(out.iterdir()) and not (out / "index.html").exists():
        raise BuildError("build", out, "this folder holds other files; name another with --out or empty it.")
    old = out.with_name(f".{out.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    for part in carried:
        (out / part).rename(stage / part)
    if out.exists():
        out.rename(old)
    stage.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def say(line: str) -> None:
    """Writes one line for whoever runs the build."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Progress:
    """Shows where a long step stands: in place on a terminal, every few seconds where the output is a log."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _LOG_SECONDS

    def __call__(self, line: str) -> None:
        """Takes one progress line, which replaces the last."""
        if sys.stdout.isatty():
            sys.stdout.write(f"\r\x1b[2K{line[:100]}")
            sys.stdout.flush()
        elif line and time.monotonic() >= self._next:
            say(f"  … {line}")
            self._next = time.monotonic() + _LOG_SECONDS


_LOG_SECONDS = 5.0


def address(text: str) -> str:
    """The site's public address as given, with the slash at its end that a folder's address has."""
    if not text:
        return ""
    if not re.match(r"https?://[^/\s]+", text):
        raise argparse.ArgumentTypeError(
            f"{text} is no address; write it whole, as https://example.org/book/"
        )
    return text.rstrip("/") + "/"


def origin(text: str) -> str:
    """Another server as a page's policy names it: without a path."""
    if text and not re.fullmatch(r"https?://[A-Za-z0-9.-]+(:\d+)?/?", text):
        raise argparse.ArgumentTypeError(
            f"{text} is no server; write its address without a path, as https://models.example.org"
        )
    return text.rstrip("/")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--serve", action="store_true", help="serve the site when it is built")
    parser.add_argument("--watch", action="store_true", help="with --serve: build again on every save")
    parser.add_argument("--port", type=int, default=8000, help="the port to serve on (0 takes a free one)")
    parser.add_argument("--runtime", choices=("auto", "cdn", "registries"), default="auto",
                        help="where the browser's Python may come from")  # fmt: skip
    parser.add_argument("--only", choices=chapters.NAMES,
                        help="build this chapter alone; others that are there stay")  # fmt: skip
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder to write")
    parser.add_argument(
        "--address", type=address, default="", help="the site's public address, for canonical links"
    )
    parser.add_argument("--model", type=Path, metavar="FOLDER",
                        help="show this checkpoint in the place of the shipped model")  # fmt: skip
    parser.add_argument("--models", type=origin, default="", metavar="ORIGIN",
                        help="another server that pages may load a reader's model from")  # fmt: skip
    parser.add_argument("--measure", action="store_true",
                        help="measure figures' heights for site/heights.json (needs Chromium)")  # fmt: skip
    parser.add_argument("--new-chapter", metavar="NAME", help="write the files of a new chapter, and stop")
    asked = parser.parse_args()
    if asked.watch and not asked.serve:
        parser.error("--watch goes with --serve")
    return asked


def measured(site: Site) -> bool:
    """Measures the built site's heights; returns whether the file, and so the pages, changed."""
    before = heights.read(ROOT).known
    found = measure.run(site.out, site.report)
    site.report("")
    kept = {key: value for key, value in before.items() if key.split("/")[0] not in site.chapters}
    path = heights.write(ROOT, kept | found)
    changed = sum(before.get(key) != value for key, value in found.items())
    say(f"{path}: {len(found)} pages measured, {changed} heights changed")
    return kept | found != before


def main() -> int:
    """Builds, and serves when asked; returns the exit code."""
    asked = _arguments()
    if asked.new_chapter:
        return _new_chapter(asked.new_chapter)
    cache = Path(os.environ.get("GLASSBOX_CACHE", ROOT / ".cache"))
    out = asked.out.resolve()
    seen = watch.stamps(ROOT) if asked.watch else {}
    site = Site(
        ROOT, out, cache, asked.runtime, asked.only,
        report=Progress(), address=asked.address, models=asked.models,
        model=asked.model and asked.model.resolve(),
    )  # fmt: skip
    if said := attempt(site, asked.measure):
        say(said)
        return 1
    if asked.serve:
        server = watch.serve_site(site.out, asked.port) if asked.watch else serve.serve(site.out, asked.port)
        say(f"serving {server.address}  (Ctrl-C ends it)")
        try:
            if isinstance(server, watch.Server):
                _watch(site, server, seen)
            server.wait()
        except KeyboardInterrupt:
            server.close()
    return 0


def attempt(site: Site, measure_heights: bool = False) -> str:
    """Builds, twice where heights were measured anew; returns what stopped it, or nothing."""
    started = time.perf_counter()
    try:
        build(site)
        if measure_heights and measured(site):
            build(site)
    except BuildError as error:
        return f"\nThe build stopped. {error}"
    say(f"built {site.out} in {time.perf_counter() - started:.1f} s")
    return ""


def _new_chapter(name: str) -> int:
    try:
        written = scaffold.chapter(ROOT, name)
    except BuildError as error:
        say(str(error))
        return 1
    for path in written:
        say(f"  {path.relative_to(ROOT)}")
    say(f"Next: marimo edit notebooks/{name}.py, or build.py --serve --watch --only {name}")
    say("When your own figure takes the place of the pairs, their test goes with them,")
    say("and src/glassbox/chapters.py names yours as the chapter's cover.")
    return 0


def _watch(site: Site, server: watch.Server, seen: watch.Stamps) -> None:
    """Builds after every save until the server is closed; a mistake leaves the last good site standing."""
    forked = watch.Forked()
    draft = dataclasses.replace(site, before=site.out)
    for changed in watch.changes(ROOT, seen, lambda: server.closed):
        say(f"saved {', '.join(sorted(p.name for p in changed)[:4])}")
        if said := forked.run(attempt, draft):
            say(said)
        else:
            server.builds += 1


if __name__ == "__main__":
    sys.exit(main())
