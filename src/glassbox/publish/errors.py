"""The one error a build step raises: what went wrong, where, and what to do about it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class BuildError(Exception):
    """A build step cannot go on.

    Attributes:
        step: The step that failed, as ``"runtime"``.
        path: The file, package or address it failed on.
        remedy: What went wrong and what the reader of the message can do, in a sentence or two.
    """

    def __init__(self, step: str, path: Path | str, remedy: str) -> None:
        self.step, self.path, self.remedy = step, path, remedy
        super().__init__(f"{step}: {path}: {remedy}")


@contextmanager
def disk(step: str, folder: Path) -> Iterator[None]:
    """Turns a full or read-only disk into a ``BuildError`` that names the folder."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            remedy = "the disk is full; free some space (about 400 MB is enough) and build again."
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            remedy = "this folder cannot be written; choose another with --out or GLASSBOX_CACHE."
        else:
            raise
        raise BuildError(step, folder, remedy) from error
