"""Where a search begins: the paper's empty graph, what MPL finds, a tree, or a graph given.

The tree is that of Chow & Liu (1968): of all trees the one under which the data are most likely,
the spanning tree of the greatest total mutual information, which counts of pairs give.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.counts import table_of
from bjp_engine.dataset import Dataset
from bjp_engine.errors import GraphError, OptionError, clip
from bjp_engine.graph import Adjacency, as_graph, to_adjacency
from bjp_engine.kernels.table import Planes
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import keep
from bjp_engine.scores.mpl import MPL, MPLOptions
from bjp_engine.search.mpl_hc import climb_mpl
from bjp_engine.search.problem import Problem

# Equal informations that were added up in another order still are equal.
_DIGITS = 12


def mutual_information(data: Dataset, progress: Progress = UNWATCHED) -> Floats:
    """The mutual information of each pair in the data's frequencies (natural log)."""
    found = np.zeros((data.n, data.n))
    if data.rows == 0:
        return found
    planes = table_of(data, progress).planes
    with_planes = np.flatnonzero((planes.first >= 0) & (np.array(data.cardinalities) > 1))
    for i in range(data.n):
        progress.tick(i, data.n)
        if planes.first[i] < 0:
            for j in range(data.n):
                found[i, j] = found[j, i] = _of_codes(data, i, j)
        elif data.cardinalities[i] > 1:
            found[i, with_planes] = _of_planes(data, planes, i, with_planes)
    np.fill_diagonal(found, 0.0)
    return np.maximum(np.round(found, _DIGITS), 0.0)


def chow_liu_tree(data: Dataset, progress: Progress = UNWATCHED) -> Adjacency:
    """The spanning tree of the greatest mutual information."""
    information = mutual_information(data, progress)
    tree = np.zeros((data.n, data.n), dtype=np.bool_)
    for new, known, weight in links(information):
        tree[new, known] = tree[known, new] = weight > 0
    return tree


def links(weights: Floats) -> Iterator[tuple[int, int, float]]:
    """A spanning tree of the greatest total weight, by Prim's algorithm.

    Each variable that it takes in, the one that it is joined to, and the weight of that pair.
    """
    best, known = weights[0].copy(), np.zeros(len(weights), dtype=np.int64)
    outside = np.arange(1, len(weights))
    while len(outside):
        new = int(outside[np.argmax(best[outside])])
        yield new, int(known[new]), float(best[new])
        outside = outside[outside != new]
        better = weights[new] > best
        best[better], known[better] = weights[new, better], new


def _of_planes(data: Dataset, planes: Planes, i: int, others: Ints) -> Floats:
    """The information of variable i with others, from the counts of pairs of planes."""
    own = slice(planes.first[i], planes.first[i] + data.cardinalities[i] - 1)
    singles = np.diagonal(planes.pairs).astype(np.float64)
    starts = planes.first[others]
    # What the first state has is the rest, on either side.
    both = planes.pairs[own].astype(np.float64)
    state_of_i = singles[own, None] - np.add.reduceat(both, starts, axis=1)
    of_others = np.add.reduceat(singles, starts)
    state_of_other = singles - both.sum(axis=0)
    neither = data.rows - singles[own].sum() - np.add.reduceat(state_of_other, starts)
    joint = np.add.reduceat(_x_log_x(both).sum(axis=0) + _x_log_x(state_of_other), starts)
    joint += _x_log_x(state_of_i).sum(axis=0) + _x_log_x(neither)
    margins = np.add.reduceat(_x_log_x(singles), starts) + _x_log_x(data.rows - of_others)
    of_i = _x_log_x(singles[own]).sum() + _x_log_x(data.rows - singles[own].sum())
    information: Floats = (joint - margins - of_i) / data.rows + np.log(data.rows)
    return information


def _of_codes(data: Dataset, i: int, j: int) -> float:
    """The information of two variables of any number of states, from their codes."""
    rows, columns = data.cardinalities[i], data.cardinalities[j]
    cells, counts = np.unique(
        data.codes[:, i].astype(np.int64) * columns + data.codes[:, j], return_counts=True
    )
    joint = counts.astype(np.float64)
    of_i = np.bincount(cells // columns, joint, minlength=rows).astype(np.float64)
    of_j = np.bincount(cells % columns, joint, minlength=columns).astype(np.float64)
    terms = _x_log_x(joint).sum() - _x_log_x(of_i).sum() - _x_log_x(of_j).sum()
    return float(terms / data.rows + np.log(data.rows))


def _x_log_x(x: Floats) -> Floats:
    """X ln x, 0 for 0."""
    product: Floats = x * np.log(np.where(x > 0, x, 1.0))
    return product


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
        """Refuse what isn't a start."""
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
    climb = climb_mpl(data, MPL(), MPLOptions(), problem.preparing, flips=start == "mpl")
    return climb.adjacency if start == "mpl" else climb.milestones[start.removeprefix("mpl-")]
