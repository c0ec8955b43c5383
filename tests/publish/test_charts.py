"""The charts' wing of the build: what npm brings is checked, what Vega-Lite complains about stops the build."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from glassbox.figures import attention, leading, specs, vega
from glassbox.publish.charts import compiled, fields, packages
from glassbox.publish.errors import BuildError
from glassbox.publish.pages.ahead import Ahead
from glassbox.publish.pages.dependencies import Tree
from glassbox.publish.site import Site
from glassbox.publish.state import Build
from tests.conftest import ROOT

Json = dict[str, Any]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Build:
    return Build(Site(ROOT, tmp_path_factory.mktemp("charts"), cache))


@pytest.fixture(scope="module")
def found(build: Build) -> packages.Vega:
    return packages.fetch(build.site)


def draw(build: Build, found: packages.Vega, spec: Json, rows: Json, width: int = 640) -> str:
    still = {"chart": "a.chart", "rows": rows, "values": {}, "width": width}
    plan = {"specs": {"a.chart": spec}, "advances": compiled.advances(ROOT), "stills": [still]}
    (svg,) = compiled._drawn(build, found, plan)["stills"]
    return str(svg)


@pytest.mark.parametrize("width", compiled.WIDTHS)
def test_a_still_picture_is_as_wide_as_asked_small_and_shows_the_rows(
    build: Build, found: packages.Vega, width: int
) -> None:
    page = specs.for_pages("attention.quadratic")
    ((_, rows, _),) = vega.found(attention.quadratic(10_000, "A100 80 GB").picture)
    svg = draw(build, found, page.spec, rows, width)
    assert abs(int(re.findall(r' width="(\d+)"', svg)[0]) - width) <= 1
    assert len(svg) < 6_000
    assert not re.search(r' id="|aria-label|font-family', svg)
    assert "100\u00a0k" in svg
    left = [float(x) for x in re.findall(r'<path transform="translate\(([\d.]+),', svg)]
    plot = float(re.findall(r'x2="([\d.]+)"', svg)[0])
    assert left == pytest.approx([plot / 2] * 3, abs=0.2)  # 10,000 lies half-way from 100 to 1,000,000


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"tokens": 500, "scores": 125_250, "series": "all earlier tokens"}],
        [{"tokens": None, "scores": 1e6, "series": "last 4,096"}, {"tokens": 1e4, "scores": None, "series": "last 4,096"}],
        [{"tokens": 100 + n * 40, "scores": 1e6 + n, "series": "last 4,096"} for n in range(20_000)],
    ],
    ids=["nothing", "one point", "gaps", "20,000 points"],
)  # fmt: skip
def test_any_rows_make_a_picture(build: Build, found: packages.Vega, rows: list[Json]) -> None:
    spec = specs.for_pages("attention.quadratic").spec
    svg = draw(build, found, spec, {"lines": rows, "here": []})
    assert "NaN" not in svg
    assert "Infinity" not in svg
    assert "1\u00a0M" in svg


def test_what_vega_lite_complains_about_stops_the_build_with_the_chart_s_name(
    build: Build, found: packages.Vega
) -> None:
    spec = specs.for_pages("attention.quadratic").spec
    spec["layer"][0]["encoding"]["x"]["scale"]["zero"] = True  # which a log scale cannot have
    with pytest.raises(BuildError, match=r'a\.chart: x-scale\'s "zero" is dropped'):
        draw(build, found, spec, {"lines": [], "here": []})


def test_a_package_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / "site" / "vega").mkdir(parents=True)
    lock = json.loads((ROOT / "site" / "vega" / "package-lock.json").read_text())
    keep = {"", "node_modules/vega-util"}
    lock["packages"] = {k: v for k, v in lock["packages"].items() if k in keep}
    lock["packages"][""]["dependencies"] = {
        "vega-util": lock["packages"]["node_modules/vega-util"]["version"]
    }
    lock["packages"]["node_modules/vega-util"]["integrity"] = "sha512-" + "A" * 86 + "=="
    (root / "site" / "vega" / "package-lock.json").write_text(json.dumps(lock))
    own = {"name": "glassbox-charts", "dependencies": lock["packages"][""]["dependencies"]}
    (root / "site" / "vega" / "package.json").write_text(json.dumps(own))
    with pytest.raises(BuildError, match=r"EINTEGRITY|sha512"):
        packages.fetch(Site(root, tmp_path / "dist", tmp_path / "cache"))
    assert not list((tmp_path / "cache").glob("vega-*"))


def test_the_lock_names_no_place_and_pins_every_package() -> None:
    lock = json.loads((ROOT / "site" / "vega" / "package-lock.json").read_text())
    pinned = {k: v for k, v in lock["packages"].items() if k}
    assert len(pinned) > 50
    assert all("resolved" not in v and v["integrity"].startswith("sha512-") for v in pinned.values())


def test_a_figure_with_a_chart_that_nobody_wrote_is_named(build: Build) -> None:
    from glassbox.publish.pages.ahead import Ahead

    picture = vega.drawn("attention.nothing", {}, "A sentence.")
    lost = dataclasses.replace(build, chapters={"attention": None})  # type: ignore[dict-item]
    lost.states = {"attention": {"mine": Ahead("Mine", (picture, "", "", "", ""), "{}", 2)}}
    with pytest.raises(BuildError, match=r"figure “mine” shows the chart attention\.nothing"):
        compiled.step(lost)


def test_a_chart_and_rows_that_do_not_fit_are_named() -> None:
    spec = {
        "data": {"name": "lines"},
        "layer": [
            {
                "encoding": {"x": {"field": "words"}, "tooltip": [{"field": "half"}]},
                "transform": [{"as": "half"}],
            },
            {"data": {"name": "here"}, "mark": "rule"},
        ],
    }
    rows: Json = {"lines": [{"words": 1}], "here": [{"at": 1}]}
    assert fields.missing(spec, rows) is None
    assert fields.missing(spec, {"lines": []}) is None  # nothing sent, nothing to compare
    assert fields.missing(spec, {"lines": [{"word": 1}]}) == "draws “words” of “lines”, whose rows have word"
    assert fields.missing(spec, {"line": []}) == "has no data set “line”; it has here, lines"


def test_a_figure_whose_rows_its_chart_does_not_know_is_named(build: Build) -> None:
    from glassbox.publish.pages.ahead import Ahead
    from glassbox.publish.pages.chapter import Chapter

    picture = vega.drawn("attention.quadratic", {"lines": [{"tokens": 500, "score": 9}]}, "A sentence.")
    program = {"imports": "", "cells": [], "controls": [], "figures": [{"name": "mine", "controls": []}]}
    chapter = Chapter("attention", "A", "A.", (), program, {}, 1)
    wrong = dataclasses.replace(build, chapters={"attention": chapter})
    wrong.states = {"attention": {"mine": Ahead("Mine", (picture, "", "", "", ""), "{}", 2)}}
    with pytest.raises(
        BuildError, match=r"figure “mine”: the chart attention\.quadratic draws “\w+” of “lines”"
    ):
        compiled.step(wrong)


def test_a_mark_that_leads_nowhere_is_named(build: Build) -> None:
    from glassbox.publish.pages.ahead import Ahead
    from glassbox.publish.pages.chapter import Chapter

    program = {"imports": "", "cells": [], "controls": [], "figures": [{"name": "mine", "controls": []}]}
    chapter = Chapter("attention", "A", "A.", (), program, {}, 1)
    rows = {"lines": [{"tokens": 1, **leading.pressed("?heads_open=1#heads")}]}
    picture = vega.drawn("attention.quadratic", rows, "A sentence.")
    lost = dataclasses.replace(build, chapters={"attention": chapter})
    lost.states = {"attention": {"mine": Ahead("Mine", (picture, "", "", "", ""), "{}", 2)}}
    with pytest.raises(BuildError, match=r"figure “mine”: a link goes to #heads, but the figures are mine"):
        compiled.step(lost)


def test_only_what_has_changed_is_drawn_again(
    build: Build, found: packages.Vega, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = specs.for_pages("attention.quadratic").spec, specs.for_pages("attention.dilution").spec
    ((_, rows, _),) = vega.found(attention.quadratic(10_000, "A100 80 GB").picture)
    stills = [{"chart": "one", "rows": rows, "values": {}, "width": width} for width in compiled.WIDTHS]
    plan = {"specs": {"one": one, "two": two}, "advances": compiled.advances(ROOT), "stills": stills}
    asked: list[tuple[set[str], list[int]]] = []
    ran = compiled._run

    def run(build: Build, found: packages.Vega, plan: Json) -> Json:
        asked.append((set(plan["specs"]), [still["width"] for still in plan["stills"]]))
        return ran(build, found, plan)

    monkeypatch.setattr(compiled, "_run", run)
    fresh = dataclasses.replace(build, site=dataclasses.replace(build.site, cache=tmp_path))
    first = compiled._drawn(fresh, found, plan)
    assert compiled._drawn(fresh, found, plan) == first
    moved = [stills[0], stills[1] | {"width": 300}]
    second = compiled._drawn(fresh, found, plan | {"stills": moved})
    assert second["stills"][0] == first["stills"][0] != second["stills"][1]
    titled = plan | {"specs": {"one": one, "two": two | {"title": "Another"}}}
    assert compiled._drawn(fresh, found, titled)["specs"]["two"] != first["specs"]["two"]
    assert asked == [({"one", "two"}, [640, 340]), ({"one"}, [300]), ({"two"}, [])]


def test_altair_writes_a_chart_once_for_the_same_code(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = dataclasses.replace(build, site=dataclasses.replace(build.site, cache=tmp_path))
    first = compiled._written(fresh, "tokens")
    assert first == {name: specs.lite(name) for name in specs.names("tokens")}
    monkeypatch.setattr(specs, "lite", lambda name: {"asked for": name})
    assert compiled._written(fresh, "tokens") == first
    monkeypatch.setattr(Tree, "fingerprint", lambda self, code: "the code has changed")
    assert compiled._written(fresh, "tokens") == {n: {"asked for": n} for n in specs.names("tokens")}


LISTS = [
    ({}, ["tokens.py", "no list of its charts", "CHARTS = "]),
    ({"CHARTS": {"level": 1}}, ["CHARTS names functions", "'level': level"]),
]


@pytest.mark.parametrize(("module", "said"), LISTS, ids=["none", "called"])
def test_a_module_of_charts_without_a_list_of_functions_is_told(
    build: Build, monkeypatch: pytest.MonkeyPatch, module: dict[str, object], said: list[str]
) -> None:
    monkeypatch.setattr(specs, "_charts", specs._charts.__wrapped__)
    monkeypatch.setattr(specs.importlib, "import_module", lambda name: SimpleNamespace(**module))
    chapter = dataclasses.replace(build, chapters={"tokens": SimpleNamespace(charts={})})
    with pytest.raises(BuildError) as stopped:
        compiled._named(chapter, "tokens")
    assert [part for part in said if part not in str(stopped.value)] == [], str(stopped.value)


def test_a_chart_that_stops_is_told_with_its_line(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    def colours() -> None:
        specs.theme.tone("blue")

    monkeypatch.setattr(specs, "_charts", lambda chapter: {"level": colours})
    with pytest.raises(
        BuildError, match=r"the chart tokens.level stops with ValueError: no colour named 'blue'"
    ) as e:
        compiled._made(build, "tokens", "tokens.level")
    assert "specs/theme.py line" in str(e.value)


def test_a_figure_s_chart_that_no_list_names_is_told(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = vega.drawn("tokens.level", {"lines": [{"x": 1}]}, "A line.")
    ahead = Ahead("T", (str(picture), "S", "", "", "computed"), "{}", 1)
    alone = dataclasses.replace(
        build, chapters={"tokens": SimpleNamespace(charts={})}, states={"tokens": {"one": ahead}}
    )
    monkeypatch.setattr(specs, "names", lambda chapter: ())
    with pytest.raises(
        BuildError, match=r"“one” shows the chart tokens.level; CHARTS of specs/tokens.py names none"
    ):
        compiled.step(alone)
