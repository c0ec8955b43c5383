"""Files that lie: each is answered by one sentence that names file and field, and nothing is read out of bounds."""

import json
import random
import struct

import pytest

from glassbox import model
from tests.model.checkpoint import files

Q = "model.layers.0.self_attn.q_proj.weight"
GIANT = 10**4000


def head(change):
    """A fault in the header of the one file."""

    def make(folder):
        tensors = files.llama(folder)
        files.safetensors(folder / "model.safetensors", tensors, edit=lambda h: change(h) or h)

    return make


def entry(**changes):
    return head(lambda h: h[Q].update(changes))


def whole(content):
    """The one file holds just these bytes."""

    def make(folder):
        files.llama(folder)
        (folder / "model.safetensors").write_bytes(content)

    return make


def cut(size):
    def make(folder):
        files.llama(folder)
        path = folder / "model.safetensors"
        path.write_bytes(path.read_bytes()[:size])

    return make


def config(**changes):
    return lambda folder: (
        files.llama(folder)
        and (folder / "config.json").write_text(
            json.dumps({k: v for k, v in files.config(**changes).items() if v != "gone"})
        )
    )


def text(name, content):
    """Another file's whole content."""

    def make(folder):
        files.llama(folder)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    return make


def tensor(change):
    def make(folder):
        tensors = files.llama(folder)
        change(tensors)
        files.safetensors(folder / "model.safetensors", tensors)

    return make


def spoil(value, dtype="F32"):
    def make(folder):
        tensors = files.llama(folder)
        tensors[Q][2, 3] = value
        files.safetensors(folder / "model.safetensors", tensors, dtype)

    return make


def index(weight_map):
    def make(folder):
        files.llama(folder, shards=2)
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))

    return make


def lost_shard(folder):
    files.llama(folder, shards=3)
    (folder / "model-00002-of-00003.safetensors").unlink()


def lost_index(folder):
    files.llama(folder, shards=2)
    (folder / "model.safetensors.index.json").unlink()


def twice(folder):
    tensors = files.llama(folder)
    files.safetensors(folder / "more.safetensors", {Q: tensors[Q]})


