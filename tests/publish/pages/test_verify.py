import dataclasses
from pathlib import Path

import pytest

from glassbox.publish.errors import BuildError
from glassbox.publish.pages import verify
from glassbox.publish.site import Site
from glassbox.publish.state import Build

PAGE = '<html><head><title>T</title><meta name="description" content="d">{head}</head><body><main>{main}</main></body></html>'


def site(tmp_path: Path, head: str = "", main: str = "") -> Build:
    (tmp_path / "static-1" / "js").mkdir(parents=True)
    (tmp_path / "static-1" / "js" / "page.js").write_text("1")
    (tmp_path / "index.html").write_text(PAGE.format(head=head, main=main))
    (tmp_path / "other.html").write_text(PAGE.format(head="", main='<h2 id="there">x</h2>'))
    return Build(Site(tmp_path, tmp_path, tmp_path), static="static-1/")


def test_a_sound_site_passes(tmp_path):
    verify.step(site(tmp_path, main='<a href="other.html#there">x</a> <a href="https://example.org/">y</a>'))


def test_a_build_of_one_chapter_may_name_the_others_it_leaves_out(tmp_path):
    build = site(tmp_path, main='<a href="machine.html#project">x</a>')
    with pytest.raises(BuildError, match=r"machine\.html#project, which does not exist"):
        verify.step(build)
    verify.step(dataclasses.replace(build, site=dataclasses.replace(build.site, only="attention")))


@pytest.mark.parametrize(
    ("head", "main", "said"),
    [
        ("", '<a href="gone.html">x</a>', "gone.html, which does not exist"),
        ("", '<a href="other.html#nowhere">x</a>', "no such place"),
        ('<script src="https://example.org/a.js"></script>', "", "loaded from another origin"),
        ('<link rel="stylesheet" href="//example.org/a.css">', "", "loaded from another origin"),
        ("", '<i id="a"></i><i id="a"></i>', "the id 'a' stands twice"),
        ("", "</main><main>", "2 <main> elements"),
    ],
)
def test_a_broken_promise_is_named(tmp_path, head, main, said):
    with pytest.raises(BuildError, match=said):
        verify.step(site(tmp_path, head, main))


def test_a_heavy_page_script_is_refused(tmp_path):
    build = site(tmp_path)
    noise = "".join(f"let v{i * 7919 % 100003}={i * i};" for i in range(4000))
    (tmp_path / "static-1" / "js" / "page.js").write_text(noise)
    with pytest.raises(BuildError, match="page script takes"):
        verify.step(build)


def test_a_heavy_embed_is_refused(tmp_path):
    build = site(tmp_path)
    build.chapters["attention"] = None  # type: ignore[assignment]
    folder = tmp_path / "embed" / "attention"
    folder.mkdir(parents=True)
    (tmp_path / "big.png").write_bytes(bytes(200_000))
    (folder / "paint.html").write_text(PAGE.format(head="", main='<img src="../../big.png">'))
    with pytest.raises(BuildError, match="bytes before Python"):
        verify.step(build)
