"""Compiles the charts and draws their first states: what pages show before any script, and later draw with.

charts/vega.<hash>.js           Vega's core, once for all pages; asked for when a chart is near or touched
charts/licences.<hash>.txt      of all that is in it
charts/<chapter>.<hash>.js      the chapter's charts as Vega specifications, with title and legend
charts/<chapter>.lite.<hash>.js the same as Altair wrote them, for whoever saves one
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import shutil
import tempfile
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from glassbox.figures import specs, vega
from glassbox.figures.specs import legends, theme
from glassbox.publish import names
from glassbox.publish.charts import fields, packages
from glassbox.publish.errors import BuildError
from glassbox.publish.files import write_whole
from glassbox.publish.pages import failure, presets, pressing
from glassbox.publish.pages.chapter import described
from glassbox.publish.state import Build, Charts

Json = dict[str, Any]

WIDTHS = (640, 340)  # px: a column of a book page, and a phone; the style sheet shows the one that suits
FILED = 400  # px of a plot in a file of several charts (js/charts.js), without its axis
_DRAW = Path(__file__).with_name("draw.mjs")


def step(build: Build) -> None:
    """Draws every figure's first state, and writes what the pages draw the others with."""
    site = build.site
    first = {
        (chapter, name): vega.found(ahead.first[0])
        for chapter, figures in build.states.items()
        for name, ahead in figures.items()
    }
    used = [name for chapter in build.chapters for name in _named(build, chapter)]
    for (chapter, name), charts in first.items():
        for chart, *_ in charts:
            if chart not in used:
                at = site.root / "notebooks" / f"{chapter}.py"
                there = f"there is {', '.join(used)}" if used else f"CHARTS of specs/{chapter}.py names none"
                raise BuildError("charts", at, f"figure “{name}” shows the chart {chart}; {there}.")
        _check_sent(build, chapter, name)
    if not used:
        return
    pages = {name: specs.for_page(spec) for c in build.chapters for name, spec in _specs(build, c).items()}
    for (chapter, name), charts in first.items():
        for chart, rows, _ in charts:
            if wrong := fields.missing(pages[chart].spec, rows):
                at = site.root / "notebooks" / f"{chapter}.py"
                raise BuildError("charts", at, f"figure “{name}”: the chart {chart} {wrong}.")
    stills = [
        {"chart": chart, "rows": rows, "values": values, "width": width}
        for charts in first.values()
        for chart, rows, values in charts
        for width in WIDTHS
    ]
    found = packages.fetch(site)
    plan = {"specs": {n: p.spec for n, p in pages.items()}, "advances": advances(site.root), "stills": stills}
    done = _drawn(build, found, plan)
    waiting = iter(done["stills"])
    for (chapter, name), charts in first.items():
        ahead = build.states[chapter][name]
        drawings = [drawing(pages[chart], [next(waiting) for _ in WIDTHS]) for chart, *_ in charts]
        filled = (vega.with_drawings(ahead.first[0], drawings), *ahead.first[1:])
        build.states[chapter][name] = dataclasses.replace(ahead, first=filled)
    folder = site.out / "charts"
    content = found.bundle.read_bytes()
    bundle = names.write(folder, "vega", ".js", content)
    names.write(folder, "licences", ".txt", found.licences.read_bytes())
    integrity = f"sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}"
    build.charts = {}
    for chapter in build.chapters:
        own = {n: {"head": head(pages[n]), "spec": done["specs"][n]} for n in _named(build, chapter)}
        if own:
            build.charts[chapter] = Charts(
                f"charts/{bundle}",
                integrity,
                _script(folder, chapter, "specs", [own, plan["advances"]]),
                _script(folder, f"{chapter}.lite", "lite", [_lite(build, chapter)]),
            )


def _check_sent(build: Build, chapter: str, figure: str) -> None:
    """Stops where a picture leads to a figure that the chapter lacks, or to a state it cannot take."""
    addresses = pressing.sent(build.states[chapter][figure].first[0])
    links = "".join(f'<a href="{escape(address)}">' for address in addresses)
    try:
        presets.collect(links, list(described(build.chapters[chapter].program)) if links else [])
    except ValueError as error:
        at = build.site.root / "notebooks" / f"{chapter}.py"
        raise BuildError("charts", at, f"figure “{figure}”: {error}.") from error


def advances(root: Path) -> dict[str, int]:
    """How far each character of the figures' font moves the pen, in thousandths of its size."""
    text = (root / "site" / "vega" / "advances.json").read_text(encoding="utf-8")
    found: dict[str, int] = json.loads(text)
    return found


def _drawn(build: Build, found: packages.Vega, plan: Json) -> Json:
    """What draw.mjs answers; each chart and each picture is kept by the hash of all that it depends on."""
    tools = [_DRAW.read_text(encoding="utf-8"), found.bundle.name, found.packages.name, plan["advances"]]
    folder = build.site.cache / "charts"

    def kept(*parts: Any) -> Path:
        text = json.dumps([*tools, *parts], sort_keys=True)
        return folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"

    specs = {name: kept(spec) for name, spec in plan["specs"].items()}
    stills = [kept(plan["specs"][still["chart"]], still) for still in plan["stills"]]
    new = [still for still, path in zip(plan["stills"], stills, strict=True) if not path.exists()]
    wanted = {name for name, path in specs.items() if not path.exists()} | {still["chart"] for still in new}
    if wanted:
        asked = {"specs": {n: plan["specs"][n] for n in sorted(wanted)}, "stills": new}
        done = _run(build, found, {"advances": plan["advances"], **asked})
        folder.mkdir(parents=True, exist_ok=True)
        for name, spec in done["specs"].items():
            write_whole(specs[name], json.dumps(spec).encode())
        for path, svg in zip([p for p in stills if not p.exists()], done["stills"], strict=True):
            write_whole(path, json.dumps(svg).encode())
    read = {path: json.loads(path.read_text(encoding="utf-8")) for path in {*specs.values(), *stills}}
    return {"specs": {n: read[path] for n, path in specs.items()}, "stills": [read[path] for path in stills]}


