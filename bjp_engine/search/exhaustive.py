"""Every graph on up to six variables, scored by look-up (SPEC section 4).

With n = 6 there are 2^15 = 32 768 graphs but only 15 · 16 = 240 different tests and 6 · 32
local MPL scores. Those are computed once; then each graph's score is a sum of look-ups, made
for all graphs at once. A graph is a number: bit p is the p-th pair (i, j), i < j, in
lexicographic order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Any, cast

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.counts import stratify
from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.evidence import Floats
from bjp_engine.graph import Adjacency, to_adjacency, to_graph
from bjp_engine.independence import log_posteriors
from bjp_engine.scores.assertions import AssertionScore
from bjp_engine.scores.base import LocalScore
from bjp_engine.search.base import Move, NoOptions, Problem, StopReason
from bjp_engine.search.ties import ranked

MOST_VARIABLES = 6


@dataclass(frozen=True, eq=False)
class GraphTable:
    """The score of every graph on n variables.

    Parameters
    ----------
    data : Dataset
        The one that was scored.
    method : str
        The score's name.
    scores : ndarray of float, shape (2^(n(n - 1)/2),)
        The natural-log score of each graph, by number; read-only.
    tests : int
        Tests (or local scores) computed.
    """

    data: Dataset
    method: str
    scores: Floats
    tests: int

    @cached_property
    def _ranked(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Numbers by descending score, and ranks by number."""
        return ranked(self.scores)

    @property
    def ranking(self) -> NDArray[np.intp]:
        """Graph numbers by descending score; equal ones by ascending number."""
        return self._ranked[0]

    @property
    def best(self) -> int:
        """The number of the graph with the highest score; of equal ones the smallest."""
        return int(self.ranking[0])

    def number(self, graph: nx.Graph[Any]) -> int:
        """A graph's number.

        Parameters
        ----------
        graph : networkx.Graph
            On the variables of the data.

        Returns
        -------
        int

        Raises
        ------
        GraphError
            If it doesn't fit the data.
        """
        adjacency = to_adjacency(graph, self.data)
        bits = adjacency[np.triu_indices(self.data.n, 1)]
        return int(bits @ (1 << np.arange(len(bits), dtype=np.int64)))

    def graph(self, number: int) -> nx.Graph[Name]:
        """The graph with a number.

        Parameters
        ----------
        number : int
            0..2^(n(n - 1)/2) - 1.

        Returns
        -------
        networkx.Graph

        Raises
        ------
        OptionError
            If there is no such number.
        """
        if not isinstance(number, (int, np.integer)) or not 0 <= number < len(self.scores):
            raise OptionError(
                f"number={clip(number)} is no graph's number; "
                f"they run from 0 to {len(self.scores) - 1}."
            )
        return to_graph(adjacency_of(int(number), self.data.n), self.data.names, frozen=True)

    def rank(self, graph: nx.Graph[Any]) -> int:
        """A graph's place among all graphs.

        Parameters
        ----------
        graph : networkx.Graph

        Returns
        -------
        int
            1 plus how many graphs score higher; equal graphs share a rank.

        Raises
        ------
        GraphError
            If it doesn't fit the data.
        """
        return int(self._ranked[1][self.number(graph)])

    @cached_property
    def log_normaliser(self) -> float:
        """ln of the sum of all graphs' scores."""
        return float(np.logaddexp.reduce(self.scores))

    def log_posterior(self, graph: nx.Graph[Any]) -> float:
        """ln of the graph's share of the sum over all graphs.

        Parameters
        ----------
        graph : networkx.Graph

        Returns
        -------
        float

        Raises
        ------
        GraphError
            If it doesn't fit the data.
        """
        return float(self.scores[self.number(graph)]) - self.log_normaliser

    @cached_property
    def edge_probabilities(self) -> Floats:
        """Pr({i, j} ∈ G | D), the score normalised over all graphs, shape (n, n)."""
        weights = np.exp(self.scores - self.log_normaliser)
        probabilities = np.zeros((self.data.n, self.data.n))
        numbers = np.arange(len(weights))
        for p, (i, j) in enumerate(combinations(range(self.data.n), 2)):
            mass = weights[(numbers >> p) & 1 == 1].sum()
            probabilities[i, j] = probabilities[j, i] = min(1.0, mass)
        probabilities.setflags(write=False)
        return probabilities


def score_all_graphs(problem: Problem) -> GraphTable:
    """Score every graph on the data's variables.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    GraphTable

    Raises
    ------
    DataError
        If there are more than six variables.
    """
    data = problem.data
    if data.n > MOST_VARIABLES:
        raise DataError(
            f"The data has {data.n} variables, and scoring every graph is for at most "
            f"{MOST_VARIABLES}; choose some of them with data.select(...)."
        )
    masks = _blankets(data.n)
    if isinstance(problem.score, LocalScore):
        scores, tests = _look_up_local(problem, problem.score, masks)
    else:
        scores, tests = _look_up_assertions(problem, masks)
    scores.setflags(write=False)
    return GraphTable(data, problem.score.name, scores, tests)


def adjacency_of(number: int, n: int) -> Adjacency:
    """The adjacency matrix of a numbered graph.

    Parameters
    ----------
    number : int
    n : int

    Returns
    -------
    ndarray of bool, shape (n, n)
    """
    adjacency = np.zeros((n, n), dtype=np.bool_)
    for p, (i, j) in enumerate(combinations(range(n), 2)):
        adjacency[i, j] = adjacency[j, i] = bool(number >> p & 1)
    return adjacency


