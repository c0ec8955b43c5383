"""The shipped weights in another's code: Hugging Face's Llama. Needs the ``train`` extra."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from glassbox import model  # noqa: E402
from glassbox.model import generate  # noqa: E402

PROMPTS = (
    "The patient has", "Patient has severe chest", "She opened a wooden chest", "The blood culture",
    "The winter cold", "A weak positive", "The hospital discharge", "She was tired, so", "Tom thanked Anna because",
    "The patient's name is Ada. The patient's name is", "red, green, blue, red, green,", "Acute",
    "Fracture of the left", "chest:", "The key is in the attic. The key is in the", "On Friday we took the train to",
    "No evidence of", "There are 7", "(apple [key", "He was started on",
)  # fmt: skip


@pytest.fixture(scope="module")
def llama():
    m = model.load()
    c = m.config
    config = transformers.LlamaConfig(
        vocab_size=c.vocab_size, hidden_size=c.d_model, intermediate_size=c.d_ff, num_hidden_layers=c.n_layers,
        num_attention_heads=c.n_heads, num_key_value_heads=c.n_kv_heads, head_dim=c.d_head,
        max_position_embeddings=c.context, rms_norm_eps=c.norm_eps, rope_theta=c.rope_base,
        tie_word_embeddings=True, attention_bias=False, mlp_bias=False, bos_token_id=m.start, eos_token_id=m.start,
    )  # fmt: skip
    found = transformers.LlamaForCausalLM(config).eval()
    q, kv, state = c.n_heads * c.d_head, c.n_kv_heads * c.d_head, {}
    for n in range(c.n_layers):
        at, qkv, both = f"model.layers.{n}.", m.params[f"{n}.w_qkv"], m.params[f"{n}.w_gate_up"]
        state |= {
            at + "self_attn.q_proj.weight": qkv[:q],
            at + "self_attn.k_proj.weight": qkv[q : q + kv],
            at + "self_attn.v_proj.weight": qkv[q + kv :],
            at + "self_attn.o_proj.weight": m.params[f"{n}.w_o"],
            at + "mlp.gate_proj.weight": both[: c.d_ff],
            at + "mlp.up_proj.weight": both[c.d_ff :],
            at + "mlp.down_proj.weight": m.params[f"{n}.w_down"],
            at + "input_layernorm.weight": m.params[f"{n}.norm_attention"],
            at + "post_attention_layernorm.weight": m.params[f"{n}.norm_mlp"],
        }
    state |= {
        "model.embed_tokens.weight": m.params["embedding"],
        "lm_head.weight": m.params["embedding"],
        "model.norm.weight": m.params["norm_out"],
    }
    found.load_state_dict({name: torch.from_numpy(np.array(w)) for name, w in state.items()})
    return found


@pytest.mark.parametrize("prompt", PROMPTS)
def test_its_logits_and_its_greedy_text_are_ours(llama, prompt):
    m = model.load()
    ids = m.encode(prompt)
    with torch.no_grad():
        theirs = llama(torch.tensor([ids])).logits[0].numpy()
        np.testing.assert_allclose(m.forward(ids).logits, theirs, atol=2e-3)
        said = llama.generate(torch.tensor([ids]), max_new_tokens=16, do_sample=False, eos_token_id=None)
    assert generate.greedy(m, ids, 16).ids == said[0, len(ids) :].tolist()
