"""Finds the modules that a piece of code depends on, so that only what changed is computed again.

    from glassbox.figures import attention as figures
    figures.paint(30)
        -> glassbox/figures/attention/paint, and all that it uses

A package that only hands on the names of its modules leads to the one that is asked for. Imports inside
functions count as well. A folder of data counts when one of those modules names it.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassbox.publish.files import write_whole


class Tree:
    """The sources as they stand now; what one chapter or figure has asked for, the next need not look up."""

    def __init__(self, source: Path, kept: Path | None = None) -> None:
        """Takes the folder that holds ``glassbox``, and one to keep what is known of its files."""
        self.source = source
        self._kept = kept
        self._places: dict[str, tuple[Path, ...]] = {}
        self._within: dict[str, tuple[list[Path], list[str]]] = {}
        self._known: dict[Path, _File] = {}
        self._led: dict[str, tuple[list[Path], list[str]]] = {}
        self._followed: dict[tuple[str, frozenset[str]], list[Path]] = {}

    def fingerprint(self, code: str) -> str:
        """Hashes every glassbox module that ``code`` uses, directly or not, and the data these name."""
        digest = hashlib.sha256()
        found = self.used(code)
        for path in [*found, *self.data(found)]:
            name = path.relative_to(self.source).as_posix()
            digest.update(f"{name} {self._read(path).digest};".encode())
        return digest.hexdigest()

    def used(self, code: str) -> list[Path]:
        """The files whose code ``code`` uses, sorted: of packages that hand on names, the modules meant."""
        return self._follow("used", asked(code), lambda f: f.asked, self._lead)

    def modules(self, code: str) -> list[Path]:
        """The files of all glassbox modules that Python reads when it runs ``code``, sorted."""
        return self._follow("imported", names(code), lambda f: f.imports, self._files)

    def imported(self, code: str) -> set[str]:
        """The top-level modules that ``code`` and all it depends on import."""
        tops = {name.split(".")[0] for name in names(code)}
        read = [self._read(path) for path in self.modules(code)]
        return tops.union(name.split(".")[0] for file in read for name in file.imports)

    def imports(self, path: Path) -> tuple[str, ...]:
        """What one file imports, as full names."""
        return self._read(path).imports

    def data(self, found: list[Path]) -> list[Path]:
        """The files of each data folder that one of the modules names: ``"model"`` or ``"data/model"``."""
        words = frozenset().union(*(self._read(path).words for path in found))
        named = [name for name in self._data if name in words or f"data/{name}" in words]
        return [path for name in named for path in self._data[name]]

    @functools.cached_property
    def _data(self) -> dict[str, list[Path]]:
        """The folders of data by name, each with its files."""
        folders = [f for f in sorted((self.source / "glassbox" / "data").iterdir()) if f.is_dir()]
        return {
            f.name: [p for p in sorted(f.rglob("*")) if p.is_file() and p.suffix != ".pyc"] for f in folders
        }

    def _follow(
        self,
        how: str,
        first: Iterator[str],
        further: Callable[[_File], tuple[str, ...]],
        lead: Callable[[str], tuple[list[Path], list[str]]],
    ) -> list[Path]:
        """All files that names lead to, and those that their names lead to."""
        begun = frozenset(name for name in first if name.split(".")[0] == "glassbox")
        if (how, begun) in self._followed:
            return self._followed[how, begun]
        found: set[Path] = set()
        seen: set[str] = set()
        waiting = list(begun)
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            paths, names = lead(name)
            waiting += names
            for path in paths:
                if path not in found:
                    found.add(path)
                    waiting += further(self._read(path))
        self._followed[how, begun] = sorted(found)
        return self._followed[how, begun]

    def _lead(self, name: str) -> tuple[list[Path], list[str]]:
        """The files that a used name needs, and the names that it stands for."""
        if name not in self._led:
            self._led[name] = self._step(name.split("."))
        return self._led[name]

    def _step(self, parts: list[str]) -> tuple[list[Path], list[str]]:
        paths: list[Path] = []
        for n in range(1, len(parts) + 1 if parts[0] == "glassbox" else 0):
            for path in self._own(".".join(parts[:n])):
                hands_on = self._read(path).hands_on if path.name == "__init__.py" else None
                name, *more = parts[n:] or ["*"]
                if hands_on is None or name == "*" or (name not in hands_on and not more):
                    paths.append(path)  # of what it does not hand on, the package alone can tell
                elif name in hands_on and not self._own(".".join(parts[: n + 1])):
                    return paths, [".".join([hands_on[name], *more])]
                elif name in hands_on:  # the name of a module too, most often the one that it comes from
                    paths += self._own(".".join(hands_on[name].split(".")[:-1]))
        return paths, []

    def _own(self, name: str) -> tuple[Path, ...]:
        """The file of exactly this package or module."""
        if name not in self._places:
            path = self.source.joinpath(*name.split("."))
            places = (path / "__init__.py", path.with_name(f"{path.name}.py"))
            self._places[name] = tuple(p for p in places if p.is_file())
        return self._places[name]

    def _files(self, name: str) -> tuple[list[Path], list[str]]:
        """The module of that name and the packages it lies in; a name within a module leads to the module."""
        if name not in self._within:
            parts = name.split(".")
            tops = (".".join(parts[: n + 1]) for n in range(len(parts) if parts[0] == "glassbox" else 0))
            self._within[name] = [path for top in tops for path in self._own(top)], []
        return self._within[name]

    def _read(self, path: Path) -> _File:
        if path not in self._known:
            self._known[path] = _read(path, self._kept)
        return self._known[path]


@dataclass(frozen=True)
class _File:
    """What is known of a file.

    Attributes:
        digest: The hash of its bytes.
        imports: What a module imports, as full names.
        asked: What it uses of glassbox, as full names.
        words: Its quoted words.
        hands_on: If it only imports, what each name of it stands for.
    """

    digest: str
    imports: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    hands_on: dict[str, str] | None = None

    def tells(self) -> list[Any]:
        """All of it as JSON takes it."""
        return [self.digest, self.imports, self.asked, sorted(self.words), self.hands_on]

    @classmethod
    def told(cls, kept: list[Any]) -> _File:
        """Of what ``tells`` gave."""
        digest, imports, asked_, words, hands_on = kept
        return cls(digest, tuple(imports), tuple(asked_), frozenset(words), hands_on)


def _read(path: Path, kept: Path | None) -> _File:
    """Reads a file, and parses it once: what is known of these bytes is kept for later builds."""
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if path.suffix != ".py":
        return _File(digest)
    told = kept / f"{digest[:32]}-{_parser()}.json" if kept else None
    if told and told.exists():
        return _File.told(json.loads(told.read_bytes()))
    found = _parsed(content.decode("utf-8"), digest, path.name == "__init__.py")
    if told:
        told.parent.mkdir(parents=True, exist_ok=True)
        write_whole(told, json.dumps(found.tells()).encode())
    return found


@functools.lru_cache(maxsize=1)
def _parser() -> str:
    """Changes with how this module reads code."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]


