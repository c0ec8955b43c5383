"""A figure that is asked for what it does not have says what it has, instead of showing something else."""

import pytest

from glassbox.figures import attention, choices, kv_cache, tokens

TEXT = "Patient has severe chest"
REFUSED = {
    "precision bits": (lambda: kv_cache.precision(5), r"bits is 5; it should be one of 16, 8, 4"),
    "precision prompt": (lambda: kv_cache.precision(8, "x"), "prompt is 'x'; .*'Patient has severe chest'"),
    "sharing_heads": (lambda: kv_cache.sharing_heads(7), r"kv_heads is 7; .* 1, 2, 4, 8, 16, 32$"),
    "prefix place": (lambda: kv_cache.prefix("top"), "place is 'top'; .* 'front', 'end', 'none'$"),
    "prefix block": (lambda: kv_cache.prefix(block=10), "block is 10; .* 8, 16, 32$"),
    "paging block": (lambda: kv_cache.paging(36, 7), "block is 7; .* 4, 8, 16, 32$"),
    "window": (lambda: kv_cache.window(5, "who"), "story is 'who'; .* 'who is tired', 'what Emma did'$"),
    "corrupt": (lambda: kv_cache.corrupt(1, 6, "query"), "part is 'query'; .* 'key', 'value'$"),
    "race": (lambda: kv_cache.race(100), "length is 100; .* 16, 32, 64, 128, 256$"),
    "per_token layers": (lambda: kv_cache.per_token(33), "layers is 33; .* 32, 36"),
    "per_token size": (lambda: kv_cache.per_token(size=3), "size is 3; .* 4, 2, 1$"),
    "speculative layers": (lambda: kv_cache.speculative(9), "layers is 9; .* 1, 2, 3, 0$"),
    "tail rate": (lambda: kv_cache.tail(7), "rate is 7; .* 0.5, 1, 2, 3, 4, 5, 6, 8, 10$"),
    "tail prompt": (lambda: kv_cache.tail(4, 999), "prompt is 999; .* 250, 500, 1000, 2000, 4000$"),
    "memory model": (lambda: kv_cache.memory("Llama 9"), "model is 'Llama 9'; .* 'Llama 3 8B'"),
    "memory precision": (lambda: kv_cache.memory(precision="int8"), "precision is 'int8'; .* 'fp32', 'fp16'"),
    "memory gpu": (lambda: kv_cache.memory(gpu="A100"), "gpu is 'A100'; .* 'A100 80 GB'"),
    "roofline model": (lambda: kv_cache.roofline("DeepSeek-V3"), "model is 'DeepSeek-V3'; .* 'Qwen3 4B'"),
    "roofline gpu": (lambda: kv_cache.roofline(gpu="A100"), "gpu is 'A100'; .* 'A100 80 GB'"),
    "qkv stage": (
        lambda: attention.qkv(TEXT, 1, "values"),
        "stage is 'values'; .* 'scores', 'scaled', 'masked'",
    ),
    "qkv head": (lambda: attention.qkv(TEXT, 16), "head is 16; it should be a whole number from 0 to 15"),
    "heads": (lambda: attention.heads(TEXT, -1), "head is -1; it should be a whole number from 0 to 15"),
    "paint_reverse": (lambda: attention.paint_reverse("lamp"), "word is 'lamp'; .* 'pain', 'tightness'"),
    "scaling": (lambda: attention.scaling(100), "width is 100; .* 4, 8, 16, 32, 64, 128, 256, 512$"),
    "order": (lambda: attention.order("sorted", True, True), "arranged is 'sorted'; .* 'reversed'"),
    "quadratic": (lambda: attention.quadratic(100, "A100"), "gpu is 'A100'; .* 'A100 80 GB'"),
    "cost": (
        lambda: tokens.cost(400, "poem", "", 1, 8000),
        "kind is 'poem'; .* 'clinical', 'everyday', 'diagnoses', 'own'$",
    ),
    "compare": (lambda: tokens.compare("poem", "x", ["gpt2"]), "chosen is 'poem'; .*'my own text'$"),
    "languages": (lambda: tokens.languages("gpt9"), "gpt9"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_value_that_a_figure_does_not_have_is_refused_with_those_it_has(name):
    make, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        make()


def test_a_value_that_is_there_is_given_back():
    assert choices.one_of("x", 8, (16, 8)) == 8
    assert choices.one_of("x", "a", {"a": 1}) == "a"


@pytest.mark.parametrize("value", [True, 1.5, None, "1", [], "x" * 10_000])
def test_what_only_looks_like_a_choice_is_refused_in_a_short_sentence(value):
    with pytest.raises(ValueError, match=r"x is .*; it should be one of 1, 2") as refused:
        choices.one_of("x", value, (1, 2))
    assert len(str(refused.value)) < 100
