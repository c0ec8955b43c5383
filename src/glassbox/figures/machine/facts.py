"""The numbers that Chapter 4 says in its prose, each computed from the model; another model changes them all."""

from __future__ import annotations

import functools

import numpy as np

from glassbox import model
from glassbox.figures import written
from glassbox.figures.attention.facts import card, million
from glassbox.figures.machine import cuts, learning, runs, voting
from glassbox.figures.machine.runs import CLINICAL, HOUSEHOLD, heaviest
from glassbox.figures.written import count
from glassbox.model import experiments


def config() -> model.Config:
    """The model's sizes."""
    return model.load().config


def counted(number: int) -> str:
    """A small number in words: ``four``."""
    words = [
        "no",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    ]
    return words[number] if number < len(words) else f"{number:,}"


def place(text: str, word: str) -> int:
    """At which position a word of a text stands; the start is position 0.

    Raises:
        ValueError: The text, cut into tokens, has no such word.
    """
    labels = [str(label) for label in runs.run(text).labels]
    if word not in labels:
        raise ValueError(f"{text!r} is read as {labels}, without a token {word!r}")
    return labels.index(word)


def hidden(text: str, word: str) -> str:
    """The cut that takes away every look at a word."""
    return cuts.looks_key(place(text, word))


def likeliest(text: str, cut: str = "") -> str:
    """The likeliest next word while something is cut."""
    return runs.word(int(runs.run(text, cut).probs[-1].argmax()))


def chance(text: str, cut: str = "", word: str = "") -> str:
    """The probability of a next word while something is cut; of the whole machine's own answer, if none is named."""
    probs = runs.run(text, cut).probs[-1]
    token = _token(word) if word else int(runs.run(text).probs[-1].argmax())
    return runs.percent(float(probs[token]))


def _token(word: str) -> int:
    return [str(runs.word(i)) for i in range(config().vocab_size)].index(word)


def outcome(text: str, cut: str, begins: bool = False) -> str:
    """What a cut does to the answer, as a sentence goes on: ``*pain* falls from 87 % to 62 %``.

    Args:
        text: The text.
        cut: What is cut.
        begins: Whether it begins a sentence.
    """
    before, after = runs.run(text).probs[-1], runs.run(text, cut).probs[-1]
    top, new = int(before.argmax()), int(after.argmax())
    was, now = runs.percent(float(before[top])), runs.percent(float(after[top]))
    moves = "falls" if after[top] < before[top] else "rises"
    said = f"{'The word ' * begins}*{runs.word(top)}* "
    said += f"stays at {now}" if was == now else f"{moves} from {was} to {now}"
    return said if new == top else f"{said}, and *{runs.word(new)}* leads with {runs.percent(after[new])}"


def lightest(text: str) -> str:
    """The head whose cut moves least."""
    by_key = runs.alone(text)
    heads = [key for key, part in runs.parts() if part.head is not None]
    return min(heads, key=lambda key: float(by_key[key].moved[-1]))


@functools.lru_cache(maxsize=4)
def spared(text: str) -> int:
    """How many heads can be cut, one at a time, while the likeliest next word stays the likeliest."""
    m, whole = model.load(), runs.run(text)
    top, kept = int(whole.probs[-1].argmax()), 0
    for _, part in runs.parts():
        if part.head is not None:
            kept += int(experiments.without(m, whole.ids, [part]).logits[-1].argmax()) == top
    return kept


def spared_heads(text: str) -> str:
    """The same in words, as a sentence begins."""
    heads, kept = n_heads(), spared(text)
    return f"Each of the {heads} heads" if kept == heads else f"Of the {heads} heads {kept}"


def small_product() -> float:
    """The number that comes of the small row and vector of the whiteboard check."""
    return float(np.array([1.0, -2.0, 0.0]) @ np.array([3.0, 1.0, 5.0]))


def lead(first: float, second: float) -> float:
    """How many times as likely softmax makes the first of two logits."""
    shares = experiments.probabilities(np.array([first, second]))
    return float(shares[0] / shares[1])


def n_heads() -> int:
    """Heads of the whole model."""
    return config().n_layers * config().n_heads


def n_parts() -> int:
    """Heads and MLPs: all that adds to a stream."""
    return n_heads() + config().n_layers


def near(word: str, count: int = 3) -> str:
    """The tokens whose rows lie nearest to a word's: ``*mild*, *recurrent* and *constant*``."""
    found = experiments.nearest(model.load(), _token(word), count)
    names = [f"*{runs.word(i)}*" for i, _ in found]
    return f"{', '.join(names[:-1])} and {names[-1]}" if count > 1 else names[0]


def heaviest_name(text: str) -> str:
    """The head whose cut moves most probability, as ``layer 1, head 4``."""
    layer, head = heaviest(text, "head").key.split(".")
    return f"layer {layer}, head {head}"


def signed(value: float) -> str:
    """A vote: ``+0.44``."""
    return runs.signed(value)


def table_share() -> str:
    """What part of all learned numbers the table of rows is."""
    c = config()
    return _percent(c.vocab_size * c.d_model / c.n_params())


def mlp_share() -> str:
    """What part of all learned numbers stands in the MLPs."""
    c = config()
    return _percent(3 * c.d_ff * c.d_model * c.n_layers / c.n_params())


