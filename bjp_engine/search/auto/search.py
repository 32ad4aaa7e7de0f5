"""The default for people's own data: the graph of all pairs that are rather edges than not.

What the data say of each pair, by five numbers (`evidence`), makes the probability of an edge
(`probability`), and the graph has the pairs with p ≥ ½. So graph and verdicts cannot disagree, and
neither depends on the order of the columns. Nothing is climbed: the trace has no flips, and its
score is that of the graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.graph import Adjacency
from bjp_engine.scores.assertions import AssertionScore
from bjp_engine.scores.base import NoOptions, Score
from bjp_engine.scores.structure import NAMES
from bjp_engine.search.auto.evidence import PairEvidence, gather, usual_odds
from bjp_engine.search.auto.nodewise import EXPECTED_DEGREE
from bjp_engine.search.driver import Move, Problem, State, score_graph
from bjp_engine.search.trace import StopReason


@dataclass(frozen=True, eq=False, slots=True)
class AutoState(State):
    """The graph with its score, and what it was made of."""

    adjacency: Adjacency
    score: float
    tests: int
    evidence: PairEvidence
    evaluations: int = 0


class Auto:
    """Ask every pair, and keep those that are rather edges than not."""

    name = "auto"
    title = "Auto"
    options_type = NoOptions
    keeps_fixed = True

    def serves(self, score: Score) -> bool:
        """Scores made of assertions."""
        return isinstance(score, AssertionScore)

    def begin(self, problem: Problem) -> AutoState:
        """Weigh the pairs, and score the graph."""
        evidence = gather(
            problem.data,
            problem.score_options,
            problem.preparing,
            problem.pairs,
            other_odds(problem),
        )
        found = score_graph(problem, evidence.probability >= 0.5)
        return AutoState(found.adjacency, found.score, found.tests, evidence)

    def advance(self, _problem: Problem, state: AutoState, _most: int) -> Move:
        """No flip is left to be made."""
        return Move(state, stop=StopReason.WEIGHED)


def other_odds(problem: Problem) -> Floats:
    """What the priors that were given add to the ln odds of the usual ones."""
    n, options = problem.data.n, problem.score_options
    added = np.full((n, n), np.log1p(-options.prior) - np.log(options.prior))
    given = problem.structure
    if given.expected_degree != EXPECTED_DEGREE:
        odds = given.odds(n)
        added += (0.0 if odds is None else odds) - usual_odds(problem.data)
    return added


def begun_with(search: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with those that a search begins with where they are not given.

    `auto` begins with a prior over structures and with centred prior cells.
    """
    if search != Auto.name:
        return dict(options)
    usual: dict[str, Any] = {"prior_cells": "centred"}
    if not options.keys() & set(NAMES):
        usual["expected_degree"] = EXPECTED_DEGREE
    return usual | dict(options)
