"""A tiny random model whose sizes are different primes wherever they may differ, and plain loops as oracle."""

import math

import numpy as np

from glassbox.model import Config, weights
from glassbox.tokens import bpe

PRIMES = Config(
    vocab_size=263, d_model=11, n_layers=3, n_heads=6, n_kv_heads=3, d_head=14, d_ff=17, context=64
)


def model(config=PRIMES, seed=5):
    rng = np.random.default_rng(seed)
    params = {
        name: (rng.normal(size=s) * (0.6 if len(s) > 1 else 0.2) + (len(s) == 1)).astype(np.float32)
        for name, s in config.shapes().items()
    }
    pairs = [(97 + n, 98 + n) for n in range(config.vocab_size - 257)]
    return weights.build(params, config, bpe.Tokenizer(pairs, special=("<|endoftext|>",))), params


def attention_by_loops(q, k, v, mask, scaling=True):
    """Nested loops, one number at a time. Returns scores, weights and the mix."""
    n_heads, n_queries, d_head = q.shape
    n_kv_heads, n_keys, _ = k.shape
    scores = np.zeros((n_heads, n_queries, n_keys))
    shares = np.zeros_like(scores)
    mixed = np.zeros((n_heads, n_queries, v.shape[2]))
    for h in range(n_heads):
        g = h // (n_heads // n_kv_heads)
        for i in range(n_queries):
            for j in range(n_keys):
                dot = sum(float(q[h, i, d]) * float(k[g, j, d]) for d in range(d_head))
                scores[h, i, j] = dot / math.sqrt(d_head) if scaling else dot
            powers = [math.exp(s) if mask is None or mask[i, j] else 0.0 for j, s in enumerate(scores[h, i])]
            for j in range(n_keys):
                shares[h, i, j] = powers[j] / sum(powers)
                for d in range(v.shape[2]):
                    mixed[h, i, d] += shares[h, i, j] * float(v[g, j, d])
    return scores, shares, mixed


def forward_by_loops(params, config, ids):
    """The whole decoder, position by position, in double precision. Returns (n, vocab_size) logits."""
    p = {name: np.asarray(w, dtype=np.float64) for name, w in params.items()}

    def norm(row, gain):
        return row / math.sqrt(sum(float(a) ** 2 for a in row) / len(row) + config.norm_eps) * gain

    def turned(row, position):
        half, out = config.d_head // 2, row.copy()
        for i in range(half):
            angle = position * config.rope_base ** (-i / half)
            a, b = row[i], row[i + half]
            out[i], out[i + half] = (
                a * math.cos(angle) - b * math.sin(angle),
                a * math.sin(angle) + b * math.cos(angle),
            )
        return out

    def heads(row, w, count, position=None):
        parts = (row @ w).reshape(count, config.d_head)
        return [turned(part, position) if position is not None else part for part in parts]

    x = [p["embedding"][i] for i in ids]
    n = len(ids)
    for layer in range(config.n_layers):
        h = [norm(row, p[f"{layer}.norm_attention"]) for row in x]
        q = np.array([heads(row, p[f"{layer}.w_q"], config.n_heads, i) for i, row in enumerate(h)])
        k = np.array([heads(row, p[f"{layer}.w_k"], config.n_kv_heads, i) for i, row in enumerate(h)])
        v = np.array([heads(row, p[f"{layer}.w_v"], config.n_kv_heads) for row in h])
        lower = np.array([[j <= i for j in range(n)] for i in range(n)])
        q, k, v = (a.transpose(1, 0, 2) for a in (q, k, v))
        _, _, mixed = attention_by_loops(q, k, v, lower)
        for i in range(n):
            x[i] = x[i] + mixed[:, i].reshape(-1) @ p[f"{layer}.w_o"]
            row = norm(x[i], p[f"{layer}.norm_mlp"])
            gate = row @ p[f"{layer}.w_gate"]
            gate = np.array([g / (1 + math.exp(-g)) for g in gate])
            x[i] = x[i] + (gate * (row @ p[f"{layer}.w_up"])) @ p[f"{layer}.w_down"]
    return np.array([norm(row, p["norm_out"]) @ p["embedding"].T for row in x])
