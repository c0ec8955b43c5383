"""Who voted for the next word: each part's direct share of a logit, adding up to it."""

from __future__ import annotations

from dataclasses import dataclass

from glassbox.figures import subject
from glassbox.figures.attention import reading
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.machine import runs
from glassbox.figures.markup import Markup, el
from glassbox.model import experiments

TITLE = "Who voted for the next word"


@dataclass(frozen=True)
class Vote:
    """What one part added to a logit, and what is left of the word when that part alone is cut."""

    name: str
    kind: str
    points: float
    left: float | None


def contributions(text: str, word: str = "") -> Figure:
    """What each part adds to one word's logit by the direct way, beside what cutting that part does.

    Args:
        text: The text; its last seven tokens are read.
        word: The next word; empty for the likeliest.
    """
    run = runs.run(text)
    token, note = _wanted(run, word)
    cast, logit = votes(text, run, token)
    name = runs.word(token)
    best = max(cast, key=lambda v: v.points)
    against = min(cast, key=lambda v: v.points)
    sentence = (
        f"“{name}” has a logit of {runs.signed(logit)}; {best.name} votes most for it ({runs.signed(best.points)}), {against.name} "
        f"least ({runs.signed(against.points)}), and all {len(cast)} votes add up to it."
    )
    shown = _strongest(cast)
    most = max(abs(v.points) for v in shown)
    lines = [_line(v, most) for v in reversed(shown)]
    head = el(
        "li",
        el("span", "part"),
        el("span", "against", class_="ct-left"),
        el("span", "for"),
        el("span", "vote", class_="number"),
        el("span", "left if cut", class_="number"),
        class_="ct-top",
    )
    total = el(
        "li",
        el("b", f"the logit of {name}"),
        el("span"),
        el("span"),
        el("b", runs.signed(logit), class_="number"),
        el("span", runs.percent(float(run.probs[-1, token])), class_="number"),
        class_="ct-total",
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (v.name, round(v.points, 4), "" if v.left is None else round(100 * v.left, 2)) for v in cast
    )
    columns = ("part", f"adds to the logit of {name}", f"{name} when it alone is cut (%)")
    said = "A vote counts only what a part adds itself, not what it makes later parts add"
    said += (
        "; the last column does."
        if runs.quick(text)
        else "; a model of this size is not cut part by part here."
    )
    return Figure(
        TITLE,
        sentence,
        el("ol", head, total, lines, class_="ct"),
        Table(columns, rows),
        note=" ".join(filter(None, [run.note, note, said])),
    )


def votes(text: str, run: runs.Run, token: int) -> tuple[list[Vote], float]:
    """Every part's vote, from the bottom up, and the logit itself."""
    m = subject.model()
    found = experiments.contributions(m, run.ids, token)
    left = _left(text, token)
    cast = [Vote("the embedding", "embedding", found.embedding, None)]
    for layer in range(m.config.n_layers):
        for head in range(m.config.n_heads):
            key = f"{layer + 1}.{head + 1}"
            cast.append(Vote(f"head {key}", "head", float(found.heads[layer, head]), left.get(key)))
        key = f"{layer + 1}.MLP"
        cast.append(Vote(f"the MLP of layer {layer + 1}", "MLP", float(found.mlps[layer]), left.get(key)))
    return cast, found.logit


SHOWN = 30  # votes that are drawn where a model has many parts


def _strongest(cast: list[Vote]) -> list[Vote]:
    """All votes; of a large model the strongest in their order, and what all others come to."""
    if not runs.many():
        return cast
    order = sorted(range(len(cast)), key=lambda i: -abs(cast[i].points))
    rest = [cast[i].points for i in order[SHOWN:]]
    return [
        Vote(f"{len(rest)} others", "embedding", sum(rest), None),
        *(cast[i] for i in sorted(order[:SHOWN])),
    ]


def _left(text: str, token: int) -> dict[str, float]:
    """The probability of a token when each part alone is cut; nothing where a model is too large for it."""
    if not runs.quick(text):
        return {}
    m, run = subject.model(), runs.run(text)
    if token == int(run.probs[-1].argmax()):
        return {key: float(part.left[-1]) for key, part in runs.alone(text).items()}
    found = {}
    for key, part in runs.parts():
        logits = experiments.without(m, run.ids, [part]).logits[-1]
        found[key] = float(experiments.probabilities(logits)[token])
    return found


def _wanted(run: runs.Run, word: str) -> tuple[int, str]:
    """The token that is meant, and a sentence where it is not the word as typed."""
    if not word.strip():
        return int(run.probs[-1].argmax()), ""
    pieces = subject.model().tokenizer.encode(" " + reading.visible(word.strip()[:200]))
    if len(pieces) == 1:
        return pieces[0], ""
    return pieces[
        0
    ], f"This word is {len(pieces)} tokens; the votes are for the first, “{runs.word(pieces[0])}”."


def _line(vote: Vote, most: float) -> Markup:
    share = 100 * abs(vote.points) / max(most, 1e-9)
    tone = {"embedding": "accent", "head": "value", "MLP": "query"}[vote.kind]
    style = f"--share:{share:.1f}%;--tone:var(--{tone})"
    return el(
        "li",
        el("span", vote.name),
        el("i", class_="ct-left", style=style if vote.points < 0 else "--share:0%"),
        el("i", style=style if vote.points >= 0 else "--share:0%"),
        el("span", runs.signed(vote.points), class_="number"),
        el("span", "" if vote.left is None else runs.percent(vote.left), class_="number"),
        class_={"head": "ct-one", "MLP": "ct-mlp"}.get(vote.kind),
    )
