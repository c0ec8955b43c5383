"""Behind the extra ``train``: transformers builds and runs every tiny model again, and its caches are counted."""

import json

import pytest

from tests.costs import measured
from tests.costs.test_kv import ours

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

REFERENCE = json.loads(measured.REFERENCE.read_text(encoding="utf-8"))
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_the_library_itself_keeps_these_bytes_in_every_layer(name):
    case = REFERENCE[name]
    assert measured.count(case["config"]) == case["bytes"]


@pytest.mark.parametrize("name", sorted(REFERENCE))
@pytest.mark.parametrize("written", ["to_dict", "to_diff_dict"])
def test_a_config_may_have_any_form_the_library_writes(name, written):
    case = REFERENCE[name]
    made = transformers.CONFIG_MAPPING[measured.type_of(case["config"])].from_dict(dict(case["config"]))
    assert ours(getattr(made, written)(), case["context"]) == case["bytes"]
