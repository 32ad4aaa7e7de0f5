"""The three scores of a graph, one small file each, under one registry.

To add a score: write a class with `name`, `title`, `options_type` and `trace`, and list it
in `SCORES`; the contract tests and the pages pick it up from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import networkx as nx

from bjp_engine.dataset import DataLike, as_dataset
from bjp_engine.errors import OptionError, clip
from bjp_engine.graph import to_adjacency
from bjp_engine.scores.base import (
    AssertionTerm,
    LocalTerm,
    Score,
    ScoreTrace,
    Term,
    read_options,
)
from bjp_engine.scores.bjp import BJP
from bjp_engine.scores.change import ChangeKind, ScoreChange, TermChange, score_change
from bjp_engine.scores.halves import Half, SparedTests, spared_tests
from bjp_engine.scores.ib import IBScore
from bjp_engine.scores.mpl import MPL, LocalSlice, LocalTrace, MPLOptions, local_trace
from bjp_engine.scores.structure import StructurePrior, read_prior

SCORES: Mapping[str, Score] = MappingProxyType(
    {score.name: score for score in (BJP(), IBScore(), MPL())}
)


def find_score(method: str) -> Score:
    """The score registered under a name.

    Parameters
    ----------
    method : str

    Returns
    -------
    Score

    Raises
    ------
    OptionError
        If there is none.
    """
    if not isinstance(method, str) or method not in SCORES:
        raise OptionError(f"method={clip(method)} is not a score; use {_quoted(SCORES)}.")
    return SCORES[method]


def score(data: DataLike, graph: nx.Graph[Any], method: str = "bjp", **options: Any) -> ScoreTrace:
    """Score a graph against the data, keeping every term.

    Parameters
    ----------
    data : Dataset, DataFrame or array
        N rows of n variables.
    graph : networkx.Graph
        On the variables' names (or indices); variables that aren't nodes stand alone.
    method : {"bjp", "ib", "mpl"}
        Which score.
    **options
        `prior`, `gamma`, `slices` for bjp and ib (see `TestOptions`); `ess` for mpl; and the
        prior over structures: `edge_probability`, `expected_degree` or `log_odds` (see
        `StructurePrior`).

    Returns
    -------
    ScoreTrace
        Natural logs.

    Raises
    ------
    GraphError
        If a node is no variable, an edge is a loop or the graph is directed.
    OptionError
        If the method or an option isn't known, or is out of range.

    Examples
    --------
    >>> import networkx as nx
    >>> data = [[0, 0], [0, 0], [1, 1], [1, 1]]
    >>> trace = score(data, nx.Graph([(0, 1)]))
    >>> [(term.dependent, term.computed) for term in trace.terms]
    [(True, True), (True, False)]

    References
    ----------
    docs/theory.md §3; the modules `bjp`, `ib` and `mpl` cite the equations.
    """
    data = as_dataset(data)
    chosen = find_score(method)
    kind, (structure, others) = f"method='{method}'", read_prior(options)
    record = read_options({kind: chosen.options_type}, others)[kind]
    odds = structure.odds(data.n)
    return chosen.trace(data, to_adjacency(graph, data), record, odds=odds)


def _quoted(names: Mapping[str, Any]) -> str:
    """Names as a list in a sentence."""
    first, last = list(names)[:-1], list(names)[-1]
    return ", ".join(f"'{name}'" for name in first) + f" or '{last}'"


__all__ = [
    "SCORES",
    "AssertionTerm",
    "ChangeKind",
    "Half",
    "LocalSlice",
    "LocalTerm",
    "LocalTrace",
    "MPLOptions",
    "Score",
    "ScoreChange",
    "ScoreTrace",
    "SparedTests",
    "StructurePrior",
    "Term",
    "TermChange",
    "find_score",
    "local_trace",
    "score",
    "score_change",
    "spared_tests",
]
