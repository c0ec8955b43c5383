"""Completes a package that a page had only in part.

Pages start with the modules of the standard library and of NumPy that their figures import. When code asks
for another one, the worker fetches the whole archive, and this puts it in place.
"""

from __future__ import annotations

import importlib
import shutil
import sys
import zipfile
from pathlib import Path


def complete(archive: str, package: str) -> None:
    """Makes every module of an archive importable; those that are imported already stay as they are.

    Args:
        archive: A zip of compiled modules.
        package: The package that it holds, which is installed in part; empty for the standard library,
            which Python imports from a zip.
    """
    if package:
        installed = importlib.import_module(package)
        _lay(archive, Path(str(installed.__file__)).parents[1])
    else:
        shutil.move(archive, next(p for p in sys.path if p.endswith(".zip")))
    importlib.invalidate_caches()


def _lay(archive: str, folder: Path) -> None:
    with zipfile.ZipFile(archive) as whole:
        whole.extractall(folder, [n for n in whole.namelist() if not (folder / n).exists()])
    Path(archive).unlink()
