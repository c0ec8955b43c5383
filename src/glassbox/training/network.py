"""The same decoder as ``glassbox.model.transformer``, in torch, so that it can be trained.

Every weight is stored as (inputs, outputs) and used as ``x @ w``, with the names that the NumPy side loads.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from glassbox.model.config import Config


class Network(nn.Module):
    """RMSNorm, rotary positions, grouped-query attention, gated MLP, tied embedding."""

    def __init__(self, config: Config, seed: int = 0) -> None:
        super().__init__()
        self.config = config
        generator = torch.Generator().manual_seed(seed)
        weights = {}
        for name, shape in config.shapes().items():
            if len(shape) == 1:
                weights[name] = torch.ones(shape)
                continue
            scale = 0.02 if name == "embedding" else shape[0] ** -0.5
            if name.endswith(("w_o", "w_down")):
                scale /= (2 * config.n_layers) ** 0.5  # keeps the sum of all layers in range at the start
            weights[name] = torch.randn(shape, generator=generator) * scale
        # torch forbids dots in parameter names
        self.weights = nn.ParameterDict({n.replace(".", "/"): nn.Parameter(w) for n, w in weights.items()})
        cos, sin = rotation(config)
        self.register_buffer("cos", cos)
        self.register_buffer("sin", sin)
        self.reach: list[Tensor] = []  # what ``tame`` looks at, one (n_heads,) a layer

    def forward(self, ids: Tensor, asked: Tensor | None = None) -> Tensor:
        """(rows, n) ids to (rows, n, vocab_size) logits; with a mask, (asked, vocab_size) of those places."""
        self.reach = []
        w, eps = self.weights, self.config.norm_eps
        x = w["embedding"][ids]
        for layer in range(self.config.n_layers):
            x = x + self._attend(layer, norm(x, w[f"{layer}/norm_attention"], eps))
            h = norm(x, w[f"{layer}/norm_mlp"], eps)
            gate = functional.silu(h @ w[f"{layer}/w_gate"])
            x = x + (gate * (h @ w[f"{layer}/w_up"])) @ w[f"{layer}/w_down"]
        if asked is not None:
            x = x[asked]
        logits: Tensor = norm(x, w["norm_out"], eps) @ w["embedding"].T
        return logits

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def tame(self, cap: float) -> None:
        """Shrinks the queries and keys of heads whose scores could pass ``cap``, so that softmax stays soft.

        A score is at most the longest query times the longest key, over the root of their width; the last
        forward pass says how long they were. A head beyond the cap gives half of the excess from its queries,
        and its group's keys half of the group's largest. A rule of the optimiser, not a loss. Source: Kimi
        Team 2025, *Kimi K2: Open Agentic Intelligence* (QK-clip), with this bound for the largest score.
        """
        c = self.config
        for layer, reach in enumerate(self.reach):
            shrink = (cap / reach).clamp(max=1).sqrt()
            by_group = shrink.view(c.n_kv_heads, -1).amin(1)
            self.weights[f"{layer}/w_q"].mul_(shrink.repeat_interleave(c.d_head))
            self.weights[f"{layer}/w_k"].mul_(by_group.repeat_interleave(c.d_head))

    def load(self, arrays: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]) -> None:
        """Takes weights over by name."""
        with torch.no_grad():
            for name, parameter in self.weights.items():
                parameter.copy_(torch.from_numpy(arrays[name.replace("/", ".")]))

    def arrays(self) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
        """The weights by the names that the NumPy side knows."""
        return {n.replace("/", "."): p.detach().numpy().copy() for n, p in self.weights.items()}

    def _attend(self, layer: int, h: Tensor) -> Tensor:
        c, w = self.config, self.weights
        rows, n, _ = h.shape
        cos, sin = self.get_buffer("cos")[:n], self.get_buffer("sin")[:n]
        q = (h @ w[f"{layer}/w_q"]).view(rows, n, c.n_heads, c.d_head).transpose(1, 2)
        k = (h @ w[f"{layer}/w_k"]).view(rows, n, c.n_kv_heads, c.d_head).transpose(1, 2)
        v = (h @ w[f"{layer}/w_v"]).view(rows, n, c.n_kv_heads, c.d_head).transpose(1, 2)
        group = c.n_heads // c.n_kv_heads
        with torch.no_grad():  # rotation keeps lengths
            long_q, long_k = (x.norm(dim=-1).amax((0, 2)) for x in (q, k))
            self.reach.append(long_q * long_k.repeat_interleave(group) / c.d_head**0.5)
        k = rotate(k, cos, sin).repeat_interleave(group, dim=1)
        v = v.repeat_interleave(group, dim=1)
        mixed = functional.scaled_dot_product_attention(rotate(q, cos, sin), k, v, is_causal=True)
        out: Tensor = mixed.transpose(1, 2).reshape(rows, n, c.n_heads * c.d_head) @ w[f"{layer}/w_o"]
        return out


def norm(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    """RMSNorm: divides by the root mean square, then scales."""
    return functional.rms_norm(x, (x.shape[-1],), gain, eps)


def rotation(config: Config) -> tuple[Tensor, Tensor]:
    """Cosines and sines, (context, d_head / 2)."""
    half = config.d_head // 2
    frequencies = config.rope_base ** (-torch.arange(half, dtype=torch.float64) / half)
    angles = torch.arange(config.context, dtype=torch.float64)[:, None] * frequencies
    return angles.cos().float(), angles.sin().float()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turns the pairs (x[i], x[i + half]) by the position's angles."""
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