def _run(build: Build, found: packages.Vega, plan: Json) -> Json:
    """One run of draw.mjs."""
    build.site.report(f"charts: compiling {len(plan['specs'])}, drawing {len(plan['stills'])} pictures")
    build.site.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build.site.cache) as scratch:
        planned = Path(scratch) / "plan.json"
        planned.write_text(json.dumps(plan), encoding="utf-8")
        node = shutil.which("node") or "node"
        command = [node, str(_DRAW), str(found.packages), str(found.bundle), str(planned)]
        done: Json = json.loads(packages.run(command, found.packages, "mend the chart of that name"))
    return done


# Seen once js/zoom.js answers them.
_ZOOM = (
    '<span class="zoom">'
    '<button type="button" data-zoom="in" aria-label="bring closer">+</button>'
    '<button type="button" data-zoom="out" aria-label="take farther">−</button>'
    '<button type="button" data-zoom="all">whole</button></span>'
)


def head(page: specs.Page) -> str:
    """What stands over a chart: what is measured, how to come closer, and its legend, each key a button."""
    keys = "".join(
        f'<button type="button" class="{escape(f"key {form}".strip())}" style="--c:{escape(colour)}" '
        f'data-pick="{escape(name)}" aria-pressed="false">{escape(name)}</button>'
        for name, colour, form in page.keys
    )
    legend = f'<span class="keys">{keys}</span>' if keys else ""
    closer = _ZOOM if page.zooms else ""
    return f'<div class="head"><span class="measure">{escape(page.title)}</span>{closer}{legend}</div>'


def drawing(page: specs.Page, svgs: list[str]) -> str:
    """A chart's still picture in each width, under its head; the page puts the live one in its place."""
    sizes = ("wide", "narrow")
    stills = "".join(f'<div class="fixed {size}">{svg}</div>' for size, svg in zip(sizes, svgs, strict=True))
    return f'<div class="drawing">{head(page)}{stills}</div>'


def _named(build: Build, chapter: str) -> list[str]:
    """A chapter's charts: those of its figures, and those that cells show by themselves.

    Raises:
        BuildError: The module of its charts stops, or has no list of them.
    """
    own = build.chapters[chapter].charts if build.chapters[chapter] else {}
    at = _specified(build, chapter)
    try:
        return [*specs.names(chapter), *own]
    except specs.ListError as error:
        raise BuildError("charts", at, f"{error}.") from error
    except Exception as error:
        raise BuildError("charts", at, f"it {failure.stopped(error, at)}; mend the line.") from error


def _made(build: Build, chapter: str, name: str) -> Json:
    """One chart as Altair writes it.

    Raises:
        BuildError: Its function stops; the sentence has the line.
    """
    try:
        return specs.lite(name)
    except Exception as error:
        at = _specified(build, chapter)
        what = f"the chart {name} {failure.stopped(error, at)}"
        raise BuildError("charts", at, f"{what}; mend its function.") from error


def _specified(build: Build, chapter: str) -> Path:
    return build.site.root / "src" / "glassbox" / "figures" / "specs" / f"{chapter}.py"


def _specs(build: Build, chapter: str) -> dict[str, Json]:
    return _written(build, chapter) | build.chapters[chapter].charts


def _written(build: Build, chapter: str) -> dict[str, Json]:
    """The chapter's charts as Altair writes them, kept by the hash of the code: it takes a while."""
    code = f"from glassbox.figures.specs import {chapter}\nfrom glassbox.figures import specs"
    used = build.sources.fingerprint(code)
    name = hashlib.sha256(f"{used} {version('altair')}".encode()).hexdigest()[:16]
    kept = build.site.cache / "charts" / f"{chapter}-{name}.json"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        made = {n: _made(build, chapter, n) for n in specs.names(chapter)}
        write_whole(kept, json.dumps(made).encode())
    found: dict[str, Json] = json.loads(kept.read_text(encoding="utf-8"))
    return found


def _lite(build: Build, chapter: str) -> Json:
    """The charts as a reader saves them: plain, with legends that have room where one file holds several."""
    return {
        name: theme.plain_colours(theme.rimless(legends.fitted(spec, FILED)))
        for name, spec in _specs(build, chapter).items()
    }


def _script(folder: Path, stem: str, call: str, arguments: list[Any]) -> str:
    """A script, which a sandboxed frame or a folder on disk can load too."""
    text = ",".join(
        json.dumps(a, ensure_ascii=False, separators=(",", ":"), sort_keys=True) for a in arguments
    )
    text = f"glassbox.charts.{call}({text})".replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return "charts/" + names.write(folder, stem, ".js", text.encode())
