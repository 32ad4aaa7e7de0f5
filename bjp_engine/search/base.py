"""The one driver of every search, and the record it hands on.

A search supplies `begin`, which scores its starting point, and `advance`, which makes
proposals and says whether it stops. The driver does the rest: it keeps the proposals, asks for
cancellation, and turns the outcome into an immutable `SearchTrace`. Outcomes are values.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import networkx as nx

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import Cancelled
from bjp_engine.frozen import FrozenMapping
from bjp_engine.graph import Adjacency, degree_order, to_graph
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import record
from bjp_engine.scores.base import Score, exact_sum, named
from bjp_engine.scores.structure import UNIFORM, StructurePrior, edge_odds
from bjp_engine.search.steps import Proposals, Step, StepLog
from bjp_engine.validate import positive_number, whole_number


class StopReason(StrEnum):
    """Why a search ended; the value is the sentence that a person reads."""

    NOT_RAISED = "the next proposal does not raise the score"
    NO_CANDIDATE = "no candidate edge raises the score"
    NO_FLIP = "no single flip raises the score"
    AGREED = "no pair that disagrees with the graph raises the score"
    NO_PAIR = "there is no pair of variables to flip"
    COMPLETE = "every graph was scored"
    PROVEN = "it is proven that no graph scores higher"
    PATIENCE = "no better graph was found for a while"
    SCHEDULE = "the search made all the flips that it was to make"
    TIME = "the time that it was given is over"
    EVALUATIONS = "the flips that it was given to try are used up"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a search may use; one that is used up ends it as a cancellation would.

    Parameters
    ----------
    seconds : float, optional
        Wall-clock time; looked at between proposals.
    evaluations : int, optional
        How many flips may be tried; for the first phase of the MPL hill climb local scores.

    Raises
    ------
    OptionError
        If one is out of range.
    """

    seconds: float | None = None
    evaluations: int | None = None

    def __post_init__(self) -> None:
        """Refuse what isn't a budget."""
        if self.seconds is not None:
            positive_number(self.seconds, "seconds")
        if self.evaluations is not None:
            whole_number(self.evaluations, "evaluations", 1)

    def spent(self, evaluations: int, began: float) -> StopReason | None:
        """Why a search must end, if it must."""
        if self.evaluations is not None and evaluations >= self.evaluations:
            return StopReason.EVALUATIONS
        if self.seconds is not None and time.perf_counter() - began >= self.seconds:
            return StopReason.TIME
        return None

    def left(self, evaluations: int, most: int) -> int:
        """How many flips may be tried before this is asked again."""
        if self.seconds is not None:
            most = min(most, AT_A_TIME)
        return most if self.evaluations is None else min(most, self.evaluations - evaluations)


# Proposals that are made before a watch or a clock is asked.
AT_A_TIME = 8
NO_BUDGET = Budget()


@record
@dataclass(frozen=True, eq=False, slots=True)
class SearchTrace:
    """What a search found, how it came there and why it stopped.

    Parameters
    ----------
    method, search : str
        The score and the search, by their registered names.
    options : mapping of str to record
        The options of both.
    graph : networkx.Graph
        The learned graph, with every variable as a node.
    score : float
        Its score (natural log).
    order : tuple of str or int
        Its ψ.
    steps : StepLog
        The accepted flips, a sequence of Step, built when they are looked at.
    rejected : Step or None
        The last proposal, where it was refused.
    stop_reason : StopReason
    start : networkx.Graph
        Where the ascent began; for the MPL hill climb the AND graph, and for the exhaustive and
        the exact search, which make no ascent, the result.
    start_score : float
    milestones : mapping of str to networkx.Graph
        Graphs met on the way: "and" and "or" for the MPL hill climb.
    tests : int
        Tests (or local scores) computed in all.
    seconds : float
        Wall-clock time.
    evaluations : int
        Flips tried in all, whether they were made or not.
    best_at : int
        After how many of the steps the graph stood that is the result: after all of them where
        a search only ascends.
    structure : StructurePrior
        The prior over structures that the score counts; `bjp_engine.score` takes its fields.
    log_prior : float
        What it adds to the score.
    bound : float or None
        No graph scores higher; None where the search proves nothing of the kind.
    """

    method: str
    search: str
    options: FrozenMapping[str, Any]
    graph: nx.Graph[Name]
    score: float
    order: tuple[Name, ...]
    steps: StepLog
    rejected: Step | None
    stop_reason: StopReason
    start: nx.Graph[Name]
    start_score: float
    milestones: FrozenMapping[str, nx.Graph[Name]]
    tests: int
    seconds: float
    evaluations: int
    best_at: int
    structure: StructurePrior
    log_prior: float
    bound: float | None = None

    @property
    def proposals(self) -> Sequence[Step]:
        """The accepted flips and the refused ones that the search told of, in their order."""
        return self.steps.with_refused()


@dataclass(frozen=True, eq=False, slots=True)
class Problem:
    """What a search is given."""

    data: Dataset
    score: Score
    score_options: Any
    search_options: Any
    watch: Progress = UNWATCHED
    structure: StructurePrior = UNIFORM
    budget: Budget = NO_BUDGET

    @property
    def odds(self) -> Floats | None:
        """The prior over structures as ln odds of each pair; None where it is uniform."""
        return self.structure.odds(self.data.n)

    def order(self, adjacency: Adjacency) -> tuple[Name, ...]:
        """ψ by name."""
        return named(degree_order(adjacency), self.data)


