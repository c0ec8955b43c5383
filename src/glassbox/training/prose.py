"""The card in words; every number in it comes from what was measured."""

from __future__ import annotations

from typing import Any

from glassbox.model.config import Config
from glassbox.training.train import Plan

Json = dict[str, Any]


def prose(card: Json, config: Config, plan: Plan) -> str:
    """The card in words; every number in it comes from ``card`` or the configuration."""
    losses, right = card["held_out_loss"], card["right"]
    best = {name: _best(table) for name, table in card["heads"].items()}
    claims = "\n".join(
        f"* *{prompt}* → " + ", ".join(f"*{word.strip()}* {100 * p:.1f} %" for word, p in top[:3])
        for prompt, top in card["claims"].items()
    )
    answers = "\n".join(f"* {what}: {100 * share:.0f} % right" for what, share in right.items())
    recalled = "\n".join(
        f"| {row['tokens']:.0f} | {100 * row['right']:.0f} % | {100 * row['weight']:.0f} % |"
        for row in card["recall"]
    )
    return f"""# The model of these pages

A decoder with {card["parameters"]:,} learned numbers: {config.n_layers} layers, width {config.d_model},
{config.n_heads} query heads over {config.n_kv_heads} key-value heads of {config.d_head}, a gated MLP of
{config.d_ff}, RMSNorm, rotary positions, a tied embedding. Byte-level vocabulary of {config.vocab_size:,},
context {config.context}. Shipped in half precision.

## Data

ICD-10-CM descriptions (US government, public domain), WordNet 3.1 definitions and example sentences
(Princeton's licence lies beside the weights), and sentences from a seeded generator of this project: the
clinic and the house, words with two meanings with and without the adjective that decides, people and the
pronouns that mean them, lists, sentences and random tokens that repeat, brackets that close, facts to be
remembered. One text in fifty, by hash, and every example of the chapters is held out.

## Training

{plan.steps:,} steps of about {plan.tokens:,} places, {card["trained_tokens"]:,} tokens in all, of which
{card["trained_predicted"]:,} were to be predicted (random tokens only where they repeat); one CPU thread,
{card["trained_seconds"] / 60:.0f} minutes on a busy machine of two cores. One command, in one piece, from nothing
to these weights. The loss is that of the next token and nothing else; one mixture of texts from the first step
to the last, three in ten tokens random ones that repeat. Muon with weight decay {plan.muon_decay:g} for the
matrices between the layers, AdamW for embedding and gains; queries and keys of a head are shrunk when its scores
could pass {plan.cap:.0f} (QK-clip), so that attention stays soft.
`python -m glassbox.training`, then `python -m glassbox.training.export`; `log.json` holds losses, habits and a
few predictions on the way.

## Measured on held-out texts

Loss in nats a token: ICD-10-CM {losses["icd"]:.2f}, WordNet {losses["wordnet"]:.2f}, generated
{losses["generated"]:.2f}.

{claims}

Where only one answer fits:

{answers}
* second half of random tokens said twice: {100 * card["repeats"]:.0f} % right

## Words with two meanings

Alone after *The*; then with an adjective of either meaning, after *The* and, in brackets, after ten beginnings
that training never had, where the model is lost more often:

| word | leads to | alone | with one adjective, with another |
|---|---|---|---|
{_nouns(card["nouns"])}

{_edges(card["edges"], "After beginnings that training had")}

{_edges(card["edges_unseen"], "After beginnings that it never had")}

## Recall

*The patient's name is …*, other sentences, and the question again:

| tokens | right | largest weight on the name |
|---|---|---|
{recalled}

{_pair(card["copying"]["names"], "Names, two sentences apart")}

{_pair(card["copying"]["random tokens"], "Random tokens said twice")}

## The first token

{_sink(card["sink"])}

## Where heads look

The head that gives most of its weight, on average, to

* the deciding adjective, when a word with two meanings is read: {best["deciding"]}
* the token before: {best["previous"]}
* the first token: {best["first"]}
* the token itself: {best["self"]}
* the same token earlier: {best["same"]}

Looking is not yet a cause: what an answer hangs on is in the sections before.

## What it cannot do

It knows no facts and follows no instructions. It writes short sentences of the kinds it was trained on and is
lost outside them. Nothing it says about health is advice. It is here
to be looked into.
"""


def _edges(found: Json, where: str) -> str:
    def percent(name: str) -> str:
        return f"{100 * found[name] + 0.0:.0f} %".replace("-0 %", "0 %")

    return (
        f"{where}, cutting the edge from the word to its adjective in all heads takes the prediction "
        f"{percent('deciding')} of the way back to that of the word alone; cutting the edge to any other word "
        f"before it, {percent('other words')} on average; to the start token, where copying heads rest (see below), {percent('start')}; to itself, by "
        f"which it knows which word it is, {percent('itself')}. In one head alone the adjective's edge brings most "
        f"back in {_best(found['by head'])}: several heads carry the same news."
    )


def _nouns(rows: list[Json]) -> str:
    def pair(found: Any) -> str:
        return ", ".join(f"*{a}* {100 * p:.1f} % ({100 * far:.0f} %)" for a, p, far in found)

    return "\n".join(
        f"| {r['noun']} | {r['word']} | {100 * r['alone']:.0f} % | {'; '.join(map(pair, r['pairs']))} |"
        for r in rows
    )


def _pair(found: Json, what: str) -> str:
    def alone(name: str) -> str:
        return _least(found[name])

    def together(name: str) -> str:
        steps = [f"layer {a}, head {b} ({100 * left:.0f} %)" for a, b, left in found[name]]
        return ", ".join(steps)

    return (
        f"{what}: {100 * found['whole']:.0f} % are right. Cutting the looks at the token that followed last time, in "
        f"more and more heads, each with what is left by then: {together('readers')}. Cutting the looks one token "
        f"back: {together('linkers')}. Taking one head out as a whole leaves, where it matters most, "
        f"{alone('without the head')}."
    )


def _least(table: list[list[float]]) -> str:
    places = ((i, j) for i in range(len(table)) for j in range(len(table[0])))
    layer, head = min(places, key=lambda p: table[p[0]][p[1]])
    return f"{100 * table[layer][head]:.0f} % (layer {layer + 1}, head {head + 1})"


def _sink(found: Json) -> str:
    if not found["heads"]:
        return (
            "No head puts 40 % of its weight on the first token. Without that token the surprise goes from "
            f"{found['whole']:.2f} to {found['without the token']:.2f} bits a token."
        )
    each = "; ".join(
        f"layer {a}, head {b} ({100 * w:.0f} % on it): {bits:.2f}"
        for (a, b, w), bits in zip(found["heads"], found["without each"], strict=True)
    )
    return (
        f"Surprise in bits a token: {found['whole']:.2f} as trained. With one parking head barred from the first "
        f"token: {each}; with all of them barred: {found['without all']:.2f}; "
        f"where they add nothing at all: {found['adding nothing']:.2f}; without the token: "
        f"{found['without the token']:.2f}."
    )


def _best(table: list[list[float]]) -> str:
    layer, head = max(
        ((i, j) for i in range(len(table)) for j in range(len(table[0]))), key=lambda at: table[at[0]][at[1]]
    )
    return f"layer {layer + 1}, head {head + 1} ({100 * table[layer][head]:.0f} %)"
