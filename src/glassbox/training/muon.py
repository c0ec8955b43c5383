"""Muon: momentum whose every step is made orthogonal, so that all directions of a matrix learn alike.

Source: Keller Jordan and others 2024, *Muon: an optimizer for hidden layers in neural networks*, with its
coefficients of the Newton-Schulz iteration.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

COEFFICIENTS = (3.4445, -4.7750, 2.0315)


def orthogonal(matrix: Tensor, steps: int = 5) -> Tensor:
    """The nearest matrix whose singular values all lie near 1.

    Args:
        matrix: (count, rows, columns), each one by itself.
        steps: Newton-Schulz iterations; after five all singular values lie between about 0.7 and 1.2.
    """
    a, b, c = COEFFICIENTS
    tall = matrix.shape[1] > matrix.shape[2]
    x = matrix.transpose(1, 2) if tall else matrix
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(steps):
        square = x @ x.transpose(1, 2)
        x = a * x + (b * square + c * square @ square) @ x
    return x.transpose(1, 2) if tall else x


class Muon(torch.optim.Optimizer):
    """For the matrices between the layers; embedding and gains want another optimiser."""

    def __init__(
        self, params: Iterable[Tensor], lr: float = 0.02, momentum: float = 0.95, weight_decay: float = 0.0
    ) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """One step; matrices of one shape are made orthogonal together."""
        for group in self.param_groups:
            shapes: dict[torch.Size, list[Tensor]] = {}
            for p in group["params"]:
                shapes.setdefault(p.shape, []).append(p)
            for shape, params in shapes.items():
                self._step(params, max(1.0, shape[1] / shape[0]) ** 0.5, group)

    def _step(self, params: list[Tensor], scale: float, group: dict[str, Any]) -> None:
        grads = torch.stack([p.grad for p in params if p.grad is not None])
        state = self.state[params[0]]
        if "velocity" not in state:
            state["velocity"] = torch.zeros_like(grads)
        velocity = state["velocity"]
        velocity.lerp_(grads, 1 - group["momentum"])
        update = orthogonal(grads.lerp(velocity, group["momentum"]))
        for p, u in zip(params, update, strict=True):
            p.mul_(1 - group["lr"] * group["weight_decay"])
            p.add_(u, alpha=-group["lr"] * scale)
