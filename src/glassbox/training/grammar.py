"""A seeded generator of clinical and household sentences.

``sentence(rng)`` gives one. Templates use two marks: ``{word}`` is replaced by a choice from a list, and
``[one|two|]`` by one of its alternatives. Everything is chosen by the ``random.Random`` that is passed in.
"""

from __future__ import annotations

import random
import re

from glassbox.training import words

LISTS: dict[str, list[str]] = {
    "she": words.SHE,
    "he": words.HE,
    "name": words.SHE + words.HE,
    "surname": words.SURNAMES,
    "site": words.SITES,
    "severity": words.SEVERITY,
    "symptom": words.SYMPTOMS,
    "symptom2": words.SYMPTOMS,
    "disease": words.DISEASES,
    "disease2": words.DISEASES,
    "drug": words.DRUGS,
    "object": words.OBJECTS,
    "object2": words.OBJECTS,
    "colour": words.COLOURS,
    "place": words.PLACES,
    "animal": words.ANIMALS,
    "food": words.FOODS,
    "food2": words.FOODS,
    "day": words.DAYS,
    "town": words.TOWNS,
    "number": [str(n) for n in range(2, 100)],
    "relative": [
        "mother",
        "father",
        "sister",
        "brother",
        "daughter",
        "son",
        "aunt",
        "uncle",
        "neighbour",
        "friend",
    ],
}

# Endings after an ambiguous phrase.
TAILS = (
    *["."] * 6,
    " and {symptom}.",
    " for {number} days.",
    " since {day}.",
    " again.",
    " at the {place}.",
    " at the clinic.",
    " yesterday.",
    " this morning.",
    ", as {name} had feared.",
)

CLINICAL = """
{person} [reports|denies|complains of|describes|presents with] {severity} {site} pain [since {day}|for {number} days|and {symptom}|].
{person} [reports|denies|complains of|presents with] {symptom}[, {symptom2}|] and {symptom}.
{person} has been [admitted with|treated for|diagnosed with|tested for|seen for] {disease}.
{person} has been [unwell|well|in pain|short of breath|stable|afebrile|taking {drug}] [for {number} days|since {day}|].
{person} has a [history|long history|family history] of {disease}[ and {disease2}|].
{person} has a [fever|cough|rash|headache|wound on the left leg|temperature of 38.{number}].
{person} has no [known drug allergies|history of {disease}|fever|complaints today|{symptom}].
{person} has not [been eating|had {symptom}|taken the {drug}|slept well|improved].
{person} had [no fever|{disease} last year|an operation on {day}|a fall at home|{symptom} in the night].
{person} was [started on|given|switched to|allergic to|treated with] {drug}[ for {disease}| on {day}|].
{person} was discharged [home|home with {drug}|to a nursing home|on {day}] [in good condition|with her family|].
{person} should [take|stop|continue] {drug} [once daily|twice daily|at night|with food].
{person} is a {number} year old [woman|man] with {disease} and {disease2}.
The [swab|blood sample|urine sample] was [positive for {bug}|negative|positive for {bug} on {day}].
The test was [positive for {bug}|negative|positive for {disease}|repeated on {day}].
She tested positive for [{disease}|{bug}|influenza]. | He tested positive for [{disease}|{bug}|influenza].
The [knee X-ray|scan|blood test|ECG|biopsy] [was normal|showed {disease}|showed no change|was repeated on {day}].
No evidence of {disease}[ or {disease2}|]. | Allergies: {drug}. | Past history: {disease}, {disease2}.
Discharge summary: {disease}. Treatment: {drug}. | Chest clear, no {symptom}. | Plan: {drug} and review on {day}.
Blood pressure [120 over 80|140 over 90|was normal|was high], temperature 3[6|7|8].{digit}.
"""

HOUSEHOLD = """
{name} [opened|painted|bought|sold|moved|polished|found] [the|a] [wooden|old|carved|oak|painted|heavy] chest of drawers.
{name} put the {object} and the {object2} in the [top|bottom|second] drawer.
{name} [caught|had|is getting over] a [bad cold|nasty cold] and stayed [in bed|at home].
The [water|wind|night|soup|floor|{place}] was [cold|very cold|warm|dark|quiet].
The {animal} [slept|sat|ran|waited|hid] [in|near|behind] the {place}.
{name} went to the {place} to buy [{food}|{food} and {food2}].
{name} ate {food} and {food2} for [breakfast|lunch|supper].
{name} lost the {object} in the {place} on {day}.
The {colour} {object} [is|was|stood|lay] on the [table|floor|shelf|bed].
{name} [lives|works|was born|grew up] in {town}.
On {day} we [took the train|went|drove|flew] to {town}.
There are {number} [books|chairs|plates|candles] in the {place}.
{name} gave the {object} to {name2}.
[Every morning|Every evening|On {day}|Last {day}] {name} [walks|walked|goes|went] to the {place}.
{name} and {name2} [talked about|looked for|shared|carried] the {object}.
The [wooden|old|broken|heavy|small|painted] {object} [fell|rolled|was found] [under the bed|behind the door|on the stairs|in the garden].
{name} [likes|hates|cooked|wanted] {food}, but {name2} [likes|hates|cooked|wanted] {food2}.
My {relative} has [a|an old|a new|a small] [house|shop|garden|{animal}] near {town}.
"""

