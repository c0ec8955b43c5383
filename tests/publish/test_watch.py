"""Building again on every save: what counts as one, what pages hear of it, and what a draft takes over."""

from __future__ import annotations

import dataclasses
import http.client
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from glassbox.publish import watch
from glassbox.publish.site import Site
from tests.conftest import ROOT, load_build


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for name in (
        "notebooks/a.py",
        "site/css/book.css",
        "src/glassbox/x.py",
        "src/glassbox/__pycache__/x.pyc",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1")
    return tmp_path


def saved(root: Path, before: watch.Stamps) -> set[str]:
    """What the next look finds; nothing if a hundred looks find nothing."""
    looks = iter(range(100))
    found = next(watch.changes(root, before, lambda: next(looks, None) is None), [])
    return {p.relative_to(root).as_posix() for p in found}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "EVERY", 0.001)


def test_a_saved_a_new_and_a_removed_source_are_told(sources: Path) -> None:
    before = watch.stamps(sources)
    (sources / "notebooks/a.py").write_text("22")
    (sources / "site/css/new.css").write_text("1")
    (sources / "src/glassbox/x.py").unlink()
    assert saved(sources, before) == {"notebooks/a.py", "site/css/new.css", "src/glassbox/x.py"}


def test_what_a_run_leaves_behind_is_no_change(sources: Path) -> None:
    before = watch.stamps(sources)
    for name in (
        "src/glassbox/__pycache__/x.pyc",
        "notebooks/__marimo__/session.json",
        "notebooks/.a.py.swp",
        "notebooks/a.py~",
    ):
        path = sources / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("22")
    assert saved(sources, before) == set()


def test_a_source_saved_while_a_build_runs_is_built_next(sources: Path) -> None:
    looks = watch.changes(sources, watch.stamps(sources), lambda: False)
    (sources / "notebooks/a.py").write_text("22")
    next(looks)  # and the build that follows takes its time
    (sources / "site/css/book.css").write_text("22")
    assert [p.name for p in next(looks)] == ["book.css"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[watch.Server]:
    for name in ("index.html", "edit/a.html", "sw.js", "page.js"):
        path = tmp_path / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<head></head>")
    with watch.serve_site(tmp_path / "out") as running:
        yield running


def ask(server: watch.Server, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(urlsplit(server.address).netloc, timeout=20)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_pages_ask_for_the_next_build_and_their_files_stay_as_they_are(server: watch.Server) -> None:
    assert ask(server, "/")[1] == '<head><script type="module" src="/__watch.js"></script></head>'
    assert ask(server, "/edit/a.html")[1] == ask(server, "/page.js")[1] == "<head></head>"
    assert "location.reload" in ask(server, "/__watch.js")[1]
    assert (server.folder / "index.html").read_text() == "<head></head>"


def test_the_answer_changes_with_each_build(server: watch.Server) -> None:
    assert ask(server, "/__watch")[1] == "0"
    server.builds += 1
    assert ask(server, "/__watch")[1] == "1"
    assert ask(server, "/nothing")[0] == 404


def test_no_page_kept_from_an_earlier_build_answers(server: watch.Server) -> None:
    assert "unregister" in ask(server, "/sw.js")[1]


def module(folder: str) -> str:
    """What a module that stands on disk says; runs in a process of its own."""
    scope: dict[str, str] = {}
    exec((Path(folder) / "said.py").read_text(), scope)
    return scope["SAID"] + str(os.getpid())


def test_every_build_has_a_process_of_its_own(tmp_path: Path) -> None:
    forked = watch.Forked()
    (tmp_path / "said.py").write_text("SAID = 'one'")
    first = forked.run(module, str(tmp_path))
    (tmp_path / "said.py").write_text("SAID = 'two'")
    second = forked.run(module, str(tmp_path))
    assert (first[:3], second[:3]) == ("one", "two")
    assert len({first[3:], second[3:], str(os.getpid())}) == 3


def test_a_draft_has_every_file_of_a_site_and_packs_nothing(tmp_path: Path, site: Path, cache: Path) -> None:
    def listed(folder: Path) -> set[str]:
        files = (p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
        return {re.sub(r"[-.][0-9a-f]{10}(?=[./])", "-hash", name) for name in files}

    out = tmp_path / "dist"
    shutil.copytree(site, out)
    (out / "glassbox.zip").write_bytes(b"of the last whole build")
    # A draft waits for no compressing, and has no old .br beside a new file: only marimo's own files never change.
    wanted = {n for n in listed(out) if not n.endswith(".br") or n.startswith("edit/assets/")}
    draft = dataclasses.replace(Site(ROOT, out, cache), before=out)
    load_build().build(draft)
    assert listed(out) == wanted
    assert (out / "glassbox.zip").read_bytes() == b"of the last whole build"
    assert [p.name for p in tmp_path.iterdir()] == ["dist"]
