"""What every kind of confidence hands on: for each pair, how sure it is that it is an edge.

Three questions may be meant by that, and `kind` says which was asked: how clear the test is that
speaks of the pair ("test"), how often the pair is an edge of what is learned from resampled rows
("bootstrap"), or its probability over all graphs, weighted by their score ("mcmc", or "exact"
where all graphs were counted).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats
from bjp_engine.confidence.diagnostics import Diagnostics
from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, OptionError, clip, is_number
from bjp_engine.frozen import FrozenMapping

Kind = Literal["test", "bootstrap", "mcmc", "exact"]


class Ended(StrEnum):
    """Whether all was made that was asked for; the value is the sentence that a person reads."""

    COMPLETE = "all that was asked for was made"
    CANCELLED = "cancelled before all was made"
    TIME = "the time that it was given was over before all was made"


@dataclass(frozen=True, slots=True)
class Edge:
    """A pair of variables and how sure it is that it is an edge.

    Parameters
    ----------
    x, y : str or int
        In column order.
    confidence : float
        A probability, 0 to 1.
    error : float or None
        Its Monte Carlo standard error.
    """

    x: Name
    y: Name
    confidence: float
    error: float | None


@dataclass(frozen=True, eq=False, slots=True)
class EdgeConfidence:
    """How sure it is of each pair of variables that it is an edge.

    Parameters
    ----------
    kind : {"test", "bootstrap", "mcmc", "exact"}
        What is meant by sure, see this module's first lines.
    names : tuple of str or int, length n
        The variables, in column order.
    matrix : ndarray of float, shape (n, n)
        Probabilities, symmetric, zero on the diagonal; read-only.
    error : ndarray of float, shape (n, n), or None
        Monte Carlo standard error of each; None where nothing was drawn at random.
    method : str
        The score.
    search : str or None
        What learned from each resample; None where nothing was learned.
    options : mapping of str to object
        The options of both that were given.
    seed : int or None
    asked, made : int
        How many resamples or draws were asked for, and how many stand behind the numbers; 0
        where there are none.
    ended : Ended
        Whether all were made.
    ends : ndarray of float, shape (n, n), or None
        For "test", entry [x, y]: the probability of dependence by the test that uses the blanket
        of x; 0 where it isn't computed.
    computed : ndarray of bool, shape (n, n), or None
        Which of these are.
    diagnostics : Diagnostics or None
        For "mcmc", whether its chains agree.
    seconds : float
        Wall-clock time.
    """

    kind: Kind
    names: tuple[Name, ...]
    matrix: Floats
    error: Floats | None
    method: str
    search: str | None = None
    options: FrozenMapping[str, Any] = field(default_factory=lambda: FrozenMapping({}))
    seed: int | None = None
    asked: int = 0
    made: int = 0
    ended: Ended = Ended.COMPLETE
    ends: Floats | None = None
    computed: NDArray[np.bool_] | None = None
    diagnostics: Diagnostics | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        """Lock copies of the arrays."""
        for name in ("matrix", "error", "ends", "computed"):
            array = getattr(self, name)
            if array is not None:
                copy = array.copy()
                copy.setflags(write=False)
                object.__setattr__(self, name, copy)

    @property
    def complete(self) -> bool:
        """Whether all was made that was asked for."""
        return self.ended is Ended.COMPLETE

    def of(self, x: Name, y: Name) -> Edge:
        """One pair.

        Parameters
        ----------
        x, y : str or int
            Two different variables, by name; or by index, where none bears it as a name.

        Returns
        -------
        Edge

        Raises
        ------
        DataError
            If there is no such variable, or both are the same.
        """
        i, j = sorted((self._index(x), self._index(y)))
        if i == j:
            raise DataError(f"x and y are both {clip(self.names[i])}; ask for two variables.")
        return self._edge(i, j)

    def edges(self, threshold: float = 0.0) -> tuple[Edge, ...]:
        """The pairs that reach a confidence, the surest first.

        Parameters
        ----------
        threshold : float
            0 to 1; at 0 every pair is listed.

        Returns
        -------
        tuple of Edge
            Equal ones in lexicographic order of columns.

        Raises
        ------
        OptionError
            If the threshold is no probability.
        """
        rows, columns = np.nonzero(np.triu(self.matrix >= _checked(threshold), 1))
        order = np.argsort(-self.matrix[rows, columns], kind="stable")
        pairs = zip(rows[order].tolist(), columns[order].tolist(), strict=True)
        return tuple(self._edge(i, j) for i, j in pairs)

    def graph(self, threshold: float = 0.5) -> nx.Graph[Name]:
        """The graph of the pairs that reach a confidence.

        Parameters
        ----------
        threshold : float
            0 to 1.

        Returns
        -------
        networkx.Graph
            With every variable as a node; edges, in lexicographic order, have the attribute
            `confidence`, and `error` where there is one.

        Raises
        ------
        OptionError
            If the threshold is no probability.
        """
        graph: nx.Graph[Name] = nx.Graph()
        graph.add_nodes_from(self.names)
        rows, columns = np.nonzero(np.triu(self.matrix >= _checked(threshold), 1))
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
            edge = self._edge(i, j)
            known = {} if edge.error is None else {"error": edge.error}
            graph.add_edge(edge.x, edge.y, confidence=edge.confidence, **known)
        return graph

    def _edge(self, i: int, j: int) -> Edge:
        """The pair of two columns, i < j."""
        error = None if self.error is None else float(self.error[i, j])
        return Edge(self.names[i], self.names[j], float(self.matrix[i, j]), error)

    def _index(self, variable: Name) -> int:
        """The column of a variable."""
        if variable in self.names:
            return self.names.index(variable)
        whole = isinstance(variable, (int, np.integer)) and not isinstance(variable, bool)
        if whole and 0 <= int(variable) < len(self.names):
            return int(variable)
        texts = [str(name) for name in self.names]
        if str(variable) in texts:
            return texts.index(str(variable))
        raise DataError(f"There is no variable {clip(variable)} among these {len(self.names)}.")


def _checked(threshold: object) -> float:
    """A threshold that is a probability."""
    if not is_number(threshold) or not 0 <= float(threshold) <= 1:  # type: ignore[arg-type]
        raise OptionError(f"threshold={clip(threshold)} must be a number between 0 and 1.")
    return float(threshold)  # type: ignore[arg-type]
