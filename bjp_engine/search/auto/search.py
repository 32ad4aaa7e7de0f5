"""The default for people's own data: start, search and prior all chosen.

Each variable is regressed on the others (`nodewise`). What it says of every other variable becomes
the prior over structures, each pair with its own odds, and the graph of all blankets is the start.
Edges of the forest of greatest evidence are judged more mildly (`forest`), and with few rows pairs
too of which each end keeps the other in a regression on all variables at once (`lasso`); how sure
the others have to be depends on what was found (`prior_odds`). `evidence` has all of this.

From there BJP (or IB-score) with that prior is climbed: the pair goes first that disagrees most
with the graph, by its own test and its own odds; one that doesn't raise the score is passed over
until a flip touches it. With few variables, where it costs nothing, a short tabu search goes on.

The prior is made from the same data as the tests, so the score that is climbed is a composite
objective, and no posterior probability: the scores of two graphs under it compare, the scores of
two searches do not. `bjp_engine.score` with `trace.given` gives it for any graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency, to_graph
from bjp_engine.kernels.board import Rule
from bjp_engine.records import keep
from bjp_engine.scores.assertions import AssertionScore
from bjp_engine.scores.base import Score
from bjp_engine.scores.structure import NAMES, StructurePrior, filled
from bjp_engine.search.auto.evidence import PairEvidence, gather
from bjp_engine.search.auto.nodewise import EXPECTED_DEGREE, constants
from bjp_engine.search.driver import Move, State
from bjp_engine.search.ibmap_hc import ClimbState, board_of, climb_board
from bjp_engine.search.problem import Problem
from bjp_engine.search.trace import StopReason
from bjp_engine.search.walks.tabu import TabuOptions, TabuSearch, TabuWalk
from bjp_engine.validate import whole_number

# Up to so many variables the climb is followed by a tabu search.
_FEW = 10
_TENURE, _PATIENCE = 4, 20


@dataclass(frozen=True, slots=True)
class AutoOptions:
    """How much of each proposal the trace keeps.

    Parameters
    ----------
    contributions : int
        Of how many pairs, those that come first, each step records the local contribution.
    """

    contributions: int = 10

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        keep(self, contributions=whole_number(self.contributions, "contributions", 1))


@dataclass(frozen=True, eq=False, slots=True)
class AutoState(ClimbState):
    """A climb with the prior that was chosen for it, its start, and how many flips it kept."""

    prior: StructurePrior
    evidence: PairEvidence
    made: int = 0

    @property
    def structure(self) -> StructurePrior:
        """The prior that was chosen."""
        return self.prior

    @property
    def milestones(self) -> dict[str, Adjacency]:
        """The start: what the variables say, each by itself."""
        return {"nodewise": self.evidence.start}


@dataclass(frozen=True, eq=False, slots=True)
class FinishState(State):
    """The tabu search after the climb; its problem has the prior that was chosen."""

    climb: AutoState
    problem: Problem
    walk: TabuWalk

    @property
    def adjacency(self) -> Adjacency:
        """The best graph so far."""
        return self.walk.adjacency

    @property
    def score(self) -> float:
        """Its score."""
        return self.walk.score

    @property
    def tests(self) -> int:
        """Tests made so far."""
        return self.climb.tests + self.walk.tests

    @property
    def evaluations(self) -> int:
        """Flips tried so far."""
        return self.climb.evaluations + self.walk.evaluations

    @property
    def milestones(self) -> dict[str, Adjacency]:
        """Those of the climb."""
        return self.climb.milestones

    @property
    def best_at(self) -> int:
        """How many steps led to the best graph."""
        return self.climb.made + self.walk.best_at

    @property
    def structure(self) -> StructurePrior:
        """The prior that was chosen."""
        return self.climb.prior

    @property
    def evidence(self) -> PairEvidence:
        """What it was made of."""
        return self.climb.evidence


def usual_odds(data: Dataset, degree: float = EXPECTED_DEGREE) -> Floats:
    """λ that `auto` begins with: an expected degree among the variables that vary."""
    varying = int(np.count_nonzero(~constants(data)))
    return filled(data.n, StructurePrior(expected_degree=degree).probability(varying))


class Auto:
    """Let each variable speak, then climb where graph and evidence disagree."""

    name = "auto"
    title = "Auto"
    options_type = AutoOptions
    keeps_fixed = True
    reads_rows = True

    def serves(self, score: Score) -> bool:
        """Scores made of assertions."""
        return isinstance(score, AssertionScore)

    def begin(self, problem: Problem) -> AutoState:
        """Choose prior and start, and score it."""
        n, given = problem.data.n, problem.structure
        odds: Floats | None
        if given.uniform or given.expected_degree is not None:
            odds = usual_odds(problem.data, given.expected_degree or EXPECTED_DEGREE)
        else:
            odds = given.odds(n)
        odds = filled(n, 0.5) if odds is None else odds
        pairs = problem.pairs
        said = gather(problem.data, odds, problem.score_options, problem.preparing, pairs)
        rule = Rule(by_gain=True, goes_on=True, thorough=False, limit=0.0)
        chosen = StructurePrior(log_odds=said.log_odds)
        climb = board_of(problem, problem.agreeing(said.start), rule, chosen.odds(n))
        return AutoState(climb.assertions, chosen, said)

    def advance(self, problem: Problem, state: AutoState | FinishState, most: int) -> Move:
        """Propose flips until no pair is left that disagrees, or so many were made."""
        if isinstance(state, FinishState):
            return _finished(state)
        move = climb_board(problem, state, most, StopReason.AGREED)
        kept = 0 if move.proposals is None else int(move.proposals.accepted.sum())
        state = replace(state, made=state.made + kept)
        if move.stop is StopReason.AGREED and problem.data.n <= _FEW:
            return Move(_finish(problem, state), move.proposals)
        return replace(move, state=state)


def begun_with(search: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with those that a search begins with where they are not given.

    `auto` begins with a prior over structures and with centred prior cells. What it makes of that
    prior comes from the data, so whoever weighs graphs by the same data takes the one it begins
    with.
    """
    if search != Auto.name:
        return dict(options)
    usual: dict[str, Any] = {"prior_cells": "centred"}
    if not options.keys() & set(NAMES):
        usual["expected_degree"] = EXPECTED_DEGREE
    return usual | dict(options)


def _finish(problem: Problem, state: AutoState) -> FinishState:
    """A tabu search that begins where the climb ended."""
    start = to_graph(state.adjacency, problem.data.names)
    options = TabuOptions(start=start, tenure=_TENURE, patience=_PATIENCE)
    budget = problem.budget
    if budget.evaluations is not None:
        budget = replace(budget, evaluations=max(1, budget.evaluations - state.evaluations))
    # That prior has the odds of likely pairs.
    pairs = None if problem.pairs is None else problem.pairs.without_likely()
    inner = replace(
        problem, structure=state.prior, search_options=options, budget=budget, pairs=pairs
    )
    return FinishState(state, inner, TabuSearch().begin(inner))


def _finished(state: FinishState) -> Move:
    """One move of the tabu search."""
    move = TabuSearch().advance(state.problem, state.walk, 1)
    after, proposals = replace(state, walk=cast(TabuWalk, move.state)), move.proposals
    if proposals is not None:
        assert proposals.evaluations is not None
        proposals = replace(
            proposals,
            tests=proposals.tests + state.climb.tests,
            evaluations=proposals.evaluations + state.climb.evaluations,
        )
    return Move(after, proposals, StopReason.AGREED if move.stop else None)
