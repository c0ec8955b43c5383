"""Which model the figures show: the one these pages ship, or one that a reader has brought.

There is one such model at a time, as there is one reader to a page. Figures ask here instead of loading the
shipped model, and keep what they worked out with ``kept``, which forgets it when another model comes:

    >>> @kept(maxsize=1)
    ... def sizes() -> int:
    ...     return model().config.n_layers
    >>> sizes() == model().config.n_layers
    True
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeVar

from glassbox import model as core
from glassbox.model.checkpoint.filling import Progress
from glassbox.model.checkpoint.texts import Numbers
from glassbox.model.transformer import Model

F = TypeVar("F", bound=Callable[..., Any])

OURS, YOURS = "our model", "your model"  # what one without a name of its own is called
SAMPLE = (3, 14, 15, 92, 65, 35)  # a text for a model that reads token numbers alone
_brought: list[Model] = []  # none, or one
_memories: list[Callable[[], None]] = []


def model() -> Model:
    """The model that figures show."""
    return _brought[0] if _brought else core.load()


def is_ours() -> bool:
    """Whether it is the one that these pages ship."""
    return not _brought


def name() -> str:
    """What to call it in a sentence."""
    return OURS if is_ours() else model().name


def capital() -> str:
    """The same at the beginning of a sentence; a name of its own stays as it is written."""
    return name().capitalize() if name() in (OURS, YOURS) else name()


def use(brought: Model | None) -> None:
    """Shows a reader's model from now on, or ours again; whatever figures had kept is forgotten."""
    _brought[:] = [] if brought is None else [brought]
    for forget in _memories:
        forget()


def kept(maxsize: int) -> Callable[[F], F]:
    """As ``functools.lru_cache``, for what depends on the model."""

    def wrap(function: F) -> F:
        wrapped = functools.lru_cache(maxsize=maxsize)(function)
        _memories.append(wrapped.cache_clear)
        return wrapped  # type: ignore[return-value]

    return wrap


def fitted(control: Mapping[str, Any]) -> dict[str, Any]:
    """A control as it fits the model: as many layers and heads as it has, and numbers where it reads no words.

    A slider whose name ends in ``_layer`` or ``_head`` ends at the last one; a list ending in ``_head`` names
    them all. The reader's model may have more of them than the one that the page was built with, or fewer.

    Args:
        control: As ``glassbox.page.controls`` describes it.
    """
    c, kind, out = model().config, control["kind"], dict(control)
    last = {"layer": c.n_layers, "head": c.n_heads}.get(control["name"].rpartition("_")[2])
    if kind == "slider" and last and "stop" in control:
        out |= {"stop": last, "value": min(control["value"], last)}
    elif kind == "select" and control["name"].endswith("_head"):
        names = [f"layer {a + 1}, head {b + 1}" for a in range(c.n_layers) for b in range(c.n_heads)]
        out["options"] = {name: i for i, name in enumerate(names)}
        out["value"] = control["value"] if control["value"] in names else names[0]
    elif kind == "text" and isinstance(model().tokenizer, Numbers):
        out["value"] = " ".join(str(n % c.vocab_size) for n in SAMPLE)
    return out


def lacking() -> str:
    """What a reader's model came without, in a sentence; empty where nothing is missing."""
    tokenizer = model().tokenizer
    if not isinstance(tokenizer, Numbers):
        return ""
    return f"It {tokenizer.why}, so its tokens are shown and written as numbers."


def bringing(folder: str, memory: int) -> Generator[Progress, None, None]:
    """Reads a reader's model some megabytes at a time, and shows it once all of it is there.

    The one that was brought before goes first: there may be no room for two.

    Raises:
        ValueError: A file is wrong, or the model is too large; figures then show ours.
    """
    use(None)
    use((yield from core.checkpoint.reading(folder, memory)))
