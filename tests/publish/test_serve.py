"""The server: what a careful host sends, and what goes wrong on request."""

from __future__ import annotations

import gzip
import http.client
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests import serve

WORDS = "attention " * 500


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    (site / "runtime" / "numpy-2.4.3-0cad9c1b").mkdir(parents=True)
    (site / "edit" / "assets").mkdir(parents=True)
    (site / "index.html").write_text(WORDS, encoding="utf-8")
    (site / "runtime" / "numpy-2.4.3-0cad9c1b" / "numpy.whl").write_bytes(b"PK" * 100)
    (site / "runtime" / "manifest.json").write_text("{}", encoding="utf-8")
    (site / "edit" / "assets" / "index-s-M1OXjs.js").write_text("1", encoding="utf-8")
    for name in ("page.mjs", "core.wasm", "font.woff2", "notebook.py"):
        (site / name).write_bytes(b"0123456789" * 20)
    (tmp_path / "secret.txt").write_text("not for you", encoding="utf-8")
    return site


@pytest.fixture
def server(folder: Path) -> Iterator[serve.Server]:
    with serve.serve(folder) as running:
        yield running


def ask(
    server: serve.Server, path: str, method: str = "GET", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection(urlsplit(server.address).netloc, timeout=5)
    try:
        connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/page.mjs", "text/javascript; charset=utf-8"),
        ("/core.wasm", "application/wasm"),
        ("/font.woff2", "font/woff2"),
        ("/notebook.py", "text/x-python; charset=utf-8"),
        ("/runtime/manifest.json", "application/json"),
        ("/runtime/numpy-2.4.3-0cad9c1b/numpy.whl", "application/zip"),
    ],
)
def test_each_kind_of_file_has_the_type_that_browsers_insist_on(
    server: serve.Server, path: str, kind: str
) -> None:
    answer, _ = ask(server, path)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == kind
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/runtime/numpy-2.4.3-0cad9c1b/numpy.whl", True),
        ("/edit/assets/index-s-M1OXjs.js", True),
        ("/runtime/manifest.json", False),
        ("/", False),
    ],
)
def test_only_files_with_a_hash_in_their_address_are_kept_for_ever(
    server: serve.Server, path: str, kept: bool
) -> None:
    answer, _ = ask(server, path)
    expected = "public, max-age=31536000, immutable" if kept else "no-cache"
    assert answer.headers["Cache-Control"] == expected


def test_an_unchanged_page_is_answered_without_its_body_and_a_changed_one_with_it(
    server: serve.Server, folder: Path
) -> None:
    etag = ask(server, "/")[0].headers["ETag"]
    answer, body = ask(server, "/", If_None_Match=etag)
    assert (answer.status, body) == (304, b"")
    (folder / "index.html").write_text("new", encoding="utf-8")
    answer, body = ask(server, "/", If_None_Match=etag)
    assert (answer.status, body) == (200, b"new")


def test_text_travels_gzipped_only_to_those_who_accept_it(server: serve.Server) -> None:
    answer, body = ask(server, "/", Accept_Encoding="gzip, br")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert len(body) < len(WORDS) / 10
    assert gzip.decompress(body).decode() == WORDS
    answer, body = ask(server, "/")
    assert "Content-Encoding" not in answer.headers
    assert body.decode() == WORDS
    wheel = ask(server, "/runtime/numpy-2.4.3-0cad9c1b/numpy.whl", Accept_Encoding="gzip")[0]
    assert "Content-Encoding" not in wheel.headers


def test_what_lies_compressed_beside_a_file_goes_to_those_who_accept_brotli(
    server: serve.Server, folder: Path
) -> None:
    (folder / "core.wasm.br").write_bytes(b"small")
    answer, body = ask(server, "/core.wasm", Accept_Encoding="gzip, deflate, br;q=1, zstd")
    assert (answer.headers["Content-Encoding"], body) == ("br", b"small")
    assert answer.headers["Content-Type"] == "application/wasm"
    assert answer.headers["Vary"] == "Accept-Encoding"
    head, nothing = ask(server, "/core.wasm", "HEAD", Accept_Encoding="br")
    assert (head.headers["Content-Encoding"], nothing) == ("br", b"")
    assert ask(server, "/core.wasm", Accept_Encoding="gzip, brotli")[0].headers["Content-Encoding"] == "gzip"
    assert ask(server, "/core.wasm")[1] == (folder / "core.wasm").read_bytes()
    (folder / "core.wasm").write_bytes(b"another build's, of another size")
    os.utime(folder / "core.wasm.br", ns=(0, 0))
    assert "br" not in ask(server, "/core.wasm", Accept_Encoding="br")[0].headers.get("Content-Encoding", "")


