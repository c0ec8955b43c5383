"""Several GPUs that hold one model together: what each of them keeps of a user's past.

Each GPU takes a part of every layer's weights and some of its heads (tensor parallelism). Keys and values go
with their heads: of 8 KV heads on 4 GPUs each keeps 2. With more GPUs than KV heads some keep the same head,
and what belongs to no head, a compressed vector or an index key, is kept by all of them.

    >>> from glassbox.costs import kv
    >>> llama = {"model_type": "llama", "num_hidden_layers": 32, "num_attention_heads": 32,
    ...          "num_key_value_heads": 8, "hidden_size": 4096}
    >>> plan = kv.plan(llama, 1)
    >>> [each_keeps(plan, n) for n in (1, 4, 8, 16)]
    [131072, 32768, 16384, 16384]

Source: Shoeybi and others 2019, *Megatron-LM*; for copies of KV heads Pope and others 2022, *Efficiently
Scaling Transformer Inference*, section 3.3.
"""

from __future__ import annotations

from glassbox.costs import kv
from glassbox.costs.fields import check_whole
from glassbox.costs.layers import vector_bytes

WHOLE = ("latent", "indexed", "compressed")  # kinds whose vectors belong to no head


def each_keeps(plan: kv.Plan, gpus: int) -> int:
    """Bytes of one user's cache on the GPU that keeps most.

    Args:
        plan: What the model keeps.
        gpus: How many GPUs share every layer.
    """
    check_whole(gpus, "gpus", 4096)
    return sum(_row(row, plan.dtype, gpus) for row in plan.layers)


def copies(plan: kv.Plan, gpus: int) -> float:
    """How many times the whole cache is kept on all GPUs together: 1 where nothing is copied."""
    return gpus * each_keeps(plan, gpus) / plan.sequence_bytes if plan.sequence_bytes else 1.0


def _row(row: kv.Row, dtype: str, gpus: int) -> int:
    parts = 1 if row.kind in WHOLE else gpus
    token = sum(-(-count // parts) * vector_bytes(length, dtype) for count, length in row.vectors)
    return row.tokens * token + row.summary_bytes + -(-row.fixed_bytes // gpus)