def _parsed(text: str, digest: str, package: bool) -> _File:
    words = frozenset(re.findall(r'"([\w/]+)"', text))
    code = _Code(ast.parse(text))
    handed = code.handed() if package else None
    return _File(digest, tuple(full for _, full in code.bindings), tuple(code.asked()), words, handed)


def names(code: str) -> Iterator[str]:
    """All that a piece of code imports, as full names."""
    yield from (full for _, full in _Code(ast.parse(code)).bindings)


def asked(code: str) -> Iterator[str]:
    """What a piece of code uses of glassbox: ``figures.paint`` where it uses that alone, else ``figures.*``.

    >>> list(asked("from glassbox import figures as f, model; f.paint(model)"))
    ['glassbox.figures.paint', 'glassbox.model.*']
    """
    yield from _Code(ast.parse(code)).asked()


class _Code:
    """What one walk over a piece of code finds; hundreds of modules are read for every build.

    Attributes:
        bindings: What each import binds: the name in the code, and the full name.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self.bindings: list[tuple[str, str]] = []
        self._attributes: dict[str, set[str]] = {}
        self._bare: set[str] = set()
        owners: set[int] = set()
        for node in ast.walk(tree):  # what holds a name comes before it
            if isinstance(node, ast.Name):
                if id(node) not in owners:
                    self._bare.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                self._attributes.setdefault(node.value.id, set()).add(node.attr)
                owners.add(id(node.value))
            elif isinstance(node, ast.Import):
                self.bindings += ((alias.asname or "", alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                of = node.module
                self.bindings += ((alias.asname or alias.name, f"{of}.{alias.name}") for alias in node.names)

    def asked(self) -> Iterator[str]:
        """See the function of that name."""
        for name, full in self.bindings:
            if full.split(".")[0] == "glassbox":
                some = () if name in self._bare else self._attributes.get(name, ())
                yield from (f"{full}.{part}" for part in sorted(some) or ["*"])

    def handed(self) -> dict[str, str] | None:
        """What a package's names stand for, if its file holds imports, a docstring and ``__all__`` alone."""
        plain = all(_hands_on(node) for node in self._tree.body)
        return dict(self.bindings) if plain else None


def _hands_on(node: ast.stmt) -> bool:
    listed = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    said = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return listed or said or isinstance(node, ast.ImportFrom)
