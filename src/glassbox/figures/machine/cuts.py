"""What a reader cuts: ``1.4`` a head, ``2.MLP`` an MLP, ``3`` a layer, ``@3`` looks at a position, ``rotation``.

Among them stands ``+7`` for a layer that is opened to its parts, where a model has too many to show all at once.

>>> listed(parse("1.4, 2.mlp @3"))
'1.4 2.MLP @3'
>>> toggled("1.4 2.MLP", "1.4"), toggled("1.4", "2.MLP")
('2.MLP', '1.4 2.MLP')
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass

from glassbox.figures import subject
from glassbox.model.experiments import Edge, Part

_HEAD = re.compile(r"(\d{1,3})\.(\d{1,3})")
_MLP = re.compile(r"(\d{1,3})\.mlp", re.I)
_LAYER = re.compile(r"(\d{1,3})")
_OPEN = re.compile(r"\+(\d{1,3})")
_LOOKS = re.compile(r"(?:(\d{1,3})\.(\d{1,3}))?@(\d{1,4})")
ROTATION = "rotation"
MOST = 60  # cuts in one state: all parts of the model, and every word hidden


@dataclass(frozen=True)
class Cut:
    """One thing that is taken away.

    Attributes:
        key: How it is written, as ``1.4``.
        part: A head, an MLP or a layer.
        edge: The looks of every later word, in one head or in all, at one position.
        opens: No cut, but a layer whose parts are shown, counted from 0.

    With none of them, queries and keys are not turned by their positions, in any head.
    """

    key: str
    part: Part | None = None
    edge: Edge | None = None
    opens: int | None = None

    @property
    def rotation(self) -> bool:
        """Whether the turning of queries and keys is meant."""
        return self.part is None and self.edge is None and self.opens is None


def open_key(layer: int) -> str:
    """A layer that is opened: ``+1``."""
    return f"+{layer + 1}"


def head_key(layer: int, head: int) -> str:
    """The name of a head, counted from 0: ``1.4``."""
    return f"{layer + 1}.{head + 1}"


def mlp_key(layer: int) -> str:
    """The name of a layer's MLP: ``1.MLP``."""
    return f"{layer + 1}.MLP"


def layer_key(layer: int) -> str:
    """The name of a whole layer: ``1``."""
    return f"{layer + 1}"


def looks_key(position: int) -> str:
    """The name of all looks at a position: ``@3``."""
    return f"@{position}"


@subject.kept(maxsize=512)
def parse(text: str) -> tuple[Cut, ...]:
    """Reads a list of cuts, with spaces or commas between; one that stands twice counts once.

    Raises:
        ValueError: A word that names no part; the sentence says what can be named.
    """
    words = list(dict.fromkeys(w for w in re.split(r"[\s,;]+", text.strip()) if w))
    if len(words) > MOST:
        raise ValueError(f"this cuts {len(words)} parts at once; the machine takes up to {MOST}")
    return tuple({cut.key: cut for cut in map(_one, words)}.values())


def _one(word: str) -> Cut:
    c = subject.model().config

    def there(layer: str, head: str = "1") -> bool:
        return 1 <= int(layer) <= c.n_layers and 1 <= int(head) <= c.n_heads

    if (m := _HEAD.fullmatch(word)) and there(m[1], m[2]):
        layer, head = int(m[1]) - 1, int(m[2]) - 1
        return Cut(head_key(layer, head), Part(layer, head))
    if (m := _MLP.fullmatch(word)) and there(m[1]):
        return Cut(mlp_key(int(m[1]) - 1), Part(int(m[1]) - 1, mlp=True))
    if (m := _LAYER.fullmatch(word)) and there(m[1]):
        return Cut(layer_key(int(m[1]) - 1), Part(int(m[1]) - 1))
    if (m := _OPEN.fullmatch(word)) and there(m[1]):
        return Cut(open_key(int(m[1]) - 1), opens=int(m[1]) - 1)
    if (m := _LOOKS.fullmatch(word)) and (m[1] is None or there(m[1], m[2])):
        at = int(m[3])
        if m[1] is None:
            return Cut(looks_key(at), edge=Edge(None, at))
        layer, head = int(m[1]) - 1, int(m[2]) - 1
        return Cut(f"{head_key(layer, head)}@{at}", edge=Edge(None, at, layer, head))
    if word.lower() == ROTATION:
        return Cut(ROTATION)
    raise ValueError(
        f"{reprlib.repr(word)} names no part; write 1.1 to {c.n_layers}.{c.n_heads} for a head, 1.MLP to "
        f"{c.n_layers}.MLP, 1 to {c.n_layers} for a whole layer, @3 for all looks at position 3, 2.1@3 for one head’s, {ROTATION} for all positions"
    )


def listed(cuts: Sequence[Cut]) -> str:
    """The cuts as they are written into the control."""
    return " ".join(cut.key for cut in cuts)


def toggled(text: str, key: str) -> str:
    """The list with one cut added, or taken out where it stands already."""
    keys = [cut.key for cut in parse(text)]
    return " ".join([k for k in keys if k != key] if key in keys else [*keys, key])


def named(cut: Cut, labels: Sequence[str]) -> str:
    """A cut in words.

    Args:
        cut: The cut.
        labels: The positions' words.
    """
    if cut.edge is not None:
        word = f"“{labels[cut.edge.source]}”"
        if cut.edge.head is None:
            return f"every look at {word}"
        return f"the look of layer {(cut.edge.layer or 0) + 1}, head {cut.edge.head + 1} at {word}"
    if cut.part is None:
        return "the rotation by positions"
    part = cut.part
    if part.mlp:
        return f"the MLP of layer {part.layer + 1}"
    if part.head is not None:
        return f"layer {part.layer + 1}, head {part.head + 1}"
    return f"the whole of layer {part.layer + 1}"


def in_words(cuts: Sequence[Cut], labels: Sequence[str]) -> str:
    """All cuts in words, as a sentence goes on after *without*."""
    names = [named(cut, labels) for cut in cuts]
    if len(names) > 3:
        return f"{names[0]}, {names[1]} and {len(names) - 2} other parts"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
