"""Experiments on a model: take a part away, cut an edge, carry something over, and see what changes.

A heatmap shows where a head looked. Only a change shows what the answer hangs on. Every function here is
pure: it reads the model, never writes to it, and gives back what a forward pass would have computed.

* ``cutting``: zero or mean out heads, MLPs and layers; cut edges of attention; turn a row round.
* ``following``: what every part writes into the stream, whole or cut, down to a single hidden unit.
* ``opening``: the matrices of one head, and the rows nearest to a token's own.
* ``carrying``: put one position's activations of another text in place.
* ``reading``: what each layer would predict, what each part adds to a logit, how surprised the model is.
* ``arranging``: shuffle words, ask for a score at every distance.
* ``keeping``: damage a cache, narrow it, and follow what it writes.
* ``spreading``: how scores spread with the width and thin out with the length.
"""

from glassbox.model.experiments.arranging import distance_scores, first_outputs, moved
from glassbox.model.experiments.carrying import patch
from glassbox.model.experiments.cutting import Edge, Part, Turn, bar, cut, turn, without
from glassbox.model.experiments.following import Flow, flow, guesses, units, without_units
from glassbox.model.experiments.keeping import (
    Followed,
    Rechecked,
    Windowed,
    damage,
    follow,
    key_changes,
    least_alike,
    probability_moved,
    recheck,
    through_window,
    traces,
)
from glassbox.model.experiments.opening import (
    Matrices,
    alike,
    lengths,
    matrices,
    nearest,
    read_by_heads,
    shifted,
)
from glassbox.model.experiments.reading import (
    Contributions,
    contributions,
    lens,
    probabilities,
    surprise,
    token_surprise,
)
from glassbox.model.experiments.spreading import Spread, best_share, half_length, spread

__all__ = [
    "Contributions",
    "Edge",
    "Flow",
    "Followed",
    "Matrices",
    "Part",
    "Rechecked",
    "Spread",
    "Turn",
    "Windowed",
    "alike",
    "bar",
    "best_share",
    "contributions",
    "cut",
    "damage",
    "distance_scores",
    "first_outputs",
    "flow",
    "follow",
    "guesses",
    "half_length",
    "key_changes",
    "least_alike",
    "lengths",
    "lens",
    "matrices",
    "moved",
    "nearest",
    "patch",
    "probabilities",
    "probability_moved",
    "read_by_heads",
    "recheck",
    "shifted",
    "spread",
    "surprise",
    "through_window",
    "token_surprise",
    "traces",
    "turn",
    "units",
    "without",
    "without_units",
]
