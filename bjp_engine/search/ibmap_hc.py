"""IBMAP-HC, the paper's hill climb for BJP and IB-score (docs/theory.md §4), and where it begins.

From the starting graph: propose the flip of the pair with the lowest local contribution (the
first such pair in lexicographic order), rescore, keep it if the score is strictly greater,
else stop. Only that one proposal is tried. The ascent itself is `bjp_engine.kernels.climb.climb`:
a flip of {i, j} changes the blankets of i and j, so only their assertions are forgotten, and what
the new order ψ needs besides is computed when it is first needed.

A search begins at the paper's empty graph, at what MPL finds, at a tree, or at a graph given. The
tree is that of Chow & Liu (1968): of all trees the one under which the data are most likely, the
spanning tree of the greatest total mutual information, which counts of pairs give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.dataset import Dataset
from bjp_engine.errors import GraphError, OptionError, clip
from bjp_engine.graph import Adjacency, as_graph, to_adjacency
from bjp_engine.kernels.climb import GOES_ON
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import keep
from bjp_engine.scores.base import Score
from bjp_engine.scores.bjp import Assertions, AssertionScore
from bjp_engine.scores.mpl import MPL, MPLOptions
from bjp_engine.search.driver import Move, Problem
from bjp_engine.search.mpl_hc import climb_mpl
from bjp_engine.search.trace import Proposals, StopReason
from bjp_engine.validate import whole_number

# Equal informations that were added up in another order still are equal.
_DIGITS = 12
# Of larger tables only the cells that occur are counted.
_FEW_CELLS = 1 << 16


def mutual_information(data: Dataset, progress: Progress = UNWATCHED) -> Floats:
    """The mutual information of each pair in the data's frequencies (natural log)."""
    found = np.zeros((data.n, data.n))
    margins = [_x_log_x(counts).sum() for counts in data.state_counts]
    for i in range(data.n if data.rows else 0):
        progress.tick(i, data.n)
        codes = data.codes[:, i].astype(np.intp)
        for j in range(i):
            cells = codes * data.cardinalities[j] + data.codes[:, j]
            few = data.cardinalities[i] * data.cardinalities[j] <= _FEW_CELLS
            joint = np.bincount(cells) if few else np.unique(cells, return_counts=True)[1]
            terms = _x_log_x(joint).sum() - margins[i] - margins[j]
            found[i, j] = found[j, i] = terms / data.rows + np.log(data.rows)
    return np.maximum(np.round(found, _DIGITS), 0.0)


def chow_liu_tree(data: Dataset, progress: Progress = UNWATCHED) -> Adjacency:
    """The spanning tree of the greatest mutual information."""
    pairs = nx.from_numpy_array(mutual_information(data, progress))
    found: Adjacency = nx.to_numpy_array(nx.maximum_spanning_tree(pairs), range(data.n)) > 0
    return found


def _x_log_x(x: Ints) -> Floats:
    """X ln x, 0 for 0."""
    return np.asarray(x * np.log(np.maximum(x, 1)))


STARTS = ("empty", "mpl-and", "mpl-or", "mpl", "chow-liu")


@dataclass(frozen=True, slots=True)
class StartOptions:
    """Where the search begins.

    Parameters
    ----------
    start : str or networkx.Graph
        "empty" (the paper's), "mpl-and", "mpl-or", "mpl", "chow-liu", or a graph on the
        variables.
    """

    start: str | nx.Graph[Any] = "empty"

    def __post_init__(self) -> None:
        if isinstance(self.start, str) and self.start in STARTS:
            return
        # Rows of a matrix have no names.
        known = self.start is not None and not hasattr(self.start, "shape")
        try:
            graph = as_graph(self.start) if known else None
        except GraphError:
            if isinstance(self.start, nx.Graph):
                raise
            graph = None
        if graph is None:
            raise OptionError(
                f"start={clip(self.start)} is not known; use {', '.join(STARTS)} or a "
                "networkx.Graph on the variables."
            )
        keep(self, start=nx.freeze(graph.copy()))


def start_graph(problem: Problem) -> Adjacency:
    """The graph that the `start` option names, changed where it disagrees with what is known."""
    return problem.agreeing(_named(problem))


def _named(problem: Problem) -> Adjacency:
    """The graph that the `start` option names."""
    start, data = problem.search_options.start, problem.data
    if isinstance(start, nx.Graph):
        return to_adjacency(start, data)
    if start == "empty":
        return np.zeros((data.n, data.n), dtype=np.bool_)
    if start == "chow-liu":
        return chow_liu_tree(data, problem.preparing)
    score, flips = data.scored_by(MPL()), start == "mpl"
    climb = climb_mpl(data, score, MPLOptions(), problem.preparing, flips=flips)
    return climb.adjacency if start == "mpl" else climb.milestones[start.removeprefix("mpl-")]


@dataclass(frozen=True, slots=True)
class IBMAPOptions(StartOptions):
    """Where the climb starts and how much of each proposal it keeps.

    Parameters
    ----------
    contributions : int
        The number of pairs, lowest first, whose local contributions each step records.
    """

    contributions: int = 10

    def __post_init__(self) -> None:
        StartOptions.__post_init__(self)
        keep(self, contributions=whole_number(self.contributions, "contributions", 1))


class IBMAPHillClimb:
    """Flip the pair with the lowest local contribution until that no longer helps."""

    name = "ibmap-hc"
    title = "IBMAP-HC"
    options_type = IBMAPOptions
    keeps_fixed = by_tables = True
    goes_on = False
    ends_because = StopReason.NOT_RAISED

    def serves(self, score: Score) -> bool:
        """Scores made of assertions."""
        return isinstance(score, AssertionScore)

    def begin(self, problem: Problem) -> Assertions:
        """Score the starting graph; each advance flips it."""
        return cast(AssertionScore, problem.score).assertions(
            problem.data,
            start_graph(problem),
            problem.score_options,
            problem.progress,
            odds=problem.odds,
            goes_on=self.goes_on,
            fixed=problem.fixed,
        )

    def advance(self, problem: Problem, made: Assertions, most: int) -> Move:
        """Propose flips until the climb ends, or so many were made."""
        n, tried = problem.data.n, made.evaluations
        if n < 2:
            return Move(made, stop=StopReason.NO_PAIR)
        # A record of more flips would mostly stay empty: the driver asks for the rest again.
        record, end = made.climb(min(most, 2 * n), problem.search_options.contributions)
        if len(record.score) == 0:
            return Move(made, stop=self.ends_because)
        proposals = Proposals(
            phase="ascent",
            pairs=record.pair,
            added=~record.adjacent[:, 0],
            accepted=record.kept,
            gain=record.score - record.before,
            score=record.score,
            tests=record.tests,
            evaluations=tried + np.arange(1, len(record.score) + 1),
            lowest=(record.lowest, record.value, record.adjacent),
        )
        return Move(made, proposals, None if end == GOES_ON else self.ends_because)


class HillClimb(IBMAPHillClimb):
    """Flip the first pair, by ascending local contribution, that raises the score.

    It goes on where IBMAP-HC stops. A proposal that doesn't raise the score is passed over until a
    flip touches one of its ends; at last every pair that was passed over is tried once more, and
    the climb ends where no single flip raises the score.
    """

    name = "hill-climb"
    title = "Hill climb, every pair"
    goes_on = True
    by_tables = False
    ends_because = StopReason.NO_FLIP
