"""Figures of Chapter 1, Tokens. One module per idea; the notebook calls the functions named here."""

from glassbox.figures.tokens import facts
from glassbox.figures.tokens.bricks import VOCABULARIES
from glassbox.figures.tokens.chat import FAMILIES, chat
from glassbox.figures.tokens.compare import SETS, compare
from glassbox.figures.tokens.cost import CONTEXTS, KINDS, PRICES, WORDS, cost
from glassbox.figures.tokens.emoji import SIGNS, emoji
from glassbox.figures.tokens.languages import followed, languages
from glassbox.figures.tokens.letters import letters, numbers
from glassbox.figures.tokens.merge import STEPS, merge
from glassbox.figures.tokens.methods import methods
from glassbox.figures.tokens.split import split
from glassbox.figures.tokens.swap import swap
from glassbox.figures.tokens.texts import CHOICES
from glassbox.figures.tokens.train import train
from glassbox.figures.tokens.yours import yours

__all__ = [
    "CHOICES",
    "CONTEXTS",
    "FAMILIES",
    "KINDS",
    "PRICES",
    "SETS",
    "SIGNS",
    "STEPS",
    "VOCABULARIES",
    "WORDS",
    "chat",
    "compare",
    "cost",
    "emoji",
    "facts",
    "followed",
    "languages",
    "letters",
    "merge",
    "methods",
    "numbers",
    "split",
    "swap",
    "train",
    "yours",
]
