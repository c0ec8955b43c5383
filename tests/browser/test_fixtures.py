"""The fence around the browser tests: it must hold, or the other tests prove nothing."""

from __future__ import annotations

from pathlib import Path

from tests import serve
from tests.browser.conftest import Browse, ServeSite, Watch


def test_a_request_to_another_host_is_blocked_and_reported(
    browse: Browse, watch: Watch, tmp_path: Path, serve_site: ServeSite
) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><title>x</title><p>here</p>")
    running = serve_site(tmp_path)
    page = browse().new_page()
    page.goto(running.address)
    reached = page.evaluate("fetch('https://example.org/x').then(() => true, () => false)")
    assert not reached
    assert watch.unexpected()[-1] == "asked another host: https://example.org/x"
    watch.outside.clear()
    watch.expect("example.org")


def test_an_error_in_a_page_is_reported(
    browse: Browse, watch: Watch, tmp_path: Path, serve_site: ServeSite
) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><title>x</title><script>throw Error('oh')</script>")
    page = browse().new_page()
    page.goto(serve_site(tmp_path).address)
    while not any("oh" in c for c in watch.unexpected()):
        page.wait_for_timeout(50)
    watch.expect("oh|favicon")


def test_the_site_is_served_below_a_course_path(server: serve.Server) -> None:
    assert server.address.endswith("/course/glassbox/")
