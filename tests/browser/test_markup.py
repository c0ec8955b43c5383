"""Judged by a tool that others made: the Nu HTML checker reads every page that we write."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

NU = "vnu-jar@26.9.27"
# Languages are shown in the very characters that were cut into pieces, normalised or not; and a file has no
# origin that a policy's 'self' could name (the browsers' own word on the policy is in test_pages). Rows and heads
# of a table that is drawing only (see figures.markup.grid) do need their roles.
ALLOWED = re.compile(
    "is not in Unicode Normalization Form C|violates Content Security Policy"
    "|The “(row|rowheader|columnheader)” role is unnecessary for element “t[rh]”"
)


@pytest.fixture(scope="session")
def nu(cache: Path) -> Path:
    """The checker, fetched once by npm."""
    folder = cache / "nu"
    jar = folder / f"{NU.replace('@', '-')}.jar"
    if jar.exists():
        return jar
    npm = shutil.which("npm")
    if npm is None:
        pytest.fail("The Nu checker comes by npm (Debian: apt-get install npm).", pytrace=False)
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [npm, "pack", "--silent", "--pack-destination", str(folder), NU], check=True, capture_output=True
    )
    archive = jar.with_suffix(".tgz")
    with tarfile.open(archive) as package:
        member = next(m for m in package.getmembers() if m.name.endswith("/vnu.jar"))
        found = package.extractfile(member)
        assert found is not None
        jar.write_bytes(found.read())
    archive.unlink()
    return jar


def test_the_nu_checker_reports_nothing_on_any_page(nu: Path, site: Path, pages: list[str]) -> None:
    java = shutil.which("java")
    if java is None:
        pytest.fail(
            "The Nu checker needs Java (Debian: apt-get install default-jre-headless).", pytrace=False
        )
    command = [java, "-Xmx512m", "-jar", str(nu), "--format", "json", "--exit-zero-always"]
    done = subprocess.run(
        [*command, *(str(site / path) for path in pages)], capture_output=True, text=True, check=False
    )
    told = [
        f"{m.get('url', '').removeprefix(site.as_uri())}:{m.get('lastLine')}: {m['message']}"
        for m in json.loads(done.stderr)["messages"]
    ]
    assert [line for line in told if not ALLOWED.search(line)] == []


def test_every_id_begins_with_a_letter(site: Path, pages: list[str]) -> None:
    odd = {
        path: found
        for path in pages
        if (found := re.findall(r'\sid="([^a-zA-Z][^"]*)"', (site / path).read_text(encoding="utf-8")))
    }
    assert odd == {}, "such an id cannot be written as a selector"


class Named(HTMLParser):
    """The names of what a reader of the screen can go to: landmarks, and boxes and grids inside of figures."""

    PLACES = ("grid", "group", "region", "navigation", "form", "search")
    TAGS = ("nav", "aside", "form", "section")

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.inside: list[tuple[str, str]] = []  # (figure's title, a name in its picture)
        self._figure = ""
        self._title = False
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        have = dict(attrs)
        if tag == "figure":
            self._figure = ""
        self._title = have.get("class") == "title"
        name = have.get("aria-label")
        if name and (have.get("role") in self.PLACES or tag in self.TAGS):
            self.names.append(name)
            if self._figure and have.get("role") in ("grid", "region", "group") and "data-chart" not in have:
                self.inside.append((self._figure, name))

    def handle_data(self, data: str) -> None:
        if self._title:
            self._figure += data

    def handle_endtag(self, tag: str) -> None:
        self._title = False
        if tag == "figure":
            self._figure = ""


def test_places_to_go_to_are_named_by_their_figure_and_no_two_alike(site: Path, pages: list[str]) -> None:
    seen = 0
    for path in pages:
        found = Named((site / path).read_text(encoding="utf-8"))
        twice = [n for n in found.names if found.names.count(n) > 1]
        assert twice == [], f"{path} has two places of one name"
        odd = [(title, name) for title, name in found.inside if title not in name]
        assert odd == [], f"{path} has places that do not say to which figure they belong"
        seen += len(found.inside)
    assert seen > 200