def _percent(share: float) -> str:
    return written.percent(share)


def head_weights() -> int:
    """Weights in the four matrices that one head works with."""
    return 4 * config().d_model * config().d_head


CAPITALS = (("the", "The"), ("a", "A"), ("patient", "Patient"), ("she", "She"), ("he", "He"), ("no", "No"))
GENDER = (("he", "she"), ("his", "her"), ("He", "She"), ("man", "woman"))
TENSES = (("is", "was"), ("has", "had"), ("are", "were"), ("show", "showed"))


def alike(pairs: tuple[tuple[str, str], ...]) -> str:
    """The mean cosine between the differences of pairs of words, as written."""
    tokens = [(_token(a), _token(b)) for a, b in pairs]
    return f"{experiments.alike(model.load(), tokens):.2f}".replace("-", "−")


def sizes(text: str) -> tuple[str, str]:
    """How large the last token's stream is at the bottom and at the top."""
    streams = runs.run(text).flow.streams
    bottom, top = (float(np.linalg.norm(streams[at][-1])) for at in (0, -1))
    return f"{bottom:,.1f}", f"{top:,.0f}"


def settled(text: str) -> str:
    """From where on the last token's stream says what the model says in the end: ``layer 4``."""
    logits = experiments.guesses(model.load(), runs.run(text).flow)
    said = logits.argmax(axis=1)
    first = next(k for k in range(len(said)) if (said[k:] == said[-1]).all())
    return f"layer {first}" if first else "the embedding"


def said(text: str, depth: int, position: int = -1) -> tuple[str, str]:
    """What a stream would say after so many additions, and its probability.

    Args:
        text: The text.
        depth: 0 after the embedding, 1 after the first heads, 2 after the first MLP, and so on.
        position: Whose stream.
    """
    stream = runs.run(text).flow.streams[depth][position]
    probs = experiments.probabilities(model.load().read_out(stream[None])[0])
    best = int(probs.argmax())
    return runs.word(best), runs.percent(float(probs[best]))


def layers() -> tuple[str, ...]:
    """All layers as ``settled`` names them."""
    return tuple(f"layer {n + 1}" for n in range(config().n_layers))


def learned_by(which: int) -> int:
    """The kept step of training since which one of the beginnings has had the answer it ends with."""
    return learning.leads_since(learning.moments(learning.sentences()[which]))


def start_of_guess(text: str) -> str:
    """What the last token's embedding alone would say."""
    return runs.word(int(experiments.guesses(model.load(), runs.run(text).flow)[0].argmax()))


def voter(text: str) -> voting.Vote:
    """The part that adds most to the logit of the likeliest word."""
    return max(_votes(text), key=lambda vote: vote.points)


def needed(text: str) -> voting.Vote:
    """The head or MLP whose cut costs the likeliest word most."""
    return min((v for v in _votes(text) if v.left is not None), key=lambda v: v.left or 0.0)


def _votes(text: str) -> list[voting.Vote]:
    run = runs.run(text)
    return voting.votes(text, run, int(run.probs[-1].argmax()))[0]


def kept_numbers() -> int:
    """How many numbers each token leaves behind, in all layers."""
    c = config()
    return 2 * c.n_layers * c.n_kv_heads * c.d_head


def heads_of(layer: int) -> str:
    """The cut that takes away all heads of a layer, counted from 0."""
    return " ".join(cuts.head_key(layer, h) for h in range(config().n_heads))


def all_heads() -> str:
    """The cut that takes away every head of the model."""
    return " ".join(heads_of(layer) for layer in range(config().n_layers))


def all_mlps() -> str:
    """The cut that takes away every MLP of the model."""
    return " ".join(cuts.mlp_key(layer) for layer in range(config().n_layers))


def one_look(text: str, word: str) -> str:
    """The cut of a single head's looks at a word that costs the answer most."""
    top = int(runs.run(text).probs[-1].argmax())
    looks = [f"{key}{hidden(text, word)}" for key, part in runs.parts() if part.head is not None]
    return min(looks, key=lambda look: float(runs.run(text, look).probs[-1][top]))


def trained() -> str:
    """How many tokens the model was trained on, in words."""
    return count(int(model.log()["tokens"]))


def steps() -> str:
    """At which step training ended."""
    return f"{model.log()['rows'][-1]['step']:,}"


__all__ = [
    "CAPITALS",
    "CLINICAL",
    "GENDER",
    "HOUSEHOLD",
    "TENSES",
    "alike",
    "all_heads",
    "all_mlps",
    "card",
    "chance",
    "config",
    "counted",
    "head_weights",
    "heads_of",
    "heaviest",
    "heaviest_name",
    "hidden",
    "kept_numbers",
    "lead",
    "lightest",
    "likeliest",
    "million",
    "mlp_share",
    "n_heads",
    "n_parts",
    "near",
    "needed",
    "one_look",
    "outcome",
    "place",
    "runs",
    "said",
    "settled",
    "signed",
    "sizes",
    "small_product",
    "spared",
    "spared_heads",
    "start_of_guess",
    "steps",
    "table_share",
    "trained",
    "voter",
]
