"""What a search is given, what it supplies, and the one driver that runs it.

A search supplies `begin`, which scores its starting point, and `advance`, which makes
proposals and says whether it stops. The driver does the rest: it keeps the proposals, asks for
cancellation, and turns the outcome into an immutable `SearchTrace`. Outcomes are values.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict, runtime_checkable

import networkx as nx
import numpy as np

from bjp_engine.arrays import Bools, Floats
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import Cancelled
from bjp_engine.graph import Adjacency, degree_order, to_graph
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping, keep
from bjp_engine.scores import find_score
from bjp_engine.scores.base import NoOptions, Score, named, read_options
from bjp_engine.scores.prior import (
    UNIFORM,
    KnownEdges,
    KnownPairs,
    StructurePrior,
    edge_odds,
    read_prior,
)
from bjp_engine.search.auto.nodewise import estimated_probability
from bjp_engine.search.trace import Proposals, SearchTrace, Step, StepLog, StopReason
from bjp_engine.validate import Seed, positive_number, whole_number

if TYPE_CHECKING:
    import pandas as pd

_log = logging.getLogger(__name__)
# Proposals that are made before anyone or a clock is asked; and where there is nobody.
AT_A_TIME, _AT_ONCE = 8, 1 << 40
clock = time.perf_counter


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
        if self.seconds is not None:
            keep(self, seconds=positive_number(self.seconds, "seconds"))
        if self.evaluations is not None:
            keep(self, evaluations=whole_number(self.evaluations, "evaluations", 1))

    def left(self, evaluations: int, most: int) -> int:
        """How many flips may be tried before this is asked again."""
        if self.seconds is not None:
            most = min(most, AT_A_TIME)
        return most if self.evaluations is None else min(most, self.evaluations - evaluations)


NO_BUDGET = Budget()


class TimeOver(Cancelled):
    """The time of a budget is over before there is a graph to begin with."""


@dataclass(frozen=True, eq=False, slots=True)
class Problem:
    """What a search is given.

    `odds` is the prior as ln odds of each pair; None where it is uniform. Of pairs that are
    required or forbidden it says nothing: 0.
    """

    data: Dataset
    score: Score
    score_options: Any
    search_options: Any
    progress: Progress = UNWATCHED
    structure: StructurePrior = UNIFORM
    odds: Floats | None = None
    budget: Budget = NO_BUDGET
    deadline: float = math.inf
    known: KnownEdges | None = None
    pairs: KnownPairs | None = None

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
    odds = structure.odds(table.n)
    return Problem(
        table,
        score,
        score_options,
        search_options,
        progress,
        structure,
        odds if pairs is None else pairs.odds(odds),
        budget,
        deadline,
        known,
        pairs,
    )


# Where a search stands: `adjacency`, its `score`, and so far `tests` (or local scores) and
# `evaluations` (flips tried). It may also have `milestones`, graphs met on the way by name;
# `best_at`, how many of the steps lead to the graph, if not all; and `evidence`, of each pair.
State: TypeAlias = Any


@dataclass(frozen=True, eq=False, slots=True)
class Move:
    """The outcome of one `advance`: where the search stands, what it proposed, whether it stops.

    `begins` is True where the ascent proper begins: what came before prepared its start.
    """

    state: State
    proposals: Proposals | None = None
    stop: StopReason | None = None
    begins: bool = False


@runtime_checkable
class Search(Protocol):
    """What a search supplies; those of `bjp_engine.search` are listed there.

    One that leaves pairs alone which the problem's `fixed` has, from a start that agrees with it
    (`Problem.agreeing`), has `keeps_fixed = True`; no other is given such pairs. One that
    asks a score for the graph's terms and for single flips, and reads no rows, has
    `by_tables = True`; no other is given data whose rows are counted elsewhere.
    """

    name: str
    title: str
    options_type: type[Any]

    def serves(self, score: Score, /) -> bool:
        """Whether the score can do what this search asks of it."""

    def begin(self, problem: Problem, /) -> State:
        """Score the starting point; what prepares it reports to `problem.preparing`."""

    def advance(self, problem: Problem, state: Any, most: int, /) -> Move:
        """Make proposals, `most` of them at most where they can be made one by one."""


@dataclass(frozen=True, eq=False, slots=True)
class ScoredGraph:
    """A graph with its score, and nothing else."""

    adjacency: Adjacency
    score: float
    tests: int
    evaluations: int = 0


def score_graph(problem: Problem, adjacency: Adjacency) -> ScoredGraph:
    """A graph with its score, as the score itself adds it up."""
    trace = problem.score.trace(
        problem.data, adjacency, problem.score_options, problem.progress, problem.odds
    )
    return ScoredGraph(adjacency, trace.total, trace.tests)


OnStart = Callable[["nx.Graph[Any]", float], None]


def drive(
    search: Search,
    problem: Problem,
    on_step: Callable[[Step], None] | None = None,
    on_start: OnStart | None = None,
) -> SearchTrace:
    """Run a search, with a call for each proposal as it happens."""
    began, batches, made = clock(), list[Proposals](), 0
    names = problem.data.names
    most = AT_A_TIME if on_start is not None or problem.progress is not UNWATCHED else _AT_ONCE
    most = most if on_step is None else 1
    problem.progress.tick()
    state, stop = _begin(search, problem)
    start, degrees = _announce(state, names, on_start), state.adjacency.sum(axis=1)
    while (stop := stop or problem.spent(state.evaluations)) is None:
        try:
            problem.progress.tick()
            move = search.advance(problem, state, problem.budget.left(state.evaluations, most))
            state, stop = move.state, move.stop
            if move.begins:
                start, degrees = _announce(state, names, on_start), state.adjacency.sum(axis=1)
        except TimeOver:
            stop = StopReason.TIME
        except Cancelled:
            stop = StopReason.CANCELLED
        else:
            if move.proposals:
                batches.append(move.proposals)
                if on_step is not None:
                    for step in move.proposals.steps(names, made + 1, degrees):
                        on_step(step)
                made, degrees = made + len(move.proposals), move.proposals.degrees_after(degrees)
    steps, structure = StepLog(batches, start[0]), problem.structure
    if problem.pairs is not None and problem.odds is not None:
        structure = StructurePrior(log_odds=problem.odds)
    options = {problem.score.name: problem.score_options, search.name: problem.search_options}
    passed: Mapping[str, Adjacency] = getattr(state, "milestones", {})
    milestones = {key: to_graph(graph, names, frozen=True) for key, graph in passed.items()}
    refused = bool(batches) and not batches[-1].accepted[-1]
    rejected = batches[-1].step(-1, names, made, degrees) if refused else None
    _log.info("%s of %s ended with %s flips: %s", search.name, problem.score.name, len(steps), stop)
    return SearchTrace(
        problem.score.name,
        search.name,
        FrozenMapping(options),
        to_graph(state.adjacency, names, frozen=True),
        state.score,
        named(degree_order(state.adjacency), problem.data),
        steps,
        rejected,
        stop,
        *start,
        FrozenMapping(milestones),
        state.tests,
        clock() - began,
        state.evaluations,
        getattr(state, "best_at", len(steps)),
        structure,
        math.fsum(edge_odds(state.adjacency, problem.odds)),
        state.score if stop is StopReason.COMPLETE else None,
        getattr(state, "evidence", None),
        problem.known,
    )


def _begin(search: Search, problem: Problem) -> tuple[State, StopReason | None]:
    """The scored starting point; the empty graph where there was no time for it."""
    try:
        return search.begin(problem), None
    except TimeOver:
        empty = np.zeros((problem.data.n, problem.data.n), dtype=np.bool_)
        return score_graph(problem, problem.agreeing(empty)), StopReason.TIME


def _announce(
    state: State, names: tuple[Name, ...], on_start: OnStart | None
) -> tuple[nx.Graph[Name], float]:
    """Where an ascent begins, and what that scores; reported."""
    start = to_graph(state.adjacency, names, frozen=True), state.score
    if on_start is not None:
        on_start(*start)
    return start


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
