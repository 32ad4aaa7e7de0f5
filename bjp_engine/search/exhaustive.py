"""Every graph on up to seven variables, scored by look-up (docs/theory.md §4).

With n = 6 there are 2^15 = 32 768 graphs but only 15 · 16 = 240 different tests and 6 · 32
local MPL scores; with n = 7 there are 2^21 = 2 097 152, 21 · 32 = 672 and 7 · 64. Those are
computed once; then each graph's score is a sum of look-ups, made for all graphs of a block at
once. A graph is a number: bit p is the p-th pair (i, j), i < j, in lexicographic order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, cast

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats, Places
from bjp_engine.counts import table_of
from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.graph import Adjacency, to_adjacency, to_graph
from bjp_engine.kernels.lookup import every_test, near_scores, row_sums, sum_of_rows
from bjp_engine.kernels.loops import TIE
from bjp_engine.progress import UNWATCHED
from bjp_engine.records import record
from bjp_engine.scores.base import NoOptions, Score
from bjp_engine.scores.bjp import AssertionScore
from bjp_engine.scores.mpl import LocalScore
from bjp_engine.scores.prior import blanket_odds
from bjp_engine.search.driver import Move, Problem, ScoredGraph, score_graph
from bjp_engine.search.trace import StopReason

MOST_VARIABLES = 7
# Graphs that are looked up at a time: all on six variables.
BLOCK = 1 << 15
# How often it is asked whether to stop while the tests are made.
LOOKS = 128

Masks = NDArray[np.uint16]


@record
@dataclass(frozen=True, eq=False)
class GraphTable:
    """The score of every graph on n variables.

    Parameters
    ----------
    scores : ndarray of float, shape (2^(n(n - 1)/2),)
        The natural-log score of each graph, by number; read-only. -inf of graphs that disagree
        with what is known of pairs.
    tests : int
        Tests (or local scores) computed.
    """

    data: Dataset
    method: str
    scores: Floats
    tests: int

    @cached_property
    def _ranked(self) -> tuple[Places, Places]:
        """Numbers by descending score, equal ones by number; and the rank of each number."""
        order = np.argsort(-self.scores)
        # Graphs that are impossible share the last rank.
        ordered = self.scores[order]
        ordered = ordered[ordered > -np.inf]
        scale = np.maximum(np.abs(ordered[:-1]), np.abs(ordered[1:]))
        starts = np.zeros(len(order), dtype=np.bool_)
        starts[0], starts[1 : len(ordered)] = True, ordered[:-1] - ordered[1:] > TIE * scale
        starts[len(ordered) : len(ordered) + 1] = True
        group = np.cumsum(starts)
        # Group and number as one number, sorted as such: several times faster than by two keys.
        order = np.sort(group * len(order) + order) % len(order)
        rank = np.empty_like(order)
        rank[order] = (np.flatnonzero(starts) + 1)[group - 1]
        order.setflags(write=False)
        return order, rank

    @property
    def ranking(self) -> Places:
        """Graph numbers by descending score; equal ones by ascending number."""
        return self._ranked[0]

    @property
    def best(self) -> int:
        """The number of the graph with the highest score; of equal ones the smallest."""
        top = float(self.scores.max())
        return int(np.argmax(self.scores >= top - TIE * abs(top)))

    def number(self, graph: nx.Graph[Any]) -> int:
        """A graph's number."""
        adjacency = to_adjacency(graph, self.data)
        bits = adjacency[np.triu_indices(self.data.n, 1)]
        return int(bits @ (1 << np.arange(len(bits), dtype=np.int64)))

    def graph(self, number: int) -> nx.Graph[Name]:
        """The graph with a number."""
        if not isinstance(number, (int, np.integer)) or not 0 <= number < len(self.scores):
            raise OptionError(
                f"number={clip(number)} is not a graph number; "
                f"they run from 0 to {len(self.scores) - 1}."
            )
        return to_graph(adjacency_of(int(number), self.data.n), self.data.names, frozen=True)

    def rank(self, graph: nx.Graph[Any]) -> int:
        """1 plus how many graphs score higher than this one; equal graphs share a rank."""
        return int(self._ranked[1][self.number(graph)])

    @cached_property
    def log_normaliser(self) -> float:
        """ln of the sum of all graphs' scores."""
        return float(np.logaddexp.reduce(self.scores))

    @cached_property
    def edge_probabilities(self) -> Floats:
        """Pr({i, j} ∈ G | D), the score normalised over all graphs, shape (n, n)."""
        weights = np.exp(self.scores - self.log_normaliser)
        probabilities = np.zeros((self.data.n, self.data.n))
        for p, (i, j) in enumerate(combinations(range(self.data.n), 2)):
            # Bit p of a number is the middle index.
            mass = weights.reshape(-1, 2, 1 << p)[:, 1].sum()
            probabilities[i, j] = probabilities[j, i] = min(1.0, mass)
        probabilities.setflags(write=False)
        return probabilities


