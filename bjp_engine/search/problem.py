"""What a search is given: data, a score, a prior over graphs, what is known, options, a budget."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import networkx as nx

from bjp_engine.arrays import Bools, Floats
from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import Cancelled
from bjp_engine.graph import Adjacency
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import keep
from bjp_engine.scores import find_score
from bjp_engine.scores.base import NoOptions, Score, read_options
from bjp_engine.scores.known import KnownEdges, KnownPairs
from bjp_engine.scores.structure import UNIFORM, StructurePrior, read_prior
from bjp_engine.search.auto.nodewise import estimated_probability
from bjp_engine.search.trace import StopReason
from bjp_engine.validate import Seed, positive_number, whole_number

if TYPE_CHECKING:
    import pandas as pd

    from bjp_engine.search.driver import Search


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a search may use; one that is used up ends it as a cancellation would.

    Parameters
    ----------
    seconds : float, optional
        Wall-clock time; looked at between proposals, and between the parts of what prepares the
        first graph. Where it is over before that is found, the empty graph is scored instead.
    evaluations : int, optional
        How many flips may be tried; for the first phase of the MPL hill climb local scores.
    """

    seconds: float | None = None
    evaluations: int | None = None

    def __post_init__(self) -> None:
        """Refuse what isn't a budget."""
        if self.seconds is not None:
            keep(self, seconds=positive_number(self.seconds, "seconds"))
        if self.evaluations is not None:
            keep(self, evaluations=whole_number(self.evaluations, "evaluations", 1))

    def left(self, evaluations: int, most: int) -> int:
        """How many flips may be tried before this is asked again."""
        if self.seconds is not None:
            most = min(most, AT_A_TIME)
        return most if self.evaluations is None else min(most, self.evaluations - evaluations)


# Proposals that are made before anyone or a clock is asked.
AT_A_TIME = 8
NO_BUDGET = Budget()
clock = time.perf_counter


class TimeOver(Cancelled):
    """The time of a budget is over before there is a graph to begin with."""


@dataclass(frozen=True, eq=False, slots=True)
class Problem:
    """What a search is given."""

    data: Dataset
    score: Score
    score_options: Any
    search_options: Any
    progress: Progress = UNWATCHED
    structure: StructurePrior = UNIFORM
    budget: Budget = NO_BUDGET
    deadline: float = math.inf
    known: KnownEdges | None = None
    pairs: KnownPairs | None = None

    @property
    def odds(self) -> Floats | None:
        """The prior over structures as ln odds of each pair; None where it is uniform.

        Of pairs that are required or forbidden it says nothing: 0.
        """
        base = self.structure.odds(self.data.n)
        return base if self.pairs is None else self.pairs.odds(base)

    @property
    def scored_with(self) -> StructurePrior:
        """The same as a record that a score takes."""
        odds = self.odds
        if self.pairs is None or odds is None:
            return self.structure
        return StructurePrior(log_odds=odds)

    @property
    def fixed(self) -> Bools | None:
        """The pairs that no search may flip, shape (n, n); None where there are none."""
        return None if self.pairs is None else self.pairs.fixed

    def agreeing(self, adjacency: Adjacency) -> Adjacency:
        """A graph, changed where it disagrees with what is known."""
        return adjacency if self.pairs is None else self.pairs.agreeing(adjacency)

    @property
    def preparing(self) -> Progress:
        """The progress of what comes before the first graph: the deadline ends it as well."""
        return with_deadline(self.progress, self.deadline)

    def spent(self, evaluations: int) -> StopReason | None:
        """Why a search must end, if it must."""
        if self.budget.evaluations is not None and evaluations >= self.budget.evaluations:
            return StopReason.EVALUATIONS
        return StopReason.TIME if clock() >= self.deadline else None


def with_deadline(progress: Progress, deadline: float) -> Progress:
    """The same progress, ended by `TimeOver` once a deadline has passed."""
    if deadline == math.inf:
        return progress

    def cancelled() -> bool:
        if clock() >= deadline:
            raise TimeOver("The time limit was reached before the starting graph was known.")
        return progress.cancelled is not None and progress.cancelled()

    return replace(progress, cancelled=cancelled)


def pose(
    data: DataLike,
    method: str | Score,
    options: Mapping[str, Any],
    progress: Progress = UNWATCHED,
    search: Search | None = None,
) -> Problem:
    """The problem of a search; without one, that of whoever scores graphs on its own."""
    began = clock()
    check_progress(progress)
    table = as_dataset(data)
    score = table.scored_by(find_score(method))
    structure, others = read_prior(options)
    known = others.pop("known", None)
    known = None if known is None else KnownEdges.of(known)
    pairs = None if known is None or known.empty else known.on(table.names)
    kinds = {f"method={score.name!r}": score.options_type}
    if search is not None:
        kinds |= {f"search={search.name!r}": search.options_type, "every search": Budget}
    score_options, *of_search = read_options(kinds, others).values()
    search_options, budget = of_search or (NoOptions(), NO_BUDGET)
    deadline = math.inf if budget.seconds is None else began + budget.seconds
    if structure.estimated:
        try:
            probability = estimated_probability(table, with_deadline(progress, deadline))
            structure = StructurePrior(edge_probability=probability)
        except TimeOver:
            structure = UNIFORM
    structure.odds(table.n)
    return Problem(
        table,
        score,
        score_options,
        search_options,
        progress,
        structure,
        budget,
        deadline,
        known,
        pairs,
    )


class LearnOptions(TypedDict, total=False):
    """Every option of the built-in scores and searches, so that an editor completes them."""

    prior: float
    gamma: float
    slices: Literal["all", "observed"]
    prior_cells: Literal["equal", "centred"]
    ess: float
    edge_probability: float | Literal["data"]
    expected_degree: float
    log_odds: Floats
    known: KnownEdges | Mapping[Any, Any] | pd.DataFrame | None
    seconds: float | None
    evaluations: int | None
    start: str | nx.Graph[Any]
    contributions: int
    tenure: int
    patience: int
    restarts: int
    strength: int
    seed: Seed