def test_the_site_can_lie_under_a_path(folder: Path) -> None:
    with serve.serve(folder, prefix="/course/glassbox/") as server:
        assert server.address.endswith("/course/glassbox/")
        assert ask(server, "/course/glassbox/")[1].decode() == WORDS
        assert ask(server, "/")[0].status == 404
        moved = ask(server, "/course/glassbox")[0]
        assert (moved.status, moved.headers["Location"]) == (301, "/course/glassbox/")


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/runtime/../../secret.txt", "/%00"]
)
def test_nothing_outside_the_folder_is_served(server: serve.Server, path: str) -> None:
    answer, body = ask(server, path)
    assert answer.status == 404
    assert b"not for you" not in body


def test_a_head_request_gets_the_length_alone(server: serve.Server) -> None:
    answer, body = ask(server, "/core.wasm", "HEAD")
    assert (answer.status, answer.headers["Content-Length"], body) == (200, "200", b"")


def test_faults_arrive_as_asked_for_and_are_never_kept(folder: Path) -> None:
    faults: dict[str, serve.Fault] = {"core.wasm": "altered", "page.mjs": "empty", "font.woff2": "404"}
    good = (folder / "core.wasm").read_bytes()
    with serve.serve(folder, prefix="/x/", fault=faults.get) as server:
        answer, body = ask(server, "/x/core.wasm")
        assert len(body) == len(good)
        assert sum(a != b for a, b in zip(body, good, strict=True)) == 1
        assert answer.headers["Cache-Control"] == "no-store"
        assert ask(server, "/x/page.mjs")[1] == b""
        assert ask(server, "/x/font.woff2")[0].status == 404
        assert ask(server, "/x/notebook.py")[0].status == 200


def test_a_dropped_answer_ends_in_the_middle(folder: Path) -> None:
    with (
        serve.serve(folder, fault=lambda path: "drop") as server,
        pytest.raises(http.client.IncompleteRead) as cut,
    ):
        ask(server, "/core.wasm")
    assert len(cut.value.partial) == 100


def test_a_stalled_answer_stays_open_without_a_byte_until_the_server_closes(folder: Path) -> None:
    with serve.serve(folder, fault=lambda path: "stall") as server:
        connection = http.client.HTTPConnection(urlsplit(server.address).netloc, timeout=0.5)
        connection.request("GET", "/core.wasm")
        answer = connection.getresponse()
        assert len(answer.read(100)) == 100
        with pytest.raises(socket.timeout):
            answer.read(1)
        connection.close()


def test_every_answer_is_counted_with_its_bytes(server: serve.Server) -> None:
    ask(server, "/core.wasm")
    ask(server, "/missing")
    assert [(r.path, r.status) for r in server.requests] == [("/core.wasm", 200), ("/missing", 404)]
    assert server.requests[0].sent == 200


def test_a_taken_port_is_an_error_that_names_itself(server: serve.Server, folder: Path) -> None:
    port = urlsplit(server.address).port
    assert port is not None
    with pytest.raises(OSError, match="in use"):
        serve.serve(folder, port)


def test_what_does_not_exist_is_answered_with_our_page_and_links_home_from_any_depth(folder: Path) -> None:
    (folder / "404.html").write_text('<a href="./index.html">home</a>', encoding="utf-8")
    with serve.serve(folder, prefix="/course/glassbox/") as server:
        for path in ("/course/glassbox/nowhere.html", "/course/glassbox/embed/a/b.html"):
            answer, body = ask(server, path)
            assert (answer.status, answer.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
            assert body == b'<a href="/course/glassbox/index.html">home</a>'
