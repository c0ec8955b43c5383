"""The import table of the architecture: packages only look down it."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "glassbox"
OUTSIDE = {
    "numpy",
    "altair",
    "tiktoken",
    "marimo",
    "torch",
    "jinja2",
    "markupsafe",
    "markdown",
    "latex2mathml",
    "simple_icd_10_cm",
    "tokenizers",
}

# Package: what of glassbox it may import, and what of the outside.
TABLE: dict[str, tuple[set[str], set[str]]] = {
    "chapters": (set(), set()),
    "arrays": (set(), {"numpy"}),
    "tokens": ({"data"}, {"tiktoken"}),
    "model": ({"arrays", "tokens", "data"}, {"numpy"}),
    "costs": ({"data"}, set()),
    "serving": ({"costs", "arrays"}, {"numpy"}),
    "examples": (set(), set()),
    "data": (set(), set()),
    "figures": (
        {"chapters", "arrays", "tokens", "model", "costs", "serving", "examples", "data"},
        {"numpy", "altair"},
    ),
    "page": ({"figures"}, set()),
    "publish": (
        {"chapters", "tokens", "figures", "page", "examples"},
        {"marimo", "jinja2", "markupsafe", "markdown", "latex2mathml", "playwright", "packaging"},
    ),
    "training": ({"arrays", "tokens", "model", "costs", "data"}, OUTSIDE),
}


def files():
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts != ("__init__",):
            yield pytest.param(path, parts[0], id="/".join(parts))


def imports(path):
    """Each imported module's full name; ``from glassbox import x`` counts as ``glassbox.x``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: import by full name"
            if node.module == "glassbox":
                yield from (f"glassbox.{alias.name}" for alias in node.names)
            else:
                yield node.module


@pytest.mark.parametrize(("path", "package"), list(files()))
def test_a_module_imports_only_what_its_row_allows(path, package):
    inside, outside = TABLE[package]
    for name in imports(path):
        top, *rest = name.split(".")
        if top == "glassbox":
            assert rest[0] in inside | {package}, f"{path.name} imports {name}"
        elif top not in sys.stdlib_module_names:
            assert top in outside, f"{path.name} imports {name}"


def test_tiktoken_is_seen_by_vocabularies_alone():
    users = {
        p.name
        for p in (ROOT / "tokens").rglob("*.py")
        if any(n.split(".")[0] == "tiktoken" for n in imports(p))
    }
    assert users <= {"vocabularies.py"}


def test_altair_is_seen_by_the_charts_specifications_alone():
    """A page that is read imports figures, and must not load Altair with them."""
    for path in sorted(ROOT.rglob("*.py")):
        inside = path.relative_to(ROOT).as_posix()
        if "altair" in {n.split(".")[0] for n in imports(path)}:
            assert inside.startswith("figures/specs/"), f"{inside} imports altair"
        if any(n.startswith("glassbox.figures.specs") for n in imports(path)):
            assert inside.startswith(("figures/specs/", "publish/")), f"{inside} imports the specifications"


def modules():
    """Every module's full name and file; a package stands for its ``__init__``."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def drawn(known):
    """The imports of all modules as a graph: name to the names it needs, those for types alone among them."""
    graph = {}
    for name, path in known.items():
        needs = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                needs.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    needs.add(whole if whole in known else node.module)
        graph[name] = {n for n in needs if n in known}
    return graph


def circle(graph):
    """One circle of the graph, first name to first name, or nothing."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1][::-1]
    return []


def test_no_module_needs_itself_in_the_end():
    assert " -> ".join(circle(drawn(modules()))) == ""


def test_a_circle_is_found_and_named():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) in (
        ["a", "b", "c", "a"],
        ["b", "c", "a", "b"],
        ["c", "a", "b", "c"],
    )
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_no_table_is_changed_at_import():
    """A table says all it holds where it stands: nothing at a module's top level assigns into one."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            for statement in ast.walk(node) if isinstance(node, (ast.For, ast.If, ast.With)) else [node]:
                targets = getattr(statement, "targets", [getattr(statement, "target", None)])
                assert not any(isinstance(t, ast.Subscript) for t in targets), f"{path}:{statement.lineno}"


def test_a_page_starts_without_what_only_a_reader_s_model_needs():
    code = "import sys, glassbox.page.bridge, glassbox.figures.attention; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not [
        m for m in told.split() if m.startswith(("glassbox.model.checkpoint", "glassbox.tokens.foreign"))
    ]
    code = "from glassbox import model; print(model.checkpoint.read.__doc__); model.nothing"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert told.stdout.startswith("Reads a model.")
    assert "module 'glassbox.model' has no attribute 'nothing'" in told.stderr
