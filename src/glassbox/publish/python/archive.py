"""Rewrites a wheel or a zip with its Python files compiled; runs inside the browser's own interpreter.

The bytes depend on the source and the interpreter alone: every entry has one fixed date and order, and a
compiled file carries the hash of its source instead of a time.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import importlib.machinery
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


def compile_archive(
    source: str, target: str, inside: str, part: str, instead: dict[str, str] | None = None
) -> None:
    """Copies an archive with ``module.py`` replaced by ``module.pyc``.

    Args:
        source: The archive to read.
        target: The archive to write.
        inside: The folder that the archive is unpacked to or imported from; tracebacks name it.
        part: ``"whole"`` compiles every module; ``"touched"`` compiles those imported by now and leaves the
            others as they are, since a compiled file is larger; ``"bare"`` compiles every module without
            docstrings and asserts, and does not compress, since its archive is compressed as one piece;
            ``"lean"`` does the same and leaves out all that was not imported.
        instead: For ``"lean"``: modules that have other code there, by the module's name.
    """
    small = part in ("bare", "lean")
    entries: dict[str, bytes] = {}
    with zipfile.ZipFile(source) as archive:
        for name in archive.namelist():
            if name.endswith(("/", ".dist-info/RECORD")) or (part == "lean" and not _used(name)):
                continue
            data, name = _in_place_of(name, archive.read(name), instead if part == "lean" else None)
            wanted = name.endswith(".py") and (part in ("whole", "bare") or _module(name) in sys.modules)
            code = _compile(data, f"{inside}/{name}", 2 if small else 0) if wanted else None
            entries[name if code is None else f"{name}c"] = data if code is None else code
    info = next((n.split("/")[0] for n in entries if ".dist-info/" in n), None)
    if info is not None:
        entries[f"{info}/RECORD"] = record(entries, f"{info}/RECORD")
    zips.write(target, entries, entries.__getitem__, level=lambda name: 0 if small else 9)


def _in_place_of(name: str, data: bytes, instead: dict[str, str] | None) -> tuple[bytes, str]:
    """An entry, or the source that a module has in its place."""
    other = (instead or {}).get(_module(name))
    return (data, name) if other is None else (other.encode(), _module(name).replace(".", "/") + ".py")


def _module(name: str) -> str:
    """The module that a file is, ``.py`` or ``linalg/_umath_linalg.cpython-314-wasm32-emscripten.so``."""
    stem = name.split(".")[0] if name.endswith(".so") else name.removesuffix(".py")
    return stem.removesuffix("/__init__").replace("/", ".")


def _used(name: str) -> bool:
    """Whether a page can need this entry: a module imported by now, or what describes the package.

    What the interpreter carries within itself (``FrozenImporter``) it never reads from an archive.
    """
    module = sys.modules.get(_module(name))
    loader = getattr(getattr(module, "__spec__", None), "loader", None)
    frozen = loader is importlib.machinery.FrozenImporter
    return (module is not None and not frozen) or name.endswith(".dist-info/METADATA")


def _compile(data: bytes, path: str, optimize: int) -> bytes | None:
    """A module's compiled form, or ``None`` for a template that only looks like Python."""
    try:
        code = compile(data, path, "exec", dont_inherit=True, optimize=optimize)
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
