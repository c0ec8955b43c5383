"""Computes figures' states ahead, so that they answer before Python is up, or without it.

A figure is a pure function of its control values; the build has the same cells and the same NumPy. So each
figure whose controls have a finite set of positions is run over them (``covering`` says which, ``computing``
runs them), and what differs between states is stored in one small file that the page script reads.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassbox.publish.errors import BuildError
from glassbox.publish.pages import computing, covering, pressing
from glassbox.publish.pages.ahead import Ahead
from glassbox.publish.pages.chapter import excerpt, figures
from glassbox.publish.site import Site
from glassbox.publish.state import Build

Json = dict[str, Any]

MAX_FILE_BYTES = 100_000  # compressed, one figure
MAX_MEDIAN_BYTES = 30_000
MANY = 10  # figures; the middle of fewer says nothing of a book


def step(build: Build) -> None:
    """Computes the states of all figures in parallel; results are kept by the hash of what they depend on."""
    site = build.site
    folder = site.cache / "states"
    folder.mkdir(parents=True, exist_ok=True)
    places: dict[tuple[str, str], Path] = {}
    jobs: list[_Job] = []
    for chapter in build.chapters.values():
        for figure in figures(chapter):
            name, linked = figure["name"], chapter.presets.get(figure["name"], [])
            program = excerpt(chapter.program, name)
            code = "\n".join([_ENGINE, program["imports"], *(c["code"] for c in program["cells"])])
            core = build.sources.fingerprint(code)
            asked = json.dumps([program, linked, build.shown.digest if build.shown else ""], sort_keys=True)
            digest = hashlib.sha256((core + asked).encode()).hexdigest()[:16]
            path = folder / f"{chapter.name}.{name}.{digest}.json"
            places[chapter.name, name] = path
            if not path.exists():
                jobs.append(_Job(chapter.name, name, path, program, linked, site.model))
                if said := covering.missed(figure["controls"]):
                    build.news.append(f"notebooks/{chapter.name}.py: figure “{name}”: {said}")
    _run(site, jobs)
    for (chapter_name, name), path in places.items():
        ahead = build.states.setdefault(chapter_name, {})[name] = Ahead.read(path)
        if not (ahead.title.strip() and ahead.first[1].strip()):
            lacks = "sentence" if ahead.title.strip() else "title"
            remedy = f"figure “{name}” has no {lacks}; whoever does not see it hears that alone."
            raise BuildError("states", site.root / "notebooks" / f"{chapter_name}.py", remedy)
    _check_sizes(site, build.states)


_ENGINE = "import glassbox.page.bridge, glassbox.publish.pages.computing"  # what runs and packs every figure


@dataclass(frozen=True)
class _Job:
    chapter: str
    name: str
    path: Path
    program: Json
    linked: list[Json]
    model: Path | None


def _run(site: Site, jobs: list[_Job]) -> None:
    """Computes figures side by side and says which ones it is waiting for."""
    if not jobs:
        return
    with ProcessPoolExecutor(max_workers=min(len(jobs), os.cpu_count() or 1)) as pool:
        running = {
            pool.submit(computing.ahead, job.program, job.name, job.linked, job.model): job for job in jobs
        }
        waiting, started = set(running), time.monotonic()
        while waiting:
            done, waiting = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
            for future in done:
                try:
                    future.result().write(running[future].path)
                except Exception as error:
                    pool.shutdown(cancel_futures=True)  # and wait: a process left over would stay
                    remedy = f"figure “{running[future].name}” {error}; run the notebook and mend that state."
                    if isinstance(error, pressing.PressError):
                        remedy = str(error)
                    at = site.root / "notebooks" / f"{running[future].chapter}.py"
                    raise BuildError("states", at, remedy) from error
            names = ", ".join(sorted(running[f].name for f in waiting)[:2])
            seconds = time.monotonic() - started
            ready = len(jobs) - len(waiting)
            site.report(f"states: {ready} of {len(jobs)} figures, {seconds:.0f} s, at work on {names}")


_REMEDY = (
    "Give its controls fewer positions, its table fewer rows or its picture less markup; docs/authoring.md "
    "says which states are computed ahead."
)


def _check_sizes(site: Site, found: dict[str, dict[str, Ahead]]) -> None:
    """Stops at a figure that is too large for a slow line, and at a book whose usual figure is.

    A figure of many is judged by its own size alone: the others would hide it, or be blamed for it.
    """
    sizes = sorted((a.sent, c, n) for c, figures in found.items() for n, a in figures.items())
    if not sizes:
        return
    size, chapter, name = sizes[-1]
    at = site.root / "notebooks" / f"{chapter}.py"
    if size > MAX_FILE_BYTES:
        packed = json.loads(found[chapter][name].packed)
        what = f"figure “{name}” has {len(packed['states'])} states ahead ({packed['covers']})"
        many = f"which take {size:,} bytes compressed, more than {MAX_FILE_BYTES:,}"
        raise BuildError("states", at, f"{what}, {many}. {_REMEDY}")
    median = sizes[len(sizes) // 2][0]
    if len(sizes) >= MANY and median > MAX_MEDIAN_BYTES:
        largest = ", ".join(f"{n} {size:,}" for size, _, n in sizes[:-4:-1])
        what = f"half of the figures take {median:,} bytes compressed or more, {MAX_MEDIAN_BYTES:,} are meant"
        raise BuildError("states", at, f"{what}; the largest are {largest}. {_REMEDY}")
