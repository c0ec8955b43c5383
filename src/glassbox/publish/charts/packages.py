"""What draws the charts, from npm: pinned by content in ``site/vega/package-lock.json``, fetched once.

npm checks every package against the lock's hash, wherever it gets it from. Nothing of a package is run while
it is installed, and the pages get one file of it: Vega's core, bundled.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from glassbox.publish.errors import BuildError, disk
from glassbox.publish.site import Site

_LISTS = ("package.json", "package-lock.json")
_ENTRY = "entry.mjs"
_BUNDLING = (
    "--bundle --minify --format=iife --target=es2022 --charset=utf8 --legal-comments=none --log-level=error"
)


@dataclass(frozen=True)
class Vega:
    """Vega as the build has it.

    Attributes:
        packages: The folder that holds ``node_modules``.
        bundle: The one file for the pages.
    """

    packages: Path
    bundle: Path

    @property
    def licences(self) -> Path:
        """The licences of all that is in the bundle."""
        return self.bundle.with_suffix(".licences.txt")


def fetch(site: Site) -> Vega:
    """Brings npm's packages into the cache and bundles what pages need.

    Raises:
        BuildError: npm is missing or did not deliver; or a package differs from its pin.
    """
    source = site.root / "site" / "vega"
    folder = site.cache / f"vega-{_digest(source, _LISTS)}"
    with disk("charts", site.cache):
        if not (folder / "node_modules").exists():
            site.report("charts: fetching Vega from npm")
            _install(site, source, folder)
        bundle = folder / f"bundle-{_digest(source, (_ENTRY,), _BUNDLING)}.js"
        if not bundle.exists():
            _bundle(source, folder, bundle)
    return Vega(folder, bundle)


def _digest(source: Path, names: tuple[str, ...], more: str = "") -> str:
    content = b"".join((source / name).read_bytes() for name in names)
    return hashlib.sha256(content + more.encode()).hexdigest()[:12]


def _install(site: Site, source: Path, folder: Path) -> None:
    """Installs beside the folder and gives it its name when all is there."""
    npm = shutil.which("npm")
    if npm is None:
        raise BuildError(
            "charts", "npm", "it is not installed; install Node.js (Debian: apt-get install npm)."
        )
    site.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=site.cache) as scratch:
        home = Path(scratch) / "vega"
        home.mkdir()
        for name in _LISTS:
            shutil.copyfile(source / name, home / name)
        run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], home)
        shutil.rmtree(folder, ignore_errors=True)
        home.rename(folder)


def _bundle(source: Path, folder: Path, bundle: Path) -> None:
    shutil.copyfile(source / _ENTRY, folder / _ENTRY)
    esbuild = folder / "node_modules" / ".bin" / "esbuild"
    part, meta = bundle.with_suffix(".part.js"), bundle.with_suffix(".json")
    run([str(esbuild), _ENTRY, *_BUNDLING.split(), f"--outfile={part}", f"--metafile={meta}"], folder)
    inside = json.loads(meta.read_text(encoding="utf-8"))["inputs"]
    found = sorted({m[0] for path in inside if (m := re.match(r"node_modules/(?:@[^/]+/)?[^/]+", path))})
    text = "\n\n".join(_licence(folder / name) for name in found)
    Vega(folder, bundle).licences.write_text(text + "\n", encoding="utf-8")
    part.rename(bundle)


def _licence(package: Path) -> str:
    """One package's name, version and licence."""
    about = json.loads((package / "package.json").read_text(encoding="utf-8"))
    head = f"{about['name']} {about['version']} ({about['license']})"
    texts = sorted(package.glob("LICEN[CS]E*"))
    return "\n\n".join([head, *(t.read_text(encoding="utf-8").strip() for t in texts)])


def run(command: list[str], folder: Path, remedy: str = "check that npm works on this machine") -> str:
    """Runs one of Node's tools; returns what it wrote.

    Raises:
        BuildError: It failed; the sentence holds its last words.
    """
    environment = os.environ | {"NODE_NO_WARNINGS": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        named = [line for line in lines if re.match(r"(?:npm )?\w*error\b", line, re.I)]
        said = (named or lines[-1:] or ["no message"])[0]
        raise BuildError("charts", Path(command[0]).name, f"it stopped ({said[:400]}); {remedy}.")
    return done.stdout
