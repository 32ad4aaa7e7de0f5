"""The default for people's own data: start, search and prior all chosen.

Each variable is regressed on the others by itself (`bjp_engine.search.nodewise`). What it says
of every other variable becomes the prior over structures, each pair with its own odds, and the
graph of all blankets is the start. From there BJP (or IB-score) with that prior is climbed: the
pair goes first that disagrees most with the graph, by its own test and its own odds; one that
doesn't raise the score is passed over until a flip touches it.

The prior is made from the same data as the tests, so the score that is climbed is a composite
objective, and no posterior probability: the scores of two graphs under it compare, the scores of
two searches do not. `bjp_engine.score` with the trace's `log_odds` gives it for any graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bjp_engine.graph import Adjacency
from bjp_engine.kernels.board import Rule
from bjp_engine.scores.structure import StructurePrior, filled
from bjp_engine.search.base import Move, Problem, StopReason
from bjp_engine.search.ibmap_hc import ClimbState, board_of, climbed
from bjp_engine.search.nodewise import EXPECTED_DEGREE, nodewise
from bjp_engine.search.starts import whole_number

# Up to so many variables every pair is tried, whether it disagrees or not.
_FEW = 10


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
        whole_number("contributions", self.contributions, 1)


@dataclass(frozen=True, eq=False, slots=True)
class AutoState(ClimbState):
    """A climb with the prior that was chosen for it.

    Parameters
    ----------
    prior : StructurePrior
    either : ndarray of bool, shape (n, n)
        The graph of the variables' own blankets.
    """

    prior: StructurePrior
    either: Adjacency

    @property
    def structure(self) -> StructurePrior:
        """The prior that was chosen."""
        return self.prior

    @property
    def milestones(self) -> dict[str, Adjacency]:
        """The graph of the variables' own blankets."""
        return {"nodewise": self.either}


class Auto:
    """Let each variable speak, then climb where graph and evidence disagree."""

    name = "auto"
    title = "Auto"
    methods: tuple[str, ...] = ("bjp", "ib")
    options_type = AutoOptions

    def begin(self, problem: Problem) -> AutoState:
        """Choose prior and start, and score it.

        Parameters
        ----------
        problem : Problem

        Returns
        -------
        AutoState
        """
        n, given = problem.data.n, problem.structure
        prior = StructurePrior(expected_degree=EXPECTED_DEGREE) if given.uniform else given
        odds = prior.odds(n)
        odds = filled(n, 0.5) if odds is None else odds
        said = nodewise(problem.data, odds, problem.watch)
        # The surer of two ends is sure too easily; half of the prior again makes up for it.
        chosen = StructurePrior(log_odds=said.log_odds + odds / 2)
        few = n <= _FEW
        rule = Rule(by_gain=True, goes_on=True, thorough=few, limit=np.inf if few else 0.0)
        climb = board_of(problem, said.either, rule, chosen.odds(n))
        return AutoState(climb.assertions, chosen, said.either)

    def advance(self, problem: Problem, state: AutoState, most: int) -> Move:
        """Propose flips until no pair is left that disagrees, or so many were made.

        Parameters
        ----------
        problem : Problem
        state : AutoState
        most : int

        Returns
        -------
        Move
        """
        return climbed(problem, state, most, StopReason.AGREED)
