"""The forest that the pairs by themselves speak for, and how surely.

If the network is a forest, every edge shows in its own pair, given nothing: the forest of the
greatest total evidence is found at once, and no other variable makes a test of its edges less
sure (Chow and Liu 1968, with evidences in place of informations). In any other network too the
strongest dependence between two parts of it is nearly always an edge. So such a pair needs less
evidence than one that is judged given blankets, which had to be found first.
"""

from __future__ import annotations

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.independence import TestOptions
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores.board import Assertions
from bjp_engine.search.auto.binary import binary_part
from bjp_engine.search.auto.nodewise import constants
from bjp_engine.search.chow_liu import links

# How much of the prior over structures an edge of the forest pays.
_SHARE = 0.8
# Equal evidences that were added up in another order still are equal.
_DIGITS = 9


def forest_odds(
    data: Dataset,
    prior: Floats,
    progress: Progress = UNWATCHED,
    gamma: float = 1.0,
    shift: Floats | float = 0.0,
) -> Floats:
    """ln odds of the forest's edges between binary variables; of all other pairs -inf.

    What is known of pairs shifts theirs as a whole, not only by the share of a prior.

    The forest is that of all variables, so that two are not taken for neighbours which depend on
    each other through one of many states.
    """
    nowhere, binary = np.full((data.n, data.n), -np.inf), binary_part(data)
    if binary is None:
        return nowhere
    worth = marginal_evidence(data, progress, gamma) + _SHARE * prior + shift
    worth = np.round(worth, _DIGITS)
    constant = constants(data)
    worth[constant] = worth[:, constant] = -np.inf
    chosen = heaviest_forest(worth) & binary.spread(worth[binary.pairs] > 0, data.n, False)
    return np.where(chosen, worth, nowhere)


def marginal_evidence(data: Dataset, progress: Progress = UNWATCHED, gamma: float = 1.0) -> Floats:
    """ln odds of a dependence of each pair, given nothing (natural log).

    By the centred test: only if both hypotheses have the same prior of the margins is a forest as
    likely whatever variable it is thought to grow from.
    """
    none = np.zeros((data.n, data.n), dtype=np.bool_)
    test = TestOptions(gamma=gamma, prior_cells="centred")
    independent = Assertions.of(data, none, False, test, progress.quiet).values
    independent = np.fmax(independent, independent.T)
    with np.errstate(divide="ignore"):
        found: Floats = np.log(-np.expm1(independent)) - independent
    np.fill_diagonal(found, -np.inf)
    return found


def heaviest_forest(weights: Floats) -> Adjacency:
    """The pairs of positive weight that every forest of the greatest total weight has.

    Where several forests weigh as much, the pairs by which they differ are left out with
    whatever else they close a cycle with, so that no variable comes before another.
    """
    n, size = len(weights), 0
    # Of the heaviest path between two variables, the weight of its lightest pair.
    bottleneck = np.full((n, n), np.inf)
    inside = np.arange(n) == 0
    for new, known, weight in links(weights):
        on_the_way = np.minimum(bottleneck[known, inside], weight)
        bottleneck[new, inside] = bottleneck[inside, new] = on_the_way
        inside[new], size = True, size + int(weight > 0)
    # Those of any such forest.
    chosen: Adjacency = (weights > 0) & (weights >= bottleneck)
    np.fill_diagonal(chosen, False)
    return chosen if chosen.sum() == 2 * size else _bridges(chosen)


def _bridges(adjacency: Adjacency) -> Adjacency:
    """The pairs of a graph that are in no cycle."""
    found = np.zeros_like(adjacency)
    for i, j in nx.bridges(nx.from_numpy_array(adjacency)):
        found[i, j] = found[j, i] = True
    return found
