"""Measures the trained model on texts it has never seen; the results are the model's card."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from glassbox.arrays import Floats
from glassbox.model import experiments
from glassbox.model.transformer import Model
from glassbox.training import causes, copying, corpus, grammar, mixture, notes, words
from glassbox.training.corpus import Texts

Json = dict[str, Any]
CLAIMS = ("Patient has severe chest", "She opened a wooden chest of", "The frontal chest", "The patient has")
SCORES = ("previous", "first", "self", "same", "deciding")


def loss(model: Model, texts: list[str]) -> float:
    """Mean negative log-likelihood in nats per token, the end of the text included."""
    total, count = 0.0, 0
    for text in texts:
        ids = [*model.encode(text)[: model.config.context], model.start]
        logits = model.forward(ids[:-1]).logits.astype(np.float64)
        logits -= logits.max(axis=1, keepdims=True)
        right = logits[np.arange(len(ids) - 1), ids[1:]] - np.log(np.exp(logits).sum(axis=1))
        total -= float(right.sum())
        count += len(ids) - 1
    return total / count


def top(model: Model, prompt: str, count: int = 5) -> list[tuple[str, float]]:
    """The likeliest next tokens with their probabilities."""
    probs = experiments.probabilities(model.forward(model.encode(prompt), last_only=True).logits[-1])
    best = np.argsort(-probs)[:count]
    return [(model.piece(i).decode("utf-8", "replace"), round(float(probs[i]), 4)) for i in best]


def deciding_cases(count: int, seed: int) -> list[tuple[str, str, str, set[str]]]:
    """Held-out sentences cut at a noun with two meanings: (text, adjective, noun, first words that fit)."""
    rng = random.Random(seed)
    cases: list[tuple[str, str, str, set[str]]] = []
    by_length = sorted(words.SENSES, key=len, reverse=True)
    while len(cases) < count:
        sentence = grammar.ambiguous(rng)
        if not corpus.held_out(sentence):
            continue
        for noun in by_length:
            found = [
                (adjective, followers)
                for adjectives, followers in words.SENSES[noun]
                for adjective in adjectives.split("|")
                if f"{adjective} {noun} " in sentence
            ]
            if found:
                adjective, followers = max(found, key=lambda pair: len(pair[0]))
                cut = sentence[: sentence.index(f"{adjective} {noun} ") + len(adjective) + 1 + len(noun)]
                cases.append((cut, adjective, noun, {" " + f.split()[0] for f in followers.split("|")}))
                break
    return cases


def deciding(model: Model, cases: list[tuple[str, str, str, set[str]]]) -> tuple[Floats, float]:
    """Weight that the noun's position gives the adjective, per head; and how often the top word fits."""
    c = model.config
    given, fits = np.zeros((c.n_layers, c.n_heads)), 0
    for text, adjective, noun, first_words in cases:
        before = (
            len(model.encode(text[: -len(f" {adjective} {noun}")])) if text != f"{adjective} {noun}" else 1
        )
        upto = len(model.encode(text[: -len(noun) - 1]))
        forward = model.forward(model.encode(text), last_only=True)
        given += np.array([w[:, -1, before:upto].sum(axis=1) for w in forward.weights])
        best = model.piece(int(forward.logits[-1].argmax())).decode("utf-8", "replace")
        fits += any(word.startswith(best) for word in first_words) and len(best) > 1
    return given / len(cases), fits / len(cases)


def habits(model: Model, texts: list[str]) -> dict[str, Floats]:
    """Mean weight per head on: the token before, the first token, itself, the same token earlier."""
    c = model.config
    sums = {name: np.zeros((c.n_layers, c.n_heads)) for name in SCORES[:4]}
    count, repeats = 0, 0
    for text in texts:
        ids = np.array(model.encode(text)[:128])
        rows = np.arange(2, len(ids))
        earlier = np.tril(ids[:, None] == ids, -1)[2:]
        again = earlier.any(axis=1)
        count, repeats = count + len(rows), repeats + int(again.sum())
        for layer, w in enumerate(model.forward(ids.tolist(), last_only=True).weights):
            sums["previous"][layer] += w[:, rows, rows - 1].sum(axis=1)
            sums["first"][layer] += w[:, 2:, 0].sum(axis=1)
            sums["self"][layer] += w[:, rows, rows].sum(axis=1)
            sums["same"][layer] += (w[:, 2:] * earlier).sum(axis=(1, 2))
    return {name: s / (repeats if name == "same" else count) for name, s in sums.items()}


