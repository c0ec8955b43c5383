"""The places a runtime file may come from: Pyodide's official CDN, or the registries of pip and npm.

Whichever answers, the bytes are the same, because every file is pinned by SHA-256 in ``site/runtime.json``:

    {"name": "numpy-2.4.3-….whl", "sha256": "0cad…", "size": 2916023,
     "cdn": "v314.0.3/full/numpy-2.4.3-….whl",
     "registry": {"pip": "open-webui==0.12.4", "member": "open_webui/frontend/pyodide/numpy-….whl"}}

A registry is only ever asked through ``pip download`` and ``npm pack``, as this machine has them set up. A
package is either the file itself, or an archive that holds it as a ``member``, or (``pure``) a wheel for
another platform whose Python files alone make a wheel for every platform.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from glassbox.publish.errors import BuildError
from glassbox.publish.python import zips

Json = dict[str, Any]
Keep = Callable[[Json, bytes], None]  # checks one file's bytes and puts them into the cache
Progress = Callable[[int], None]  # bytes fetched so far, by this source

PROBE_SECONDS = 4.0  # a CDN that has not answered a first request by then counts as out of reach
READ_SECONDS = 30.0  # longest silence in the middle of a download
_PYTHON = ["--python-version", "3.14", "--implementation", "cp", "--abi", "cp314", "--abi", "none"]


def cdn_answers(base: str, files: Iterable[Json]) -> bool:
    """Asks the CDN for the head of one file, to decide within seconds whether it can be used."""
    first = next((f for f in files if "cdn" in f), None)
    if first is None:
        return False
    try:
        request = urllib.request.Request(base + first["cdn"], method="HEAD")
        with urllib.request.urlopen(request, timeout=PROBE_SECONDS) as answer:
            return bool(answer.status == 200)
    except (OSError, ValueError):
        return False


def from_cdn(base: str, files: list[Json], keep: Keep, progress: Progress) -> None:
    """Downloads files from the CDN, one after the other.

    Raises:
        BuildError: An address does not answer, or stops in the middle of a file.
    """
    fetched = 0
    for file in files:
        body = bytearray()
        try:
            with urllib.request.urlopen(base + file["cdn"], timeout=READ_SECONDS) as answer:
                while chunk := answer.read(1 << 18):
                    body += chunk
                    progress(fetched + len(body))
                    if len(body) > file["size"]:
                        break  # not our file; the check in ``keep`` says so
        except (OSError, ValueError) as error:
            remedy = f"the CDN did not deliver it ({error}); check the network or use --runtime registries."
            raise BuildError("runtime", base + file["cdn"], remedy) from error
        keep(file, bytes(body))
        fetched += len(body)


def from_registries(files: list[Json], scratch: Path, keep: Keep, progress: Progress) -> None:
    """Downloads the packages that hold the files, and takes the files out of them.

    Raises:
        BuildError: pip or npm is missing, or did not deliver a package.
    """
    groups: dict[tuple[str, str], list[Json]] = {}
    for file in files:
        tool = "npm" if "npm" in file["registry"] else "pip"
        groups.setdefault((tool, file["registry"].get("platform", "any")), []).append(file)
    for number, ((tool, platform), group) in enumerate(sorted(groups.items())):
        folder = scratch / str(number)
        folder.mkdir()
        packages = sorted({f["registry"][tool] for f in group})
        command = _npm(packages, folder) if tool == "npm" else _pip(packages, platform, folder)
        _run(tool, command, packages, folder, lambda: progress(_bytes_below(scratch)))
        archives = {_normal(p.name): p for p in folder.iterdir() if p.suffix in (".whl", ".tgz")}
        for file in group:
            keep(file, _take(file["registry"], tool, archives))


def _npm(packages: list[str], folder: Path) -> list[str]:
    npm = shutil.which("npm")
    if npm is None:
        remedy = "npm is not installed; install Node.js (Debian: apt-get install npm) or use --runtime cdn."
        raise BuildError("runtime", packages[0], remedy)
    return [npm, "pack", "--silent", "--pack-destination", str(folder), *packages]


def _pip(packages: list[str], platform: str, folder: Path) -> list[str]:
    options = ["--no-deps", "--only-binary", ":all:", "--ignore-requires-python", "--quiet"]
    options += ["--disable-pip-version-check", "--platform", platform, *_PYTHON]
    return [sys.executable, "-m", "pip", "download", *options, "-d", str(folder), *packages]


def _run(tool: str, command: list[str], packages: list[str], folder: Path, tick: Callable[[], None]) -> None:
    """Runs pip or npm, reporting how much has arrived, and turns a failure into one sentence."""
    temporary = folder / "tmp"  # beside the result, so that progress can be seen and nothing stays behind
    temporary.mkdir()
    env = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    log = folder / "log"
    with log.open("wb") as sink:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=sink, stderr=sink)
        try:
            while process.poll() is None:
                tick()
                time.sleep(0.1)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if process.returncode:
        raise BuildError("runtime", ", ".join(packages), _why(tool, log.read_text(errors="replace")))
    log.unlink()


def _why(tool: str, log: str) -> str:
    if "No space left" in log or "ENOSPC" in log:
        return "the disk is full; free some space (about 400 MB is enough) and build again."
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()] or lines or ["no message"]
    return (
        f"{tool} did not deliver it ({errors[-1][:200]}); check that {tool} works on this machine, "
        "or use --runtime cdn for what the CDN has."
    )


def _bytes_below(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):  # passes over what pip or npm moves away meanwhile
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += (Path(parent) / name).stat().st_size
    return total


def _take(registry: Json, tool: str, archives: dict[str, Path]) -> bytes:
    """Reads one pinned file out of the archives that a registry delivered."""
    name, _, version = registry[tool].partition("@" if tool == "npm" else "==")
    stem = f"{_normal(name)}_{_normal(version)}"
    path = next((p for n, p in archives.items() if n.startswith((stem + "_", stem + "."))), None)
    if path is None:
        raise BuildError("runtime", registry[tool], f"{tool} delivered other files: {', '.join(archives)}")
    try:
        return _read(registry, path)
    except (KeyError, zipfile.BadZipFile, tarfile.TarError) as error:
        remedy = f"{tool} delivered an archive without {registry.get('member', 'its files')} ({error}); "
        raise BuildError(
            "runtime", registry[tool], remedy + "empty the tool's own cache and retry."
        ) from error


def _read(registry: Json, path: Path) -> bytes:
    if registry.get("pure"):
        return pure_wheel(path.read_bytes())
    member = registry.get("member")
    if member is None:
        return path.read_bytes()
    if path.suffix == ".tgz":
        with tarfile.open(path) as archive:
            stream = archive.extractfile(member)
            return stream.read() if stream else b""
    with zipfile.ZipFile(path) as wheel:
        return wheel.read(member)


def _normal(name: str) -> str:
    """A name as archives spell it: ``Pymdown-Extensions`` and ``pymdown_extensions`` are one package."""
    return name.lower().replace("-", "_")


def pure_wheel(platform_wheel: bytes) -> bytes:
    """Makes a wheel for every platform from one whose compiled parts are optional.

    It holds the Python files and licences unchanged, without the compiled speed-ups, uncompressed and with
    one fixed date, so that every machine makes the same bytes.

    Args:
        platform_wheel: A wheel such as PyYAML's, which works without its extension module.
    """
    entries: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(platform_wheel)) as wheel:
        for name in sorted(wheel.namelist()):
            if name.endswith(".py") or (".dist-info/" in name and not name.endswith(("/", "RECORD"))):
                entries[name] = wheel.read(name)
    info = next(name.split("/")[0] for name in entries if ".dist-info/" in name)
    tags = b"Wheel-Version: 1.0\nGenerator: glassbox\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    entries[f"{info}/WHEEL"] = tags
    record = "".join(f"{n},sha256={_record_hash(d)},{len(d)}\n" for n, d in sorted(entries.items()))
    entries[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    out = io.BytesIO()
    zips.write(out, entries, entries.__getitem__, level=lambda name: 0)
    return out.getvalue()


def _record_hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
