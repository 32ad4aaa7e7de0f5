"""The paper's hill climbs, and the graphs where searches begin (docs/theory.md §4).

IBMAP-HC, for BJP and IB-score: from the starting graph, propose the flip of the pair with the
lowest local contribution (the first such pair in lexicographic order), rescore, keep it if the
score is strictly greater, else stop. Only that one proposal is tried. The ascent itself is
`bjp_engine.kernels.climb.climb`: a flip of {i, j} changes the blankets of i and j, so only their
assertions are forgotten, and what the new order ψ needs besides is computed when it is first
needed.

The MPL hill climb of Pensar et al. (2017) has two phases. First each variable's blanket is found
alone: add the candidate that most improves the local score, if strictly; after each addition, while
the blanket has more than two members, remove the one whose removal most improves it, if strictly
(`LocalParts.climb`). The AND graph joins pairs that found each other, the OR graph pairs where one
found the other. Second, from AND, flip the pair in OR but not AND with the largest positive gain
until there is none.

A search begins at the paper's empty graph, at what MPL finds, at a tree, or at a graph given. The
tree is that of Chow & Liu (1968): of all trees the one under which the data are most likely, the
spanning tree of the greatest total mutual information, which counts of pairs give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats, Places
from bjp_engine.dataset import Dataset
from bjp_engine.errors import GraphError, OptionError, clip
from bjp_engine.graph import Adjacency, as_graph, blanket, flipped, pairs, to_adjacency
from bjp_engine.kernels.climb import GOES_ON
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import keep
from bjp_engine.scores.base import NoOptions, Score, exceeds
from bjp_engine.scores.bjp import Assertions, AssertionScore
from bjp_engine.scores.mpl import MPL, LocalScore, MPLOptions, with_flip
from bjp_engine.scores.prior import edge_odds, flip_odds
from bjp_engine.search.driver import Move, Problem
from bjp_engine.search.trace import Proposals, StopReason
from bjp_engine.validate import whole_number

Pair = tuple[int, int]


class MPLClimb:
    """Where the hill climb stands: the blankets found, [j, b] where b is in that of j, and a graph.

    `variable` is the next one of the first phase, in which the graph is AND; the second flips it.
    """

    def __init__(self, problem: Problem) -> None:
        data, score = problem.data, cast(LocalScore, problem.score)
        self.local = score.parts(data, problem.score_options, problem.progress)
        self.odds, self.known = problem.odds, problem.pairs
        self.found = problem.agreeing(np.zeros((data.n, data.n), dtype=np.bool_))
        self.adjacency, self.variable = self.found, 0
        self._parts: Floats | None = None
        # What flipping a pair gains, and how large the parts are that change.
        self._gains: dict[Pair, tuple[float, float]] = {}

    @property
    def parts(self) -> Floats:
        """The local score of each variable in the graph."""
        if self._parts is None:
            self._parts = self.local.of_graph(self.adjacency)
        return self._parts

    @property
    def score(self) -> float:
        """The graph's score."""
        return math.fsum(self.parts.tolist() + edge_odds(self.adjacency, self.odds))

    @property
    def tests(self) -> int:
        """Local scores computed so far: each weighs one change."""
        return self.local.computed

    evaluations = tests

    @property
    def milestones(self) -> dict[str, Adjacency]:
        """The AND and the OR graph of the blankets found so far."""
        return {"and": self.found & self.found.T, "or": self.found | self.found.T}

    def find_blankets(self, end: int) -> Proposals:
        """Run the first phase for the variables up to one; each member adds its odds."""
        found = self.found.copy()
        odds = np.empty((0, 0)) if self.odds is None else self.odds.copy()
        changes, scores = self.local.climb(self.variable, end, odds, found, self.known)
        self.found, self.variable = found, end
        self.adjacency, self._parts = found & found.T, None
        return Proposals(
            phase="blanket",
            pairs=changes[:, :2],
            added=changes[:, 2] == 1,
            accepted=np.ones(len(changes), dtype=np.bool_),
            gain=scores[:, 1] - scores[:, 0],
            score=scores[:, 1],
            tests=changes[:, 3],
            of_graph=False,
        )

    def flip_best(self, progress: Progress) -> Proposals | None:
        """Make the flip of the second phase that gains most, the first among equals, if any."""
        graph, local, gains = self.adjacency, self.local, self._gains
        candidates = pairs((self.found | self.found.T) & ~(self.found & self.found.T))
        lacking = [pair for pair in candidates if pair not in gains]
        ends = [end for i, j in lacking for end in ((i, j), (j, i))]
        local.prepare((i, blanket(graph, i), [j]) for i, j in ends)
        for pair in lacking:
            progress.tick()
            gains[pair] = self._weigh(*pair)
        best: Pair | None = None
        for pair in candidates:
            gain, scale = gains[pair]
            if exceeds(gain, gains[best][0] if best else 0.0, scale):
                best = pair
        if best is None:
            return None
        i, j = best
        gain, parts = gains[best][0], self.parts.copy()
        # The gains of other pairs stay as they are.
        self._gains = {pair: of for pair, of in gains.items() if not {i, j} & set(pair)}
        self.adjacency = flipped(graph, i, j)
        for x in best:
            parts[x] = local(x, blanket(self.adjacency, x))
        self._parts = parts
        return Proposals(
            phase="graph",
            pairs=np.array([best]),
            added=self.adjacency[i, [j]],
            accepted=np.ones(1, dtype=np.bool_),
            gain=np.array([gain]),
            score=np.array([self.score]),
            tests=np.array([self.tests]),
        )

    def _weigh(self, i: int, j: int) -> tuple[float, float]:
        """What flipping {i, j} does to the two local scores, and how large those are."""
        gain = scale = 0.0
        for end, other in ((i, j), (j, i)):
            members = blanket(self.adjacency, end)
            before, after = self.local(end, members), self.local(end, with_flip(members, other))
            gain += after - before
            scale += abs(before)
        return gain + flip_odds(self.adjacency, self.odds, i, j), scale


