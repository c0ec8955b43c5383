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
    found = [p.relative_to(tmp_path).as_posix() for p in dependencies.modules(tree(tmp_path), CODE)]
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
    first = dependencies.fingerprint(source, CODE)
    (source / "glassbox/tokens/__init__.py").write_text("changed = 1")
    assert dependencies.fingerprint(source, CODE) == first
    (source / "glassbox/model/attention.py").write_text("changed = 1")
    second = dependencies.fingerprint(source, CODE)
    assert second != first
    (source / "glassbox/model/attention.py").write_text('FOLDER = "model"')
    third = dependencies.fingerprint(source, CODE)
    (source / "glassbox/data/costs/y.bin").write_text("2")
    assert dependencies.fingerprint(source, CODE) == third
    (source / "glassbox/data/model/x.bin").write_text("2")
    assert dependencies.fingerprint(source, CODE) != third
    assert dependencies.fingerprint(source, CODE) != second


def test_the_real_package_is_followed_to_its_formulas():
    found = {
        p.relative_to(ROOT / "src" / "glassbox").as_posix() for p in dependencies.modules(ROOT / "src", CODE)
    }
    assert {"figures/figure.py", "figures/markup.py", "model/attention.py"} <= found
    assert not any(name.startswith(("publish/", "training/")) for name in found)


def test_a_chapter_depends_on_the_weights_it_runs():
    source = ROOT / "src"
    chapter = dependencies.modules(source, CODE)
    data = {
        p.relative_to(source / "glassbox" / "data").as_posix() for p in dependencies._data(source, chapter)
    }
    assert "model/weights.bin" in data
    assert not any(name.startswith("vocabularies/") for name in data)
