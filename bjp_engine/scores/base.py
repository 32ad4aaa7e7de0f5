"""What every score hands on: terms that add up to a total, and the order they stand in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import OptionError, clip
from bjp_engine.graph import Adjacency
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import record


@record
@dataclass(frozen=True, slots=True)
class AssertionTerm:
    """One assertion of a graph: ⟨x ⊥ y | given⟩ or ⟨x ⊥̸ y | given⟩.

    Parameters
    ----------
    x, y : str or int
        The pair; the test uses the blanket of x.
    given : tuple of str or int
        B^x without y, in column order.
    dependent : bool
        Whether dependence is asserted, because {x, y} is an edge.
    computed : bool
        False where the assertion is inferred as 1 and no test is made.
    value : float
        ln Pr(assertion | D); 0.0 where inferred.
    """

    x: Name
    y: Name
    given: tuple[Name, ...]
    dependent: bool
    computed: bool
    value: float


@record
@dataclass(frozen=True, slots=True)
class LocalTerm:
    """One variable's part of the MPL.

    Parameters
    ----------
    x : str or int
        The variable.
    given : tuple of str or int
        Its blanket B^x, in column order.
    value : float
        ln of the evidence of x's states in each configuration of its blanket.
    """

    x: Name
    given: tuple[Name, ...]
    value: float


Term = AssertionTerm | LocalTerm


@record
@dataclass(frozen=True, eq=False, slots=True)
class ScoreTrace:
    """A graph's score with every term.

    Parameters
    ----------
    method : str
        "bjp", "ib" or "mpl".
    graph : networkx.Graph
        The graph that was scored, frozen, with every variable as a node.
    order : tuple of str or int
        ψ: variables by ascending degree, ties by column.
    terms : sequence of AssertionTerm or LocalTerm
        In the order of ψ: row by row of the pairs (ψ_i, ψ_k), or variable by variable.
    total : float
        The exactly rounded sum of the terms' values and `log_prior` (natural log).
    tests : int
        How many of the terms needed the data: tests, or local scores.
    log_prior : float
        What the prior over structures adds: ln Pr(G) relative to the graph without edges; 0.0
        where every graph is as probable as any other.
    """

    method: str
    graph: nx.Graph[Name]
    order: tuple[Name, ...]
    terms: Sequence[Term]
    total: float
    tests: int
    log_prior: float = 0.0

    @property
    def computed(self) -> tuple[Term, ...]:
        """The terms that needed the data."""
        return tuple(t for t in self.terms if not isinstance(t, AssertionTerm) or t.computed)

    @property
    def inferred(self) -> tuple[AssertionTerm, ...]:
        """The assertions inferred as 1."""
        return tuple(t for t in self.terms if isinstance(t, AssertionTerm) and not t.computed)


class Score(Protocol):
    """What a score supplies; one small file each, registered in `bjp_engine.scores`."""

    name: str
    title: str
    options_type: type[Any]

    def trace(
        self,
        data: Dataset,
        adjacency: Adjacency,
        options: Any,
        watch: Progress = UNWATCHED,
        odds: Floats | None = None,
    ) -> ScoreTrace:
        """Score a graph, keeping every term; `odds` is the prior over structures."""
        ...


@runtime_checkable
class LocalScore(Score, Protocol):
    """A score that is the sum of one part for each variable, given its blanket."""

    def local(self, data: Dataset, j: int, members: Sequence[int], options: Any) -> float:
        """The part of variable j."""
        ...


def exact_sum(values: Iterable[float]) -> float:
    """The correctly rounded sum, whatever the order of the values."""
    return math.fsum(values)


def read_options(kinds: Mapping[str, type[Any]], given: Mapping[str, Any]) -> dict[str, Any]:
    """Sort keyword options into the option records that know them."""
    known = {kind: {field.name for field in fields(record)} for kind, record in kinds.items()}
    for name in given:
        if not any(name in names for names in known.values()):
            takes = "; ".join(
                f"{kind} takes {', '.join(sorted(names)) or 'none'}"
                for kind, names in known.items()
            )
            raise OptionError(f"There is no option {clip(name)} here: {takes}.")
    return {
        kind: record(**{name: given[name] for name in given if name in known[kind]})
        for kind, record in kinds.items()
    }


def named(indices: Iterable[int] | np.ndarray[Any, Any], data: Dataset) -> tuple[Name, ...]:
    """The names of some columns."""
    return tuple(data.names[int(i)] for i in indices)