def _blankets(n: int) -> NDArray[np.intp]:
    """The blanket of each variable in each graph as a bit mask, shape (n, graphs)."""
    numbers = np.arange(1 << (n * (n - 1) // 2))
    masks = np.zeros((n, len(numbers)), dtype=np.intp)
    for p, (i, j) in enumerate(combinations(range(n), 2)):
        bit = (numbers >> p) & 1
        masks[i] |= bit << j
        masks[j] |= bit << i
    return masks


def _look_up_assertions(problem: Problem, masks: NDArray[np.intp]) -> tuple[Floats, int]:
    """Sum each graph's computed assertions from the table of all tests."""
    n = problem.data.n
    table, tests = _all_tests(problem)
    computed = _computed_by_degrees(cast(AssertionScore, problem.score), masks)
    scores = _ExactSums(masks.shape[1])
    for x, y in permutations(range(n), 2):
        adjacent = (masks[x] >> y) & 1
        values = table[x, y][adjacent, masks[x] & ~(1 << y)]
        scores.add(np.where(computed(x, y), values, 0.0))
    return scores.result(), tests


class _ExactSums:
    """Sums of many graphs at once, compensated: what `math.fsum` gives for each of them."""

    def __init__(self, size: int) -> None:
        self._sum, self._lost = np.zeros(size), np.zeros(size)

    def add(self, values: Floats) -> None:
        """Add one term to each sum; what rounding takes is kept apart (Neumaier)."""
        raised = self._sum + values
        larger = np.abs(self._sum) >= np.abs(values)
        self._lost += np.where(larger, (self._sum - raised) + values, (values - raised) + self._sum)
        self._sum = raised

    def result(self) -> Floats:
        """The sums."""
        return self._sum + self._lost


def _all_tests(problem: Problem) -> tuple[Floats, int]:
    """ln Pr of independence [.., 0, Z] and dependence [.., 1, Z] for every x, y and mask Z."""
    data, n, tests = problem.data, problem.data.n, 0
    table = np.full((n, n, 2, 1 << n), np.nan)
    for mask in range(1 << n):
        given = [z for z in range(n) if mask >> z & 1]
        strata = stratify(data, given)
        problem.watch.tick(mask, 1 << n)
        free = [v for v in range(n) if v not in given]
        for position, x in enumerate(free):
            later = free[position + 1 :]
            both = log_posteriors(data, x, later, strata, problem.score_options)
            for y, logs in zip(later, both, strict=True):
                table[x, y, :, mask] = table[y, x, :, mask] = logs
            tests += len(later)
    return table, tests


def _computed_by_degrees(
    score: AssertionScore, masks: NDArray[np.intp]
) -> Callable[[int, int], NDArray[np.bool_]]:
    """Whether the ordered pair (x, y) is computed, for all graphs at once.

    The score's own rule is asked once for each degree sequence, on any graph that has it.
    """
    n = len(masks)
    degrees = np.bitwise_count(masks)
    _, first, which = np.unique(degrees, axis=1, return_index=True, return_inverse=True)
    rules = np.stack([score.computed(adjacency_of(int(g), n)) for g in first])
    inverse = which.reshape(-1)
    return lambda x, y: rules[inverse, x, y]


def _look_up_local(
    problem: Problem, score: LocalScore, masks: NDArray[np.intp]
) -> tuple[Floats, int]:
    """Sum each graph's local scores from the table over all blankets."""
    data, n = problem.data, problem.data.n
    scores, tests = _ExactSums(masks.shape[1]), 0
    for j in range(n):
        problem.watch.tick(j, n)
        table = np.full(1 << n, np.nan)
        for mask in range(1 << n):
            if not mask >> j & 1:
                members = [z for z in range(n) if mask >> z & 1]
                table[mask] = score.local(data, j, members, problem.score_options)
                tests += 1
        scores.add(table[masks[j]])
    return scores.result(), tests


@dataclass(frozen=True, eq=False, slots=True)
class ExhaustiveState:
    """The best of all graphs.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (n, n)
    score : float
    tests : int
    """

    adjacency: Adjacency
    score: float
    tests: int

    @property
    def milestones(self) -> dict[str, Adjacency]:
        """None: there is no way to tell of."""
        return {}


class Exhaustive:
    """Score every graph and keep the best."""

    name = "exhaustive"
    title = "All graphs"
    methods: tuple[str, ...] = ("bjp", "ib", "mpl")
    options_type = NoOptions

    def begin(self, problem: Problem) -> ExhaustiveState:
        """Score all graphs at once.

        Parameters
        ----------
        problem : Problem

        Returns
        -------
        ExhaustiveState
            The best; of equal ones the first by number.
        """
        table = score_all_graphs(problem)
        best = adjacency_of(table.best, problem.data.n)
        trace = problem.score.trace(problem.data, best, problem.score_options, problem.watch)
        return ExhaustiveState(best, trace.total, table.tests)

    def advance(self, _problem: Problem, state: ExhaustiveState) -> Move:
        """Nothing is left to do.

        Parameters
        ----------
        state : ExhaustiveState

        Returns
        -------
        Move
        """
        return Move(state, stop=StopReason.COMPLETE)
