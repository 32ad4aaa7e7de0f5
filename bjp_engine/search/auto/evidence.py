"""What the data say of every pair, and the probability of an edge that it makes.

The graph has the pairs with p ≥ ½, so graph and verdicts cannot disagree. Nothing is climbed: the
trace has no flips, and its score is that of the graph. docs/auto.md explains the numbers,
docs/theory has the formulas.

Each variable is modelled by the others (`nodewise`, `linear`): W_jb are the ln odds that X_b is in
the blanket of X_j. Of both ends the surer one counts, with half of λ, the prior over structures,
since it is the larger of two noisy numbers: Λ_ij = max(W_ij, W_ji) + λ_ij / 2. Where more states
than two occur, tables speak, as in the test. So that their evidence is counted once, a share s of
it is taken (`table_share`), raised by what linear models claim beyond it:
Λ_ij = λ_ij + s_ij (max(W_ij, W_ji) - λ_ij).

A required neighbour is taken into the models as if it were almost certain, so that all others are
judged given it, a forbidden one never; a likely one counts by its own prior odds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.associations import Associations, measure_associations, rows_outside
from bjp_engine.counts import table_of
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.independence import IndependenceOptions
from bjp_engine.progress import Progress
from bjp_engine.scores.base import NoOptions, Score
from bjp_engine.scores.bjp import Assertions, AssertionScore
from bjp_engine.scores.prior import (
    NAMES,
    KnownEdges,
    KnownPairs,
    StructurePrior,
    filled,
    log_odds_of,
)
from bjp_engine.search.auto.linear import linear_models
from bjp_engine.search.auto.nodewise import EXPECTED_DEGREE, nodewise, tells_nothing
from bjp_engine.search.auto.probability import PairEvidence, describe_table, map_evidence, sigmoid
from bjp_engine.search.driver import Move, Problem, ScoredGraph, score_graph
from bjp_engine.search.trace import StopReason

# ln odds of a required neighbour in the models of single variables, and of what can't be.
_REQUIRED, _NO_EDGE = 25.0, -1e3
# What tables say of a pair counts in full from so many rows a cell on, on average.
_ENOUGH_ROWS = 4.0
# Associations that differ by less are equal.
_DIGITS = 6
# No ln odds of a test are larger.
_MOST = 25.0


def usual_odds(data: Dataset) -> Floats:
    """λ of the usual prior: an expected degree of 2 among the variables that vary."""
    varying = int(np.count_nonzero(~tells_nothing(data)))
    return filled(data.n, StructurePrior(expected_degree=EXPECTED_DEGREE).probability(varying))


def gather(
    data: Dataset,
    options: IndependenceOptions,
    progress: Progress,
    known: KnownPairs | None = None,
    added: Floats | float = 0.0,
) -> PairEvidence:
    """Weigh every pair by the usual prior; `added` to the ln odds are other prior odds.

    Of the pairs of a variable that shows nothing there is the prior alone, and nothing about the
    others depends on how many such variables there are.
    """
    data = data.drop_unused_states()
    n, shows = data.n, np.flatnonzero(~tells_nothing(data, progress))
    odds = usual_odds(data)
    known = KnownEdges().on(data.names) if known is None else known
    matrices, of_table = np.zeros((9, n, n)), tuple[float, ...]()
    matrices[:2] = _NO_EDGE
    matrices[-1] = known.settle(sigmoid(odds + known.shift(odds) + added))
    if len(shows) >= 2:
        part = data.select([data.names[j] for j in shows])
        found = measure_associations(part, progress)
        order = column_order(part, found.marginal)
        shows = shows[order]
        matrices[np.ix_(np.arange(9), shows, shows)], of_table = _weigh(
            part.select([part.names[j] for j in order]),
            found.part(order),
            options,
            progress,
            known.part(shows),
            np.broadcast_to(added, (n, n))[np.ix_(shows, shows)],
        )
    matrices[:, range(n), range(n)] = 0.0
    return PairEvidence(*matrices, *of_table)


def _weigh(
    data: Dataset,
    found: Associations,
    options: IndependenceOptions,
    progress: Progress,
    known: KnownPairs,
    added: Floats,
) -> tuple[Floats, tuple[float, ...]]:
    """The matrices of the evidence where every variable shows something and every state occurs."""
    odds = usual_odds(data)
    shift = known.shift(odds)
    own, log_odds, contradicted = _weigh_models(data, odds, known, options.gamma, progress)
    chance = known.settle(sigmoid(log_odds - shift))
    np.fill_diagonal(chance, 0.0)
    graph = known.agreeing(log_odds > 0)
    test = _test_pairs(data, graph, replace(options, prior=0.5), progress.quiet)
    progress.tick()
    partial = np.where(contradicted, np.minimum(found.partial, 0.0), found.partial)
    indirect = beside_paths(found.marginal)
    unexplained, of_table = describe_table(found, indirect, chance)
    degree = chance.sum(axis=1)
    shared = (chance / np.maximum(degree, 1.0)) @ chance
    busier = np.maximum.outer(degree, degree) - chance
    of_pairs = own, log_odds - shift, test, partial, indirect, shared, busier
    matrices = np.array([*of_pairs, unexplained, chance])
    probability = map_evidence(data, PairEvidence(*matrices, *of_table), shift + added)
    matrices[1], matrices[-1] = log_odds, known.settle(probability)
    return matrices, of_table


def column_order(data: Dataset, association: Floats) -> Places:
    """The order in which models take the variables, since they break ties by position.

    It is that of their rows in each state and of their associations; of names only where these are
    all the same, as of columns that are equal.
    """
    pairs = np.sort(association.round(_DIGITS))
    alone = np.array([np.square(counts).sum() for counts in data.state_counts])
    return np.lexsort([np.array([str(name) for name in data.names]), *pairs.T, alone])


def beside_paths(association: Floats) -> Floats:
    """How much less two variables are associated than the weakest link of the strongest path."""
    widest = association.copy()
    np.fill_diagonal(widest, np.inf)
    for k in range(len(widest)):
        np.maximum(widest, np.minimum(widest[:, [k]], widest[k]), out=widest)
    np.fill_diagonal(widest, 0.0)
    found: Floats = association - widest
    return found


def _weigh_models(
    data: Dataset, odds: Floats, known: KnownPairs, gamma: float, progress: Progress
) -> tuple[Floats, Floats, Bools]:
    """W, Λ, and the pairs of which linear models claim what is contradicted."""
    asked = odds + known.shift(odds)
    asked[known.required], asked[known.forbidden] = _REQUIRED, -np.inf
    fixed = np.eye(data.n, dtype=np.bool_) | known.required | known.forbidden
    models, binary = nodewise(data, asked, progress, gamma), np.equal(data.cardinalities, 2)
    linear = linear_models(data, asked, progress) if not binary.all() else None
    own, surer = models.promise, np.where(fixed, 0.0, models.log_odds(asked))
    asked[fixed] = 0.0
    log_odds = asked + table_share(data) * (surer - asked)
    log_odds = np.where(np.outer(binary, binary), surer + odds / 2, log_odds)
    contradicted = np.zeros_like(fixed)
    if linear is not None:
        raised, contradicted = linear.raised(data, log_odds, models.found, odds, progress)
        own = np.where((raised > log_odds) & np.isfinite(linear.promise), linear.promise, own)
        log_odds = raised
    return np.where(fixed, 0.0, own), np.where(fixed, 0.0, log_odds), contradicted & ~fixed


def table_share(data: Dataset) -> Floats:
    """How much of what tables say of each pair counts: half, and less with few rows in a cell.

    A column counts by its rows outside the commonest state, times r / (r - 1) for r states.
    """
    sizes = np.array(data.cardinalities, dtype=np.float64)
    spread = rows_outside(data) * sizes / (sizes - 1)
    rows_of_cells: Floats = np.minimum.outer(spread, spread) / np.outer(sizes, sizes)
    return 0.5 * np.minimum(1.0, rows_of_cells / _ENOUGH_ROWS)


def _test_pairs(
    data: Dataset, graph: Adjacency, options: IndependenceOptions, progress: Progress
) -> Floats:
    """ln odds of dependence of each pair, given the neighbours of the end that has fewer."""
    degree = graph.sum(axis=1, dtype=np.int64)
    fewer = np.subtract.outer(degree, degree)
    asked = Assertions.blank(table_of(data, progress), options.evidence(data), graph, True)
    asked.values[fewer > 0] = 0.0  # what is known isn't computed
    asked.enter(progress)
    asserted = np.where(fewer > 0, asked.values.T, asked.values)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds: Any = asserted - np.log(-np.expm1(asserted))
    odds = np.clip(np.where(graph, odds, -odds), -_MOST, _MOST)
    found: Floats = (odds + odds.T) / 2
    return found


@dataclass(frozen=True, eq=False, slots=True)
class AutoState(ScoredGraph):
    """The graph with its score, and what it was made of."""

    evidence: PairEvidence | None = None


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
        return AutoState(found.adjacency, found.score, found.tests, evidence=evidence)

    def advance(self, _problem: Problem, state: AutoState, _most: int) -> Move:
        """No flip is left to be made."""
        return Move(state, stop=StopReason.WEIGHED)


def other_odds(problem: Problem) -> Floats | float:
    """What the priors that were given add to the ln odds of the usual ones."""
    added, given = -log_odds_of(problem.score_options.prior), problem.structure
    if given.expected_degree == EXPECTED_DEGREE:
        return added
    odds = given.odds(problem.data.n)
    return added - usual_odds(problem.data) + (0.0 if odds is None else odds)


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
