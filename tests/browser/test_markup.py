"""Judged by a tool that others made: the Nu HTML checker reads every page that we write."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests import serve

NU = "vnu-jar@26.9.27"
# Languages are shown in the very characters that were cut into pieces, normalised or not.
ALLOWED = re.compile("is not in Unicode Normalization Form C")


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


def test_the_nu_checker_reports_nothing_on_any_page(
    nu: Path, site: Path, server: serve.Server, pages: list[str]
) -> None:
    java = shutil.which("java")
    if java is None:
        pytest.fail(
            "The Nu checker needs Java (Debian: apt-get install default-jre-headless).", pytrace=False
        )
    addresses = [server.address + path for path in pages if path != "404.html"]
    command = [java, "-Xmx512m", "-jar", str(nu), "--format", "json", "--exit-zero-always"]
    files = [str(site / "404.html")]  # a server says 404 to it, and Nu stops there
    told: list[str] = []
    for some in (addresses, files):
        done = subprocess.run([*command, *some], capture_output=True, text=True, check=False)
        for message in json.loads(done.stderr)["messages"]:
            where = message.get("url", "").rpartition("/")[2]
            if some is files and "Content Security Policy" in message["message"]:
                continue  # a file has no origin that 'self' could name
            told.append(f"{where}:{message.get('lastLine')}: {message['message']}")
    assert [line for line in told if not ALLOWED.search(line)] == []


def test_every_id_begins_with_a_letter(site: Path, pages: list[str]) -> None:
    odd = {
        path: found
        for path in pages
        if (found := re.findall(r'\sid="([^a-zA-Z][^"]*)"', (site / path).read_text(encoding="utf-8")))
    }
    assert odd == {}, "such an id cannot be written as a selector"
