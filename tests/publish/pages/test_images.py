"""Images in prose: where they lie, how large they are, and what the build says of those that cannot be shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from glassbox.publish.errors import BuildError
from glassbox.publish.pages import images, notebook
from glassbox.publish.site import Site
from tests.publish.pages.test_mistakes import cell
from tests.publish.pages.test_notebook import GOOD, write

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (427).to_bytes(4, "big")
JPG = (
    b"\xff\xd8\xff\xe0\0\x10JFIF"
    + b"\xff\xc0\0\x11\x08"
    + (427).to_bytes(2, "big")
    + (640).to_bytes(2, "big")
)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 427"></svg>'


def book(folder: Path, text: str, **files: bytes) -> Path:
    (folder / "public").mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / "public" / name.replace("_", ".")).write_bytes(data)
    return write(folder, GOOD + cell(f"mo.md({text!r})"))


@pytest.mark.parametrize(
    ("name", "data"), [("a.png", PNG), ("a.jpg", JPG), ("a.svg", SVG)], ids=["png", "jpg", "svg"]
)
def test_an_image_has_its_size_before_it_arrives(tmp_path: Path, name: str, data: bytes) -> None:
    path = book(tmp_path, f"![A word](public/{name})", **{name.replace(".", "_"): data})
    shown = re.findall(r"<img[^>]*>", "".join(b.html for b in notebook.load(path).blocks))
    assert shown == [f'<img width="640" height="427" alt="A word" src="public/{name}" />']


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("![A](a.png)", "must lie in notebooks/public"),
        ("![A](https://example.org/a.png)", "must lie in notebooks/public"),
        ("![A](public/../../a.png)", "must lie in notebooks/public"),
        ("![A](public/b.png)", "there is no image notebooks/public/b.png"),
        ("![](public/a.png)", r"says nothing to the blind; write !.what it shows..public/a.png."),
        ("![A](public/a.gif)", "none of .jpg, .png, .svg"),
        ("![A](public/large.png)", "500,001 bytes; make it at most 500,000"),
        ("![A](public/text.png)", "width and height cannot be read"),
    ],
)
def test_an_image_that_cannot_be_shown_names_its_cell(tmp_path: Path, text: str, reason: str) -> None:
    files = {"a_png": PNG, "a_gif": b"GIF", "large_png": bytes(500_001), "text_png": b"hello"}
    with pytest.raises(BuildError, match=f"line 39.*{reason}"):
        notebook.load(book(tmp_path, text, **files))


def test_images_are_copied_and_a_book_without_any_needs_no_folder(tmp_path: Path) -> None:
    site = Site(tmp_path, tmp_path / "out", tmp_path / "cache")
    images.copy(site, site.out)
    assert not site.out.exists()
    (tmp_path / "notebooks" / "public").mkdir(parents=True)
    for name in ("a.png", ".DS_Store"):
        (tmp_path / "notebooks" / "public" / name).write_bytes(PNG)
    images.copy(site, site.out)
    assert [p.name for p in (site.out / "public").iterdir()] == ["a.png"]