def second_half(model: Model, texts: list[str]) -> float:
    """How often the top token is right in the second half of texts that repeat themselves."""
    right, count = 0, 0
    for text in texts:
        ids = np.array(model.encode(text)[:256])
        half = len(ids) // 2 + 1
        best = model.forward(ids[:-1].tolist()).logits.argmax(axis=1)
        right += int((best[half:] == ids[half + 1 :]).sum())
        count += len(ids) - half - 1
    return right / count


def brackets_closed(model: Model, seed: int, count: int) -> float:
    """How often the likeliest closing bracket is of the kind that is open."""
    rng, right, asked = random.Random(seed), 0, 0
    closers = [model.tokenizer.encode(c)[0] for c in notes.CLOSE]
    while asked < count:
        text = notes.brackets(rng)
        for at, char in enumerate(text):
            if char in notes.CLOSE:
                logits = model.forward(model.encode(text[:at]), last_only=True).logits[-1]
                right += int(np.argmax(logits[closers])) == notes.CLOSE.index(char)
                asked += 1
                break
    return right / asked


def pronouns(model: Model, seed: int, count: int) -> float:
    """How often *she* or *he* is right after *Anna thanked Tom because* and after *Anna was tired, so*."""
    rng, right = random.Random(seed), 0
    ids = [model.tokenizer.encode(w)[0] for w in (" she", " he")]
    for n in range(count):
        she, he = rng.choice(words.SHE), rng.choice(words.HE)
        text, answer = [
            (f"{she} was hungry, so", 0),
            (f"{he} was hungry, so", 1),
            (f"{she} thanked {he} because", 1),
            (f"{he} thanked {she} because", 0),
        ][n % 4]
        logits = model.forward(model.encode(text), last_only=True).logits[-1]
        right += int(np.argmax(logits[ids])) == answer
    return right / count


def card(model: Model, texts: Texts, seed: int = 11) -> Json:
    """Everything that the card and the figures need, rounded to four digits."""
    rng = random.Random(seed)
    kinds = ["sentences", "sentences", "recall near", "lists, brackets"]
    generated = [mixture.written(kinds[n % 4], rng, texts, held_out=True) for n in range(300)]
    given, fits = deciding(model, deciding_cases(300, seed))
    found = habits(model, generated[:150] + texts.held_wordnet[:150])
    found["deciding"] = given
    rng = random.Random(seed)
    return {
        "parameters": model.config.n_params(),
        "held_out_loss": {
            "icd": round(loss(model, texts.held_icd[:300]), 4),
            "wordnet": round(loss(model, texts.held_wordnet[:300]), 4),
            "generated": round(loss(model, generated), 4),
        },
        "held_out_texts": {"icd": texts.held_icd[:300], "wordnet": texts.held_wordnet[:300]},
        "claims": {prompt: top(model, prompt) for prompt in CLAIMS},
        "right": {
            "next word after a noun with two meanings": round(fits, 4),
            "second half of a list that repeats": round(
                second_half(model, [notes.repeated_list(rng) for _ in range(100)]), 4
            ),
            "kind of closing bracket": round(brackets_closed(model, seed, 200), 4),
            "she or he": round(pronouns(model, seed, 200), 4),
        },
        "heads": {name: np.round(value, 4).tolist() for name, value in found.items()},
        "recall": copying.recall(model),
        "repeats": copying.repeats(model),
        "nouns": causes.nouns(model),
        "edges": causes.edges(model, causes.FAMILIAR),
        "edges_unseen": causes.edges(model, words.HELD_OUT_OPENINGS),
        "copying": {
            "names": copying.pair(model, copying.questions(model, 2, 20, 9)),
            "random tokens": copying.pair(model, copying.doubled(model, 8, 9)),
        },
        "sink": causes.sink(model, found["first"], texts.held_wordnet[300:330] + generated[:30]),
    }
