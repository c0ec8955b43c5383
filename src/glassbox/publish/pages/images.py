"""Authors' pictures: ``notebooks/public/``, where marimo looks for them too.

    ![A dictionary from 1755](public/dictionary.jpg)

The page says how large each is, so that nothing moves when it arrives.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from glassbox.publish.site import Site

FOLDER = "public"
KINDS = (".jpg", ".png", ".svg")
MAX_BYTES = 500_000
_IMAGE = re.compile(r"<img\b[^>]*>")
_JPEG_SIZE = re.compile(rb"\xff[\xc0-\xc3\xc5-\xc7\xc9-\xcb\xcd-\xcf]..\x08(..)(..)", re.S)
_SVG_SIZE = re.compile(rb'viewBox="[\d.-]+[ ,]+[\d.-]+[ ,]+([\d.]+)[ ,]+([\d.]+)"')


def sized(page: str, notebooks: Path) -> str:
    """Adds to each image of some prose its width and height.

    Args:
        page: The prose's markup.
        notebooks: The folder that holds ``public``.

    Raises:
        ValueError: An image is not in the folder, too large, of another kind, or without words for the blind.
    """
    return _IMAGE.sub(lambda tag: _sized(tag[0], notebooks), page)


def _sized(tag: str, notebooks: Path) -> str:
    source = re.search(r'\bsrc="([^"]*)"', tag)
    name = source[1] if source else ""
    path = notebooks / name
    if not name.startswith(f"{FOLDER}/") or ".." in Path(name).parts:
        raise ValueError(f"the image {name} must lie in notebooks/{FOLDER}; write it as {FOLDER}/name.png")
    if not path.is_file():
        raise ValueError(f"there is no image notebooks/{name}")
    if not re.search(r'\balt="[^"]', tag):
        raise ValueError(f"the image {name} says nothing to the blind; write ![what it shows]({name})")
    if path.suffix not in KINDS:
        raise ValueError(f"the image {name} is none of {', '.join(KINDS)}; convert it")
    data = path.read_bytes()
    if len(data) > MAX_BYTES:
        raise ValueError(f"the image {name} has {len(data):,} bytes; make it at most {MAX_BYTES:,}")
    width, height = size(path.suffix, data)
    return tag.replace("<img", f'<img width="{width}" height="{height}"', 1)


def size(kind: str, data: bytes) -> tuple[int, int]:
    """An image's width and height in pixels.

    Raises:
        ValueError: It is not what its name says.

    Source: PNG 3rd edition, section 11.2.1 (IHDR); ITU T.81, annex B.2.2 (frame header).
    """
    if kind == ".png" and data[:8] == b"\x89PNG\r\n\x1a\n":
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    if kind == ".jpg" and (found := _JPEG_SIZE.search(data)):
        return int.from_bytes(found[2], "big"), int.from_bytes(found[1], "big")
    if kind == ".svg" and (found := _SVG_SIZE.search(data)):
        return round(float(found[1])), round(float(found[2]))
    raise ValueError(f"an image's width and height cannot be read; is it a {kind} (with a viewBox, if .svg)?")


def copy(site: Site, target: Path) -> None:
    """Copies the folder beside the pages that show its images; nothing where an author has none."""
    source = site.root / "notebooks" / FOLDER
    if source.is_dir():
        shutil.copytree(source, target / FOLDER, ignore=shutil.ignore_patterns(".*"), dirs_exist_ok=True)