def score_all_graphs(problem: Problem) -> GraphTable:
    """Score every graph on the data's variables."""
    data, score = problem.data, problem.score
    if data.n > MOST_VARIABLES:
        raise DataError(
            f"The data has {data.n} variables, and scoring every graph is for at most "
            f"{MOST_VARIABLES}; choose some of them with data.select(...)."
        )
    near = isinstance(score, AssertionScore) and score.near_only
    odds = np.zeros((data.n, data.n)) if problem.odds is None else np.array(problem.odds)
    # What each variable adds [x, set].
    if isinstance(score, LocalScore):
        sums, tests = _part_sums(problem, score)
    else:
        sums, tests = _all_tests(problem)
        sums = sums if near else _assertion_sums(problem, sums)
    scores = np.empty(1 << (data.n * (data.n - 1) // 2))
    for first in range(0, len(scores), BLOCK):
        problem.progress.tick(first, len(scores))
        part = scores[first : first + BLOCK]
        if near:
            # A set depends on the whole graph.
            near_scores(sums, odds, cast(AssertionScore, score).both_ends, np.int64(first), part)
        else:
            sum_of_rows(sums, block_index(data.n, first)[not score.decomposes], part)
    problem.progress.finish(len(scores))
    if problem.pairs is not None:
        # Graphs that disagree with what is known.
        upper, numbers = np.triu_indices(data.n, 1), np.arange(len(scores))
        for p in np.flatnonzero(~problem.pairs.free).tolist():
            scores[(numbers >> p & 1) != problem.pairs.required[upper][p]] = -np.inf
    scores.setflags(write=False)
    return GraphTable(data, score.name, scores, tests)


def adjacency_of(number: int, n: int) -> Adjacency:
    """The adjacency matrix of a numbered graph."""
    adjacency = np.zeros((n, n), dtype=np.bool_)
    adjacency[np.triu_indices(n, 1)] = number >> np.arange(n * (n - 1) // 2) & 1
    return adjacency | adjacency.T


# That of up to six variables is one block, 786 KB, and is kept.
@lru_cache(maxsize=MOST_VARIABLES - 1)
def block_index(n: int, first: int) -> tuple[Masks, Masks]:
    """Which sets of variables the graphs from `first` to the end of its block give each variable.

    Its blanket as a bit mask; and that times 2^n, plus the mask of those who come later in ψ. Both
    have shape (n, graphs).
    """
    numbers = np.arange(first, min(first + BLOCK, 1 << (n * (n - 1) // 2)))
    blanket = np.zeros((n, len(numbers)), dtype=np.uint16)
    for p, (i, j) in enumerate(combinations(range(n), 2)):
        bit = (numbers >> p & 1).astype(np.uint16)
        blanket[i] |= bit << j
        blanket[j] |= bit << i
    degrees = np.bitwise_count(blanket)
    later = (blanket << n).astype(np.uint16)
    for x, y in combinations(range(n), 2):
        first_is_x = degrees[x] <= degrees[y]
        later[x] |= first_is_x.astype(np.uint16) << y
        later[y] |= (~first_is_x).astype(np.uint16) << x
    return blanket, later


def _part_sums(problem: Problem, score: LocalScore) -> tuple[Floats, int]:
    """What each variable adds [x, blanket]."""
    n, parts = problem.data.n, score.parts(problem.data, problem.score_options, problem.progress)
    problem.progress.tick(0, n)
    sums = np.zeros((n, 1 << n)) if problem.odds is None else blanket_odds(problem.odds)
    for mask in range(1 << n):
        members = tuple(v for v in range(n) if mask >> v & 1)
        for j in {*range(n)} - {*members}:
            sums[j, mask] += parts(j, members)
    return sums, parts.computed


def _assertion_sums(problem: Problem, values: Floats) -> Floats:
    """The same of tests, [x, blanket · 2^n + later], or [x, blanket] for both ends."""
    n = problem.data.n
    sums = np.zeros((n, 1 << n, 1 << n))
    row_sums(values, sums)
    if problem.odds is not None:
        sums += blanket_odds(problem.odds)[:, :, None]
    if problem.score.decomposes:
        # All others are computed, whatever the graph.
        return np.stack([sums[x, :, (1 << n) - 1 & ~(1 << x)] for x in range(n)])
    return sums.reshape(n, -1)


def _all_tests(problem: Problem) -> tuple[Floats, int]:
    """ln Pr of independence [.., 0, Z] and dependence [.., 1, Z] for every x, y and mask Z."""
    n, progress, tests = problem.data.n, problem.progress, 0
    table = table_of(problem.data, progress)
    evidence = problem.score_options.evidence(problem.data)
    values = np.full((n, n, 2, 1 << n), np.nan)
    step = 1 << n if progress is UNWATCHED else max(1, (1 << n) // LOOKS)
    for mask in range(0, 1 << n, step):
        progress.tick(mask, 1 << n)
        tests += int(every_test(table, evidence, mask, min(mask + step, 1 << n), values))
    return values, tests


class Exhaustive:
    """Score every graph and keep the best."""

    name = "exhaustive"
    title = "All graphs"
    options_type = NoOptions
    keeps_fixed = True

    def serves(self, _score: Score) -> bool:
        """Every score: what a variable adds depends on its blanket and on ψ."""
        return True

    def begin(self, problem: Problem) -> ScoredGraph:
        """Score all graphs at once."""
        table = score_all_graphs(replace(problem, progress=problem.preparing))
        best = adjacency_of(table.best, problem.data.n)
        return ScoredGraph(best, score_graph(problem, best).score, table.tests)

    def advance(self, _problem: Problem, state: ScoredGraph, _most: int) -> Move:
        """Nothing is left to do."""
        return Move(state, stop=StopReason.COMPLETE)
