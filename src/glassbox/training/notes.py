"""Longer texts: facts stated early and asked again, lists that repeat, brackets that close.

They are what teaches a small model to look far back: the second time a fact is stated, only the first
statement tells how it ends.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from glassbox.training import grammar, words

# A beginning, and what may complete it.
FACTS: tuple[tuple[str, Callable[[random.Random], str]], ...] = (
    ("The patient's name is", lambda r: r.choice(words.SHE + words.HE)),
    ("The patient's name is", lambda r: r.choice(words.SHE + words.HE)),
    ("The patient's name is", lambda r: f"{r.choice(words.SHE + words.HE)} {r.choice(words.SURNAMES)}"),
    ("The doctor's name is", lambda r: r.choice(words.SURNAMES)),
    ("The nurse is called", lambda r: r.choice(words.SHE + words.HE)),
    ("The dog is called", lambda r: r.choice(words.SHE + words.HE)),
    ("The patient is allergic to", lambda r: r.choice(words.DRUGS)),
    ("The diagnosis is", lambda r: r.choice(words.DISEASES)),
    ("The key is in the", lambda r: r.choice(words.PLACES)),
    ("The box on the shelf is", lambda r: r.choice(words.COLOURS)),
    ("The number of the room is", lambda r: str(r.randrange(2, 100))),
    ("The train goes to", lambda r: r.choice(words.TOWNS)),
    ("The secret word is", lambda r: r.choice(words.OBJECTS + words.ANIMALS)),
    ("The appointment is on", lambda r: r.choice(words.DAYS)),
)
OPEN, CLOSE = "([{", ")]}"


def recall(
    rng: random.Random,
    sentences: int,
    filler: Callable[[], str],
    asked: float = 0.0,
    count: tuple[int, int] = (1, 4),
) -> str:
    """Some facts, ``sentences`` sentences about other things, then the same facts again in any order.

    Args:
        rng: Chooses.
        sentences: How many sentences stand between.
        filler: Makes one.
        asked: How likely one of the facts is said again after each of them.
        count: Fewest and most facts.
    """
    subjects = rng.sample(FACTS, rng.randint(*count))
    facts = list({beginning: f"{beginning} {ending(rng)}." for beginning, ending in subjects}.values())
    between = []
    for _ in range(sentences):
        between.append(filler())
        if rng.random() < asked:
            between.append(rng.choice(facts))
    again = facts[:]
    rng.shuffle(again)
    return " ".join([*facts, *between, *again])


def repeated_list(rng: random.Random) -> str:
    """A list of two to seven things that repeats two to four times."""
    pool = rng.choice(
        [words.OBJECTS, words.COLOURS, words.FOODS, words.ANIMALS, words.SHE + words.HE, words.TOWNS]
    )
    items = rng.sample(pool, rng.randint(2, min(7, len(pool))))
    return ", ".join(items * rng.randint(2, 4)) + "."


def repeated_ids(rng: random.Random, n_ids: int) -> tuple[list[int], int]:
    """Random tokens, then the same again, sometimes with others between; and how many are new at first.

    They come from an alphabet of a few tokens or of all: with few, one token alone does not tell the place.
    In one text of six the same token stands between all of them, as the comma does in a list.
    """
    alphabet = rng.choice([8, 20, 60, 400, n_ids, n_ids, n_ids, n_ids])
    chosen = rng.sample(range(n_ids), alphabet) if alphabet < n_ids else range(n_ids)
    comma = [rng.randrange(n_ids)] if rng.random() < 1 / 6 else []

    def some(count: int) -> list[int]:
        return [i for _ in range(count) for i in (chosen[rng.randrange(alphabet)], *comma)]

    first = some(rng.randint(4, 40) // (1 + len(comma)))
    between = some(rng.choice([4, 10, 20, 40, 80, 200])) if rng.random() < 0.25 else []
    return first + between + first * (1 if between else rng.randint(1, 3)), len(first + between)


def brackets(rng: random.Random) -> str:
    """Words in brackets of three kinds, nested up to three deep, each closed by its own kind."""
    pool = rng.choice([words.OBJECTS, words.SYMPTOMS, words.FOODS, words.ANIMALS])
    parts: list[str] = [rng.choice(pool)]
    open_kinds: list[int] = []
    for _ in range(rng.randint(3, 14)):
        if open_kinds and rng.random() < 0.4:
            parts[-1] += CLOSE[open_kinds.pop()]
        elif len(open_kinds) < 3 and rng.random() < 0.5:
            open_kinds.append(rng.randrange(3))
            parts.append(OPEN[open_kinds[-1]] + rng.choice(pool))
        else:
            parts.append(rng.choice(pool))
    while open_kinds:
        parts[-1] += CLOSE[open_kinds.pop()]
    return " ".join(parts) + "."


def copied(rng: random.Random) -> str:
    """A few unrelated sentences, then the same ones again word for word."""
    some = [grammar.sentence(rng) for _ in range(rng.randint(1, 4))]
    return " ".join(some + some)


def paragraph(rng: random.Random) -> str:
    """Two to twelve sentences one after another."""
    return " ".join(grammar.sentence(rng) for _ in range(rng.randint(2, 12)))