@dataclass(frozen=True, slots=True)
class NoOptions:
    """For a search that has nothing to set."""


class State(Protocol):
    """Where a search stands: a scored graph, and whatever else its algorithm carries."""

    @property
    def adjacency(self) -> Adjacency:
        """The graph, shape (n, n)."""
        ...

    @property
    def score(self) -> float:
        """Its score."""
        ...

    @property
    def tests(self) -> int:
        """Tests (or local scores) computed so far."""
        ...

    @property
    def evaluations(self) -> int:
        """Flips tried so far."""
        ...

    @property
    def milestones(self) -> dict[str, Adjacency]:
        """Graphs met on the way, by name."""
        return {}

    @property
    def best_at(self) -> int | None:
        """How many steps lead to the graph; None for all."""
        return None

    @property
    def structure(self) -> StructurePrior | None:
        """The prior over structures that the search chose; None for the one it was given."""
        return None

    @property
    def bound(self) -> float | None:
        """No graph scores higher; None where nothing of the kind is proven."""
        return None


@dataclass(frozen=True, eq=False, slots=True)
class Move:
    """The outcome of one `advance`.

    Parameters
    ----------
    state : State
        Where the search stands now.
    proposals : Proposals or None
        What was proposed, if anything was.
    stop : StopReason or None
        Why the search ends here, if it does.
    begins : bool
        Whether the ascent proper begins here: what came before prepared its start.
    """

    state: State
    proposals: Proposals | None = None
    stop: StopReason | None = None
    begins: bool = False


class Search(Protocol):
    """What a search supplies; one small file each, registered in `bjp_engine.search`."""

    name: str
    title: str
    methods: tuple[str, ...]
    options_type: type[Any]

    def begin(self, problem: Problem, /) -> State:
        """Score the starting point."""
        ...

    def advance(self, problem: Problem, state: Any, most: int, /) -> Move:
        """Make proposals, `most` of them at most where they can be made one by one."""
        ...


def drive(
    search: Search, problem: Problem, most: int = 1
) -> Generator[Proposals, None, SearchTrace]:
    """Run a search, yielding its proposals as they happen."""
    began, batches = time.perf_counter(), list[Proposals]()
    problem.watch.tick()
    state = search.begin(problem)
    start = _announced(problem, state)
    stop: StopReason | None = None
    while (stop := stop or problem.budget.spent(state.evaluations, began)) is None:
        try:
            problem.watch.tick()
            move = search.advance(problem, state, problem.budget.left(state.evaluations, most))
            state, stop = move.state, move.stop
            if move.begins:
                start = _announced(problem, state)
            for k, piece in enumerate(move.proposals.pieces(most) if move.proposals else ()):
                # What was made is told, before anyone is asked again.
                if k > 0:
                    problem.watch.tick()
                batches.append(piece)
                yield piece
        except Cancelled:
            stop = StopReason.CANCELLED
    return _trace(search, problem, start, state, stop, batches, began)


@dataclass(frozen=True, eq=False, slots=True)
class _Start:
    """Where an ascent began."""

    graph: nx.Graph[Name]
    score: float


def _announced(problem: Problem, state: State) -> _Start:
    """Keep where an ascent begins, and tell the watch."""
    start = _Start(_frozen(problem, state), state.score)
    if problem.watch.on_start is not None:
        problem.watch.on_start(start.graph, start.score)
    return start


def _frozen(problem: Problem, state: State) -> nx.Graph[Name]:
    """The graph of a state, by name."""
    return to_graph(state.adjacency, problem.data.names, frozen=True)


def _trace(
    search: Search,
    problem: Problem,
    start: _Start,
    state: State,
    stop: StopReason,
    batches: Sequence[Proposals],
    began: float,
) -> SearchTrace:
    """The record of a finished search."""
    names = problem.data.names
    options = {problem.score.name: problem.score_options, search.name: problem.search_options}
    steps = StepLog(batches, names)
    structure = state.structure or problem.structure
    return SearchTrace(
        problem.score.name,
        search.name,
        FrozenMapping(options),
        _frozen(problem, state),
        state.score,
        problem.order(state.adjacency),
        steps,
        _refused(batches, names),
        stop,
        start.graph,
        start.score,
        FrozenMapping({k: to_graph(g, names, frozen=True) for k, g in state.milestones.items()}),
        state.tests,
        time.perf_counter() - began,
        state.evaluations,
        len(steps) if state.best_at is None else state.best_at,
        structure,
        exact_sum(edge_odds(state.adjacency, structure.odds(len(names)))),
        state.bound,
    )


def _refused(batches: Sequence[Proposals], names: tuple[Name, ...]) -> Step | None:
    """The last proposal, where it was refused."""
    if not batches or batches[-1].accepted[-1]:
        return None
    first = 1 + sum(len(batch) for batch in batches[:-1])
    return batches[-1].last(names, first)
