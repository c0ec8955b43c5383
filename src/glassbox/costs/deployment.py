"""A model on a GPU: how many users its memory serves, how fast, and what another purchase would change.

Weights are kept once, and every user brings a cache. 80 GB, of which 16 GB are weights, hold 61 users whose
caches take 1.0486 GB each, and 59 of 1 GiB:

    >>> Budget(80e9, 16e9, 1_048_576_000).users
    61
    >>> Budget(80e9, 16e9, 2**30).users
    59

Engines also keep room for their own work, often a tenth of the memory; that is left out here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from glassbox.costs import catalogue, kv, roofline, shapes


@dataclass(frozen=True)
class Budget:
    """The memory there is, and what fills it; all in bytes.

    Attributes:
        total: Memory of all GPUs.
        weights: The model's weights, kept once.
        per_user: One user's cache; 0 where nothing is kept, and then no users are counted.
    """

    total: float
    weights: float
    per_user: float

    @property
    def holds_weights(self) -> bool:
        """Whether the weights alone fit."""
        return self.weights <= self.total

    @property
    def left(self) -> float:
        """What caches may take."""
        return max(0.0, self.total - self.weights)

    @property
    def users(self) -> int:
        """How many users' caches fit beside the weights."""
        return int(self.left // self.per_user) if self.per_user else 0


@dataclass(frozen=True)
class Deployment:
    """A model on a GPU, and how long its users' texts are.

    Attributes:
        shape: What the roofline needs to know of the model.
        machine: The GPU's arithmetic and bandwidth.
        memory_bytes: The GPU's memory.
        context: Tokens of one user's text.
    """

    shape: roofline.Shape
    machine: roofline.Machine
    memory_bytes: float
    context: int

    @property
    def budget(self) -> Budget:
        """The memory, weights at 16 bits a number."""
        cache = self.shape.cache_bytes_per_token * self.context
        return Budget(self.memory_bytes, self.shape.weights * roofline.WEIGHT_BYTES, cache)

    def first_token(self) -> float:
        """Seconds until the first token of one user."""
        return roofline.prefill(self.shape, self.machine, self.context).seconds

    def rate(self, batch: int) -> float:
        """Tokens a second for each of ``batch`` users who share a step."""
        return 1 / roofline.decode(self.shape, self.machine, self.context, batch).seconds

    def full_rate(self) -> float:
        """Tokens a second for all users together when memory is full; 0 where nobody fits."""
        users = self.budget.users
        return users * self.rate(users) if users else 0.0


def place(model: catalogue.Model, gpu: catalogue.Gpu, context: int) -> Deployment:
    """Puts a model of the catalogue on a GPU.

    Args:
        model: The model.
        gpu: The GPU.
        context: Tokens of one user's text, 1 or more.
    """
    fields = kv.read(model.config)
    heads, _, head_dim = shapes.head_shape(fields)
    experts, chosen = shapes.experts(fields)
    plan = kv.plan(model.config, context)
    shape = roofline.Shape(
        weights=model.parameters * 1e9,
        layers=len(plan.layers),
        heads=heads,
        head_dim=head_dim,
        cache_bytes_per_token=plan.state_bytes / context,
        active=model.active * 1e9,
        experts=experts,
        chosen=chosen,
    )
    machine = roofline.Machine(gpu.tflops, gpu.bandwidth_gb_s)
    return Deployment(shape, machine, gpu.memory_gb * 1e9, context)


def purchases(now: Deployment) -> dict[str, Deployment]:
    """The same model after each of four purchases; the first entry is ``now`` itself."""
    faster = replace(now.machine, tflops=2 * now.machine.tflops)
    wider = replace(now.machine, bandwidth_gb_s=2 * now.machine.bandwidth_gb_s)
    smaller = replace(now.shape, cache_bytes_per_token=now.shape.cache_bytes_per_token / 2)
    return {
        "as it is": now,
        "twice the compute": replace(now, machine=faster),
        "twice the bandwidth": replace(now, machine=wider),
        "twice the memory": replace(now, memory_bytes=2 * now.memory_bytes),
        "half the cache": replace(now, shape=smaller),
    }
