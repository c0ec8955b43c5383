"""What cutting found, beside pictures of where heads look: only a cut says what an answer hangs on."""

from __future__ import annotations

from dataclasses import dataclass

from glassbox import model as core
from glassbox.figures import chart, subject, written
from glassbox.figures.attention import reading
from glassbox.figures.markup import Kept, Markup, el
from glassbox.model import experiments
from glassbox.model.experiments import Edge, Part
from glassbox.model.transformer import Forward

ABOUT = {"names": "names told before", "random tokens": "random tokens said again"}


@dataclass(frozen=True)
class Left:
    """A next word, and what a cut has left of it.

    Attributes:
        word: The likeliest next word before the cut.
        before: Its probability then.
        after: Its probability afterwards.
    """

    word: Kept
    before: float
    after: float

    @property
    def said(self) -> str:
        """As a sentence goes on: ``“pain” goes from 90 % to 62 %``."""
        was, now = (written.percent(share) for share in (self.before, self.after))
        return f"“{self.word}” " + (f"stays at {now}" if was == now else f"goes from {was} to {now}")


@subject.kept(maxsize=64)
def without_head(text: str, limit: int, index: int) -> Left:
    """A head adds nothing, at any position, while a text is read."""
    read = reading.read(text, limit)
    after = experiments.without(subject.model(), read.ids, [Part(*reading.head_at(index))])
    return _left(read, after)


@subject.kept(maxsize=64)
def without_looks(text: str, limit: int) -> tuple[tuple[Kept, Left], ...]:
    """Every look from the last position at one earlier token is cut, in all heads; token by token.

    Returns:
        Each token with what its cut leaves, in the text's order; the start first.
    """
    read, m = reading.read(text, limit), subject.model()
    last = len(read.ids) - 1
    return tuple(
        (read.labels[j], _left(read, experiments.cut(m, read.ids, [Edge(last, j)]))) for j in range(last)
    )


def _left(read: reading.Reading, after: Forward) -> Left:
    before = experiments.probabilities(read.forward.logits[-1])
    top = int(before.argmax())
    left = experiments.probabilities(after.logits[-1])[top]
    return Left(reading.label(top, next_word=True), float(before[top]), float(left))


def on_many_texts(index: int) -> list[chart.Bar]:
    """How much a head is needed to repeat what was said: how often that is right with the head and without."""
    layer, head = reading.head_at(index)
    rows: list[chart.Bar] = []
    for what, name in ABOUT.items():
        found = core.card()["copying"][what]
        share = float(found["without the head"][layer][head])
        rows.append((name, share, f"{written.percent(found['whole'])} → {written.percent(share)}"))
    return rows


def names_said_again() -> list[chart.Bar]:
    """How often a name that was told is said again, while the looks that fetch it are cut."""
    found = core.card()["copying"]["names"]
    layer, head, unlinked = found["linkers"][0]
    readers = found["readers"]
    rows = [
        ("nothing is cut", found["whole"]),
        (f"{layer}.{head} may not look one token back", unlinked),
        (
            "one head may not look at the name",
            min(min(row) for row in found["without its look at the source"]),
        ),
        (f"{', '.join(f'{a}.{b}' for a, b, _ in sorted(readers))} may not", readers[-1][2]),
    ]
    return [(name, float(share), written.percent(float(share))) for name, share in rows]


def panel(title: str, rows: list[chart.Bar], sentence: str) -> Markup:
    """Bars of what is left, under a heading."""
    return el(
        "div", el("p", title, class_="part"), chart.bars(rows, high=1, sentence=sentence, tone="severe")
    )
