"""Which model the figures show: the one these pages ship, or one that a reader has brought.

There is one such model at a time, as there is one reader to a page. Figures ask here instead of loading the
shipped model, and keep what they worked out with ``kept``, which tells models apart. A figure that can show
ours alone says why with ``stays``; within it, everything here answers with ours. What was asked is noted, so
that a page can say whose model a figure shows (``runs_model``).

    >>> @kept(maxsize=1)
    ... def sizes() -> int:
    ...     return model().config.n_layers
    >>> sizes() == model().config.n_layers
    True
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from glassbox import model as core
from glassbox.figures.figure import Figure, Work
from glassbox.model.narrow import Packed
from glassbox.model.transformer import Model

if TYPE_CHECKING:
    from glassbox.model.checkpoint.filling import Progress
    from glassbox.model.checkpoint.texts import Numbers

F = TypeVar("F", bound=Callable[..., Any])

OURS, YOURS = "our model", "your model"  # what one without a name of its own is called
SAMPLE = (3, 14, 15, 92, 65, 35)  # a text for a model that reads token numbers alone
HEAD = re.compile(r"layer \d+, head \d+")
_brought: list[Model] = []  # none, or one
_staying: list[str] = []  # whether a figure that stays with ours is being drawn
_asked: list[bool] = []  # whether a model was asked for since this was emptied
_memories: list[Callable[[], None]] = []


def model() -> Model:
    """The model that figures show."""
    _asked[:] = [True]
    return core.load() if is_ours() else _brought[0]


def is_ours() -> bool:
    """Whether it is the one that these pages ship."""
    return bool(_staying) or not _brought


def name() -> str:
    """What to call it in a sentence."""
    return OURS if is_ours() else _brought[0].name


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
        @functools.lru_cache(maxsize=maxsize)
        def known(ours: bool, *args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            _asked[:] = [True]
            return known(is_ours(), *args, **kwargs)

        _memories.append(known.cache_clear)
        return wrapped  # type: ignore[return-value]

    return wrap


def stays(why: str) -> Callable[[F], F]:
    """Marks a figure that runs a model and can show ours alone.

    Args:
        why: The reason, as a sentence.
    """

    def wrap(function: F) -> F:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Figure | Work:
            with _with_ours(why):
                made: Figure | Work = function(*args, **kwargs)
            if isinstance(made, Work):
                steps = made.steps
                return Work(lambda: _each_with_ours(why, steps()))
            return made

        wrapped.stays = why  # type: ignore[attr-defined]
        return wrapped  # type: ignore[return-value]

    return wrap


@contextmanager
def _with_ours(why: str) -> Iterator[None]:
    _staying.append(why)
    try:
        yield
    finally:
        _staying.pop()


def _each_with_ours(why: str, steps: Iterator[Figure]) -> Iterator[Figure]:
    while True:
        with _with_ours(why):
            figure = next(steps, None)
        if figure is None:
            return
        yield figure


def runs_model(forget: bool = False) -> bool:
    """Whether a model was asked for since this was last called with ``forget``."""
    found = bool(_asked)
    if forget:
        _asked.clear()
    return found


def _numbers() -> Numbers | None:
    """What stands in for the tokenizer of a reader's model that came without one."""
    if is_ours():
        return None
    from glassbox.model.checkpoint.texts import Numbers

    tokenizer = model().tokenizer
    return tokenizer if isinstance(tokenizer, Numbers) else None


def fitted(control: Mapping[str, Any]) -> dict[str, Any]:
    """A control as it fits the model: as many layers and heads as it has, and numbers where it reads no words.

    A slider whose name ends in ``_layer`` or ``_head`` ends at the last one, and one that ends in ``_depth`` stands
    at the top, which is two additions a layer; a list of heads names them all, and
    one ending in ``_model`` names the reader's as well, and begins with it. The reader's model may have more
    layers and heads than the one that the page was built with, or fewer.

    Args:
        control: As ``glassbox.page.controls`` describes it, of a figure that takes the reader's model.
    """
    c, kind, out = model().config, control["kind"], dict(control)
    last = {"layer": c.n_layers, "head": c.n_heads}.get(control["name"].rpartition("_")[2])
    if kind == "slider" and control["name"].endswith("_depth"):
        out |= {"stop": 2 * c.n_layers, "value": 2 * c.n_layers}
    elif kind == "slider" and last and "stop" in control:
        out |= {"stop": last, "value": min(control["value"], last)}
    elif kind == "select" and control["name"].endswith("_model") and not is_ours():
        out |= {"options": {name(): name()} | control["options"], "value": name()}
    elif kind == "select" and HEAD.fullmatch(next(iter(control["options"]), "")):
        names = [f"layer {a + 1}, head {b + 1}" for a in range(c.n_layers) for b in range(c.n_heads)]
        out["options"] = {one: i for i, one in enumerate(names)}
        out["value"] = control["value"] if control["value"] in names else names[0]
    elif kind == "text" and control["value"] and _numbers():
        out["value"] = " ".join(str(n % c.vocab_size) for n in SAMPLE)
    return out


def lacking() -> str:
    """What a reader's model came without, or lost to fit, in sentences; empty where nothing is missing."""
    m, said = model(), []
    if numbers := _numbers():
        said.append(f"It {numbers.why}, so its tokens are shown and written as numbers.")
    if any(isinstance(w, Packed) for w in m.params.values()):
        said.append(
            "To fit, its numbers are rounded to 8 bits here, so that it may say something else at times."
        )
    return " ".join(said)


@functools.lru_cache(maxsize=1)
def read(folder: Path) -> Model:
    """A checkpoint of a folder, whole; kept while the same one is asked for.

    Raises:
        ValueError: A file is wrong; the sentence names it and the field.
    """
    return core.load(folder)


def bringing(folder: str, memory: int) -> Generator[Progress, None, None]:
    """Reads a reader's model some megabytes at a time, and shows it once all of it is there.

    The one that was brought before goes first: there may be no room for two.

    Raises:
        ValueError: A file is wrong, or the model is too large; figures then show ours.
    """
    use(None)
    from glassbox.model import checkpoint

    use((yield from checkpoint.reading(folder, memory)))
