"""Rewrites a wheel or a zip with its Python files compiled; runs inside the browser's own interpreter.

The bytes depend on the source and the interpreter alone: every entry has one fixed date and order, and a
compiled file carries the hash of its source instead of a time.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import importlib.util
import marshal
import sys
import zipfile

from glassbox.publish.python import zips

SITE = "/lib/python3.14/site-packages"
_UNCHECKED_HASH = (1).to_bytes(4, "little")  # PEP 552: trust this file, never look for its source


def install(wheel: str) -> None:
    """Unpacks a wheel so that it can be imported."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(SITE)
    importlib.invalidate_caches()


def warm(names: str) -> None:
    """Imports modules, so that all they need is known."""
    for name in names.split():
        importlib.import_module(name)


def compile_archive(source: str, target: str, inside: str, whole: bool) -> None:
    """Copies an archive with ``module.py`` replaced by ``module.pyc``.

    Args:
        source: The archive to read.
        target: The archive to write.
        inside: The folder that the archive is unpacked to or imported from; tracebacks name it.
        whole: Compile every module, not only those imported by now. A compiled file is larger, so of a big
            package a page should get only those it will use.
    """
    entries: dict[str, bytes] = {}
    with zipfile.ZipFile(source) as archive:
        for name in archive.namelist():
            if name.endswith(("/", ".dist-info/RECORD")):
                continue
            data = archive.read(name)
            wanted = name.endswith(".py") and (whole or _module(name) in sys.modules)
            code = _compile(data, f"{inside}/{name}") if wanted else None
            entries[name if code is None else f"{name}c"] = data if code is None else code
    info = next((n.split("/")[0] for n in entries if ".dist-info/" in n), None)
    if info is not None:
        entries[f"{info}/RECORD"] = record(entries, f"{info}/RECORD")
    zips.write(target, entries, entries.__getitem__)


def _module(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _compile(data: bytes, path: str) -> bytes | None:
    """A module's compiled form, or ``None`` for a template that only looks like Python."""
    try:
        code = compile(data, path, "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError):
        return None
    return (
        importlib.util.MAGIC_NUMBER + _UNCHECKED_HASH + importlib.util.source_hash(data) + marshal.dumps(code)
    )


def record(entries: dict[str, bytes], itself: str) -> bytes:
    """The wheel's list of contents."""
    lines = []
    for name, data in sorted(entries.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return "".join([*lines, f"{itself},,\n"]).encode()
