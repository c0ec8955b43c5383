"""What several parts of the tests share: the whole site, built once."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from glassbox.publish.site import Site

ROOT = Path(__file__).resolve().parent.parent
BUILDS = frozenset({"cache", "site", "runtime", "built"})  # fixtures that take seconds or a site


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks each test by what it uses, so that ``-m unit`` runs what takes no build and no browser."""
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker("browser")
        elif BUILDS & set(getattr(item, "fixturenames", ())):
            item.add_marker("site")
        else:
            item.add_marker("unit")


def load_build() -> ModuleType:
    """Loads the repository's ``build.py``, whatever other module of that name may be installed."""
    name = "glassbox_build"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, ROOT / "build.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def cache() -> Path:
    """Where downloads and results are kept between builds."""
    return Path(os.environ.get("GLASSBOX_CACHE", ROOT / ".cache"))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """The whole site, built once for all tests; ``GLASSBOX_SITE`` names a folder that holds it already."""
    if ready := os.environ.get("GLASSBOX_SITE"):
        return Path(ready).resolve()
    ours = tmp_path_factory.getbasetemp()
    shared = (
        ours.parent if "PYTEST_XDIST_WORKER" in os.environ else ours
    )  # of all processes that test side by side
    out = shared / "built" / "dist"
    with (shared / "built.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the second process waits for the first, and finds it built
        if not out.exists():
            load_build().build(Site(ROOT, out, cache))
    return out
