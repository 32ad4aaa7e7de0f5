"""The kinds of exercises, and an exercise from its kind, level and seed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from bjp_engine.exercises.blankets import draw_blanket
from bjp_engine.exercises.distances import draw_distance, draw_irregularity
from bjp_engine.exercises.drafts import Kind
from bjp_engine.exercises.flips import draw_flip
from bjp_engine.exercises.orders import draw_order, draw_spared
from bjp_engine.exercises.posteriors import draw_posterior
from bjp_engine.exercises.preferences import draw_score
from bjp_engine.exercises.records import Exercise
from bjp_engine.exercises.separation import draw_separation
from bjp_engine.validate import choice, whole_number

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Kind("blanket", "Read a blanket", draw_blanket),
            Kind("separation", "Separate two nodes", draw_separation),
            Kind("order", "Order ψ", draw_order),
            Kind("spared", "Spared tests", draw_spared),
            Kind("posterior", "One posterior", draw_posterior),
            Kind("flip", "The next flip", draw_flip),
            Kind("score", "Which score is higher", draw_score),
            Kind("distance", "Hamming distance", draw_distance),
            Kind("irregularity", "Irregularity", draw_irregularity),
        )
    }
)
LEVELS = (1, 2, 3)
# Draws until one isn't trivial; more than one in a hundred is not for every kind and level.
_DRAWS = 10_000
MOST_SEED = 2**53 - 1  # a whole number to JavaScript as well


def make_exercise(kind: str, level: int = 1, seed: int = 0) -> Exercise:
    """Make an exercise; the same again from the same arguments.

    Returns
    -------
    Exercise
        One that isn't trivial by the rule of its kind (docs/practice.md), and has at least one
        typical mistake.

    Examples
    --------
    >>> from bjp_engine.exercises import make_exercise
    >>> one = make_exercise("blanket", 1, seed=3)
    >>> one.ask.startswith("Which nodes form the Markov blanket of")
    True
    """
    choice(kind, "kind", tuple(KINDS))
    whole_number(level, "level", 1, LEVELS[-1])
    whole_number(seed, "seed", 0, MOST_SEED)
    # A kind's number is made of its name, so that a new one changes no other.
    rng = np.random.default_rng([seed, level, int.from_bytes(kind.encode(), "big")])
    for _ in range(_DRAWS):
        draft = KINDS[kind].draw(rng, level)
        if draft is None or not (mistakes := draft.real_mistakes):
            continue
        return Exercise(
            kind,
            level,
            seed,
            draft.ask,
            draft.picture,
            draft.form,
            draft.options,
            draft.answer,
            draft.accepted,
            draft.tolerance,
            mistakes,
            draft.solution,
        )
    raise AssertionError(f"no exercise of kind {kind} at level {level}")