# Who is meant: the pronoun follows from the names, or from who did what to whom.
PRONOUNS = """
{she} was [tired|ill|hungry|late|happy|afraid], so she [went to bed|stayed at home|sat down|called her {relative}].
{he} was [tired|ill|hungry|late|happy|afraid], so he [went to bed|stayed at home|sat down|called his {relative}].
{she} thanked {he} because he had [helped her|found her {object}|driven her home|cooked for her].
{he} thanked {she} because she had [helped him|found his {object}|driven him home|cooked for him].
{she} apologised to {he} because she had [broken his {object}|forgotten his name|lost his {object}].
{he} apologised to {she} because he had [broken her {object}|forgotten her name|lost her {object}].
{she} told {he} that she [was leaving|had found her {object}|felt better|would call him].
{he} told {she} that he [was leaving|had found his {object}|felt better|would call her].
{she} asked {he} whether he [had seen her {object}|felt better|could help her].
{he} asked {she} whether she [had seen his {object}|felt better|could help him].
The [nurses|doctors|children|neighbours] were [late|tired|hungry|cold], so they [went home|ran|ate {food}|asked for help].
The nurses thanked {she} because she had helped them. | The nurses thanked {he} because he had helped them.
{she} lost her {object} and her {object2}. | {he} lost his {object} and his {object2}.
The doctor told {she} that her [results were normal|{drug} was ready|X-ray was clear].
The doctor told {he} that his [results were normal|{drug} was ready|X-ray was clear].
{she} [washed|hurt|burned] herself. | {he} [washed|hurt|burned] himself. | The children hurt themselves.
"""

BUGS = [
    "influenza",
    "staphylococcus",
    "streptococcus",
    "tuberculosis",
    "malaria",
    "salmonella",
    "COVID-19",
    "E. coli",
]
PEOPLE = [
    "Patient",
    "Patient",
    "The patient",
    "The patient",
    "The patient",
    "She",
    "He",
    "Mrs {surname}",
    "Mr {surname}",
    "{name}",
]
_ALTERNATIVES = re.compile(r"\[([^\[\]]*)\]")
_NAMED = re.compile(r"\{(\w+)\}")


def _templates(block: str) -> list[str]:
    return [one.strip() for line in block.strip().splitlines() for one in line.split(" | ")]


KINDS = (_templates(CLINICAL), _templates(HOUSEHOLD), _templates(PRONOUNS))


def expand(template: str, rng: random.Random) -> str:
    """Fills a template: first its alternatives, then the words; cleans the spacing that is left."""
    for _ in range(3):  # alternatives may hold alternatives
        template = _ALTERNATIVES.sub(lambda m: rng.choice(m[1].split("|")), template)
    for _ in range(2):  # a person may be "Mrs {surname}"
        template = _NAMED.sub(lambda m: _choice(m[1], rng), template)
    if "[" in template or "{" in template:
        raise ValueError(f"template left unfilled: {template!r}")
    return re.sub(r" +([.,])", r"\1", re.sub(r"  +", " ", template)).strip()


def _choice(name: str, rng: random.Random) -> str:
    if name == "person":
        return rng.choice(PEOPLE)
    if name == "bug":
        return rng.choice(BUGS)
    if name == "digit":
        return str(rng.randrange(10))
    return rng.choice(LISTS["name" if name == "name2" else name])


def ambiguous(rng: random.Random) -> str:
    """One sentence about a word with two meanings; the adjective before it says which, if there is one.

    In one of four nothing stands before it, and what follows is drawn by ``words.UNDECIDED``.
    """
    noun = _noun(rng)
    senses = words.SENSES[noun]
    bare = rng.random() < 0.25
    if bare:
        chosen = rng.choices(senses, words.UNDECIDED[len(senses)])[0]
    else:
        chosen = rng.choice(senses[:2] if rng.random() < 0.7 else senses)
    follower = rng.choice(chosen[1].split("|"))
    subject = (
        any(f.split()[0] in words.VERBS for f in senses[0][1].split("|"))
        or follower.split()[0] in words.VERBS
    )
    opening = _opening(rng, subject)
    phrase = noun if bare else _described(rng, rng.choice(chosen[0].split("|")), noun)
    article = "an" if phrase[0].lower() in "aeiou" else "a"
    opening = opening.replace("{a}", article).replace("{A}", article.capitalize())
    return expand(f"{opening} {phrase} {follower}{rng.choice(TAILS)}", rng)


def _opening(rng: random.Random, subject: bool) -> str:
    """What stands before; in two of five put together of who, what they do and an article."""
    if subject or rng.random() < 0.6:
        return rng.choice(words.SUBJECTS if subject else words.OPENINGS)
    return f"{rng.choice(words.WHO)} {rng.choice(words.DOES)} {rng.choice(words.ARTICLES)}"


def _noun(rng: random.Random) -> str:
    """The five that the chapters use come up more often than the others, the chest most."""
    roll = rng.random()
    if roll < 0.25:
        return "chest"
    return rng.choice(list(words.SENSES)[1:5] if roll < 0.65 else list(words.SENSES)[5:])


def _described(rng: random.Random, adjective: str, noun: str) -> str:
    """The adjective before the noun; sometimes with a word that decides nothing before or between them."""
    roll = rng.random()
    if roll < 0.10:
        return f"{rng.choice(words.NEUTRAL)} {adjective} {noun}"
    return f"{adjective} {rng.choice(words.NEUTRAL)} {noun}" if roll < 0.25 else f"{adjective} {noun}"


def sentence(rng: random.Random) -> str:
    """One sentence of any kind."""
    roll = rng.random()
    if roll < 0.38:
        return ambiguous(rng)
    kind = KINDS[0] if roll < 0.66 else KINDS[1] if roll < 0.86 else KINDS[2]
    return expand(rng.choice(kind), rng)
