"""What every score hands on, terms and their total; and how other packages add theirs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from html import escape
from importlib.metadata import entry_points
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats, Places
from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import OptionError, clip
from bjp_engine.graph import Adjacency, degree_order, to_graph
from bjp_engine.kernels.loops import TIE
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import record
from bjp_engine.scores.prior import NAMES, edge_odds
from bjp_engine.shared import in_notebook, plot


def find_plugin(group: str, name: str) -> Any | None:
    """What a package registered under a name, made where it is a class; None where none did."""
    for entry in entry_points(group=group, name=name):
        try:
            found = entry.load()
            found = found() if isinstance(found, type) else found
        except Exception as reason:
            raise OptionError(
                f"{clip(name)} can't be loaded from {clip(entry.value)} "
                f"({type(reason).__name__}: {clip(reason)}); update the package that registers it, "
                "or remove it."
            ) from reason
        if getattr(found, "name", None) != name:
            raise OptionError(
                f"{clip(entry.value)} is registered as {clip(name)}, but its name is "
                f"{clip(getattr(found, 'name', None))}; register it by its name."
            )
        return found
    return None


def plugin_names(group: str) -> tuple[str, ...]:
    """The names that packages registered."""
    return tuple(sorted(entry_points(group=group).names))


@record
@dataclass(frozen=True, slots=True)
class AssertionTerm:
    """One assertion of a graph: ⟨x ⊥ y | given⟩ or ⟨x ⊥̸ y | given⟩.

    Parameters
    ----------
    given : tuple of str or int
        B^x without y, or the part of it that the score tests with, in column order.
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
    """One variable's part of the MPL: ln of the evidence of its states given its blanket."""

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
    order : tuple of str or int
        ψ: variables by ascending degree, ties by column.
    terms : sequence of AssertionTerm or LocalTerm
        In the order of ψ: row by row of the pairs (ψ_i, ψ_k), or variable by variable.
    total : float
        The exactly rounded sum of the terms' values and `log_prior` (natural log).
    tests : int
        How many of the terms needed the data: tests, or local scores.
    log_prior : float
        What the prior over structures adds: ln Pr(G) relative to the graph without edges.
    """

    method: str
    graph: nx.Graph[Name]
    order: tuple[Name, ...]
    terms: Sequence[Term]
    total: float
    tests: int
    log_prior: float = 0.0

    def _repr_html_(self) -> str:
        """A few lines for a notebook, and term by term."""
        rows = {
            "Score": f"ln {self.method} = {self.total:.6f}",
            "Graph": f"{len(self.graph)} variables, {self.graph.number_of_edges()} edges",
            "Terms": f"{self.tests} of {len(self.terms)} computed from the data",
        }
        if self.log_prior:
            rows["Prior over structures"] = f"adds {self.log_prior:.6f}"
        return html_rows(rows) + in_notebook(self)

    def plot(self, *, most: int = 30, theme: str = "light") -> Any:
        """The computed terms as a figure, the lowest first.

        Examples
        --------
        >>> import bjp_engine as bjp
        >>> trace = bjp.score([[0, 0], [1, 1]] * 20, [])
        >>> (bar,) = trace.plot().axes[0].patches
        >>> float(bar.get_width()) == trace.computed[0].value
        True
        """
        return plot(self, most=most, theme=theme)

    @property
    def computed(self) -> tuple[Term, ...]:
        """The terms that needed the data."""
        return tuple(t for t in self.terms if not isinstance(t, AssertionTerm) or t.computed)

    @property
    def inferred(self) -> tuple[AssertionTerm, ...]:
        """The assertions inferred as 1."""
        return tuple(t for t in self.terms if isinstance(t, AssertionTerm) and not t.computed)


@dataclass(frozen=True)
class NoOptions:
    """The options of a score or a search that has none."""


class Score:
    """What every score supplies; `AssertionScore` and `LocalScore` are the bases to write one on.

    `cited` is what a paper calls it, with who it is by (by default its name), `published` the
    search that it was published with, `options_type` the record of its options.
    """

    name: str
    title: str
    cited: str = ""
    published: str = "ibmap-hc"
    options_type: type[Any] = NoOptions

    @property
    def decomposes(self) -> bool:
        """Whether it is a sum Σ_j f_j(B^j), so that a flip changes the parts of its ends alone."""
        raise NotImplementedError

    def terms(
        self, data: Dataset, adjacency: Adjacency, order: Places, options: Any, progress: Progress
    ) -> tuple[Sequence[Term], list[float]]:
        """A graph's terms in the order ψ, and the values of those computed from the data."""
        raise NotImplementedError

    def trace(
        self,
        data: Dataset,
        adjacency: Adjacency,
        options: Any,
        progress: Progress = UNWATCHED,
        odds: Floats | None = None,
    ) -> ScoreTrace:
        """Score a graph, keeping every term; `odds` is the prior over structures."""
        order, of_edges = degree_order(adjacency), edge_odds(adjacency, odds)
        terms, values = self.terms(data, adjacency, order, options, progress)
        return ScoreTrace(
            self.name,
            to_graph(adjacency, data.names, frozen=True),
            named(order, data),
            terms,
            math.fsum(values + of_edges),
            len(values),
            math.fsum(of_edges),
        )


def exceeds(value: float, other: float, scale: float = 0.0) -> bool:
    """Whether a number is greater than another by more than rounding.

    Different tables can be exactly equally probable, and their logarithms then differ in the last
    digits only: such ties are broken by position, as docs/theory.md §4 says.
    """
    return value - other > TIE * max(abs(value), abs(other), scale)


def read_options(kinds: Mapping[str, type[Any]], given: Mapping[str, Any]) -> dict[str, Any]:
    """Sort keyword options into the option records that know them."""
    known = {kind: {field.name for field in fields(record)} for kind, record in kinds.items()}
    for name in given:
        if not any(name in names for names in known.values()):
            takes = "; ".join(
                f"{kind} takes {', '.join(sorted(names)) or 'none'}"
                for kind, names in known.items()
            )
            raise OptionError(
                f"There is no option {clip(name)} here: {takes}; a prior over structures takes "
                f"{', '.join(NAMES)}."
            )
    return {
        kind: record(**{name: given[name] for name in given if name in known[kind]})
        for kind, record in kinds.items()
    }


def named(indices: Iterable[int] | np.ndarray[Any, Any], data: Dataset) -> tuple[Name, ...]:
    """The names of some columns."""
    return tuple(data.names[int(i)] for i in indices)


def html_rows(rows: Mapping[str, str]) -> str:
    """A small table for a notebook, one line for each entry; text is escaped."""
    lines = (
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(text)}</td></tr>"
        for name, text in rows.items()
    )
    return f"<table>{''.join(lines)}</table>"