class MPLHillClimb:
    """Blankets one by one, then the flips between AND and OR."""

    name = "mpl-hc"
    title = "MPL hill climb"
    options_type = NoOptions
    keeps_fixed = by_tables = True

    def serves(self, score: Score) -> bool:
        """Scores made of local parts."""
        return isinstance(score, LocalScore)

    def begin(self, problem: Problem) -> MPLClimb:
        """Score the empty graph, or that of the required edges."""
        return MPLClimb(problem)

    def advance(self, problem: Problem, climb: MPLClimb, most: int) -> Move:
        """Find the next blankets, as many as may be made known at once, or make the best flip."""
        n, progress = problem.data.n, problem.progress
        if climb.variable < n:
            progress.tick(climb.variable, n)
            found = climb.find_blankets(min(n, climb.variable + max(1, most // 8)))
            return Move(climb, found, begins=climb.variable == n)
        made = climb.flip_best(progress)
        if made is None:
            return Move(climb, stop=StopReason.NO_CANDIDATE)
        return Move(climb, made)


def climb_mpl(
    data: Dataset, score: LocalScore, options: Any, progress: Progress, *, flips: bool = True
) -> MPLClimb:
    """Where the hill climb ends, or its first phase alone, for a search that begins there."""
    problem = Problem(data, score, options, NoOptions(), progress)
    search, climb = MPLHillClimb(), MPLClimb(problem)
    while climb.variable < data.n:
        search.advance(problem, climb, 1)
    while flips and climb.flip_best(progress) is not None:
        pass
    return climb


# Of more cells only those that occur are counted.
_FEW_CELLS = 1 << 16
STARTS = ("empty", "mpl-and", "mpl-or", "mpl", "chow-liu")


def chow_liu_tree(data: Dataset, progress: Progress = UNWATCHED) -> Adjacency:
    """The spanning tree of the greatest mutual information, in the data's frequencies."""
    from scipy.special import entr

    def entropy(cells: Places, number: int) -> float:
        few = number <= _FEW_CELLS
        counts = np.bincount(cells) if few else np.unique(cells, return_counts=True)[1]
        return float(entr(counts / data.rows).sum())

    weighted, sizes = nx.empty_graph(data.n), data.cardinalities
    alone = [entropy(data.codes[:, i], sizes[i]) for i in range(data.n if data.rows else 0)]
    for i, j in combinations(range(len(alone)), 2):
        progress.tick(i, data.n)
        cells = data.codes[:, i].astype(np.intp) * sizes[j] + data.codes[:, j]
        information = alone[i] + alone[j] - entropy(cells, sizes[i] * sizes[j])
        # Equal ones that were added up in another order still are equal.
        if (rounded := round(information, 12)) > 0:
            weighted.add_edge(i, j, weight=rounded)
    found: Adjacency = nx.to_numpy_array(nx.maximum_spanning_tree(weighted), range(data.n)) > 0
    return found


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
        try:
            # Rows of a matrix have no names.
            graph = None if hasattr(self.start, "shape") else as_graph(self.start)
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
    start, data = problem.search_options.start, problem.data
    if isinstance(start, nx.Graph):
        found = to_adjacency(start, data)
    elif start == "empty":
        found = np.zeros((data.n, data.n), dtype=np.bool_)
    elif start == "chow-liu":
        found = chow_liu_tree(data, problem.preparing)
    else:
        score, flips = data.scored_by(MPL()), start == "mpl"
        climb = climb_mpl(data, score, MPLOptions(), problem.preparing, flips=flips)
        found = climb.adjacency if flips else climb.milestones[start.removeprefix("mpl-")]
    return problem.agreeing(found)


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
