"""Where a search begins: the paper's empty graph, what MPL finds, a tree, or a graph given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine.errors import GraphError, OptionError, clip
from bjp_engine.graph import Adjacency, as_graph, to_adjacency
from bjp_engine.records import keep
from bjp_engine.scores.mpl import MPL, MPLOptions
from bjp_engine.search.chow_liu import chow_liu_tree
from bjp_engine.search.mpl_hc import climb_mpl
from bjp_engine.search.problem import Problem

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
    score, flips = data.scored_by(MPL()), start == "mpl"
    climb = climb_mpl(data, score, MPLOptions(), problem.preparing, flips=flips)
    return climb.adjacency if start == "mpl" else climb.milestones[start.removeprefix("mpl-")]
