import doctest

import pytest

from glassbox.publish.pages import dependencies
from tests.conftest import ROOT


def tree(tmp_path):
    for name, code in {
        "glassbox/__init__.py": "",
        "glassbox/data/model/x.bin": "1",
        "glassbox/data/costs/y.bin": "1",
        "glassbox/figures/__init__.py": "from glassbox.figures.figure import Figure",
        "glassbox/figures/figure.py": "class Figure: pass",
        "glassbox/figures/attention.py": "def paint():\n    from glassbox.model import attention",
        "glassbox/model/__init__.py": "",
        "glassbox/model/attention.py": "import numpy\nFOLDER = 'data', \"model\"",
        "glassbox/tokens/__init__.py": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
    return tmp_path


CODE = "from glassbox.figures import attention as figures"


def test_what_is_imported_anywhere_counts_and_nothing_else(tmp_path):
    found = [p.relative_to(tmp_path).as_posix() for p in dependencies.Tree(tree(tmp_path)).modules(CODE)]
    assert found == [
        "glassbox/__init__.py",
        "glassbox/figures/__init__.py",
        "glassbox/figures/attention.py",
        "glassbox/figures/figure.py",
        "glassbox/model/__init__.py",
        "glassbox/model/attention.py",
    ]


def test_the_fingerprint_changes_with_what_counts_and_with_data_alone(tmp_path):
    source = tree(tmp_path)
    first = dependencies.Tree(source).fingerprint(CODE)
    (source / "glassbox/tokens/__init__.py").write_text("changed = 1")
    assert dependencies.Tree(source).fingerprint(CODE) == first
    (source / "glassbox/model/attention.py").write_text("changed = 1")
    second = dependencies.Tree(source).fingerprint(CODE)
    assert second != first
    (source / "glassbox/model/attention.py").write_text('FOLDER = "model"')
    third = dependencies.Tree(source).fingerprint(CODE)
    (source / "glassbox/data/costs/y.bin").write_text("2")
    assert dependencies.Tree(source).fingerprint(CODE) == third
    (source / "glassbox/data/model/x.bin").write_text("2")
    assert dependencies.Tree(source).fingerprint(CODE) != third
    assert dependencies.Tree(source).fingerprint(CODE) != second


def test_the_real_package_is_followed_to_its_formulas():
    found = {
        p.relative_to(ROOT / "src" / "glassbox").as_posix()
        for p in dependencies.Tree(ROOT / "src").modules(CODE)
    }
    assert {"figures/figure.py", "figures/markup.py", "model/attention.py"} <= found
    assert not any(name.startswith(("publish/", "training/")) for name in found)


def test_a_chapter_depends_on_the_weights_it_runs():
    source = ROOT / "src"
    chapter = dependencies.Tree(source).modules(CODE)
    data = {
        p.relative_to(source / "glassbox" / "data").as_posix()
        for p in dependencies.Tree(source).data(chapter)
    }
    assert "model/weights.bin" in data
    assert not any(name.startswith("vocabularies/") for name in data)


PACKAGE = {
    "glassbox/figures/attention/__init__.py": '"""Figures."""\nfrom glassbox.figures.attention.paint import one, two\n'
    "from glassbox.figures.attention.mask import mask\n__all__ = ['mask', 'one', 'two']",
    "glassbox/figures/attention/paint.py": "from glassbox.model import attention\ndef one(): return attention.x",
    "glassbox/figures/attention/mask.py": "from glassbox.figures.attention.paint import two\ndef mask(): pass",
    "glassbox/figures/attention/other.py": "from glassbox.figures import attention\nx = attention",
}


def packaged(tmp_path):
    (tree(tmp_path) / "glassbox/figures/attention.py").unlink()
    for name, code in PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(code)
    return tmp_path


@pytest.mark.parametrize(
    ("use", "files"),
    [
        ("figures.one()", {"figures/attention/paint.py", "model/attention.py"}),
        ("figures.mask()", {"figures/attention/mask.py", "figures/attention/paint.py", "model/attention.py"}),
        (
            "print(figures)",
            {
                "figures/attention/__init__.py",
                *(f"figures/attention/{n}.py" for n in ("mask", "paint")),
                "model/attention.py",
            },
        ),
    ],
)
def test_of_a_package_that_hands_on_names_only_the_used_ones_count(tmp_path, use, files):
    source = packaged(tmp_path)
    found = dependencies.Tree(source).used(f"{CODE}\n{use}")
    assert {p.relative_to(source / "glassbox").as_posix() for p in found} == files


def test_a_figure_s_fingerprint_stays_when_another_figure_of_its_chapter_changes(tmp_path):
    source, code = packaged(tmp_path), f"{CODE}\nfigures.one()"
    first = dependencies.Tree(source).fingerprint(code)
    (source / "glassbox/figures/attention/mask.py").write_text("changed = 1")
    assert dependencies.Tree(source).fingerprint(code) == first
    (source / "glassbox/figures/attention/__init__.py").write_text(
        "from glassbox.figures.attention.mask import changed as one"
    )
    assert dependencies.Tree(source).fingerprint(code) != first


def test_a_docstring_s_example_of_what_is_used_is_true():
    assert doctest.testmod(dependencies) == (0, 1)


def test_what_is_imported_further_down_is_named_by_its_top(tmp_path):
    assert dependencies.Tree(tree(tmp_path)).imported(CODE) == {"glassbox", "numpy"}


def test_what_is_known_of_a_file_is_kept_for_the_next_build(tmp_path, monkeypatch):
    source, kept = packaged(tmp_path / "src"), tmp_path / "kept"
    code = f"{CODE}\nfigures.mask()"
    first = dependencies.Tree(source, kept)
    wanted = first.fingerprint(code), first.used(code), first.modules(code), first.imported(code)
    parsed = []
    real = dependencies._parsed
    monkeypatch.setattr(dependencies, "_parsed", lambda *given: parsed.append(given) or real(*given))
    second = dependencies.Tree(source, kept)
    assert (
        second.fingerprint(code),
        second.used(code),
        second.modules(code),
        second.imported(code),
    ) == wanted
    assert not parsed
    (source / "glassbox/model/attention.py").write_text("changed = 1")
    assert dependencies.Tree(source, kept).fingerprint(code) != wanted[0]
    assert len(parsed) == 1


def test_a_name_that_its_package_no_longer_hands_on_is_noticed_though_a_module_has_it(tmp_path):
    source, package = packaged(tmp_path), "glassbox/figures/attention/__init__.py"
    (source / package).write_text("from glassbox.figures.attention.mask import mask")
    code = f"{CODE}\nfigures.mask()"
    first = dependencies.Tree(source).fingerprint(code)
    (source / package).write_text("from glassbox.figures.attention.paint import one")
    assert dependencies.Tree(source).fingerprint(code) != first
