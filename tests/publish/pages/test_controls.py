"""A page's native inputs have what marimo's controls have."""

import marimo as mo
import pytest

from glassbox.publish.pages import controls


def test_a_file_control_takes_the_kinds_of_files_that_its_notebook_names():
    spec = controls.describe("own", mo.ui.file(filetypes=[".json", ".tiktoken"], label="A file"))
    assert spec == {
        "name": "own",
        "label": "A file",
        "kind": "file",
        "value": "",
        "accept": [".json", ".tiktoken"],
    }
    drawn = controls.markup(spec)
    assert '<label for="c-own">A file</label>' in drawn
    assert 'type="file" accept=".json,.tiktoken"' in drawn
    assert controls.positions(spec) is None


def test_several_files_at_once_are_refused():
    with pytest.raises(ValueError, match="one file at a time"):
        controls.describe("own", mo.ui.file(multiple=True, label="Files"))
