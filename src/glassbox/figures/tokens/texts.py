"""Texts a reader can choose instead of typing."""

from __future__ import annotations

from glassbox.tokens import measure

_SAMPLES = measure.samples()

# What each choice shows. The note and the paragraph are the first sentences of the shipped samples.
TEXTS: dict[str, str] = {
    "thrombocytopenia": "The patient has thrombocytopenia.",
    "hyperlipidemia": "The patient has hyperlipidemia.",
    "Harbaugh": "Coach Harbaugh and harbaugh.",
    "leishmaniasis": "Visceral leishmaniasis was confirmed.",
    "a clinical note": " ".join(_SAMPLES["clinical"][1].split(". ")[0:2]) + ".",
    "everyday English": ". ".join(_SAMPLES["everyday"][0].split(". ")[0:2]) + ".",
    "code": "\n".join(_SAMPLES["code"].split("\n")[:4]),
    "digits": _SAMPLES["digits"],
    "Hindi": " ".join(_SAMPLES["hindi"].split()[:8]),
    "emoji": _SAMPLES["emoji"],
}
OWN = "my own text"
CHOICES = [*TEXTS, OWN]


def text_of(chosen: str, own: str) -> str:
    """The chosen text, or the reader's own."""
    return TEXTS.get(chosen, own)