def another_format(folder):
    files.llama(folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def overlap(h):
    h[Q]["data_offsets"] = list(h["model.layers.0.self_attn.o_proj.weight"]["data_offsets"])


def header_of(text):
    return whole(struct.pack("<Q", len(text)) + text)


MODEL, INDEX = "model.safetensors", "model.safetensors.index.json"
CASES = {
    # the file as a whole
    "an empty file": (whole(b""), f"{MODEL}: it has 0 bytes"),
    "seven bytes": (whole(b"1234567"), f"{MODEL}: it has 7 bytes"),
    "a header longer than the file": (whole(struct.pack("<Q", 2**20) + b"{}"), f"{MODEL}: it gives its header 1,048,576"),
    "a header of all there is": (whole(b"\xff" * 64), f"{MODEL}: it gives its header 18,446,744"),
    "a header of no bytes": (whole(struct.pack("<Q", 0) + b"{}"), f"{MODEL}: it gives its header 0 bytes"),
    "a header that is no text": (header_of(b"\xff\xfe\x00\x01"), f"{MODEL}: its text is not the JSON"),
    "a header that is no JSON": (header_of(b"{'a': 1}"), f"{MODEL}: its text is not the JSON"),
    "a header that is a list": (header_of(b"[1, 2]"), f"{MODEL}: it holds"),
    "a header nested without end": (header_of(b"[" * 200_000), f"{MODEL}: .*nested too deeply|not the JSON"),
    "a header with a name twice": (header_of(b'{"a": {}, "a": {}}'), f'{MODEL}: .*"a" stands there twice'),
    "a header with NaN": (header_of(b'{"a": NaN}'), f"{MODEL}: .*NaN is no JSON number"),
    "no tensors at all": (header_of(b"{}"), "embed_tokens.weight: this is no whole model"),
    "half the file": (cut(4000), f"{MODEL}: .*data_offsets is .*outside the"),
    "the last byte cut": (cut(-1), f"{MODEL}: lm_head.weight: data_offsets is .*outside"),
    "bytes behind the last tensor": (
        lambda f: files.safetensors(f / MODEL, files.llama(f), tail=b"more"), f"{MODEL}: its tensors end at byte"),
    # an entry of the header
    "an entry that is a number": (head(lambda h: h.update({Q: 7})), f"{MODEL}: {Q}: its entry is 7"),
    "a type of 8 bits": (entry(dtype="F8_E4M3"), f'{Q}: dtype is "F8_E4M3"; this page reads F32, F16, BF16'),
    "a type that is no word": (entry(dtype=["F32"]), f"{Q}: dtype is"),
    "a type that is missing": (head(lambda h: h[Q].update(dtype=None)), f"{Q}: dtype is null"),
    "a shape of negative size": (entry(shape=[-18, -12]), f"{Q}: shape is"),
    "a shape that is true": (entry(shape=[True, 12]), f"{Q}: shape is"),
    "a shape of half numbers": (entry(shape=[17.5, 12]), f"{Q}: shape is"),
    "a shape without end": (entry(shape=[GIANT, 1]), f"{Q}: shape is "),
    "a shape of a hundred axes": (entry(shape=[1] * 100), f"{Q}: shape is"),
    "a shape of 2 to the 90": (entry(shape=[2**45, 2**45]), f"{Q}: data_offsets spans"),
    "a shape that does not fit its bytes": (entry(shape=[18, 13]), f"{Q}: data_offsets spans 864 bytes.* takes 936"),
    "offsets that run backwards": (entry(data_offsets=[900, 36]), f"{Q}: data_offsets is"),
    "offsets beyond the file": (entry(data_offsets=[10**9, 10**9 + 864]), f"{Q}: data_offsets is .*outside"),
    "offsets below zero": (entry(data_offsets=[-864, 0]), f"{Q}: data_offsets is"),
    "one offset": (entry(data_offsets=[0]), f"{Q}: data_offsets is"),
    "two tensors on the same bytes": (head(overlap), "data_offsets: it (overlaps|leaves a gap)"),
    "a tensor on another's bytes": (entry(data_offsets=[0, 864]), "data_offsets: it (overlaps|leaves a gap)"),
    # what the numbers are
    "NaN": (spoil(float("nan")), f"{MODEL}: {Q}: 1 of its numbers are not finite"),
    "infinity": (spoil(float("-inf"), "BF16"), f"{MODEL}: {Q}: 1 of its numbers are not finite"),
    "infinity in 16 bits": (spoil(float("inf"), "F16"), f"{MODEL}: {Q}: 1 of its numbers are not finite"),
    # what the files hold together
    "a weight missing": (tensor(lambda t: t.pop(Q)), f"{Q} is missing"),
    "a weight of another shape": (tensor(lambda t: t.update({Q: t[Q][:, :-1]})), f"{Q}: its shape is .*11.*promises"),
    "a norm that is a matrix": (
        tensor(lambda t: t.update({"model.norm.weight": t[Q]})), "model.norm.weight: its shape is"),
    "a bias that nobody adds": (
        tensor(lambda t: t.update({"model.layers.0.self_attn.q_proj.bias": t[Q][:, 0]})),
        "q_proj.bias: a llama of this config.json has no such weight"),
    "a layer too many": (config(num_hidden_layers=1), r"model.layers.1.\S+: a llama of this config.json has no such"),
    "a layer too few": (config(num_hidden_layers=3), r"model.layers.2.\S+ is missing"),
    "an embedding too short": (config(vocab_size=62), "embed_tokens.weight: its shape is .*61, 12.*62, 12"),
    "no head": (tensor(lambda t: t.pop("lm_head.weight")), "lm_head.weight is missing"),
    # shards
    "a shard missing": (lost_shard, f"{INDEX}: the shard model-00002-of-00003.safetensors is missing"),
    "the index missing": (lost_index, "model-00001-of-00002.safetensors is one of several shards"),
    "an index without names": (index({}), f"{INDEX}: weight_map is missing or empty"),
    "an index that is a list": (text(INDEX, "[]"), f"{INDEX}: it holds"),
    "a shard outside the folder": (index({"a": "../model.safetensors"}), f"{INDEX}: weight_map: .*no name of a shard"),
    "a shard with a whole path": (index({"a": "/etc/x.safetensors"}), f"{INDEX}: weight_map: .*no name of a shard"),
    "a shard that is a number": (index({"a": 7}), f"{INDEX}: weight_map: 7 is no name"),
    "a tensor in two files": (twice, f"{MODEL}: more.safetensors holds|more.safetensors: .* holds a tensor of this name"),
    "weights in another format": (another_format, "pytorch_model.bin is another format"),
    # config.json and generation_config.json
    "no config": (lambda f: files.llama(f) and (f / "config.json").unlink(), "config.json is missing"),
    "a config that is no JSON": (text("config.json", "model_type: llama"), "config.json: its text is not the JSON"),
    "a config of a list": (text("config.json", "[]"), "config.json: it holds"),
    "an unknown family": (config(model_type="mamba"), 'config.json: model_type is "mamba"; expected one of llama'),
    "no family": (config(model_type="gone"), "config.json: model_type is missing"),
    "a family that is a list": (config(model_type=["llama"]), "config.json: model_type is"),
    "weights in four bits": (config(quantization_config={"bits": 4}), "config.json: quantization_config is"),
    "a size that is a word": (config(hidden_size="12"), 'config.json: hidden_size is "12"; expected a whole number'),
    "a size below one": (config(num_attention_heads=0), "config.json: num_attention_heads is 0"),
    "a size without end": (config(vocab_size=GIANT), "config.json: (vocab_size is|its text is not)"),
    "a size missing": (config(intermediate_size="gone"), "config.json: intermediate_size is missing"),
    "heads that do not group": (config(num_key_value_heads=2), "config.json: num_attention_heads=3 .* num_key_value"),
    "an odd head": (config(head_dim=7), "config.json: head_dim=7 must be even"),
    "heads that do not share": (config(head_dim=None, hidden_size=13), "config.json: hidden_size is 13, which 3 heads"),
    "an activation unknown": (config(hidden_act="relu6"), 'config.json: hidden_act is "relu6"'),
    "a switch that is a word": (config(tie_word_embeddings="no"), 'config.json: tie_word_embeddings is "no"'),
    "an eps that is endless": (config(rms_norm_eps=1e400), "config.json: .*(rms_norm_eps|Infinity)"),
    "turning unknown": (config(rope_scaling={"rope_type": "longrope"}), 'rope_scaling: rope_type is "longrope"'),
    "turning that is a word": (config(rope_scaling="linear"), 'config.json: rope_scaling is "linear"'),
    "turning without a factor": (config(rope_scaling={"type": "linear"}), "rope_scaling: factor is missing"),
    "turning by less than one": (config(rope_scaling={"type": "linear", "factor": 0}), "rope_scaling: factor is 0"),
    "half a turn": (config(partial_rotary_factor=0.5), "config.json: partial_rotary_factor is 0.5"),
    "layers of an unknown kind": (
        config(model_type="qwen2", layer_types=["linear_attention"] * 2), "layer_types holds"),
    "kinds for too few layers": (
        config(model_type="qwen2", layer_types=["full_attention"]), "layer_types is .*expected a list of 2"),
    "a start token outside": (config(bos_token_id=61), "config.json: bos_token_id is 61"),
    "an end token that is a word": (
        text("generation_config.json", '{"eos_token_id": ["x"]}'), "generation_config.json: eos_token_id holds"),
    "a generation config that is no JSON": (text("generation_config.json", "{"), "generation_config.json: its text"),
}  # fmt: skip


def test_there_are_enough_of_them():
    assert len(CASES) >= 40


@pytest.mark.parametrize("case", CASES)
def test_a_hostile_file_is_answered_by_a_sentence_that_names_what_is_wrong(tmp_path, case):
    make, expected = CASES[case]
    make(tmp_path)
    with pytest.raises(ValueError, match=expected) as caught:
        model.load(tmp_path)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 400


def test_a_folder_that_is_none_is_said(tmp_path):
    with pytest.raises(ValueError, match="nowhere is no folder"):
        model.load(tmp_path / "nowhere")


def test_a_file_cut_while_it_is_read_is_said(tmp_path):
    files.llama(tmp_path)
    found = model.checkpoint.safetensors.find(tmp_path)
    cut(3000)(tmp_path)
    with pytest.raises(ValueError, match="the file ends within it"):
        found["lm_head.weight"].read()


@pytest.mark.parametrize("seed", range(40))
def test_a_file_with_some_bytes_changed_loads_or_is_answered_by_a_sentence(tmp_path, seed):
    rng = random.Random(seed)
    files.llama(tmp_path, shards=rng.choice([1, 2]), dtype=rng.choice(["F32", "F16", "BF16"]))
    victims = sorted(p for p in tmp_path.iterdir())
    for _ in range(12):
        path = rng.choice(victims)
        kept = path.read_bytes()
        data = bytearray(kept)
        for _ in range(rng.randint(1, 6)):
            data[rng.randrange(min(len(data), 2500))] = rng.randrange(256)
        if rng.random() < 0.3:
            del data[rng.randrange(len(data)) :]
        path.write_bytes(data)
        try:
            m = model.load(tmp_path)
        except ValueError as error:
            said = str(error)
        else:
            said = str(m.forward([1, 2, 3]).logits.shape[0])
        assert said
        assert "\n" not in said
        path.write_bytes(kept)
