"""Puts a checkpoint in the place of the shipped model: a site whose figures run it, its files beside them.

    python build.py --model path/to/folder --out course

Figures that run a model have their states computed with this one, and carry its name; those that stay with
the shipped model say why. The files lie in ``model/`` with a list of their hashes, and the browser's Python
begins by reading them. Prose, questions and what they compute speak of the shipped model: a course writes its
own.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

from glassbox.figures import subject
from glassbox.page import bridge
from glassbox.publish.errors import BuildError
from glassbox.publish.state import Build, Shown

FOLDER, LIST = "model", "SHA256SUMS"
FILES = re.compile(r"(config|generation_config|tokenizer)\.json|.+\.safetensors(\.index\.json)?")
_BLOCK = 1 << 22  # bytes that are hashed at a time


def step(build: Build) -> None:
    """Fits every chapter's controls to the model, and lays its files into the site."""
    folder = build.site.model
    if folder is None:
        return
    try:
        read = subject.read(folder)
    except ValueError as error:
        raise BuildError("model", folder, f"{error}.") from error
    subject.use(read)
    try:
        for name, chapter in build.chapters.items():
            controls = bridge.fitted(chapter.program)
            program = {**chapter.program, "controls": controls}
            build.chapters[name] = dataclasses.replace(chapter, program=program)
    finally:
        subject.use(None)
    files = _laid(folder, build.site.out / FOLDER)
    digest = hashlib.sha256(json.dumps(files).encode()).hexdigest()[:16]
    build.shown = Shown(read.name, folder, digest)
    path = build.site.out / build.manifest
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["model"] = {"name": read.name, "files": files}
    path.write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def _laid(folder: Path, place: Path) -> list[dict[str, Any]]:
    """Copies a model's files; returns each with its size and hash, as the manifest lists files."""
    place.mkdir(parents=True, exist_ok=True)
    found, lines = [], []
    for path in sorted(p for p in folder.iterdir() if p.is_file() and FILES.fullmatch(p.name)):
        shutil.copyfile(path, place / path.name)
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        lines.append(f"{digest.hexdigest()}  {path.name}\n")
        found.append(
            {
                "url": f"{FOLDER}/{path.name}",
                "bytes": path.stat().st_size,
                "integrity": f"sha256-{base64.b64encode(digest.digest()).decode()}",
            }
        )
    (place / LIST).write_text("".join(lines), encoding="utf-8")
    return found
