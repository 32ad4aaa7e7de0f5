"""Where a search begins: the paper's empty graph, what MPL finds, a tree, or a graph given.

The tree is that of Chow & Liu (1968): of all trees the one under which the data are most likely,
the spanning tree of the greatest total mutual information, which counts of pairs give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.dataset import Dataset
from bjp_engine.errors import GraphError, OptionError, clip
from bjp_engine.graph import Adjacency, as_graph, to_adjacency
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import keep
from bjp_engine.scores.mpl import MPL, MPLOptions
from bjp_engine.search.driver import Problem
from bjp_engine.search.mpl_hc import climb_mpl

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
