"""The notebooks' editor as files: marimo's page, on our runtime, asking nobody else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from glassbox.publish.errors import BuildError
from glassbox.publish.pages import edit
from glassbox.publish.site import Site

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def editors(site: Path) -> list[Path]:
    found = sorted((site / "edit").glob("*.html"))
    assert found
    return found


def config(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="glassbox-edit">(.*?)</script>', page, re.S)
    assert found is not None
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


def test_the_page_holds_the_notebook_itself(editors: list[Path]) -> None:
    for path in editors:
        page = path.read_text(encoding="utf-8")
        found = re.search(r'<marimo-code hidden="">(.*?)</marimo-code>', page, re.S)
        assert found is not None
        code = unquote(found[1])
        assert "marimo.App" in code
        assert "from glassbox" in code
        assert config(page)["chapter"] == path.stem


def test_python_comes_from_the_site_by_relative_addresses(editors: list[Path]) -> None:
    for path in editors:
        page = path.read_text(encoding="utf-8")
        for name in ("pyodide-index-url", "pyodide-lockfile-url", "pypi-index-url"):
            found = re.search(rf'data-{name}="([^"]*)"', page)
            assert found is not None
            assert found[1].startswith("../runtime/")
        assert not re.search(r'(?:src|href)="(?:https?:)?//', page)


def test_the_policy_allows_no_other_origin(editors: list[Path]) -> None:
    for path in editors:
        found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', path.read_text("utf-8"))
        assert found is not None
        assert "default-src &#x27;self&#x27;" in found[1]
        assert "http" not in found[1]
        assert "*" not in found[1]


def test_every_listed_file_is_there_with_its_size(editors: list[Path]) -> None:
    for path in editors:
        files = config(path.read_text(encoding="utf-8"))["files"]
        assert len(files) > 15
        for file in files:
            assert (path.parent / file["url"]).stat().st_size == file["bytes"]


def test_marimo_s_files_are_there_once_without_strays(site: Path) -> None:
    folder = site / "edit"
    assert [p.parent.name for p in folder.rglob("index-*.css")] == ["assets"]
    assert not list(site.rglob("CLAUDE.md"))
    assert not list(folder.rglob("*.ttf"))
    assert not list(folder.rglob("*.map"))


def test_every_file_that_marimo_s_page_names_is_there(editors: list[Path]) -> None:
    for path in editors:
        named = re.findall(r'(?:src|href)="(\./[^"]+)"', path.read_text(encoding="utf-8"))
        assert len(named) > 20
        assert [n for n in named if not (path.parent / n).exists()] == []


def test_no_file_tells_where_on_its_author_s_disk_it_was_made(site: Path) -> None:
    """Such a path would tell a stranger, and give other bytes in another folder."""
    texts = [p for p in site.rglob("*") if p.suffix in (".html", ".js", ".json", ".css", ".svg", ".txt")]
    assert len(texts) > 500
    assert [p.name for p in texts if str(ROOT).encode() in p.read_bytes()] == []


def test_fonts_that_were_left_out_have_another_form(site: Path) -> None:
    for sheet in (site / "edit" / "assets").glob("*.css"):
        for rule in re.findall(r"@font-face\{[^}]*\}", sheet.read_text(encoding="utf-8")):
            urls = re.findall(r"url\(\"?([^)]+?)\"?\)", rule)
            assert any(u.startswith("data:") or (sheet.parent / u).exists() for u in urls), rule[:200]


def test_marimo_is_asked_again_only_for_another_notebook_or_package(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed figure gives the site's Python other addresses, which are filled in."""
    asked: list[str] = []

    def export(site: Site, source: Path, mode: str, manifest: dict[str, Any], lock: Path) -> str:
        asked.append(source.stem)
        return f"{manifest['edit_index']} {manifest['edit_lock']}"

    monkeypatch.setattr(edit, "_export", export)
    here = Site(ROOT, site, tmp_path)
    source = ROOT / "notebooks" / "attention.py"
    lock = {"numpy": {"version": "2.0"}}
    for name in ("one", "two"):
        page = edit._kept(here, source, {"edit_index": name, "edit_lock": name}, lock)
        assert page == "hole-for-index hole-for-lock"
    assert asked == ["attention"]
    edit._kept(here, source, {"edit_index": "", "edit_lock": ""}, {"numpy": {"version": "2.1"}})
    edit._kept(here, source.with_name("tokens.py"), {"edit_index": "", "edit_lock": ""}, lock)
    assert asked == ["attention", "attention", "tokens"]


def test_a_page_of_another_marimo_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="is marimo the version in pyproject"):
        edit._once("<html></html>", "</head>", lambda found: found, "attention")


def test_the_export_wants_the_runtime_first(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="the runtime step comes before"):
        edit.export(Site(ROOT, tmp_path, tmp_path / "cache"))
